// The request on the page as a program would make it.

export const SNIPPETS = {
  curl: { name: "curl", write: curl },
  python: { name: "Python", write: python },
  pytest: { name: "pytest", write: pytest },
};

function curl(request, origin) {
  const body = JSON.stringify(request).replaceAll("'", "'\\''");
  const { hostname } = new URL(origin);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const token = isLocal ? [] : ['-H "Authorization: Bearer $FACTABLE_TOKEN"'];
  return ["curl", `${origin}/v1/check`, "-H 'Content-Type: application/json'", ...token, `-d '${body}'`].join(" ") + "\n";
}

function python(request) {
  return `import factable\n\nverdict = factable.check(${argumentsOf(request, "    ")})\nprint(verdict)\n`;
}

function pytest(request) {
  return "from factable.testing import assert_faithful\n\n\n"
    + `def test_text():\n    assert_faithful(${argumentsOf(request, "        ")})\n`;
}

function argumentsOf({ data, text, ...options }, indent) {
  const named = Object.entries(options).map(([name, value]) => `${name}=${literal(value)}`);
  const lines = [literal(data), literal(text), ...named].map((each) => `\n${indent}${each},`);
  return `${lines.join("")}\n${indent.slice(4)}`;
}

// A JSON value as Python writes it.
export function literal(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, each]) => `${literal(name)}: ${literal(each)}`).join(", ")}}`;
  return JSON.stringify(value);
}
