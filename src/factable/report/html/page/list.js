// The list of examples: what is chosen, in which order; only rows in sight are in the document.

const ROW = 88, SPARE = 6;
const state = { judge: firstJudge(), system: "", kind: "", attribute: "", low: 0, high: 1, words: "", sort: "0", backwards: false, order: [], chosen: 0, together: page.compared };
const haystacks = new Map();

// Whose findings are shown first: the ledger's, or those of the first metric that has any.
function firstJudge() {
  const ledger = page.metrics.findIndex((metric) => metric.name === "ledger");
  const talking = page.metrics.findIndex((_, index) => examples.some((example) => example.results[index].counts));
  return ledger >= 0 ? ledger : Math.max(0, talking);
}

function haystack(example) {
  if (!haystacks.has(example.index)) {
    const { title, records, references } = page.tables[example.table];
    const words = [example.item, nameOf(example.system), example.text, title, ...records.flat(), ...references];
    haystacks.set(example.index, words.join("\n").toLowerCase());
  }
  return haystacks.get(example.index);
}

function matchesKind(example, kind) {
  if (!kind) return true;
  if (kind.startsWith("label:")) return (example.results[state.judge].label || "").split("+").includes(kind.slice(6));
  const kinds = kindsOf(example, state.judge);
  return kind === "faultless" ? !FAULTS.some((fault) => kinds.has(fault)) : kinds.has(kind);
}

// Where a fact stands, whichever member of a list it is of: `variants[*].price`; of triples, the attribute.
const columnOf = (fact) => fact.path.replace(/\[\d+\]/g, "[*]").replace(/^\[\*\]\./, "");

// Whether a fact of the attribute asked for is in the state asked for, or a claim about it is.
function matchesAttribute(example) {
  if (!state.attribute) return true;
  const facts = factsOf(example, state.judge);
  const named = new Set(facts.flatMap((fact, index) => (columnOf(fact).toLowerCase().includes(state.attribute) ? [index] : [])));
  if (!named.size) return false;
  if (!MARKS[state.kind]) return true;
  return [...named].some((index) => facts[index].state === state.kind)
    || claimsOf(example, state.judge).some((claim) => claim.state === state.kind && claim.facts.some((index) => named.has(index)));
}

function matchesProbability(example) {
  const { probability } = example.results[state.judge];
  if (state.low <= 0 && state.high >= 1) return true;
  return probability !== undefined && probability !== null && probability >= state.low && probability <= state.high;
}

function matches(example) {
  const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
  return (state.system === "" || example.system === Number(state.system)) && matchesKind(example, state.kind)
    && matchesAttribute(example) && matchesProbability(example) && words.every((word) => haystack(example).includes(word));
}

// Smaller comes first; what has no value comes last either way.
function comparison() {
  const turn = state.backwards ? -1 : 1;
  if (state.sort === "order") return (a, b) => turn * (a.index - b.index);
  if (state.sort === "item") {
    const collator = new Intl.Collator("en", { numeric: true });
    return (a, b) => turn * collator.compare(a.item, b.item) || a.index - b.index;
  }
  const metric = Number(state.sort);
  const worstFirst = page.metrics[metric].better === "higher" ? turn : -turn;
  return (a, b) => {
    const [one, other] = [a.results[metric].value, b.results[metric].value];
    if (one === null || other === null) return (one === null) - (other === null) || a.index - b.index;
    return worstFirst * (one - other) || a.index - b.index;
  };
}

function refreshList() {
  const before = state.order[state.chosen];
  state.order = examples.filter(matches).sort(comparison());
  state.chosen = Math.max(0, state.order.indexOf(before));
  const all = examples.length === state.order.length ? "" : ` of ${examples.length.toLocaleString("en")}`;
  byId("count").textContent = `${state.order.length.toLocaleString("en")}${all} texts`;
  byId("space").style.height = `${state.order.length * ROW}px`;
  byId("list").scrollTop = Math.max(0, state.chosen * ROW - ROW);
  paintRows();
  showExample();
}

function paintRows() {
  const list = byId("list");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
  const last = Math.min(state.order.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE);
  const rows = [];
  for (let index = first; index < last; index++) rows.push(rowOf(state.order[index], index));
  byId("space").replaceChildren(...rows);
  if (state.order.length) list.setAttribute("aria-activedescendant", `row-${state.chosen}`);
  else list.removeAttribute("aria-activedescendant");
}

