// One item opened: its data beside its text, findings of both, and the texts of other systems.

// The panel of one example under one judge (the number of a metric).
function panelOf(example, judge, chosen) {
  const findings = example.findings[judge];
  const label = labelOf(example, judge);
  const figures = page.metrics.map((metric, index) =>
    make("span", { class: "figure", title: `${metric.spec}: ${metric.better} is better` }, `${metric.spec} `, make("b", {}, shown(example.numbers[index][0]))));
  for (const [name, rating] of Object.entries(example.ratings)) {
    figures.push(make("span", { class: "figure human", title: "rating by people" }, quoted("span", name), " (people) ", make("b", {}, shown(rating, 2))));
  }
  const panel = make("section", { class: chosen ? "panel chosen" : "panel", "data-table": example.table },
    make("div", { class: "row" }, page.systems.length > 1 ? quoted("h4", nameOf(example.system)) : null, label ? chip(label) : null, figures),
    unscoredNotes(example),
    make("div", { class: "sides" },
      make("div", {}, make("h5", {}, "Data"), factsOf(example, findings)),
      make("div", {}, make("h5", {}, "Text"), markedText(example.text, findings),
        make("p", { class: "why soft", "aria-live": "polite" }))),
    moreOf(example));
  listenForLight(panel, (target) => light(panel, target, findings), unlight);
  return panel;
}

function unscoredNotes(example) {
  return example.findings.flatMap((findings, index) => findings
    .filter((finding) => finding.kind === "unscored")
    .map((finding) => quoted("p", `? ${page.metrics[index].spec} is unscored: ${finding.note}`, { class: "unscored" })));
}

function factsOf(example, findings) {
  const [title, records] = page.tables[example.table];
  const facts = factItems(records, findings, CHANCES[page.metrics[state.judge].name] || "score of the finding");
  return [title ? quoted("p", title, { class: "caption" }) : null, facts.length ? make("ul", { class: "facts" }, facts) : make("p", { class: "soft" }, "no records")];
}

const CHANCES = { ledger: "probability that the text states the fact" };

function moreOf(example) {
  const references = page.tables[example.table][2];
  const rows = page.metrics.flatMap((metric, index) => [
    make("tr", {}, make("th", { scope: "row" }, metric.spec), make("td", {}, make("b", {}, shown(example.numbers[index][0], 4)))),
    ...metric.heads.map((head, number) => make("tr", {}, make("td", { class: "soft" }, head), make("td", {}, shown(example.numbers[index][1 + number], 4)))),
  ]);
  return [
    references.length ? make("details", { class: "more" }, make("summary", {}, many(references.length, "reference")),
      make("ul", {}, references.map((reference) => quoted("li", reference)))) : null,
    make("details", { class: "more" }, make("summary", {}, "All numbers"), make("table", { class: "numbers" }, make("tbody", {}, rows))),
  ];
}

function unlight() {
  for (const lit of byId("example").querySelectorAll(".lit")) lit.classList.remove("lit");
}

function light(panel, target, findings) {
  unlight();
  lightLinks(panel, target);
  // The same fact of other systems' texts.
  if (target.dataset.record !== undefined) {
    for (const other of byId("example").querySelectorAll(`.panel[data-table="${panel.dataset.table}"]`)) {
      if (other !== panel) lightLinks(other, other.querySelector(`[data-record="${target.dataset.record}"]`));
    }
  }
  panel.querySelector(".why").replaceChildren(...reasonsFor(target, findings));
}
