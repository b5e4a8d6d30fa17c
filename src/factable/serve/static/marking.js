// A text whose words can be selected by mouse, touch and keyboard. Positions are characters (code points),
// as the server counts them.
import { make, say } from "./dom.js";

// Words, spaces and punctuation of a text, or single letters: { words, start, end, blank }.
export function tokensOf(text, granularity) {
  const segmenter = new Intl.Segmenter(undefined, { granularity });
  let start = 0;
  return [...segmenter.segment(text)].map(({ segment }) => {
    const token = { words: segment, start, end: start + [...segment].length, blank: !segment.trim() };
    start = token.end;
    return token;
  });
}

export class MarkableText {
  // `onSelect` hears of every change of the selection, `onMark` of a finished one by mouse.
  constructor(root, { onSelect, onMark }) {
    Object.assign(this, { root, onSelect, onMark, tokens: [], anchor: null, cursor: 0, marks: [], suggestions: [], dragging: false });
    root.addEventListener("keydown", (event) => this.#onKey(event));
    root.addEventListener("pointerdown", (event) => this.#onDown(event));
    root.addEventListener("pointermove", (event) => this.#onMove(event));
    root.addEventListener("pointerup", () => this.#onUp());
    root.addEventListener("pointercancel", () => { this.dragging = false; });
  }

  show(text, granularity) {
    this.text = text;
    this.points = [...text];
    this.tokens = tokensOf(text, granularity);
    this.anchor = null;
    this.cursor = Math.max(0, this.tokens.findIndex((token) => !token.blank));
    this.elements = this.tokens.map((token, index) => say(make("span", { class: "token", "data-token": index }), token.words));
    this.root.replaceChildren(...this.elements);
    if (!text) this.root.append(make("span", { class: "soft" }, "(empty)"));
    this.paint();
  }

  // `marks` are { start, end, number } with the number of the category, `suggestions` { start, end }.
  update(marks, suggestions) {
    Object.assign(this, { marks, suggestions });
    this.paint();
  }

  // The selected characters [start, end], without white space at the ends; null if nothing is selected.
  get selection() {
    if (this.anchor === null || !this.tokens.length) return null;
    let [first, last] = [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)];
    while (first < last && this.tokens[first].blank) first++;
    while (last > first && this.tokens[last].blank) last--;
    return [this.tokens[first].start, this.tokens[last].end];
  }

  // The selected characters, or those at the cursor if the text has the focus.
  get target() {
    if (this.selection) return this.selection;
    const token = this.tokens[this.cursor];
    return token && document.activeElement === this.root ? [token.start, token.end] : null;
  }

  clear() {
    this.anchor = null;
    this.#changed();
  }

  select(start, end) {
    const first = this.tokens.findIndex((token) => token.end > start);
    const last = this.tokens.findLastIndex((token) => token.start < end);
    if (first < 0) return;
    [this.anchor, this.cursor] = [first, Math.max(first, last)];
    this.#changed();
    this.elements[first].scrollIntoView({ block: "nearest" });
  }

  wordsAt([start, end]) {
    return this.points.slice(start, end).join("");
  }

  paint() {
    const [first, last] = this.anchor === null ? [1, 0] : [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)];
    this.tokens.forEach((token, index) => {
      const marks = this.marks.filter((mark) => mark.start < token.end && mark.end > token.start);
      const suggested = this.suggestions.some((mark) => mark.start < token.end && mark.end > token.start);
      const shown = marks.at(-1);
      const ends = marks.filter((mark) => mark.end <= token.end).map((mark) => mark.number);
      const classes = ["token",
        shown ? `marked category-${shown.number}` : "",
        suggested ? "suggested" : "",
        index >= first && index <= last ? "selected" : "",
        index === this.cursor ? "cursor" : ""];
      const element = this.elements[index];
      element.className = classes.filter(Boolean).join(" ");
      // A number at the end of each mark: colours alone do not tell everybody.
      if (ends.length) element.dataset.ends = ends.join(" ");
      else delete element.dataset.ends;
    });
  }

  #changed() {
    this.paint();
    this.onSelect(this.selection);
  }

  #tokenAt(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY)?.closest(".token");
    return element && this.root.contains(element) ? Number(element.dataset.token) : null;
  }

  #onDown(event) {
    const index = this.#tokenAt(event);
    if (index === null || event.button !== 0) {
      if (index === null) this.clear();
      return;
    }
    if (event.pointerType === "touch") {
      // A finger that moves scrolls the page: one tap selects a word, the next one up to where.
      const [start, end] = this.anchor === null ? [-1, -2] : [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)];
      if (index >= start && index <= end) this.anchor = null;
      else if (this.anchor === null) [this.anchor, this.cursor] = [index, index];
      else this.cursor = index;
      this.#changed();
      return;
    }
    // No selection of the browser's own beside ours.
    event.preventDefault();
    this.root.focus({ preventScroll: true });
    this.root.setPointerCapture(event.pointerId);
    if (!event.shiftKey || this.anchor === null) this.anchor = event.shiftKey ? this.cursor : index;
    this.cursor = index;
    this.dragging = true;
    this.#changed();
  }

  #onMove(event) {
    if (!this.dragging) return;
    const index = this.#tokenAt(event);
    if (index === null || index === this.cursor) return;
    this.cursor = index;
    this.#changed();
  }

  #onUp() {
    if (!this.dragging) return;
    this.dragging = false;
    this.onMark(this.selection);
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    let to = null;
    if (event.key in steps) to = this.#nextWord(this.cursor, this.#isRightToLeft() ? -steps[event.key] : steps[event.key]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") to = this.#otherLine(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Home") to = this.#nextWord(-1, 1);
    else if (event.key === "End") to = this.#nextWord(this.tokens.length, -1);
    else if (event.key === "Escape" && this.anchor !== null) { event.preventDefault(); this.clear(); }
    if (to === null) return;
    event.preventDefault();
    if (event.shiftKey) this.anchor ??= this.cursor;
    else this.anchor = null;
    this.cursor = to;
    this.elements[to].scrollIntoView({ block: "nearest" });
    this.#changed();
  }

  #isRightToLeft() {
    return getComputedStyle(this.root).direction === "rtl";
  }

  #nextWord(from, step) {
    let index = from + step;
    while (this.tokens[index]?.blank) index += step;
    return this.tokens[index] ? index : this.tokens[from] ? from : null;
  }

  // The word below or above, nearest to where the cursor is.
  #otherLine(step) {
    if (!this.tokens.length) return null;
    const here = this.elements[this.cursor].getBoundingClientRect();
    let best = null;
    for (let index = this.cursor + step; this.tokens[index]; index += step) {
      const box = this.elements[index].getBoundingClientRect();
      const lines = Math.abs(box.top - here.top) / here.height;
      if (this.tokens[index].blank || lines < 0.5) continue;
      const distance = Math.abs(box.left - here.left);
      if (best && Math.abs(box.top - best.top) > box.height / 2) break;
      if (!best || distance < best.distance) best = { index, distance, top: box.top };
    }
    return best ? best.index : this.cursor;
  }
}
