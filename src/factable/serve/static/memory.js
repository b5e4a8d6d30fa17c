// Choices that the browser remembers; without storage they last as long as the page.

export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is full or switched off.
  }
}

export function recall(name, otherwise = "") {
  try {
    return localStorage.getItem(name) ?? otherwise;
  } catch {
    return otherwise;
  }
}
