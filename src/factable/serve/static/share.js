// An example inside a link: behind the #, which browsers do not send to any server.

export function toFragment(example) {
  const bytes = new TextEncoder().encode(JSON.stringify(example));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// The example of a fragment, or null if there is none in it.
export function fromFragment(fragment) {
  try {
    const binary = atob(fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const example = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0))));
    return typeof example === "object" && typeof example.text === "string" && typeof example.input === "string" ? example : null;
  } catch {
    return null;
  }
}
