// The forms in which people have data, each read to what the API takes and written back where that is possible.

export const FORMATS = {
  json: { name: "JSON", read: readJson, write: (data) => JSON.stringify(data, null, 2) },
  csv: { name: "CSV", read: readCsv, write: writeCsv },
  triples: { name: "Triples", read: readTriples, write: writeTriples },
  e2e: { name: "E2E", read: (text) => text.trim(), write: writeE2e },
  form: { name: "Form", read: readForm, write: writeForm },
};

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`this is not yet JSON: ${error.message}`);
  }
}

// Rows of cells; cells in quotes may hold separators, line breaks and doubled quotes.
export function cellsOf(text) {
  const first = text.slice(0, text.indexOf("\n") < 0 ? undefined : text.indexOf("\n"));
  const separator = ["\t", ";", ","].find((each) => first.includes(each)) || ",";
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text[index];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[index + 1] === '"') cell += text[++index];
      else quoted = false;
    } else if (letter === '"' && !cell) quoted = true;
    else if (letter === separator || letter === "\n") {
      row.push(cell);
      cell = "";
      if (letter === "\n") { rows.push(row); row = []; }
    } else if (letter !== "\r") cell += letter;
  }
  if (cell || row.length) rows.push([...row, cell]);
  return rows.filter((each) => each.some((value) => value.trim()));
}

function readCsv(text) {
  const [names, ...rows] = cellsOf(text);
  if (!names || !rows.length) throw new Error("give a line of column names and at least one row");
  const wrong = rows.findIndex((row) => row.length !== names.length);
  if (wrong >= 0) throw new Error(`row ${wrong + 1} has ${rows[wrong].length} cells, the first line ${names.length}`);
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index].trim(), cell.trim()])));
  return objects.length === 1 ? objects[0] : objects;
}

function writeCsv(data) {
  const rows = Array.isArray(data) ? data : [data];
  if (!rows.length || !rows.every(isFlat)) return null;
  const names = [...new Set(rows.flatMap(Object.keys))];
  const cell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\n");
}

function readTriples(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line, index) => {
    const parts = line.split("|").map((part) => part.trim());
    if (parts.length !== 3) throw new Error(`line ${index + 1} has ${parts.length} parts; write subject | attribute | value`);
    return parts;
  });
}

function writeTriples(data) {
  if (isFlat(data)) return Object.entries(data).map(([name, value]) => ` | ${name} | ${value}`).join("\n");
  if (!Array.isArray(data)) return null;
  const lines = data.map((each) => (Array.isArray(each) && each.length === 3 ? each.join(" | ") : each));
  return lines.every((line) => typeof line === "string") ? lines.join("\n") : null;
}

function writeE2e(data) {
  if (typeof data === "string") return data;
  if (!isFlat(data) || /[[\],]/.test(Object.entries(data).flat().join(""))) return null;
  return Object.entries(data).map(([name, value]) => `${name}[${value}]`).join(", ");
}

// A form is written as pairs, so that it can be kept and sent as text.
export function pairsOf(text) {
  try {
    const pairs = JSON.parse(text || "[]");
    return Array.isArray(pairs) ? pairs.map(([name, value]) => [String(name), String(value)]) : [];
  } catch {
    return [];
  }
}

function readForm(text) {
  const pairs = pairsOf(text).map((pair) => pair.map((part) => part.trim())).filter(([name, value]) => name && value);
  const names = new Set(pairs.map(([name]) => name));
  return names.size === pairs.length ? Object.fromEntries(pairs) : pairs.map(([name, value]) => ["", name, value]);
}

function writeForm(data) {
  if (isFlat(data)) return JSON.stringify(Object.entries(data).map(([name, value]) => [name, String(value)]));
  const slots = typeof data === "string" ? [...data.matchAll(/([^[\],]+)\[([^\]]*)\]/g)] : [];
  return slots.length ? JSON.stringify(slots.map(([, name, value]) => [name.trim(), value.trim()])) : null;
}

function isFlat(data) {
  return typeof data === "object" && data !== null && !Array.isArray(data)
    && Object.values(data).every((value) => ["string", "number", "boolean"].includes(typeof value));
}
