// What is said of all examples together: every metric in one table, and a card for each.

const WIDTH = 240, HEIGHT = 46, FLOOR = 36;

function showOverview() {
  if (page.metrics.length > 1) byId("overview").append(summaryCard());
  page.metrics.forEach((metric) => byId("overview").append(metricCard(metric, page.metrics.length === 1 && metric.lines.length <= 4)));
}

// Systems as rows and metrics as columns, in the order of the first metric.
function summaryCard() {
  const head = make("tr", {}, make("th", { scope: "col" }, "system"), page.metrics.map((metric) =>
    make("th", { scope: "col", class: "number" }, quoted("span", metric.spec), make("br"), make("span", { class: "scale" }, scaleOf(metric)))));
  const rows = page.metrics[0].lines.map((first) => make("tr", { class: first.system < 0 ? "sum" : null },
    make("td", {}, quoted("b", plain(nameOf(first.system)))),
    page.metrics.map((metric) => {
      const line = metric.lines.find((one) => one.system === first.system);
      return make("td", { class: "number", "data-name": metric.spec }, line ? valueWithInterval(line.value, line.low, line.high) : "–");
    })));
  return make("div", { class: "card" }, make("div", { class: "scroll" }, make("table", { class: "systems" }, make("thead", {}, head), make("tbody", {}, rows))),
    page.draws ? make("p", { class: "soft small" }, "In brackets: 95 % interval.") : null);
}

function metricCard(metric, open) {
  const heading = make("summary", {},
    quoted("h2", metric.spec),
    make("span", { class: "soft" }, `${scaleOf(metric)}${open ? "" : "; parts, distribution and signature"}`));
  return make("details", { class: "card", open },
    heading,
    make("div", { class: "scroll" }, systemsTable(metric)),
    metric.differences.length ? differencesBlock(metric) : null,
    meaningsOf(metric),
    make("p", { class: "signature" }, make("span", { class: "soft" }, "signature "), quoted("code", metric.signature)));
}

function meaningsOf(metric) {
  const known = metric.heads.flatMap((head, index) => (metric.meanings[index] ? [[head, metric.meanings[index]]] : []));
  return known.length ? make("details", { class: "more" }, make("summary", {}, "What the columns mean"),
    make("dl", { class: "meanings" }, known.flatMap(([head, meaning]) => [make("dt", {}, head), make("dd", {}, meaning)]))) : null;
}

function systemsTable(metric) {
  const ranked = metric.lines.some((line) => line.rank !== null);
  const unscored = metric.lines.some((line) => line.unscored);
  const count = page.compared ? "items" : "texts";
  const head = [["system"], ranked ? ["rank", "number"] : null, [page.draws ? "value, 95 % interval" : "value", "number"],
    [`values from ${brief(metric.edges[0])} to ${brief(metric.edges[1])}`], ...metric.heads.map((name, index) => [name, "number", metric.meanings[index]]),
    [count, "number"], unscored ? ["unscored", "number"] : null];
  const rows = metric.lines.map((line) => {
    const cells = [
      ["", quoted("b", plain(nameOf(line.system)))],
      ranked ? ["rank", shown(line.rank, 0), "number"] : null,
      ["", valueWithInterval(line.value, line.low, line.high), "number"],
      ["", histogram(metric, line)],
      ...metric.heads.map((name, index) => [name, shown(line.parts[index]), "number"]),
      [count, line.examples.toLocaleString("en"), "number"],
      unscored ? ["unscored", line.unscored.toLocaleString("en"), "number"] : null,
    ];
    return make("tr", { class: line.system < 0 ? "sum" : null },
      cells.filter(Boolean).map(([name, content, kind]) => make("td", { "data-name": name || null, class: kind || null }, content)));
  });
  return make("table", { class: "systems" },
    make("thead", {}, make("tr", {}, head.filter(Boolean).map(([name, kind, meaning]) => make("th", { scope: "col", class: kind || null, title: meaning || null }, name)))),
    make("tbody", {}, rows));
}

