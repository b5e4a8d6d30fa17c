// One item opened: its data beside its text, findings of both, and the texts of other systems.

// Where findings overlap, the gravest is shown.
const GRAVITY = ["contradicted", "unsupported", "omitted", "repeated", "supported", "unscored"];

function gravest(findings) {
  return GRAVITY.find((kind) => findings.some((finding) => finding.kind === kind)) || "";
}

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
      make("div", {}, make("h5", {}, "Text"), textOf(example, findings),
        make("p", { class: "why soft", "aria-live": "polite" }))),
    moreOf(example));
  listenForLight(panel, findings);
  return panel;
}

function unscoredNotes(example) {
  return example.findings.flatMap((findings, index) => findings
    .filter((finding) => finding.kind === "unscored")
    .map((finding) => quoted("p", `? ${page.metrics[index].spec} is unscored: ${finding.note}`, { class: "unscored" })));
}

function factsOf(example, findings) {
  const [title, records] = page.tables[example.table];
  const facts = records.map((record, index) => {
    const links = numbersWhere(findings, (finding) => finding.record === index);
    // The first is about the fact itself, others about words that speak of it.
    const { kind = "", score = null } = findings[links[0]] || {};
    const [subject, attribute, value] = record;
    const [inside, name] = partsOfPath(attribute);
    const before = records[index - 1] || ["", ""];
    const heading = inside && (inside !== partsOfPath(before[1])[0] || subject !== before[0]) ? inside : "";
    return make("li", { class: `fact ${kind}`, tabindex: 0, "data-record": index, "data-links": links.join(" ") },
      make("span", { class: "mark", role: "img", title: kind || "nothing found", "aria-label": kind || "nothing found" }, MARKS[kind] || "·"),
      make("span", { class: "record" },
        subject && subject !== before[0] ? quoted("span", subject, { class: "subject" }) : null,
        heading ? quoted("span", heading, { class: "subject" }) : null,
        quoted("span", name, { class: inside ? "attribute inside" : "attribute", title: attribute }), quoted("span", value, { class: "value" })),
      make("span", { class: "chance", title: CHANCES[page.metrics[state.judge].name] || "score of the finding" }, score === null ? "" : shown(score, 2)));
  });
  return [title ? quoted("p", title, { class: "caption" }) : null, facts.length ? make("ul", { class: "facts" }, facts) : make("p", { class: "soft" }, "no records")];
}

const CHANCES = { ledger: "probability that the text states the fact" };
const PATH = /^[^\s.[\]]+(\[\d+\])*(\.[^\s.[\]]+(\[\d+\])*)*$/;

// Where a value stands in nested data, and its name there: `variants[0].price` is "price" in "variants 1".
function partsOfPath(attribute) {
  const cut = attribute.lastIndexOf(".");
  if (cut < 0 || !PATH.test(attribute)) return ["", attribute];
  const inside = attribute.slice(0, cut).replace(/\[(\d+)\]/g, (_, number) => ` ${Number(number) + 1}`).replaceAll(".", " › ");
  return [inside, attribute.slice(cut + 1)];
}

function numbersWhere(findings, test) {
  return findings.flatMap((finding, number) => (test(finding) ? [number] : []));
}

// The text cut wherever a span begins or ends; a piece belongs to all findings around it.
function textOf(example, findings) {
  const spans = findings.filter((finding) => finding.start !== null && finding.end > finding.start);
  const cuts = [...new Set([0, example.text.length, ...spans.flatMap((finding) => [finding.start, finding.end])])].sort((a, b) => a - b);
  const text = make("p", { class: "text", dir: "auto" });
  for (let index = 0; index + 1 < cuts.length; index++) {
    const [start, end] = [cuts[index], cuts[index + 1]];
    const links = numbersWhere(findings, (finding) => finding.start !== null && finding.start <= start && finding.end >= end);
    const words = example.text.slice(start, end);
    if (!links.length) say(text, words);
    else {
      const kind = gravest(links.map((number) => findings[number]));
      text.append(say(make("mark", { class: kind, tabindex: 0, "data-links": links.join(" ") }), words));
    }
  }
  if (!example.text) text.append(make("span", { class: "soft" }, "(empty)"));
  return text;
}

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

// Pointing at, tapping or focusing a fact lights its words, and words light their facts.
function listenForLight(panel, findings) {
  const on = (event) => {
    const target = event.target.closest("[data-links]");
    if (target) light(panel, target, findings);
    else off();
  };
  // What has the focus stays lit when the pointer goes.
  const off = () => {
    const kept = panel.contains(document.activeElement) && document.activeElement.closest("[data-links]");
    if (kept) light(panel, kept, findings);
    else unlight();
  };
  for (const name of ["pointerover", "focusin", "click"]) panel.addEventListener(name, on);
  panel.addEventListener("pointerleave", off);
  panel.addEventListener("focusout", unlight);
}

function linksOf(element) {
  return element.dataset.links.split(" ").filter(Boolean);
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
  const why = panel.querySelector(".why");
  const found = linksOf(target).map((number) => findings[number]);
  // A fact and the words that say it often have the same to tell.
  const told = new Map(found.toReversed().map((finding) => [`${finding.kind} ${finding.note}`, finding]));
  why.replaceChildren(...[...told.values()].toReversed().map(reason));
}

function lightLinks(panel, target) {
  const links = new Set(linksOf(target));
  target.classList.add("lit");
  for (const element of panel.querySelectorAll("[data-links]")) {
    if (linksOf(element).some((number) => links.has(number))) element.classList.add("lit");
  }
}

function reason(finding) {
  const score = finding.score === null ? "" : ` ${shown(finding.score, 2)}`;
  const note = finding.note ? `: ${finding.note}` : "";
  return quoted("span", `${MARKS[finding.kind]} ${finding.kind}${score}${note}`, { class: `reason ${finding.kind}` });
}
