// The corpus: a list of any length, one text opened beside it, and scoring in the background.
import { ask } from "./client.js";
import { byId, make, many, plain, quoted, shown } from "./dom.js";
import { MARKS, chip, factItems, lightLinks, listenForLight, markedText, reasonsFor } from "./findings.js";
import { recall, remember } from "./memory.js";
import { Rows } from "./rows.js";

// In the order in which the server numbers them.
const KINDS = ["supported", "omitted", "contradicted", "unsupported", "repeated", "unscored"];
const FAULTS = ["contradicted", "unsupported", "omitted", "repeated", "unscored"];
const LABELS = ["OK", "omission", "contradiction", "hallucination"];
const FOLLOW = 700, LOOK = 5000;
const REMEMBERED = ["system", "judge", "sort", "backwards", "together"];
const narrow = window.matchMedia("(max-width: 820px)");
const query = { words: "", system: "", judge: "", kind: "", sort: "order", backwards: "", low: "", high: "" };
let about = { ready: false, metrics: [] }, opened = null, asked = 0, together = false, timer = 0;

const list = new Rows({
  load: (first, count) => ask(`/api/corpus/rows?${new URLSearchParams({ ...address(), first, count })}`),
  draw: drawRow,
  chosen: showExample,
  open: openExample,
  loaded: (page) => {
    const all = page.total === about.examples ? "" : ` of ${about.examples.toLocaleString("en")}`;
    byId("count").textContent = `${page.total.toLocaleString("en")}${all} texts`;
    byId("annotate").href = `/campaigns?${new URLSearchParams(address())}`;
  },
});

// What the server is asked for; an empty choice is none, but the empty name of a system is one.
function address() {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== "" && !(name === "system" && value === "all")).map(([name, value]) => [name, name === "system" ? value.slice(1) : value]));
}

// Problems of the last request that somebody made stay until the next one; those of `source` go when it works again.
const problems = new Map();

function showProblem(message, source = "request") {
  problems.set(source, message);
  const all = [...problems.values()].filter(Boolean).join(" ");
  byId("problem").textContent = all;
  byId("problem").hidden = !all;
}

// Asks what there is, again while files are read or scored, and now and then whether files have changed.
async function look() {
  clearTimeout(timer);
  let now;
  try {
    now = await ask("/api/corpus");
  } catch (error) {
    showProblem(error.message, "server");
    timer = setTimeout(look, LOOK);
    return;
  }
  showProblem(now.problem || "", "server");
  if (now.ready) await take(now);
  else showReading(now);
  const busy = !now.ready ? now.files === undefined : now.jobs.some((job) => ["waiting", "running"].includes(job.state));
  if (now.ready || busy) timer = setTimeout(look, busy ? FOLLOW : LOOK);
}

function showReading(now) {
  byId("nothing").hidden = false;
  if (now.files) byId("nothing").replaceChildren("No files are open. Start the server with some: ", make("code", {}, "factable serve outputs.jsonl scores.jsonl"));
  else byId("nothing").replaceChildren(make("span", {}, "Reading the files … "), make("progress", { max: now.total || 1, value: now.done, "aria-label": "bytes read" }));
}

async function take(now) {
  const before = about;
  about = now;
  byId("nothing").hidden = true;
  byId("corpus").hidden = false;
  const files = now.files.map((file) => file.split("/").at(-1));
  byId("about").replaceChildren(quoted("span", `${files.slice(0, 3).join(", ")}${files.length > 3 ? ` and ${files.length - 3} more` : ""}`), ` · ${many(now.examples, "text")}`);
  showFaults();
  showJobs();
  const specs = (each) => each.metrics.map((metric) => metric.spec).join();
  const changed = before.generation !== now.generation;
  if (changed || specs(before) !== specs(now)) showChoices();
  const scored = (each) => (each.jobs || []).map((job) => job.scored).join();
  // What is shown changes while it is scored, but must not jump away under a reader.
  if (changed) await refresh();
  else if (scored(before) !== scored(now)) await refresh({ keep: true });
}

async function refresh(options) {
  try {
    await list.refresh(options);
    showProblem("", "list");
  } catch (error) {
    showProblem(error.message, "list");
  }
}

function showFaults() {
  const box = byId("faults");
  box.hidden = !about.bad;
  box.querySelector("summary").textContent = `${many(about.bad, "line")} cannot be read`;
  box.querySelector("ul").replaceChildren(...about.faults.map((fault) => quoted("li", fault)));
}

function showJobs() {
  byId("jobs").replaceChildren(...about.jobs.map((job) => {
    const busy = ["waiting", "running"].includes(job.state);
    const cancel = busy ? make("button", { type: "button", "aria-label": `Cancel ${job.metric}` }, "Cancel") : null;
    cancel?.addEventListener("click", async () => { await ask(`/api/corpus/jobs/${job.id}/cancel`, { body: {} }); look(); });
    return make("li", { class: `job ${job.state}` }, quoted("b", job.metric),
      busy ? make("progress", { max: job.total, value: job.scored, "aria-label": `${job.metric}: texts scored` }) : null,
      make("span", { class: "soft" }, job.problem || `${job.state}, ${job.scored.toLocaleString("en")} of ${job.total.toLocaleString("en")}`), cancel);
  }));
}

