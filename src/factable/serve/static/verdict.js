// A verdict of the API as findings, with positions as scripts count them.

// Python counts characters, scripts count UTF-16 units.
export function unitsOf(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (position) => position;
  const starts = [0];
  for (const letter of text) starts.push(starts.at(-1) + letter.length);
  return (position) => starts[position];
}

export function findingsOf(verdict) {
  const units = unitsOf(verdict.text);
  const facts = verdict.facts.flatMap((fact, record) => (fact.spans.length ? fact.spans : [null]).map((span) => ({
    kind: fact.state, record, start: span && units(span[0]), end: span && units(span[1]), score: fact.probability, note: fact.note,
  })));
  const claims = verdict.claims.map((claim) => ({
    kind: claim.state, record: null, records: claim.facts, start: units(claim.span[0]), end: units(claim.span[1]),
    score: claim.probability, note: claim.note, words: claim.text,
  }));
  return [...facts, ...claims];
}
