// The page of an annotator: one text after the other, everything saved at once.
import { ServerError, ask } from "./client.js";
import { byId, make, many, plain, quoted, shown } from "./dom.js";
import { factItems } from "./findings.js";
import { MarkableText } from "./marking.js";
import { recall, remember } from "./memory.js";
import { Saver } from "./saver.js";

const FACT_LABELS = { said: ["✓", "s"], "not said": ["−", "x"], wrong: ["✗", "w"] };
const KIND_OF = { said: "supported", "not said": "omitted", wrong: "contradicted" };
const headers = { Authorization: `Bearer ${location.hash.slice(1)}` };
let campaign, texts, categories, current, state, saver, brush = null;

const text = new MarkableText(byId("text"), {
  onSelect: (selection) => showSelection(selection),
  onMark: (selection) => { if (selection && brush !== null) mark(brush); },
});

const memoryOf = (name) => `annotate.${campaign.id}.${name}`;

async function start() {
  let mine;
  try {
    mine = await ask("/api/annotate", { headers });
  } catch (error) {
    showProblem(location.hash.length < 2 ? "Open the link that you were given; this one names nobody." : error.message);
    return;
  }
  ({ campaign, texts } = mine);
  // Those of omissions are labels of facts.
  categories = campaign.categories.filter((category) => category.error !== "omission");
  byId("name").replaceChildren(quoted("span", campaign.name));
  byId("who").replaceChildren("annotated by ", quoted("b", mine.annotator));
  byId("instructions").hidden = !campaign.instructions;
  byId("instructions").open = recall(memoryOf("instructions"), "open") === "open";
  byId("instructions-text").replaceChildren(quoted("p", campaign.instructions, { class: "instructions" }));
  byId("fact-legend").hidden = !campaign.asks_facts;
  byId("letters").checked = recall("annotate.letters") === "true";
  const kept = categories.findIndex((category) => category.name === recall(memoryOf("brush")));
  brush = kept < 0 ? null : kept;
  showCategories();
  byId("annotate").hidden = false;
  if (!texts.length) {
    showProblem("There is no text for you in this campaign yet.");
    byId("work").hidden = true;
    return;
  }
  const last = texts.findIndex((each) => String(each.id) === recall(memoryOf("text")));
  await open(last < 0 ? Math.max(0, texts.findIndex((each) => !each.done)) : last);
}

function showProblem(message) {
  byId("problem").textContent = message;
  byId("problem").hidden = !message;
}

// Opens a text once what was said about the one before is saved.
async function open(index) {
  if (saver) await saver.running;
  if (!texts[index]) return;
  try {
    current = { index, ...await ask(`/api/annotate/texts/${texts[index].id}`, { headers }) };
  } catch (error) {
    showProblem(error.message);
    return;
  }
  remember(memoryOf("text"), current.id);
  showProblem("");
  saver = new Saver(`/api/annotate/texts/${current.id}`, headers, current.revision, {
    told: showSaving,
    refused: onRefused,
    saved: (answer) => take(answer, false),
  });
  state = current.state;
  showSaving("saved");
  text.show(current.text, byId("letters").checked ? "grapheme" : "word");
  byId("title").replaceChildren(...(current.title ? [quoted("span", current.title)] : []));
  showState();
  showProgress();
}

// What the server has, after a change of ours or by undo.
function take(answer, replaces) {
  current.revision = answer.revision;
  [current.canUndo, current.canRedo] = [answer.canUndo, answer.canRedo];
  const entry = texts[current.index];
  [entry.started, entry.done] = [answer.revision > 0, answer.state.done];
  if (replaces) state = answer.state;
  saver.revision = answer.revision;
  if (replaces) showState();
  showButtons();
  showProgress();
}

async function onRefused(error) {
  const reason = error.status === 409 ? "This text was changed in another window; here is what that one saved." : error.message;
  await open(current.index);
  showProblem(reason);
}

// Changes what is said and saves it; what was typed is on the page already, and must not lose the focus.
function change(edit, { typed = false } = {}) {
  state = structuredClone(state);
  edit(state);
  if (!typed) showState();
  saver.save(state);
}

