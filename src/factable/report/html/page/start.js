// Puts the page together and listens to keys, taps and choices.

const siblings = Map.groupBy ? Map.groupBy(examples, (example) => example.item) : examples.reduce(
  (found, example) => found.set(example.item, [...(found.get(example.item) || []), example]), new Map());
const MAX_ATTRIBUTES = 300;
const narrow = window.matchMedia("(max-width: 820px)");

function fillChoice(id, choices, chosen) {
  byId(id).replaceChildren(...choices.map(([value, text]) => make("option", { value }, plain(text))));
  byId(id).value = chosen;
}

function showChoices() {
  const present = [...new Set(examples.map((example) => example.system))].sort((a, b) => a - b);
  fillChoice("system", [["", "all"], ...present.map((system) => [system, nameOf(system)])], "");
  byId("system").parentElement.hidden = present.length < 2;
  fillChoice("judge", page.metrics.map((metric, index) => [index, metric.spec]), state.judge);
  byId("judge").parentElement.hidden = page.metrics.length < 2;
  fillChoice("sort", [...page.metrics.map((metric, index) => [index, metric.spec]), ["item", "id"], ["order", "order of the file"]], state.sort);
  showKinds();
  showAttributes();
  showDirection();
}

// Attributes of facts, the most frequent first, and whether there are probabilities to choose from.
function showAttributes() {
  const counts = new Map();
  for (const example of examples) {
    for (const column of new Set(factsOf(example, state.judge).map(columnOf))) counts.set(column, (counts.get(column) || 0) + 1);
  }
  const names = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAX_ATTRIBUTES).map(([name]) => name);
  byId("attributes").replaceChildren(...names.map((name) => make("option", { value: plain(name) })));
  byId("attribute").parentElement.hidden = !names.length;
  byId("low").closest("label").hidden = !page.metrics[state.judge].parts.includes("probability");
}

function showKinds() {
  const labels = ["OK", "omission", "contradiction", "hallucination"].map((label) => [`label:${label}`, label]);
  const kinds = ["contradicted", "unsupported", "omitted", "repeated", "unscored"].map((kind) => [kind, `with ${kind}`]);
  const choices = [...labels, ...kinds, ["faultless", "without any of these"]]
    .map(([value, text]) => [value, text, examples.filter((example) => matchesKind(example, value)).length])
    .filter(([value, , count]) => count || value === state.kind)
    .map(([value, text, count]) => [value, `${text} (${count.toLocaleString("en")})`]);
  fillChoice("kind", [["", "all"], ...choices], state.kind);
}

function showDirection() {
  const words = { item: ["A to Z", "Z to A"], order: ["first to last", "last to first"] }[state.sort] || ["worst first", "best first"];
  byId("direction").textContent = words[Number(state.backwards)];
}

function listenToChoices() {
  const changes = {
    system: (value) => { state.system = value; },
    judge: (value) => { state.judge = Number(value); state.kind = ""; showKinds(); showAttributes(); },
    kind: (value) => { state.kind = value; },
    sort: (value) => { state.sort = value; state.backwards = false; showDirection(); },
  };
  for (const [id, change] of Object.entries(changes)) {
    byId(id).addEventListener("change", (event) => { change(event.target.value); startOver(); });
  }
  byId("direction").addEventListener("click", () => { state.backwards = !state.backwards; showDirection(); startOver(); });
  const numberOr = (text, otherwise) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : otherwise);
  const typed = {
    search: (text) => { state.words = text; },
    attribute: (text) => { state.attribute = text.trim().toLowerCase(); },
    low: (text) => { state.low = numberOr(text, 0); },
    high: (text) => { state.high = numberOr(text, 1); },
  };
  let waiting = 0;
  for (const [id, change] of Object.entries(typed)) {
    byId(id).addEventListener("input", (event) => {
      change(event.target.value);
      clearTimeout(waiting);
      waiting = setTimeout(startOver, 150);
    });
  }
}

// A new choice begins at its first example.
function startOver() {
  state.order = [];
  refreshList();
}

function openExample() {
  if (narrow.matches && !document.body.classList.contains("open")) history.pushState("open", "");
  document.body.classList.add("open");
  byId("example").focus();
}

function closeExample() {
  if (history.state === "open") history.back();
  document.body.classList.remove("open");
  byId("list").focus();
}

function listenToList() {
  const list = byId("list");
  let frame = 0;
  list.addEventListener("scroll", () => { frame ||= requestAnimationFrame(() => { frame = 0; paintRows(); }); });
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".item");
    if (!row) return;
    choose(Number(row.dataset.index));
    if (narrow.matches) openExample();
  });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) { event.preventDefault(); choose(state.chosen + steps[event.key]); }
    if (event.key === "Enter") { event.preventDefault(); openExample(); }
  });
  window.addEventListener("popstate", () => document.body.classList.remove("open"));
  window.addEventListener("resize", paintRows);
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); byId("search").focus(); }
    if (event.key === "j") choose(state.chosen + 1);
    if (event.key === "k") choose(state.chosen - 1);
    if (event.key === "Escape" && byId("example").contains(event.target)) closeExample();
  });
}

function listenToTheme() {
  const root = document.documentElement;
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
}

showAbout();
showOverview();
showChoices();
listenToChoices();
listenToSaving();
listenToList();
listenToKeys();
listenToTheme();
window.addEventListener("beforeprint", showForPrint);
window.addEventListener("afterprint", showExample);
window.addEventListener("hashchange", followAddress);
refreshList();
if (followAddress() && narrow.matches) openExample();