function fillChoice(id, choices, chosen) {
  byId(id).replaceChildren(...choices.map(([value, text]) => make("option", { value }, plain(text))));
  byId(id).value = chosen;
  if (byId(id).selectedIndex < 0) byId(id).selectedIndex = 0;
  query[id] = byId(id).value;
}

function showChoices() {
  const { metrics, systems, ratings } = about;
  fillChoice("system", [["all", "all"], ...systems.map((name) => [`=${name}`, name || "(unnamed)"])], query.system || "all");
  byId("system-field").hidden = systems.length < 2;
  const judges = metrics.map((metric) => metric.spec);
  fillChoice("judge", judges.length ? judges.map((name) => [name, name]) : [["", "none"]], query.judge || judges.find((name) => name.startsWith("ledger")) || "");
  byId("judge-field").hidden = judges.length < 2;
  byId("kind-field").hidden = !judges.length;
  fillChoice("sort", [["order", "order of the files"], ...metrics.flatMap((metric) => [[metric.spec, metric.spec], ...metric.parts.map((part, index) => [`${metric.spec}.${part}`, `${metric.spec} · ${metric.heads[index]}`])]), ...ratings.map((name) => [`human.${name}`, `${name} (people)`])], query.sort);
  fillChoice("kind", kindChoices(), query.kind);
  byId("metrics").replaceChildren(...about.known.map((name) => make("option", { value: name })));
  showDirection();
}

function kindChoices() {
  const judge = about.metrics.find((metric) => metric.spec === query.judge);
  const labels = judge?.labels ? LABELS.map((label) => [`label:${label}`, label]) : [];
  return [["", "all"], ...labels, ...(judge ? FAULTS.map((kind) => [kind, `with ${kind}`]) : [])];
}

function showDirection() {
  const words = query.sort === "order" ? ["first to last", "last to first"] : about.metrics.some((metric) => metric.spec === query.sort) ? ["worst first", "best first"] : ["lowest first", "highest first"];
  byId("direction").textContent = words[Number(query.backwards === "true")];
  byId("range-field").hidden = query.sort === "order";
}

function drawRow(row, index) {
  if (!row) return make("div", { class: "loading" }, make("span", { class: "soft" }, `${(index + 1).toLocaleString("en")} …`));
  const faults = FAULTS.filter((kind) => (row.kinds >> KINDS.indexOf(kind)) & 1);
  return make("div", {},
    make("div", { class: "line" }, quoted("b", row.item.slice(0, 200), { class: "name" }), make("span", { class: "figure" }, row.value === null ? "" : shown(row.value))),
    make("div", { class: "line" }, quoted("span", row.system.slice(0, 100), { class: "soft name" }), row.label ? chip(row.label) : make("span", { class: "kinds" }, faults.map((kind) => make("span", { class: `mark ${kind}`, title: kind }, MARKS[kind])))),
    quoted("div", row.excerpt || "(empty)", { class: "excerpt" }));
}

async function showExample(row, index) {
  const article = byId("example");
  if (!row) {
    if (!list.total) article.replaceChildren(make("p", { class: "soft" }, "Nothing matches; take a filter away."));
    return;
  }
  const turn = ++asked;
  let found;
  try {
    found = await ask(`/api/corpus/examples/${row.row}`);
  } catch (error) {
    if (turn === asked) article.replaceChildren(make("p", { class: "problem" }, error.message));
    return;
  }
  // Who holds a key down goes past many.
  if (turn !== asked) return;
  opened = { found, index };
  drawExample();
}

function drawExample() {
  const { found, index } = opened;
  const article = byId("example");
  const inside = article.contains(document.activeElement) ? document.activeElement.id : null;
  const beside = together && found.examples.length > 1;
  const examples = beside ? found.examples : found.examples.slice(0, 1);
  article.replaceChildren(exampleHead(found, index, beside), make("div", { class: beside ? "panels together" : "panels" }, examples.map((example, number) => panelOf(example, number === 0))));
  if (inside !== null) ((inside && byId(inside)) || article).focus();
}

function exampleHead(found, index, beside) {
  const button = (id, text, label, action, disabled = false) => {
    const made = make("button", { type: "button", id, "aria-label": label, disabled }, text);
    made.addEventListener("click", action);
    return made;
  };
  let check = null;
  if (found.examples.length > 1) {
    check = make("label", { class: "check" }, make("input", { type: "checkbox", id: "together" }), `${found.examples.length} systems side by side`);
    check.firstChild.checked = beside;
    check.firstChild.addEventListener("change", (event) => { together = event.target.checked; remember("corpus.together", together); drawExample(); });
  }
  return make("div", { class: "head" }, button("back", "← List", "Back to the list", closeExample), quoted("h2", found.item || "(no id)"), check,
    make("span", { class: "steps" },
      button("previous", "↑", "Previous text", () => list.choose(list.index - 1), index === 0),
      make("span", { class: "soft" }, `${(index + 1).toLocaleString("en")} / ${list.total.toLocaleString("en")}`),
      button("next", "↓", "Next text", () => list.choose(list.index + 1), index >= list.total - 1)));
}

