// What the other files share: the data of the page.

const page = JSON.parse(document.getElementById("data").textContent);

// An example as the file holds it, and names for its fields.
const examples = page.examples.map(([system, table, item, text, numbers, findings, ratings = {}], index) => ({
  index, system, table, item, text, numbers, ratings,
  findings: findings.map((found) => found.map(([kind, record, start, end, score, note]) =>
    ({ kind: page.kinds[kind], record, start, end, score, note }))),
}));
const FAULTS = ["contradicted", "unsupported", "omitted", "repeated", "unscored"];

function nameOf(system) {
  return system < 0 ? "all systems" : page.systems[system] || "(unnamed)";
}

// OK, or what is wrong, such as omission+contradiction, from a metric that decides about them; else nothing.
function labelOf(example, judge) {
  const parts = page.metrics[judge].parts;
  const part = (name) => example.numbers[judge][1 + parts.indexOf(name)];
  if (!parts.includes("omission") || !parts.includes("hallucination") || part("omission") === null) return "";
  const faults = ["omission", "contradiction", "hallucination"].filter((name) => parts.includes(name) && part(name) > 0.5);
  return faults.join("+") || "OK";
}
