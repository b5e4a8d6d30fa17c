// The page of those who run campaigns: progress and figures as they come, links, exports, new campaigns.
import { ask } from "./client.js";
import { byId, make, many, quoted, shown } from "./dom.js";
import { recall, remember } from "./memory.js";

const REFRESH = 3000, OWN = "own";
const OWN_EXAMPLE = '[[category]]\nname = "wrong"\nerror = "contradiction"\ndescription = "The data says something else."\n\n[[category]]\nname = "odd"\n';
const ABOUT = {
  annotations: "rows for study agreement", facts: "facts for study agreement", marked: "texts for study spans",
  verdicts: "texts for study verdicts", references: "references for train", factgenie: "zip for factgenie",
};
let all, chosen = Number(recall("campaign", "0")), timer = 0, making = 0, unreachable = false;

function showProblem(message) {
  byId("problem").textContent = message;
  byId("problem").hidden = !message;
}

async function refresh() {
  clearTimeout(timer);
  try {
    all = await ask("/api/campaigns");
    if (unreachable) showProblem("");
    unreachable = false;
  } catch (error) {
    showProblem(error.message);
    unreachable = true;
    timer = setTimeout(refresh, REFRESH);
    return;
  }
  byId("campaigns").hidden = !all.ready;
  byId("nothing").hidden = all.ready;
  if (!all.ready) {
    byId("nothing").replaceChildren("Start the server with a file for annotations: ", make("code", {}, "factable serve outputs.jsonl --annotations marks.db"));
    return;
  }
  showList();
  await showCampaign();
  // Nobody looks at a page in the background.
  timer = setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", refresh, { once: true }) : refresh()), REFRESH);
}

function showList() {
  if (!all.campaigns.some((each) => each.id === chosen)) chosen = all.campaigns.at(-1)?.id || 0;
  const focused = document.activeElement?.dataset?.campaign;
  byId("list").hidden = !all.campaigns.length;
  byId("list").replaceChildren(...all.campaigns.map((each) => {
    const button = make("button", { type: "button", class: "choice", "data-campaign": each.id, "aria-current": each.id === chosen ? "true" : null },
      quoted("b", each.name), make("span", { class: "soft" }, `${each.done} of ${each.assigned} done · ${many(each.annotators, "annotator")}`));
    button.addEventListener("click", () => choose(each.id));
    return make("li", {}, button);
  }));
  if (focused) byId("list").querySelector(`[data-campaign="${focused}"]`)?.focus();
  if (!all.campaigns.length && byId("form").hidden && !making) openForm();
}

function choose(id) {
  chosen = id;
  remember("campaign", id);
  byId("form").hidden = byId("links").hidden = true;
  refresh();
}

async function showCampaign() {
  const box = byId("campaign");
  box.hidden = !chosen || !byId("form").hidden;
  if (box.hidden) return;
  const campaign = await ask(`/api/campaigns/${chosen}`).catch((error) => { showProblem(error.message); });
  if (!campaign || campaign.id !== chosen) return;
  const { figures } = campaign;
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  const typed = byId("more-name")?.value || "";
  box.replaceChildren(
    make("div", { class: "head" }, quoted("h2", campaign.name), make("span", { class: "soft" }, [
      many(figures.texts, "text"), `${many(campaign.overlap, "annotator")} for each`, campaign.metric ? `suggestions by ${campaign.metric}` : "", campaign.created.slice(0, 10)].filter(Boolean).join(" · "))),
    annotatorTable(campaign),
    moreAnnotators(typed),
    make("h3", {}, "Agreement"), agreementTable(figures),
    ...(campaign.metric ? [make("h3", {}, `${campaign.metric} against annotators`), metricTable(figures)] : []),
    make("h3", {}, "Marks"), make("p", { class: "counts" }, Object.entries(figures.marks).map(([name, count]) => make("span", {}, quoted("span", name), " ", make("b", {}, String(count))))),
    ...(figures.annotated ? [make("h3", {}, "Verdicts"), make("p", { class: "counts" }, Object.entries(figures.labels).map(([name, count]) => make("span", {}, name.replaceAll("+", " + "), " ", make("b", {}, String(count)))))] : []),
    make("h3", {}, "Export"), make("ul", { class: "exports" }, all.formats.map((name) => make("li", {},
      make("a", { href: `/api/campaigns/${campaign.id}/export/${name}`, download: true }, name), make("span", { class: "soft" }, ABOUT[name] || "")))));
  if (focused) byId(focused)?.focus();
}

function annotatorTable(campaign) {
  return table(["annotator", "done", "", "link"], campaign.annotators.map((each) => {
    const button = make("button", { type: "button", id: `link-${each.id}` }, "New link");
    button.setAttribute("aria-label", `New link for ${each.name}`);
    button.addEventListener("click", () => renew(campaign.id, each));
    const bar = make("progress", { max: Math.max(1, each.assigned), value: each.done, "aria-label": `${each.name}: ${each.done} of ${each.assigned} done` });
    return [quoted("b", each.name), `${each.done} of ${each.assigned}`, bar, button];
  }));
}

function table(heads, rows) {
  return make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": heads[0] }, make("table", {},
    make("thead", {}, make("tr", {}, heads.map((head) => (head ? make("th", { scope: "col" }, head) : make("td", {}))))),
    make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map((cell) => make("td", {}, cell)))))));
}