function panelOf(example, first) {
  const judged = example.metrics.find((metric) => metric.spec === query.judge);
  const findings = (judged?.findings || []).map(([kind, record, start, end, score, note]) => ({ kind: KINDS[kind], record, start, end, score, note }));
  const figures = example.metrics.filter((metric) => metric.numbers[0] !== null).map((metric) => make("span", { class: "figure" }, `${metric.spec} `, make("b", {}, shown(metric.numbers[0]))));
  for (const [name, rating] of Object.entries(example.ratings)) figures.push(make("span", { class: "figure human" }, quoted("span", name), " (people) ", make("b", {}, shown(rating, 2))));
  const facts = factItems(example.records, findings, "score of the finding");
  const panel = make("section", { class: first ? "panel chosen" : "panel" },
    make("div", { class: "row" }, example.system ? quoted("h3", example.system) : null, judged?.label ? chip(judged.label) : null, figures),
    findings.filter((finding) => finding.kind === "unscored").map((finding) => quoted("p", `? ${query.judge} is unscored: ${finding.note}`, { class: "unscored" })),
    make("div", { class: "sides" },
      make("div", {}, make("h4", {}, "Data"), example.title ? quoted("p", example.title, { class: "caption" }) : null, facts.length ? make("ul", { class: "facts" }, facts) : make("p", { class: "soft" }, "no records")),
      make("div", {}, make("h4", {}, "Text"), markedText(example.text, findings), make("p", { class: "why soft", "aria-live": "polite" }))),
    moreOf(example));
  listenForLight(panel, (target) => {
    unlight();
    lightLinks(panel, target);
    panel.querySelector(".why").replaceChildren(...reasonsFor(target, findings));
  }, unlight);
  return panel;
}

function unlight() {
  for (const lit of byId("example").querySelectorAll(".lit")) lit.classList.remove("lit");
}

function moreOf(example) {
  const rows = example.metrics.flatMap((metric) => {
    const heads = about.metrics.find((each) => each.spec === metric.spec)?.heads || [];
    return [
      make("tr", {}, make("th", { scope: "row" }, metric.spec), make("td", {}, make("b", {}, shown(metric.numbers[0], 4)))),
      ...heads.map((head, index) => make("tr", {}, make("td", { class: "soft" }, head), make("td", {}, shown(metric.numbers[index + 1], 4))))];
  });
  return [
    example.references.length ? make("details", { class: "more" }, make("summary", {}, many(example.references.length, "reference")), make("ul", {}, example.references.map((reference) => quoted("li", reference)))) : null,
    rows.length ? make("details", { class: "more" }, make("summary", {}, "All numbers"), make("table", { class: "numbers" }, make("tbody", {}, rows))) : null];
}

function openExample() {
  if (!narrow.matches) return;
  if (!document.body.classList.contains("open")) history.pushState("open", "");
  document.body.classList.add("open");
  byId("example").focus();
}

function closeExample() {
  if (history.state === "open") history.back();
  document.body.classList.remove("open");
  byId("list").focus();
}

function set(name, value) {
  query[name] = value;
  if (REMEMBERED.includes(name)) remember(`corpus.${name}`, value);
}

for (const id of ["system", "judge", "kind", "sort"]) {
  byId(id).addEventListener("change", (event) => {
    set(id, event.target.value);
    if (id === "judge") fillChoice("kind", kindChoices(), query.kind);
    if (id === "sort") {
      set("backwards", "");
      query.low = query.high = byId("low").value = byId("high").value = "";
      showDirection();
    }
    refresh();
  });
}
byId("direction").addEventListener("click", () => { set("backwards", query.backwards === "true" ? "" : "true"); showDirection(); refresh(); });
let typing = 0;
for (const id of ["words", "low", "high"]) {
  byId(id).addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => { set(id, event.target.value); refresh(); }, 200);
  });
}
byId("scoring").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const job = await ask("/api/corpus/jobs", { body: { metric: byId("metric").value.trim() } });
    query.judge = job.metric;
    remember("corpus.metric", byId("metric").value);
    showProblem("");
  } catch (error) {
    showProblem(error.message);
  }
  look();
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    "/": () => byId("words").focus(), j: () => list.choose(list.index + 1), k: () => list.choose(list.index - 1),
    Escape: () => byId("example").contains(event.target) && closeExample(),
  };
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
});
window.addEventListener("popstate", () => document.body.classList.remove("open"));
for (const name of REMEMBERED) if (name in query) query[name] = recall(`corpus.${name}`, query[name]);
together = recall("corpus.together") === "true";
byId("metric").value = recall("corpus.metric", "ledger");
look();
