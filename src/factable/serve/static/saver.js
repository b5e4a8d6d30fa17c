// Keeps what an annotator says: one request at a time, the newest state last, again until the server has it.
import { ServerError, ask } from "./client.js";

const FIRST_WAIT = 500, LONGEST_WAIT = 8000;

export class Saver {
  // `told` hears "saved", "saving" and "waiting"; `refused` gets an error that trying again cannot mend.
  constructor(path, headers, revision, { told, refused, saved }) {
    Object.assign(this, { path, headers, revision, told, refused, saved });
    this.waiting = null;
    this.running = null;
  }

  get idle() {
    return !this.running;
  }

  // Saves a state; those that come while a request runs replace each other.
  save(state) {
    this.waiting = state;
    this.running ||= this.#run().finally(() => { this.running = null; });
    return this.running;
  }

  async #run() {
    let wait = FIRST_WAIT;
    while (this.waiting) {
      const state = this.waiting;
      this.told("saving");
      try {
        const answer = await ask(this.path, { method: "PUT", body: { revision: this.revision, state }, headers: this.headers });
        this.revision = answer.revision;
        if (this.waiting === state) this.waiting = null;
        wait = FIRST_WAIT;
        this.saved(answer);
        if (!this.waiting) this.told("saved");
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.status !== 0 && error.status !== 429 && error.status < 500) {
          this.waiting = null;
          this.refused(error);
          return;
        }
        this.told("waiting");
        await new Promise((resume) => { setTimeout(resume, wait); });
        wait = Math.min(2 * wait, LONGEST_WAIT);
      }
    }
  }
}
