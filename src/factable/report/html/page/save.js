// Saves the texts that the filters let through, as JSON lines or CSV.

// What a spreadsheet would take for a formula.
const FORMULA = /^['=+\-@\t\r＝＋－＠]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// A row by the schema of results, with the data, so that factable can read it again.
function savedRow(example) {
  const { table, ...row } = page.examples[example.index];
  const { title, records, data = records, references } = page.tables[table];
  return { ...row, data, ...(title ? { title } : {}), references };
}

function savedLines() {
  return state.order.map((example) => JSON.stringify(savedRow(example)) + "\n").join("");
}

function savedTable() {
  const ratings = [...new Set(state.order.flatMap((example) => Object.keys(example.ratings)))];
  const labelled = page.metrics.flatMap((metric, index) => (examples.some((example) => example.results[index].label) ? [index] : []));
  const head = ["id", "system", ...page.metrics.map((metric) => metric.spec), ...labelled.map((index) => `${page.metrics[index].spec} label`), ...ratings.map((name) => `human ${name}`), "text"];
  const rows = state.order.map((example) => [example.item, page.systems[example.system], ...example.results.map((result) => result.value),
    ...labelled.map((index) => example.results[index].label ?? ""), ...ratings.map((name) => example.ratings[name]), example.text]);
  return [head, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

function cell(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save(ending, type, content) {
  const link = make("a", { download: `${page.title.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-shown.${ending}`, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function listenToSaving() {
  byId("save-lines").addEventListener("click", () => save("jsonl", "application/jsonl", savedLines()));
  byId("save-table").addEventListener("click", () => save("csv", "text/csv", savedTable()));
}
