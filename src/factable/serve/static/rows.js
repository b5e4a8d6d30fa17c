// A list of any length of which only the rows in sight are asked for and in the document.
import { byId } from "./dom.js";

const ROW = 88, SPARE = 6, PAGE = 100, MAX_PAGES = 30;
// Browsers draw nothing below some ten million pixels; longer lists are scrolled in larger steps.
const MAX_HEIGHT = 8_000_000;

export class Rows {
  // `load(first, count)` gives { total, rows }, `draw(row, index)` an element; `chosen` hears of a choice.
  constructor({ load, draw, chosen, open, loaded }) {
    Object.assign(this, { load, draw, chosen, open, loaded, list: byId("list"), space: byId("space"), total: 0, index: 0, pages: new Map(), drawn: new Map(), turn: 0 });
    let frame = 0;
    this.list.addEventListener("scroll", () => { frame ||= requestAnimationFrame(() => { frame = 0; this.paint(); }); });
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (!row) return;
      this.choose(Number(row.dataset.index));
      this.open();
    });
    this.list.addEventListener("keydown", (event) => this.#onKey(event));
    window.addEventListener("resize", () => this.paint());
  }

  // Begins at the top with another list, or reads the same one again.
  async refresh({ keep = false } = {}) {
    const turn = ++this.turn;
    const first = keep ? Math.floor(this.index / PAGE) : 0;
    const page = await this.load(first * PAGE, PAGE);
    // Of several that were asked for, the last one counts.
    if (turn !== this.turn) return;
    this.pages = new Map([[first, page.rows]]);
    this.total = page.total;
    for (const { element } of this.drawn.values()) element.remove();
    this.drawn = new Map();
    this.loaded(page);
    this.space.style.height = `${Math.min(this.total * ROW, MAX_HEIGHT)}px`;
    if (!keep) {
      this.index = 0;
      this.list.scrollTop = 0;
    }
    this.paint();
    this.chosen(this.row(this.index), this.index);
  }

  row(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  // How many pixels of the whole list one pixel of the scroll bar stands for.
  get #scale() {
    const view = this.list.clientHeight;
    const [all, drawn] = [this.total * ROW - view, Math.min(this.total * ROW, MAX_HEIGHT) - view];
    return drawn > 0 ? all / drawn : 1;
  }

  paint() {
    const top = this.list.scrollTop, scale = this.#scale;
    const offset = top * scale;
    const first = Math.max(0, Math.floor(offset / ROW) - SPARE);
    const last = Math.min(this.total, Math.ceil((offset + this.list.clientHeight) / ROW) + SPARE);
    const rows = new Map();
    for (let index = first; index < last; index++) {
      const row = this.row(index);
      if (!row) this.#fetch(Math.floor(index / PAGE));
      const before = this.drawn.get(index);
      // Most rows of the last frame are still in sight.
      const element = before && before.row === row ? before.element : this.#drawRow(row, index);
      element.setAttribute("aria-selected", String(index === this.index));
      element.style.top = `${top + index * ROW - offset}px`;
      rows.set(index, { row, element });
    }
    for (const [index, { element }] of this.drawn) if (rows.get(index)?.element !== element) element.remove();
    for (const { element } of rows.values()) if (!element.isConnected) this.space.append(element);
    this.drawn = rows;
    if (this.index >= first && this.index < last) this.list.setAttribute("aria-activedescendant", `row-${this.index}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  #drawRow(row, index) {
    const element = this.draw(row, index);
    element.classList.add("item");
    const attributes = { id: `row-${index}`, role: "option", "data-index": index, "aria-posinset": index + 1, "aria-setsize": this.total };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  async #fetch(number) {
    if (this.pages.has(number)) return;
    const turn = this.turn;
    this.pages.set(number, []);
    let page;
    try {
      page = await this.load(number * PAGE, PAGE);
    } catch {
      if (turn === this.turn) this.pages.delete(number);
      return;
    }
    if (turn !== this.turn) return;
    this.pages.set(number, page.rows);
    for (const old of [...this.pages.keys()].slice(0, Math.max(0, this.pages.size - MAX_PAGES))) this.pages.delete(old);
    this.paint();
    if (Math.floor(this.index / PAGE) === number) this.chosen(this.row(this.index), this.index);
  }

  choose(index) {
    if (!this.total) return;
    this.index = Math.min(this.total - 1, Math.max(0, index));
    const scale = this.#scale, view = this.list.clientHeight, top = this.index * ROW;
    const offset = this.list.scrollTop * scale;
    if (top < offset) this.list.scrollTop = top / scale;
    else if (top + ROW > offset + view) this.list.scrollTop = (top + ROW - view) / scale;
    this.paint();
    const row = this.row(this.index);
    if (row) this.chosen(row, this.index);
  }

  #onKey(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) { event.preventDefault(); this.choose(this.index + steps[event.key]); }
    if (event.key === "Enter") { event.preventDefault(); this.open(); }
  }
}