function brief(number) {
  return String(Number(number.toPrecision(3)));
}

function valueWithInterval(value, low, high) {
  const interval = low === null ? "" : `[${shown(low)}, ${shown(high)}]`;
  return make("span", { class: "figure" }, make("b", {}, shown(value)), ` ${interval}`);
}

function histogram(metric, line) {
  const [low, high] = metric.edges;
  const most = Math.max(1, ...line.bins);
  const step = WIDTH / line.bins.length;
  const x = (value) => Math.min(1, Math.max(0, (value - low) / (high - low))) * WIDTH;
  const bars = line.bins.map((count, bin) => {
    const height = count ? Math.max(1, (count / most) * (FLOOR - 2)) : 0;
    const from = low + (bin * (high - low)) / line.bins.length;
    const to = low + ((bin + 1) * (high - low)) / line.bins.length;
    return draw("rect", { x: bin * step + 0.5, y: FLOOR - height, width: step - 1, height },
      draw("title", {}, `${brief(from)} to ${brief(to)}: ${many(count, "text")}`));
  });
  const marks = [draw("line", { class: "floor", x1: 0, x2: WIDTH, y1: FLOOR + 0.5, y2: FLOOR + 0.5 })];
  if (line.low !== null) marks.push(draw("line", { class: "span", x1: x(line.low), x2: x(line.high), y1: 41, y2: 41 }));
  if (line.value !== null) marks.push(draw("circle", { cx: x(line.value), cy: 41, r: 3.5 }));
  const label = `${plain(nameOf(line.system))}: distribution of the values, ${brief(low)} to ${brief(high)}; value ${shown(line.value)}`;
  return draw("svg", { class: "histogram", viewBox: `-4 0 ${WIDTH + 8} ${HEIGHT}`, role: "img", "aria-label": label }, bars, marks);
}

function differencesBlock(metric) {
  const rows = metric.differences.map((one) => {
    const verdict = one.p_holm === null ? "not tested" : one.p_holm < page.alpha ? make("b", {}, "differ") : "not told apart";
    return make("tr", {},
      make("td", {}, quoted("span", plain(nameOf(one.system)))),
      make("td", { "data-name": "minus" }, quoted("span", plain(nameOf(one.other)))),
      make("td", { "data-name": "difference", class: "number" }, valueWithInterval(one.difference, one.low, one.high)),
      make("td", { "data-name": "p (Holm)", class: "number" }, shown(one.p_holm, 4)),
      make("td", {}, verdict));
  });
  const head = [["system"], ["minus this system"], ["difference, 95 % interval", "number"], ["p (Holm)", "number"], [page.alpha ? `at the level ${page.alpha}` : "verdict"]];
  return make("details", { class: "differences", open: metric.differences.length <= 10 },
    make("summary", {}, many(metric.differences.length, "difference")),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, head.map(([name, kind]) => make("th", { scope: "col", class: kind || null }, name)))),
      make("tbody", {}, rows))));
}

function showAbout() {
  const systems = new Set(page.metrics[0].lines.map((line) => line.system).filter((system) => system >= 0));
  const pieces = [many(page.examples_in_all, "text"), many(page.items_in_all, "item"), many(systems.size, "system")];
  if (page.draws) pieces.push(`intervals from ${page.draws.toLocaleString("en")} draws of items, seed ${page.seed}`);
  byId("about").append([...pieces, `factable ${page.version}`].join(" · "));
  const notes = byId("notes");
  if (page.outcome) notes.append(make("p", { class: `outcome ${page.outcome}` }, page.outcome === "passed" ? "✓ passed" : "✗ failed"));
  for (const note of page.notes) notes.append(quoted("p", note));
  if (page.shown < page.examples_in_all) {
    notes.append(make("p", {}, `The list below has the ${many(page.shown, "text")} of the items that are worst under ${page.metrics[0].spec}, of ${page.examples_in_all.toLocaleString("en")}; the summary is of all.`));
  }
  notes.hidden = !notes.childNodes.length;
}
