// The playground: asks for a verdict as one types and shows it; the last request wins.
import { ask } from "./client.js";
import { byId, make, quoted, shown } from "./dom.js";
import { chip, factItems, lightLinks, listenForLight, MARKS, markedText, reasonsFor } from "./findings.js";
import { FORMATS, pairsOf } from "./formats.js";
import { recall, remember } from "./memory.js";
import { fromFragment, toFragment } from "./share.js";
import { SNIPPETS } from "./snippets.js";
import { findingsOf } from "./verdict.js";

const PAUSE = 120;
const DEFAULTS = { omission: 0.5, hallucination: 0.5 };
const EMPTY = { format: "json", input: "", text: "", subject: "", title: "", ...DEFAULTS, needed: {} };

// What stands on the page; `needed` has a fact's name where somebody ticked or unticked it.
let state = { ...EMPTY, format: recall("format", "json") };
// What was typed in other formats, for whoever comes back to them.
let inputs = {};
let examples = [];
let verdict = null;
let findings = [];
let running = null;
let timer = 0;

function requestOf() {
  const request = { data: FORMATS[state.format].read(state.input), text: state.text };
  for (const name of ["subject", "title"]) if (state[name].trim()) request[name] = state[name].trim();
  for (const [name, value] of Object.entries(DEFAULTS)) if (state[name] !== value) request[name] = state[name];
  return { ...request, ...neededOf() };
}

// Ticks as parameters: only unticked ones are optional; if others are ticked, all that must be stated are named.
function neededOf() {
  const entries = Object.entries(state.needed);
  if (!entries.length) return {};
  if (entries.every(([, needed]) => !needed)) return { optional: entries.map(([name]) => name).join(",") };
  const names = verdict.facts.filter((fact) => state.needed[nameOf(fact)] ?? fact.required).map(nameOf);
  return { required: [...new Set(names)].join(",") };
}

// How parameters name a fact. Facts of the same attribute go together.
function nameOf(fact) {
  return fact.attribute;
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
  keep();
}

function keep() {
  try {
    sessionStorage.setItem("playground", JSON.stringify(state));
  } catch {
    // Without storage, a reload starts afresh.
  }
}

async function check() {
  clearTimeout(timer);
  running?.abort();
  running = null;
  if (!state.input.trim() || !state.text.trim()) {
    show(null, state.input.trim() || state.text.trim() ? "" : "Paste data and a text, or choose an example.");
    return;
  }
  const mine = new AbortController();
  running = mine;
  byId("output").setAttribute("aria-busy", "true");
  try {
    const answer = await ask("/v1/check", { body: requestOf(), signal: mine.signal });
    if (running === mine) show(answer, "");
  } catch (error) {
    if (running === mine) show(verdict, error.message);
  } finally {
    if (running === mine) byId("output").removeAttribute("aria-busy");
  }
}

function show(answer, problem) {
  byId("output").removeAttribute("aria-busy");
  byId("problem").textContent = problem;
  byId("found").hidden = byId("meter").hidden = !answer;
  if (answer === verdict && answer) return;
  verdict = answer;
  byId("label").replaceChildren(...(answer ? [chip(answer.label)] : []));
  byId("probability").replaceChildren(...(answer ? ["probability of OK ", make("b", {}, shown(answer.probability, 2))] : []));
  if (!answer) return;
  byId("meter").value = answer.probability;
  byId("meter").title = `${shown(answer.correct, 2)} that nothing it says is wrong`;
  findings = findingsOf(answer);
  byId("marked").replaceChildren(markedText(answer.text, findings));
  byId("remarks").replaceChildren(...remarks());
  byId("facts").replaceChildren(make("ul", { class: "facts" },
    factItems(answer.facts.map((fact) => [fact.subject, fact.attribute, fact.value]), findings, "probability that the text states the fact", need)));
  byId("why").replaceChildren();
  byId("signature").textContent = answer.signature;
  byId("reset").hidden = !Object.keys(state.needed).length;
}

// Claims that are wrong, or that had to be worked out: their words and the arithmetic.
function remarks() {
  const items = findings.flatMap((finding, number) => (finding.words !== undefined && (finding.kind !== "supported" || finding.note)
    ? [make("li", { tabindex: 0, "data-links": number, class: finding.kind },
      make("span", { class: "mark", role: "img", "aria-label": finding.kind }, MARKS[finding.kind]),
      make("span", {}, quoted("q", finding.words), " ", quoted("span", finding.note || "the data does not say it", { class: "soft" })))]
    : []));
  return items.length ? [make("h2", { class: "caps" }, "Remarks"), make("ul", { class: "remarks" }, items)] : [];
}

// The tick of a fact: whether a text that leaves it out has an omission.
function need(index) {
  const fact = verdict.facts[index];
  const box = make("input", { type: "checkbox", "aria-label": `${fact.attribute} must be stated` });
  box.checked = fact.required;
  // Parameters are lists of names between commas.
  box.disabled = /[,=*]/.test(fact.attribute);
  box.addEventListener("change", () => {
    state.needed = { ...state.needed, [nameOf(fact)]: box.checked };
    byId("reset").hidden = false;
    keep();
    check();
  });
  return make("label", { class: "need", title: "Whether a text that leaves it out has an omission" }, box, "required");
}

function unlight() {
  for (const lit of byId("found").querySelectorAll(".lit")) lit.classList.remove("lit");
}