async function step(name) {
  await saver.running;
  if (!(name === "undo" ? current.canUndo : current.canRedo)) return;
  try {
    const answer = await ask(`/api/annotate/texts/${current.id}/${name}`, { body: { revision: current.revision }, headers });
    take(answer, true);
    hear(name === "undo" ? "undone" : "done again");
  } catch (error) {
    if (error instanceof ServerError) onRefused(error);
    else throw error;
  }
}

function hear(message) {
  byId("heard").textContent = message;
}

function mark(number) {
  const target = text.target;
  if (!target) return;
  const [start, end] = target;
  const category = categories[number].name;
  const same = state.marks.some((each) => each.start === start && each.end === end && each.category === category);
  text.clear();
  if (same) return;
  change((next) => { next.marks.push({ start, end, category, comment: "", suggestion: null }); });
  hear(`${text.wordsAt(target)}: ${category}`);
}

function removeMarks([start, end]) {
  const hit = state.marks.filter((each) => each.start < end && each.end > start);
  if (!hit.length) return;
  change((next) => { next.marks = next.marks.filter((each) => !(each.start < end && each.end > start)); });
  hear(`${many(hit.length, "mark")} removed`);
}

function decide(number, accepted) {
  const { span, record, label } = current.suggestions[number];
  change((next) => {
    next.decisions[number] = accepted;
    if (accepted && span) next.marks.push({ start: span[0], end: span[1], category: label, comment: "", suggestion: number });
    if (accepted && record !== null) next.facts[record] = label;
  });
  hear(accepted ? "accepted" : "rejected");
}

function labelFact(record, label) {
  const number = current.suggestions.findIndex((each) => each.record === record);
  change((next) => {
    if (next.facts[record] === label) delete next.facts[record];
    else next.facts[record] = label;
    if (number >= 0 && record in next.facts) next.decisions[number] = current.suggestions[number].label === label;
    else delete next.decisions[number];
  });
}

const numberOf = (category) => categories.findIndex((each) => each.name === category);

// Suggestions for words that were neither accepted nor rejected, with their numbers.
function openSuggestions() {
  return current.suggestions.flatMap((each, number) => (each.span && !(number in state.decisions) ? [{ ...each, number }] : []));
}

function showState() {
  // In the order in which the server has them.
  state.marks.sort((a, b) => a.start - b.start || a.end - b.end || (a.category < b.category ? -1 : 1));
  text.update(
    state.marks.map(({ start, end, category }) => ({ start, end, number: numberOf(category) + 1 })),
    openSuggestions().map(({ span: [start, end] }) => ({ start, end })));
  showMarks();
  showSuggestions();
  showFacts();
  if (document.activeElement !== byId("comment")) byId("comment").value = state.comment;
  showButtons();
}

function showMarks() {
  const list = byId("marks");
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  list.replaceChildren(...state.marks.map(markItem));
  if (!state.marks.length) list.append(make("li", { class: "soft" }, "none yet"));
  if (focused) (list.querySelector(`[data-control="${focused}"]`) || byId("text")).focus();
}

function markItem(each, index) {
  const words = text.wordsAt([each.start, each.end]);
  const number = numberOf(each.category) + 1;
  const choice = make("select", { "aria-label": `Category of ${words}`, "data-control": `category-${index}` },
    categories.map((category) => make("option", { value: category.name }, category.name)));
  choice.value = each.category;
  choice.addEventListener("change", () => change((next) => { next.marks[index].category = choice.value; }));
  const comment = make("input", { "aria-label": `Comment on ${words}`, placeholder: "comment", maxlength: 5000, "data-control": `comment-${index}`, autocomplete: "off" });
  comment.value = each.comment;
  comment.addEventListener("change", () => change((next) => { next.marks[index].comment = comment.value; }, { typed: true }));
  const remove = make("button", { type: "button", "aria-label": `Remove the mark on ${words}`, "data-control": `remove-${index}` }, "×");
  remove.addEventListener("click", () => change((next) => { next.marks.splice(index, 1); }));
  const show = make("button", { type: "button", class: `words category-${number}`, "data-control": `words-${index}`, title: "Show in the text" }, make("b", {}, String(number)), " ", quoted("span", words));
  show.addEventListener("click", () => text.select(each.start, each.end));
  return make("li", { class: "mark-item" }, show, choice, comment, remove);
}

