"use strict";
// What the other files share: the data of the page, elements, and text shown as it is.

const page = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// An example as the file holds it, and names for its fields.
const examples = page.examples.map(([system, table, item, text, numbers, findings, ratings = {}], index) => ({
  index, system, table, item, text, numbers, ratings,
  findings: findings.map((found) => found.map(([kind, record, start, end, score, note]) =>
    ({ kind: page.kinds[kind], record, start, end, score, note }))),
}));
const MARKS = { supported: "✓", omitted: "−", contradicted: "✗", unsupported: "+", repeated: "=", unscored: "?" };
const FAULTS = ["contradicted", "unsupported", "omitted", "repeated", "unscored"];

// Characters that have no looks of their own but change how others look: controls, directions, invisible ones.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function codeOf(letter) {
  return "U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// Text for where no elements can be, such as options of a choice.
function plain(text) {
  return text.replace(UNSEEN, (letter) => `⟨${codeOf(letter)}⟩`);
}

// Puts text into an element as text, never as markup, with unseen characters made visible.
function say(element, text) {
  let done = 0;
  for (const match of text.matchAll(UNSEEN)) {
    element.append(text.slice(done, match.index));
    element.append(make("span", { class: "unseen", title: "a character that cannot be seen" }, codeOf(match[0])));
    done = match.index + match[0].length;
  }
  element.append(text.slice(done));
  return element;
}

// Text from the data, kept from turning the direction of what is around it.
function quoted(tag, text, attributes = {}) {
  return say(make(tag, { dir: "auto", ...attributes }), text);
}

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function shown(value, digits = 3) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

function many(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

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

function chip(label) {
  const sign = label === "OK" ? "✓" : "✗";
  return make("span", { class: `chip ${label === "OK" ? "good" : "bad"}` }, `${sign} ${label.replace("+", " + ")}`);
}