function light(target) {
  unlight();
  lightLinks(byId("found"), target);
  byId("why").replaceChildren(...reasonsFor(target, findings));
}

// Puts the state into the fields.
function fillFields() {
  for (const name of ["text", "subject", "title"]) byId(name).value = state[name];
  byId("format").value = state.format;
  for (const name of Object.keys(DEFAULTS)) {
    byId(name).value = state[name];
    byId(`${name}-shown`).textContent = shown(state[name], 2);
  }
  const isForm = state.format === "form";
  byId("data-field").hidden = isForm;
  byId("form").hidden = !isForm;
  byId("data").value = isForm ? "" : state.input;
  if (isForm) fillForm();
}

function fillForm() {
  const pairs = pairsOf(state.input);
  byId("pairs").replaceChildren(...[...pairs, ...(pairs.length ? [] : [["", ""]])].map(pairRow));
}

function pairRow([name, value]) {
  const row = make("div", { class: "pair-row" },
    make("input", { "aria-label": "attribute", placeholder: "attribute", autocomplete: "off", value: name }),
    make("input", { "aria-label": "value", placeholder: "value", autocomplete: "off", value }),
    make("button", { type: "button", "aria-label": "remove this fact" }, "×"));
  row.querySelector("button").addEventListener("click", () => {
    row.remove();
    takeForm();
  });
  return row;
}

function takeForm() {
  const rows = [...byId("pairs").querySelectorAll(".pair-row")];
  state.input = JSON.stringify(rows.map((row) => [...row.querySelectorAll("input")].map((field) => field.value)));
  state.needed = {};
  later();
}

// Another format, with the data that stands there if it can be written so.
function changeFormat(format) {
  inputs[state.format] = state.input;
  let written = null;
  try {
    if (state.input.trim()) written = FORMATS[format].write(FORMATS[state.format].read(state.input));
  } catch {
    // What cannot be read stays in its own format.
  }
  state = { ...state, format, input: written ?? inputs[format] ?? "", needed: {} };
  remember("format", format);
  fillFields();
  later();
}

function open(example) {
  const known = Object.fromEntries(Object.keys(EMPTY).filter((name) => name in example).map((name) => [name, example[name]]));
  state = { ...EMPTY, ...known, needed: { ...known.needed } };
  if (!(state.format in FORMATS)) state.format = "json";
  inputs = {};
  fillFields();
  keep();
  check();
}

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    byId("copied").textContent = words;
  } catch {
    // Browsers allow it on secure pages only; then the text can be copied from a dialog.
    byId("copied").textContent = "";
    showToCopy(text);
  }
}

function showToCopy(text) {
  const area = make("textarea", { readonly: true, rows: 8, "aria-label": "to copy" });
  area.value = text;
  const dialog = make("dialog", { class: "card" }, area, make("form", { method: "dialog" }, make("button", {}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}

function copyLink() {
  const changed = Object.fromEntries(Object.entries(state).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[name]) || ["format", "input", "text"].includes(name)));
  history.replaceState(null, "", `#${toFragment(changed)}`);
  copy(location.href, "Link copied");
}

function copySnippet(kind) {
  let request;
  try {
    request = requestOf();
  } catch (error) {
    byId("problem").textContent = error.message;
    return;
  }
  copy(SNIPPETS[kind].write(request, location.origin), `${SNIPPETS[kind].name} copied`);
}

function listen() {
  byId("format").addEventListener("change", (event) => changeFormat(event.target.value));
  byId("examples").addEventListener("change", (event) => {
    if (event.target.value !== "") open(examples[Number(event.target.value)]);
  });
  byId("data").addEventListener("input", (event) => {
    state.input = event.target.value;
    state.needed = {};
    later();
  });
  byId("pairs").addEventListener("input", takeForm);
  byId("add").addEventListener("click", () => {
    byId("pairs").append(pairRow(["", ""]));
    byId("pairs").lastElementChild.querySelector("input").focus();
  });
  for (const name of ["text", "subject", "title"]) {
    byId(name).addEventListener("input", (event) => { state[name] = event.target.value; later(); });
  }
  for (const name of Object.keys(DEFAULTS)) {
    byId(name).addEventListener("input", (event) => {
      state[name] = Number(event.target.value);
      byId(`${name}-shown`).textContent = shown(state[name], 2);
      later();
    });
  }
  byId("reset").addEventListener("click", () => { state.needed = {}; keep(); check(); });
  byId("link").addEventListener("click", copyLink);
  for (const [kind, { name }] of Object.entries(SNIPPETS)) {
    const button = make("button", { type: "button", id: `copy-${kind}` }, name);
    button.addEventListener("click", () => copySnippet(kind));
    byId("copies").append(button);
  }
  listenForLight(byId("found"), light, unlight);
  window.addEventListener("hashchange", followLink);
}

function followLink() {
  const example = location.hash.length > 1 ? fromFragment(location.hash) : null;
  if (example) open(example);
  return Boolean(example);
}

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem("playground"));
  } catch {
    return null;
  }
}

async function start() {
  byId("format").append(...Object.entries(FORMATS).map(([value, { name }]) => make("option", { value }, name)));
  listen();
  const draft = kept();
  if (!followLink()) {
    if (draft?.text || draft?.input) open(draft);
    else { fillFields(); check(); }
  }
  examples = await ask("/static/examples.json");
  byId("examples").append(...examples.map(({ name }, index) => make("option", { value: index }, name)));
  if (!state.input && !state.text && !draft) open(examples[0]);
}

start();
