// The data of an item: objects as trees, lists of objects as tables, triples and slots as lists by subject.
import { make, quoted } from "./dom.js";

// More columns than these do not fit beside a text.
const MAX_COLUMNS = 9;

// What stands on the left of one or more texts that share their data; `factOf` makes the element of a record.
export function dataOf(table, factOf) {
  const parts = [table.title ? quoted("p", table.title, { class: "caption" }) : null];
  if (table.data !== undefined) parts.push(subjectOf(table), treeOf(table.data, "", recordNumbers(table), factOf));
  else if (table.records.length) parts.push(bySubject(table.records, factOf));
  if (!table.records.length) parts.push(make("p", { class: "soft" }, "no records"));
  return parts.flat(Infinity);
}

// Whom an object is about, where that was given beside it.
function subjectOf(table) {
  const subject = Array.isArray(table.data) ? "" : table.records[0]?.[0];
  return subject && table.records.every((record) => record[0] === subject) ? quoted("p", subject, { class: "subject" }) : null;
}

function recordNumbers(table) {
  return new Map(table.paths.map((path, number) => [path, number]));
}

function bySubject(records, factOf) {
  const parts = [];
  records.forEach(([subject, attribute, value], number) => {
    if (number === 0 || subject !== records[number - 1][0]) {
      if (subject) parts.push(quoted("p", subject, { class: "subject" }));
      parts.push(make("ul", { class: "facts" }));
    }
    parts.at(-1).append(factOf("li", number, attribute, value));
  });
  return parts;
}

const isLeaf = (value) => value === null || typeof value !== "object";
const isFlat = (value) => !isLeaf(value) && !Array.isArray(value) && Object.values(value).every(isLeaf);
const written = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));
const below = (path, key) => (path ? `${path}.${key}` : String(key));

function treeOf(value, path, numbers, factOf) {
  if (Array.isArray(value)) return listOf(value, path, "", numbers, factOf);
  const parts = [];
  for (const [key, inner] of Object.entries(value)) {
    const place = below(path, key);
    if (isLeaf(inner) || isScalars(inner)) {
      if (parts.at(-1)?.tagName !== "UL") parts.push(make("ul", { class: "facts" }));
      parts.at(-1).append(isLeaf(inner) ? leafOf("li", key, inner, place, numbers, factOf) : scalarsOf(key, inner, place, numbers, factOf));
    } else {
      parts.push(make("div", { class: "branch" }, quoted("p", key, { class: "key" }),
        ...[Array.isArray(inner) ? listOf(inner, place, key, numbers, factOf) : branchOf(inner, place, numbers, factOf)].flat()));
    }
  }
  return parts;
}

// Objects of one shape under several names are rows of a table.
function branchOf(value, path, numbers, factOf) {
  const members = Object.values(value);
  const columns = columnsOf(members);
  const alike = members.length > 1 && members.every(isFlat) && columns.length <= MAX_COLUMNS && members.every((one) => Object.keys(one).length === columns.length);
  if (!alike) return treeOf(value, path, numbers, factOf);
  const rows = Object.entries(value).map(([key, inner]) => [key, inner, below(path, key)]);
  return tableOf(rows, columns, true, numbers, factOf);
}

function columnsOf(rows) {
  return [...new Set(rows.flatMap((row) => (isLeaf(row) ? [] : Object.keys(row))))];
}

function listOf(values, path, name, numbers, factOf) {
  const columns = columnsOf(values);
  if (values.length && values.every(isFlat) && columns.length <= MAX_COLUMNS) {
    return tableOf(values.map((row, index) => ["", row, `${path}[${index}]`]), columns, false, numbers, factOf);
  }
  return values.map((value, index) => {
    const place = `${path}[${index}]`;
    const heading = quoted("p", `${name} ${index + 1}`.trim(), { class: "key" });
    return make("div", { class: "branch" }, heading,
      isLeaf(value) ? make("ul", { class: "facts" }, leafOf("li", "", value, place, numbers, factOf)) : treeOf(value, place, numbers, factOf).flat());
  });
}

function tableOf(rows, columns, named, numbers, factOf) {
  const head = make("tr", {}, named ? make("td", {}) : null, columns.map((column) => quoted("th", column, { scope: "col" })));
  const body = rows.map(([name, row, path]) => make("tr", {}, named ? quoted("th", name, { scope: "row" }) : null,
    columns.map((column) => (column in row ? leafOf("td", column, row[column], below(path, column), numbers, factOf) : make("td", {})))));
  return make("div", { class: "scroll" }, make("table", { class: "grid" }, make("thead", {}, head), make("tbody", {}, body)));
}

function isScalars(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isLeaf);
}

// A list of single values on one line, each a fact of its own.
function scalarsOf(key, values, path, numbers, factOf) {
  return make("li", { class: "list" }, quoted("span", key, { class: "attribute" }),
    make("span", { class: "members" }, values.map((value, index) => leafOf("span", key, value, `${path}[${index}]`, numbers, factOf))));
}

// A value that is no record of its own, such as the name of a row or null, is shown but not checked.
function leafOf(tag, key, value, path, numbers, factOf) {
  const number = numbers.get(path);
  if (number !== undefined) return factOf(tag, number, key, written(value));
  const text = quoted("span", written(value), { class: "value" });
  return make(tag, { class: "unchecked" }, tag === "li" ? [make("span", { class: "mark", "aria-hidden": "true" }, "·"), make("span", { class: "record" }, quoted("span", key, { class: "attribute" }), text)] : text);
}
