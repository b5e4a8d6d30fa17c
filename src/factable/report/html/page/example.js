// One item opened: its data beside its texts, and what was found in both.

// What a metric found in one of the texts shown together. Of a fact that several spans state there are as many
// findings; `records` are those that a claim speaks of; positions count as JavaScript does.
function findingsOf(example, judge, text) {
  const position = scriptPositions(example.text);
  const facts = factsOf(example, judge);
  const finding = (one, span, about) => ({ text, kind: one.state, start: span ? position(span[0]) : null, end: span ? position(span[1]) : null, score: one.probability, note: one.note, ...about });
  return [
    ...facts.flatMap((fact) => (fact.spans.length ? fact.spans : [null]).map((span) => finding(fact, span, { record: fact.record, required: fact.required }))),
    ...claimsOf(example, judge).map((claim) => finding(claim, claim.span, { record: null, records: claim.facts.map((one) => facts[one].record) })),
  ];
}

// Results count characters; a script counts some of them twice.
function scriptPositions(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (position) => position;
  const positions = [0];
  for (const letter of text) positions.push(positions.at(-1) + letter.length);
  return (position) => positions[position];
}

// Texts beside their data: those that share it stand beside it together.
function openItem(shownOnes, judge, chosen) {
  const groups = new Map();
  for (const example of shownOnes) groups.set(example.table, [...(groups.get(example.table) || []), example]);
  return [...groups].map(([table, texts]) => sidesOf(page.tables[table], texts, judge, chosen));
}

function sidesOf(table, texts, judge, chosen) {
  const findings = texts.flatMap((example, text) => findingsOf(example, judge, text));
  const several = texts.length > 1;
  const factOf = (tag, record, attribute, value) => factElement(tag, record, attribute, value, texts, findings, judge);
  const data = make("div", { class: "data" }, make("p", { class: "heading" }, "Data"),
    several ? make("ol", { class: "order soft" }, texts.map((example) => quoted("li", nameOf(example.system)))) : null,
    dataOf(table, factOf), referencesOf(table));
  const panels = texts.map((example, text) => panelOf(example, findings, text, judge, several && example === chosen));
  const sides = make("div", { class: several ? "sides several" : "sides" }, data, make("div", { class: "texts" }, panels));
  listenForLight(sides, (target) => light(sides, target, findings), unlight);
  return sides;
}

// A record with a mark for each text; of a single text also how sure that is.
function factElement(tag, record, attribute, value, texts, findings, judge) {
  const links = numbersWhere(findings, (finding) => finding.record === record || finding.records?.includes(record));
  const facts = texts.map((_, text) => findings[links.find((number) => findings[number].text === text && findings[number].record === record)]);
  const marks = make("span", { class: "marks" }, facts.map((fact, text) => markOf(fact, texts.length > 1 ? nameOf(texts[text].system) : "")));
  const { kind = "", score = null } = (texts.length === 1 && facts[0]) || {};
  const attributes = { class: `fact ${kind}`, tabindex: 0, "data-record": record, "data-links": links.join(" ") };
  const valueElement = quoted("span", value, { class: "value" });
  if (tag !== "li") return make(tag, { ...attributes, title: score === null ? null : `${kind} ${shown(score, 2)}` }, marks, valueElement);
  return make(tag, attributes, marks, make("span", { class: "record" }, quoted("span", attribute, { class: "attribute" }), valueElement),
    make("span", { class: "chance", title: chanceOf(judge) }, score === null ? "" : shown(score, 2)));
}

function markOf(fact, system) {
  const kind = fact ? fact.kind : "";
  const state = !kind ? "nothing found" : kind === "omitted" && !fact.required ? "omitted, as it may be" : kind;
  const title = system ? `${plain(system)}: ${state}` : state;
  return make("span", { class: `mark ${kind}${kind === "omitted" && !fact.required ? " optional" : ""}`, role: "img", title, "aria-label": title }, MARKS[kind] || "·");
}

function chanceOf(judge) {
  const metric = page.metrics[judge];
  return metric.parts.includes("probability") ? "probability that the text states the fact (0–1)" : `score of the finding under ${metric.spec}`;
}

// One text with its label and its numbers.
function panelOf(example, findings, text, judge, chosen) {
  const { label } = example.results[judge];
  return make("section", { class: chosen ? "panel chosen" : "panel", "data-text": text },
    make("div", { class: "row" }, page.systems.length > 1 ? quoted("h4", nameOf(example.system)) : null, label ? chip(label) : null),
    make("div", { class: "row figures" }, figuresOf(example, judge)),
    unscoredNotes(example),
    make("p", { class: "heading" }, "Text"), markedText(example.text, findings, (finding) => finding.text === text),
    make("p", { class: "why soft", "aria-live": "polite" }),
    numbersOf(example));
}

function figuresOf(example, judge) {
  const { probability = null } = example.results[judge];
  const chance = probability === null ? [] : [make("span", { class: "figure", title: "probability that the text says all, and only, what the data says (0–1)" }, "probability of OK ", make("b", {}, shown(probability, 2)))];
  const values = page.metrics.map((metric, index) => make("span", { class: "figure", title: scaleOf(metric) }, `${metric.spec} `,
    make("b", {}, shown(example.results[index].value)), metric.scale ? make("span", { class: "scale" }, ` (${metric.scale})`) : null));
  const ratings = Object.entries(example.ratings).map(([name, rating]) =>
    make("span", { class: "figure human", title: "rating by people" }, quoted("span", name), " (people) ", make("b", {}, shown(rating, 2))));
  return [...chance, ...values, ...ratings];
}

function unscoredNotes(example) {
  return example.results.flatMap((result, index) => (result.reason ? [quoted("p", `? ${page.metrics[index].spec} is unscored: ${result.reason}`, { class: "unscored" })] : []));
}

function referencesOf(table) {
  return table.references.length ? make("details", { class: "more" }, make("summary", {}, many(table.references.length, "reference")),
    make("ul", {}, table.references.map((reference) => quoted("li", reference)))) : null;
}

function numbersOf(example) {
  const row = (head, value, meaning, soft) => make("tr", {}, make("th", { scope: "row", class: soft ? "soft" : null }, head), make("td", { class: "number" }, shown(value, 4)), make("td", { class: "soft" }, meaning));
  const rows = page.metrics.flatMap((metric, index) => [
    row(metric.spec, example.results[index].value, scaleOf(metric), false),
    ...metric.parts.map((part, number) => row(metric.heads[number], example.results[index].parts[part], metric.meanings[number], true)),
  ]);
  return make("details", { class: "more" }, make("summary", {}, "All numbers"), make("table", { class: "numbers" }, make("tbody", {}, rows)));
}

function unlight() {
  for (const lit of byId("example").querySelectorAll(".lit")) lit.classList.remove("lit");
}

// Lights a fact and its words; below each text stands what was found in it.
function light(sides, target, findings) {
  unlight();
  lightLinks(sides, target);
  for (const panel of sides.querySelectorAll(".panel")) {
    const isHere = (finding) => finding.text === Number(panel.dataset.text);
    panel.querySelector(".why").replaceChildren(...reasonsFor(target, findings, isHere));
  }
}
