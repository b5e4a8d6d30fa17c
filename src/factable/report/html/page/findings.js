// What was found about a text, shown: marked words, facts with their state, and the links between them.
// A finding is { kind, record, start, end, score, note }; `records` lists all records of one that has several.
import { make, quoted, say, shown } from "./dom.js";

export const MARKS = { supported: "✓", omitted: "−", contradicted: "✗", unsupported: "+", repeated: "=", unscored: "?" };
// Where findings overlap, the gravest is shown.
const GRAVITY = ["contradicted", "unsupported", "omitted", "repeated", "supported", "unscored"];
const PATH = /^[^\s.[\]]+(\[\d+\])*(\.[^\s.[\]]+(\[\d+\])*)*$/;

export function chip(label) {
  const sign = label === "OK" ? "✓" : "✗";
  return make("span", { class: `chip ${label === "OK" ? "good" : "bad"}` }, `${sign} ${label.replaceAll("+", " + ")}`);
}

function gravest(findings) {
  return GRAVITY.find((kind) => findings.some((finding) => finding.kind === kind)) || "";
}

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

// A list item for each record [subject, attribute, value]; `extra` adds to what stands behind a record.
export function factItems(records, findings, chance, extra = () => null) {
  return records.map(([subject, attribute, value], index) => {
    const links = numbersWhere(findings, (finding) => finding.record === index || finding.records?.includes(index));
    // The first is about the fact itself, others about words that speak of it.
    const { kind = "", score = null } = findings[links[0]] || {};
    const [inside, name] = partsOfPath(attribute);
    const before = records[index - 1] || ["", ""];
    const heading = inside && (inside !== partsOfPath(before[1])[0] || subject !== before[0]) ? inside : "";
    return make("li", { class: `fact ${kind}`, tabindex: 0, "data-record": index, "data-links": links.join(" ") },
      make("span", { class: "mark", role: "img", title: kind || "nothing found", "aria-label": kind || "nothing found" }, MARKS[kind] || "·"),
      make("span", { class: "record" },
        subject && subject !== before[0] ? quoted("span", subject, { class: "subject" }) : null,
        heading ? quoted("span", heading, { class: "subject" }) : null,
        quoted("span", name, { class: inside ? "attribute inside" : "attribute", title: attribute }), quoted("span", value, { class: "value" })),
      make("span", { class: "chance", title: chance }, score === null ? "" : shown(score, 2)),
      extra(index));
  });
}

// The text cut wherever a span begins or ends; a piece belongs to all findings around it. Of findings about
// several texts, `isHere` tells those about this one.
export function markedText(text, findings, isHere = () => true) {
  const spans = findings.filter((finding) => isHere(finding) && finding.start !== null && finding.end > finding.start);
  const cuts = [...new Set([0, text.length, ...spans.flatMap((finding) => [finding.start, finding.end])])].sort((a, b) => a - b);
  const marked = make("p", { class: "text", dir: "auto" });
  for (let index = 0; index + 1 < cuts.length; index++) {
    const [start, end] = [cuts[index], cuts[index + 1]];
    const links = numbersWhere(findings, (finding) => isHere(finding) && finding.start !== null && finding.start <= start && finding.end >= end);
    const words = text.slice(start, end);
    if (!links.length) say(marked, words);
    else {
      const kind = gravest(links.map((number) => findings[number]));
      marked.append(say(make("mark", { class: kind, tabindex: 0, "data-links": links.join(" ") }), words));
    }
  }
  if (!text) marked.append(make("span", { class: "soft" }, "(empty)"));
  return marked;
}

// Pointing at, tapping or focusing a fact or words calls `light` with it, and `unlight` when that ends.
export function listenForLight(panel, light, unlight) {
  const on = (event) => {
    const target = event.target.closest("[data-links]");
    if (target) light(target);
    else off();
  };
  // What has the focus stays lit when the pointer goes.
  const off = () => {
    const kept = panel.contains(document.activeElement) && document.activeElement.closest("[data-links]");
    if (kept) light(kept);
    else unlight();
  };
  for (const name of ["pointerover", "focusin", "click"]) panel.addEventListener(name, on);
  panel.addEventListener("pointerleave", off);
  panel.addEventListener("focusout", unlight);
}

export function linksOf(element) {
  return element.dataset.links.split(" ").filter(Boolean);
}

export function lightLinks(panel, target) {
  const links = new Set(linksOf(target));
  target.classList.add("lit");
  for (const element of panel.querySelectorAll("[data-links]")) {
    if (linksOf(element).some((number) => links.has(number))) element.classList.add("lit");
  }
}

// Why a fact or words are marked as they are, a line for each reason.
export function reasonsFor(target, findings, isHere = () => true) {
  const found = linksOf(target).map((number) => findings[number]).filter(isHere);
  // A fact and the words that say it often have the same to tell.
  const told = new Map(found.toReversed().map((finding) => [`${finding.kind} ${finding.note}`, finding]));
  return [...told.values()].toReversed().map(reason);
}

function reason(finding) {
  const score = finding.score === null ? "" : ` ${shown(finding.score, 2)}`;
  const note = finding.note ? `: ${finding.note}` : "";
  return quoted("span", `${MARKS[finding.kind]} ${finding.kind}${score}${note}`, { class: `reason ${finding.kind}` });
}
