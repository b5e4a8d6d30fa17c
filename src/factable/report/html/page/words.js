// What the other files of a report share: its data, and what is asked of it.

const page = JSON.parse(document.getElementById("data").textContent);
const systemNumbers = new Map(page.systems.map((name, number) => [name, number]));

// Examples with their system as a number, and what each metric says of them in the order of the metrics.
const examples = page.examples.map((example, index) => ({
  index, item: example.id, system: systemNumbers.get(example.system) ?? 0, table: example.table, text: example.text, ratings: example.human,
  results: page.metrics.map((metric) => example.metrics[metric.spec]),
}));
const FAULTS = ["contradicted", "unsupported", "omitted", "repeated", "unscored"];

function nameOf(system) {
  return system < 0 ? "all systems" : page.systems[system] || "(unnamed)";
}

// The scale of a metric in words, such as "0–1, higher is better".
function scaleOf(metric) {
  return [metric.scale, `${metric.better} is better`].filter(Boolean).join(", ");
}

// Facts and claims of a text under a metric, and the kinds among them.
function factsOf(example, judge) {
  return example.results[judge].facts || [];
}

function claimsOf(example, judge) {
  return example.results[judge].claims || [];
}

function kindsOf(example, judge) {
  const found = [...factsOf(example, judge), ...claimsOf(example, judge)].map((one) => one.state);
  return new Set(example.results[judge].reason ? [...found, "unscored"] : found);
}