function moreAnnotators(typed) {
  const input = make("input", { id: "more-name", "aria-label": "Name of another annotator", placeholder: "another annotator", maxlength: 100, autocomplete: "off" });
  input.value = typed;
  const form = make("form", { class: "row" }, input, make("button", { type: "submit", id: "more" }, "Add"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!input.value.trim()) return;
    try {
      const added = await ask(`/api/campaigns/${chosen}/annotators`, { body: { name: input.value } });
      input.value = "";
      showProblem("");
      showLinks({ [added.name]: added.path });
      refresh();
    } catch (error) {
      showProblem(error.message);
    }
  });
  return form;
}

const FIGURE_NAMES = {
  observed_agreement: "same", alpha_nominal: "alpha", character_f1: "F1 of characters", exact_f1: "F1 of exact spans",
};

function agreementTable(figures) {
  if (!figures.agreement.length) return make("p", { class: "soft" }, "Shown as soon as two annotators are done with the same text.");
  const names = { verdict: "verdict on the text", fact: "facts", words: "marked words" };
  return table(["on", "texts", ...Object.values(FIGURE_NAMES)], figures.agreement.map((row) => [
    names[row.on] || quoted("span", `marked ${row.on}`), String(row.texts), ...Object.keys(FIGURE_NAMES).map((name) => figure(row[name]))]));
}

function figure(estimate) {
  if (!estimate) return "";
  return make("span", { class: "figure", title: estimate.value === null ? estimate.reason : null }, shown(estimate.value));
}

function metricTable(figures) {
  if (!figures.metric.length) return make("p", { class: "soft" }, "Shown as soon as a text is done.");
  const names = { character_precision: "precision", character_recall: "recall", character_f1: "F1 of characters", missed: "errors missed", false_alarms: "false alarms" };
  return table(["annotator", "texts", "marks of both", ...Object.values(names)], figures.metric.map((row) => [
    quoted("b", row.annotator), String(row.texts), `${row.marks} / ${row.spans}`, ...Object.keys(names).map((name) => figure(row[name]))]));
}

async function renew(campaign, annotator) {
  try {
    showLinks({ [annotator.name]: (await ask(`/api/campaigns/${campaign}/annotators/${annotator.id}/link`, { body: {} })).path });
    refresh();
  } catch (error) {
    showProblem(error.message);
  }
}

function showLinks(paths) {
  byId("links").hidden = false;
  byId("link-list").replaceChildren(...Object.entries(paths).map(([name, path]) => {
    const link = new URL(path, location.href).href;
    const copy = make("button", { type: "button", "aria-label": `Copy the link of ${name}` }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(link).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select and copy it by hand"; });
    });
    return make("li", { class: "link" }, quoted("b", name), make("a", { href: link }, link), copy);
  }));
}

function openForm() {
  byId("form").hidden = false;
  byId("campaign").hidden = byId("links").hidden = true;
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const filtered = Object.keys(query).length > 0;
  byId("texts").textContent = !all.examples ? "There are no texts: start the server with factable serve FILE, or use factable campaign create."
    : filtered ? "Of the texts that you filtered in the corpus." : `Of all ${many(all.examples, "text")} of the corpus.`;
  byId("create").disabled = !all.examples;
  if (!byId("categories").options.length) {
    byId("categories").append(...Object.keys(all.categories).map((name) => make("option", { value: name }, name)), make("option", { value: OWN }, "of your own"));
    byId("metrics").append(...["ledger", "nli", "slot_error"].map((name) => make("option", { value: name })));
    byId("toml").value = OWN_EXAMPLE;
    byId("categories").value = recall("categories", "default");
  }
  showCategories();
}

function showCategories() {
  const name = byId("categories").value;
  byId("toml-field").hidden = name !== OWN;
  byId("category-list").textContent = (all.categories[name] || []).map((category) => category.name).join(", ");
}

async function create(event) {
  event.preventDefault();
  const own = byId("categories").value === OWN;
  const body = {
    name: byId("name").value,
    annotators: byId("annotators").value.split("\n").map((name) => name.trim()).filter(Boolean),
    overlap: Number(byId("overlap").value),
    metric: byId("metric").value.trim(),
    instructions: byId("instructions").value,
    facts: byId("facts").checked,
    query: Object.fromEntries(new URLSearchParams(location.search)),
    ...(own ? { toml: byId("toml").value } : { categories: byId("categories").value }),
  };
  try {
    making = (await ask("/api/campaigns", { body })).id;
    showProblem("");
    remember("categories", byId("categories").value);
    await follow();
  } catch (error) {
    showProblem(error.message);
  }
}

// Asks how far a campaign is until it is made; a metric may have to read every text.
async function follow() {
  byId("create").disabled = true;
  let now;
  do {
    now = await ask(`/api/campaigns/creations/${making}`);
    byId("making").textContent = now.state === "running" ? `${now.done} of ${many(now.total, "text")} …` : "";
    if (now.state === "running") await new Promise((resume) => { setTimeout(resume, 300); });
  } while (now.state === "running");
  making = 0;
  byId("create").disabled = false;
  if (now.state === "failed") throw new Error(now.problem);
  if (now.state !== "done") return;
  history.replaceState(null, "", location.pathname);
  byId("form").reset();
  choose(now.campaign);
  showLinks(now.paths);
}

byId("new").addEventListener("click", () => { openForm(); byId("name").focus(); });
byId("cancel").addEventListener("click", async () => {
  if (making) await ask(`/api/campaigns/creations/${making}/cancel`, { body: {} });
  byId("form").hidden = true;
  refresh();
});
byId("categories").addEventListener("change", showCategories);
byId("form").addEventListener("submit", create);
await refresh();
if (all?.ready && location.search) openForm();