function rowOf(example, index) {
  const metric = Number(state.sort) || 0;
  const { label } = example.results[state.judge];
  const row = make("div", {
    class: "item", id: `row-${index}`, role: "option", "aria-selected": String(index === state.chosen),
    "aria-posinset": index + 1, "aria-setsize": state.order.length, "data-index": index,
  },
    make("div", { class: "line" }, quoted("b", example.item.slice(0, 200), { class: "name" }),
      make("span", { class: "figure" }, shown(example.results[metric].value))),
    make("div", { class: "line" }, quoted("span", nameOf(example.system).slice(0, 100), { class: "soft name" }),
      label ? chip(label) : faultMarks(example)),
    quoted("div", example.text.slice(0, 240) || "(empty)", { class: "excerpt" }));
  row.style.top = `${index * ROW}px`;
  return row;
}

function faultMarks(example) {
  const found = kindsOf(example, state.judge);
  const kinds = FAULTS.filter((kind) => found.has(kind));
  return make("span", { class: "kinds" }, kinds.map((kind) => make("span", { class: `mark ${kind}`, title: kind }, MARKS[kind])));
}

function choose(index) {
  if (!state.order.length) return;
  state.chosen = Math.min(state.order.length - 1, Math.max(0, index));
  const list = byId("list");
  const top = state.chosen * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  paintRows();
  showExample();
  history.replaceState(history.state, "", `#${addressOf(state.order[state.chosen])}`);
}

// What follows the # in a link to a text: its id, and its system where several have a text of that id.
function addressOf(example) {
  const names = siblings.get(example.item).length > 1 ? [example.item, nameOf(example.system)] : [example.item];
  return names.map(encodeURIComponent).join("/");
}

// Opens the text that the address of the page names, if it names one.
function followAddress() {
  const wanted = location.hash.slice(1);
  const index = wanted ? state.order.findIndex((example) => [addressOf(example), encodeURIComponent(example.item)].includes(wanted)) : -1;
  if (index >= 0) choose(index);
  return index >= 0;
}

const MAX_PRINTED = 1000;

// All texts that the filters let through, one below the other; the list is no use on paper.
function showForPrint() {
  const printed = state.order.slice(0, MAX_PRINTED);
  const groups = state.together ? [...new Set(printed.map((example) => example.item))].map((item) => inOrder(printed.filter((example) => example.item === item))) : printed.map((example) => [example]);
  byId("example").replaceChildren(legend(), ...groups.map((group) => make("section", { class: "printed" },
    quoted("h3", group[0].item || "(no id)"), openItem(group, state.judge))));
}

// Texts of an item stand in the same order everywhere.
function inOrder(texts) {
  return [...texts].sort((a, b) => a.system - b.system);
}

function showExample() {
  const example = state.order[state.chosen];
  const article = byId("example");
  const focused = article.contains(document.activeElement);
  if (!example) {
    article.replaceChildren(make("p", { class: "soft" }, "Nothing matches; take a filter away."));
    return;
  }
  const others = siblings.get(example.item);
  const together = state.together && others.length > 1;
  const shownOnes = together ? inOrder(others) : [example];
  article.replaceChildren(
    exampleHead(example, others, together),
    legend(),
    ...openItem(shownOnes, state.judge, example));
  document.body.classList.toggle("together", together);
  article.scrollTop = 0;
  if (focused) article.focus();
}

function exampleHead(example, others, together) {
  const button = (id, text, label, action, disabled = false) => {
    const made = make("button", { type: "button", id, "aria-label": label, disabled }, text);
    made.addEventListener("click", action);
    return made;
  };
  const beside = others.length < 2 ? null
    : make("label", { class: "check" }, make("input", { type: "checkbox", id: "together" }), `${others.length} systems side by side`);
  if (beside) {
    beside.firstChild.checked = together;
    beside.firstChild.addEventListener("change", (event) => {
      state.together = event.target.checked;
      showExample();
      byId("together").focus();
    });
  }
  const step = (by, id) => () => { choose(state.chosen + by); const same = byId(id); if (same && !same.disabled) same.focus(); };
  return make("div", { class: "head" },
    button("back", "← List", "Back to the list", closeExample),
    quoted("h3", example.item || "(no id)"), beside,
    make("span", { class: "steps" },
      button("previous", "↑", "Previous example", step(-1, "previous"), state.chosen === 0),
      make("span", { class: "soft" }, `${(state.chosen + 1).toLocaleString("en")} / ${state.order.length.toLocaleString("en")}`),
      button("next", "↓", "Next example", step(1, "next"), state.chosen === state.order.length - 1)));
}

const LEGEND = { supported: "by the data", contradicted: "by the data", unsupported: "by the data", omitted: "from the text" };

function legend() {
  const kinds = ["supported", "contradicted", "unsupported", "omitted"];
  return make("p", { class: "legend soft" }, kinds.map((kind) => make("span", {},
    make("span", { class: `mark ${kind}` }, MARKS[kind]), " ", kind === "omitted" ? kind : make("mark", { class: kind }, kind), ` ${LEGEND[kind]}`)));
}
