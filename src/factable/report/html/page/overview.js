// What is said of all examples together: a card for each metric.

const WIDTH = 240, HEIGHT = 46, FLOOR = 36;

function showOverview() {
  const rows = page.metrics.reduce((sum, metric) => sum + metric.lines.length, 0);
  page.metrics.forEach((metric, index) => {
    byId("overview").append(metricCard(metric, index === 0 || rows <= 16));
  });
}

function metricCard(metric, open) {
  const heading = make("summary", {},
    quoted("h2", metric.spec),
    make("span", { class: "soft" }, `${metric.better} is better`));
  return make("details", { class: "card", open },
    heading,
    make("div", { class: "scroll" }, systemsTable(metric)),
    metric.differences.length ? differencesBlock(metric) : null,
    make("p", { class: "signature" }, make("span", { class: "soft" }, "signature "), quoted("code", metric.signature)));
}

function systemsTable(metric) {
  const ranked = metric.lines.some((line) => line.rank !== null);
  const unscored = metric.lines.some((line) => line.unscored);
  const head = ["system", ranked ? "rank" : null, intervalHead(), `values from ${brief(metric.edges[0])} to ${brief(metric.edges[1])}`,
    ...metric.heads, page.compared ? "items" : "texts", unscored ? "unscored" : null];
  const rows = metric.lines.map((line) => {
    const cells = [
      ["", quoted("b", plain(nameOf(line.system)))],
      ranked ? ["rank", shown(line.rank, 0)] : null,
      ["", valueWithInterval(line.value, line.low, line.high)],
      ["", histogram(metric, line)],
      ...metric.heads.map((head, index) => [head, shown(line.parts[index])]),
      [page.compared ? "items" : "texts", line.examples.toLocaleString("en")],
      unscored ? ["unscored", line.unscored.toLocaleString("en")] : null,
    ];
    return make("tr", { class: line.system < 0 ? "sum" : null },
      cells.filter(Boolean).map(([name, content]) => make("td", { "data-name": name || null }, content)));
  });
  return make("table", { class: "systems" },
    make("thead", {}, make("tr", {}, head.filter(Boolean).map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows));
}

function intervalHead() {
  return page.draws ? "value, 95 % interval" : "value";
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
    const verdict = one.p_holm === null ? "" : one.p_holm < page.alpha ? make("b", {}, "differ") : "not told apart";
    return make("tr", {},
      make("td", {}, quoted("span", plain(nameOf(one.system)))),
      make("td", { "data-name": "less" }, quoted("span", plain(nameOf(one.other)))),
      make("td", { "data-name": "difference" }, valueWithInterval(one.difference, one.low, one.high)),
      make("td", { "data-name": "p Holm" }, shown(one.p_holm, 4)),
      make("td", {}, verdict));
  });
  const head = ["system", "less", "difference", "p (Holm)", ""];
  return make("details", { class: "differences", open: metric.differences.length <= 10 },
    make("summary", {}, many(metric.differences.length, "difference")),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, rows))));
}

function showAbout() {
  const systems = new Set(page.metrics[0].lines.map((line) => line.system).filter((system) => system >= 0));
  const pieces = [many(page.examplesInAll, "text"), many(page.itemsInAll, "item"), many(systems.size, "system")];
  if (page.draws) pieces.push(`intervals from ${page.draws.toLocaleString("en")} draws of items, seed ${page.seed}`);
  byId("about").append([...pieces, `factable ${page.version}`].join(" · "));
  const notes = byId("notes");
  if (page.outcome) notes.append(make("p", { class: `outcome ${page.outcome}` }, page.outcome === "passed" ? "✓ passed" : "✗ failed"));
  for (const note of page.notes) notes.append(quoted("p", note));
  if (page.shown < page.examplesInAll) {
    notes.append(make("p", {}, `The list below has the ${many(page.shown, "text")} of the items that are worst under ${page.metrics[0].spec}, of ${page.examplesInAll.toLocaleString("en")}; the summary is of all.`));
  }
  notes.hidden = !notes.childNodes.length;
}
