// Elements, and text shown as text.

export const byId = (id) => document.getElementById(id);

// Characters that have no looks of their own but change how others look: controls, directions, invisible ones.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function codeOf(letter) {
  return "U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// Text for where no elements can be, such as options of a choice.
export function plain(text) {
  return text.replace(UNSEEN, (letter) => `⟨${codeOf(letter)}⟩`);
}

// Puts text into an element as text, never as markup, with unseen characters made visible.
export function say(element, text) {
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
export function quoted(tag, text, attributes = {}) {
  return say(make(tag, { dir: "auto", ...attributes }), text);
}

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function shown(value, digits = 3) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

export function many(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