function showSuggestions() {
  const box = byId("suggestions");
  const inside = box.contains(document.activeElement);
  const open = openSuggestions();
  box.replaceChildren();
  if (!open.length) {
    if (inside) byId("text").focus();
    return;
  }
  box.append(make("h3", {}, `Suggested by ${campaign.metric}`), make("ul", { class: "marks" }, open.map(suggestionItem)));
  if (inside) box.querySelector("button.accept").focus();
}

function suggestionItem({ span, label, score, note, number }) {
  const words = text.wordsAt(span);
  const accept = make("button", { type: "button", class: "accept", "aria-label": `Accept ${label}: ${words}` }, "✓ Accept");
  accept.addEventListener("click", () => decide(number, true));
  const reject = make("button", { type: "button", "aria-label": `Reject ${label}: ${words}` }, "✗ Reject");
  reject.addEventListener("click", () => decide(number, false));
  const show = make("button", { type: "button", class: "words dotted", title: "Show in the text" }, quoted("span", words));
  show.addEventListener("click", () => text.select(...span));
  return make("li", { class: "mark-item suggestion" }, show, make("span", {}, label, " "), quoted("span", [score === null ? "" : shown(score, 2), note].filter(Boolean).join(" · "), { class: "soft note" }), make("span", { class: "pair" }, accept, reject));
}

function showFacts() {
  const list = byId("facts");
  const focus = list.contains(document.activeElement) ? document.activeElement : null;
  const [record, control] = focus ? [focus.closest(".fact").dataset.record, focus.dataset.control] : [];
  const findings = Object.entries(state.facts).map(([index, label]) => ({ kind: KIND_OF[label], record: Number(index), start: null, end: null, score: null, note: "" }));
  list.replaceChildren(...factItems(current.records, findings, "", campaign.asks_facts ? factButtons : undefined));
  if (!current.records.length) list.append(make("li", { class: "soft" }, "no records"));
  const labelled = Object.keys(state.facts).length;
  byId("fact-help").textContent = campaign.asks_facts ? `${labelled} of ${many(current.records.length, "fact")} labelled` : "";
  if (record !== undefined) {
    const item = list.querySelector(`.fact[data-record="${record}"]`);
    (control ? item.querySelector(`[data-control="${control}"]`) : item).focus();
  }
}

function factButtons(record) {
  const suggested = current.suggestions.find((each, number) => each.record === record && !(number in state.decisions));
  const name = current.records[record].filter(Boolean).join(" ");
  return make("span", { class: "labels", role: "group", "aria-label": plain(name) }, Object.entries(FACT_LABELS).map(([label, [sign, key]]) => {
    const hint = suggested?.label === label ? `, suggested by ${campaign.metric}` : "";
    const button = make("button", {
      type: "button", "aria-pressed": String(state.facts[record] === label), "data-control": label, title: `${label} (${key})${hint}`, "aria-label": `${label}${hint}`,
      class: `label ${KIND_OF[label]}${hint ? " dotted" : ""}`,
    }, sign);
    button.addEventListener("click", () => labelFact(record, label));
    return button;
  }));
}

function showCategories() {
  byId("categories").replaceChildren(...categories.map((category, index) => {
    const button = make("button", {
      type: "button", class: `category category-${index + 1}`, title: category.description, "aria-pressed": String(brush === index), "aria-keyshortcuts": String(index + 1),
    }, make("kbd", {}, String(index + 1)), " ", quoted("span", category.name));
    // Pressing must not take the selection away before the click comes.
    button.addEventListener("pointerdown", (event) => event.preventDefault());
    button.addEventListener("click", () => choose(index));
    return button;
  }));
}

// With words selected marks them; without, keeps the category at hand for the next selections.
function choose(index) {
  if (text.selection) {
    mark(index);
    return;
  }
  brush = brush === index ? null : index;
  remember(memoryOf("brush"), brush === null ? "" : categories[brush].name);
  for (const [number, button] of [...byId("categories").children].entries()) button.setAttribute("aria-pressed", String(number === brush));
  hear(brush === null ? "mark by choosing a category" : `selected words are marked as ${categories[brush].name} at once`);
}

function showSelection(selection) {
  byId("annotate").classList.toggle("selecting", Boolean(selection));
  if (document.activeElement !== byId("text")) return;
  const [start, end] = selection || text.target || [0, 0];
  const marks = state.marks.filter((each) => each.start < end && each.end > start).map((each) => each.category);
  hear([`${selection ? "selected: " : ""}${text.wordsAt([start, end])}`, ...marks].join(", "));
}

const SAVING = { saved: "✓ Saved", saving: "Saving …", waiting: "⚠ Not saved: the server cannot be reached. Trying again …" };

function showSaving(how) {
  byId("saved").className = how;
  byId("saved").textContent = SAVING[how];
}

function showButtons() {
  byId("undo").disabled = !current.canUndo && saver.idle;
  byId("redo").disabled = !current.canRedo;
  byId("previous").disabled = current.index === 0;
  byId("next").disabled = current.index === texts.length - 1;
  byId("done").textContent = state.done ? "✓ Done; open again" : "✓ Done, next text";
  byId("done").setAttribute("aria-pressed", String(state.done));
}

function showProgress() {
  const done = texts.filter((each) => each.done).length;
  byId("progress").max = texts.length;
  byId("progress").value = done;
  byId("done-count").textContent = `${done} of ${many(texts.length, "text")} done`;
  byId("jump").replaceChildren(...texts.map((each, index) => make("option", { value: index }, `${index + 1} ${each.done ? "✓" : each.started ? "…" : ""} ${plain(each.excerpt.slice(0, 50))}`)));
  byId("jump").value = current.index;
}

let finishing = false;

// A second press while the next text is being opened would open the finished one again.
async function finish() {
  if (finishing) return;
  finishing = true;
  try {
    await finishOne();
  } finally {
    finishing = false;
  }
}

async function finishOne() {
  if (state.done) {
    change((next) => { next.done = false; });
    return;
  }
  change((next) => { next.done = true; });
  await saver.running;
  if (!state.done) return;
  const after = texts.findIndex((each, index) => index > current.index && !each.done);
  const open_one = after < 0 ? texts.findIndex((each) => !each.done) : after;
  if (open_one < 0) showProblem("All your texts are done. Thank you! You may still change them.");
  else {
    await open(open_one);
    window.scrollTo({ top: 0 });
    byId("text").focus({ preventScroll: true });
  }
}

function onKey(event) {
  const control = event.ctrlKey || event.metaKey;
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (!current || event.altKey || typing) return;
  if (control) {
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    step(key === "y" || event.shiftKey ? "redo" : "undo");
    return;
  }
  const fact = event.target.closest(".fact");
  const label = Object.keys(FACT_LABELS).find((name) => FACT_LABELS[name][1] === event.key);
  const index = Number(event.key) - 1;
  const [first] = openSuggestions();
  const actions = {
    j: () => open(current.index + 1), k: () => open(current.index - 1), d: finish,
    t: () => byId("text").focus(), f: () => byId("facts").querySelector(".fact")?.focus(),
    a: () => first && decide(first.number, true), r: () => first && decide(first.number, false),
  };
  if (fact && label && campaign.asks_facts) labelFact(Number(fact.dataset.record), label);
  else if (fact && ["ArrowDown", "ArrowUp"].includes(event.key)) (event.key === "ArrowDown" ? fact.nextElementSibling : fact.previousElementSibling)?.focus();
  else if (categories[index] && text.target) mark(index);
  else if (["Delete", "Backspace"].includes(event.key) && text.target) removeMarks(text.target);
  else if (event.key in actions) actions[event.key]();
  else return;
  event.preventDefault();
}

byId("undo").addEventListener("click", () => step("undo"));
byId("redo").addEventListener("click", () => step("redo"));
byId("done").addEventListener("click", finish);
byId("previous").addEventListener("click", () => open(current.index - 1));
byId("next").addEventListener("click", () => open(current.index + 1));
byId("jump").addEventListener("change", () => open(Number(byId("jump").value)));
byId("comment").addEventListener("change", () => change((next) => { next.comment = byId("comment").value; }, { typed: true }));
byId("letters").addEventListener("change", () => {
  remember("annotate.letters", byId("letters").checked);
  text.show(current.text, byId("letters").checked ? "grapheme" : "word");
  showState();
});
byId("instructions").addEventListener("toggle", () => { if (campaign) remember(memoryOf("instructions"), byId("instructions").open ? "open" : "closed"); });
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", () => location.reload());
window.addEventListener("beforeunload", (event) => { if (saver && !saver.idle) event.preventDefault(); });
start();
