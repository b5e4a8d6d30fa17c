"""The paper on the NLI check (Dušek and Kasner 2020): its figures on WebNLG 2017 and on E2E.

python -m studies.nli [--data ../shared/data] [--general FOLDER] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/nli.md. --general is a model trained on general NLI alone, by
`sh recipes/nli_general.sh`; its rows are left out without it. Answers of the model are kept on disk, so a
second run is quick. With --max-texts every part uses only so many texts, evenly spaced, and the tables are
printed.
"""

import csv
import io
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.stats.correlation import pearson, spearman
from factable.study.panel import Panel, score_panel
from factable.study.verdicts import THRESHOLDS, LabelAgreement, study_verdicts
from factable.types import Example
from studies.page import PAGES, run, sample, table
from studies.published import SUMMARY, Comparison
from studies.webnlg2017 import read_ratings

HUMAN = "semantics"
E2E_OUTPUTS = Path("e2e", "primary_slot_error.tsv.xz")
TEMPLATES = ("default", "backoff")
SCORES = ("value", "confidence", "facts_to_text", "text_to_facts")
# Published on the same ratings, Pearson and Spearman.
PUBLISHED = {
    "FactSpotter": (".775", ""),
    "Data-QuestEval": (".735", ""),
    "PARENT": (".640", ""),
    "BLEU": (".514", ""),
    "NLI with RoBERTa-large, its confidence": ("", ".63"),
}
# What the slot error script calls wrong: a wrong value is both left out and made up, a repetition is neither.
OMISSION, HALLUCINATION = ("missing", "valerr"), ("added", "valerr")
RESTAURANT = "eatType=restaurant"
RATES = ("accuracy", "recall", "precision", "F1")
RHO, FOUR_WAY = "Spearman of the confidence", "four-way accuracy"
# Tables 1 and 2. Cells that are lost in the copies we have are left out; accuracies and F1 of table 1 and
# accuracies of table 2 are quoted by others.
TABLE_1 = {
    "default": {"accuracy": 0.775, "recall": 0.772, "F1": 0.784, RHO: 0.63},
    "backoff": {"recall": 0.760},
}
TABLE_2 = {
    "default": {FOUR_WAY: 0.911, "accuracy": 0.933, "recall": 0.895, "F1": 0.903},
    "backoff": {"recall": 0.913, "F1": 0.834},
}
# Table 3, outputs of systems: its classifier, ours on the page on extraction (NLI: templates), and four-way
# accuracy, accuracy, precision, recall and F1.
TABLE_3 = {
    "Slug2Slug aligner": ('aligner(patterns="e2e")', (0.995, 1.000, 1.000, 1.000, 1.000)),
    "E2E slot error script": ("slot_error", (0.995, 0.995, 0.950, 1.000, 0.974)),
    "TGen reranker": ("fact_classifier", (0.220, 0.278, 0.116, 1.000, 0.208)),
    "NLI, default": ("default", (0.978, 0.978, 0.837, 0.947, 0.888)),
    "NLI, backoff": ("backoff", (0.833, 0.833, 0.359, 0.974, 0.525)),
}
# Spearman's correlation of errors with the number of facts.
ERRORS_WITH_FACTS = {"WebNLG": -0.05, "E2E": -0.08}
# Of 100 disagreements, how often the metric was right; ours are in a file, read one by one.
METRIC_RIGHT = {"webnlg": 42, "e2e": 45}
DISAGREEMENTS = Path(__file__).with_name("disagreements.jsonl")
# How far figures may differ: the paper has no ±.
ALLOWED = 0.03
# The model trained on general NLI alone reads one of so many outputs of E2E.
GENERAL_STRIDE = 7
ZERO_SHOT = "default, trained on general NLI alone"
OTHER_MODEL = "a smaller model, trained on pairs made from data and texts, too"


def score_with(examples: Sequence[Example], specs: Mapping[str, str], jobs: int) -> tuple[Panel, list[str]]:
    """The examples scored by each metric, and the names that the metrics have on the page."""
    return score_panel([examples], [parse(spec) for spec in specs.values()], jobs=jobs), list(specs)


def by_correlation(panel: Panel, names: Sequence[str]) -> str:
    """Pearson and Spearman of the value and of each part with the rating, beside published values."""
    rating, once = panel.ratings[HUMAN], np.ones((1, len(panel.items)))
    rows = []
    for name, scores in zip(names, panel.result.scores, strict=True):
        for part in SCORES:
            column = np.frombuffer(scores.values if part == "value" else scores.parts[part])
            numbers = [agree(column, rating, panel.item_of, once)[0] for agree in (pearson, spearman)]
            rows.append([f"{part}, templates {name}", *(f"{number:.3f}" for number in numbers)])
    rows += [[f"published: {name}", *numbers] for name, numbers in PUBLISHED.items()]
    return table(["score", "Pearson", "Spearman"], rows)


def by_threshold(panel: Panel, names: Sequence[str]) -> str:
    """Two labels: OK is a mean rating from each threshold on."""
    study = study_verdicts(panel, humans=[HUMAN], thresholds=THRESHOLDS, draws=0)
    name_of = dict(zip(study.signatures, names, strict=True))
    rows = [[verdict.gold, name_of[verdict.metric], *two_way(verdict)] for verdict in study.agreements]
    return table(["OK is", "templates", "accuracy", "precision", "recall", "F1"], rows)


def two_way(verdict: LabelAgreement) -> list[str]:
    """Accuracy, and precision, recall and F1 of "not OK"."""
    confusion = verdict.all_texts.two_way
    (rates,) = confusion.classes.values()
    return [f"{number.value:.3f}" for number in (confusion.accuracy, *rates)]


def rates_of(verdict: LabelAgreement) -> dict[str, float]:
    """The rates of "not OK" by their names, the accuracy of four labels and the correlation of confidence."""
    accuracy, precision, recall, f1 = map(float, two_way(verdict))
    rates = {"accuracy": accuracy, "recall": recall, "precision": precision, "F1": f1}
    if verdict.all_texts.four_way:
        rates[FOUR_WAY] = verdict.all_texts.four_way.accuracy.value
    if verdict.correlations:
        rates[RHO] = verdict.correlations["spearman"].value
    return rates


def beside_published(
    found: Mapping[str, Mapping[str, float]],
    published: Mapping[str, Mapping[str, float]],
    columns: Sequence[str],
    comparison: Comparison,
) -> str:
    """Templates in rows, each figure beside the published one."""
    rows = []
    for name, rates in found.items():
        row = [name]
        for column in columns:
            figure = published.get(name, {}).get(column)
            row += comparison.cells(f"{name} {column}", rates[column], figure, allowed=ALLOWED)
        rows.append(row)
    return table(["templates", *(head for column in columns for head in (column, "published"))], rows)


def by_classifier(of_nli: Mapping[str, Mapping[str, float]]) -> str:
    """Table 3 in form: five classifiers; those that are not NLI as the page on extraction has them."""
    page = (PAGES / "extraction.md").read_text()
    columns = (FOUR_WAY, "accuracy", "precision", "recall", "F1")
    rows = []
    for name, (ours, published) in TABLE_3.items():
        if ours in of_nli:
            title, figures = f"`nli`, templates {ours}", [f"{of_nli[ours][column]:.3f}" for column in columns]
        else:
            found = re.search(rf"^\| `{re.escape(ours)}` \| (.+) \|$", page, re.MULTILINE)
            assert found
            title, figures = f"`{ours}`", found[1].split(" | ")
        cells = [
            cell for pair in zip(figures, published, strict=True) for cell in (pair[0], f"{pair[1]:.3f}")
        ]
        rows.append([title, name, *cells])
    return table(["ours", "published", *(head for column in columns for head in (column, "published"))], rows)


def by_size(verdicts: Mapping[str, LabelAgreement], comparison: Comparison) -> str:
    """How errors go with the number of facts."""
    rows = []
    for name, verdict in verdicts.items():
        cells = comparison.cells(
            name, verdict.errors_with_facts.value, ERRORS_WITH_FACTS[name], allowed=0.05, digits=2
        )
        rows.append([name, f"{verdict.all_texts.examples:,}", *cells])
    return table(["data set", "texts", "Spearman's rho", "published"], rows)


def by_reading() -> str:
    """What reading 100 disagreements of each data set gave."""
    read = [json.loads(line) for line in DISAGREEMENTS.read_text().splitlines()]
    rows = []
    for name, published in METRIC_RIGHT.items():
        right = Counter(row["right"] for row in read if row["set"] == name)
        numbers = (sum(right.values()), right["metric"], published, right["people"], right["unclear"])
        rows.append([name, *map(str, numbers)])
    header = [
        "data set",
        "read",
        "metric right",
        "published",
        "people or script right",
        "unclear, or neither",
    ]
    return table(header, rows)


def against_script(panel: Panel) -> Sequence[LabelAgreement]:
    """The labels of each metric against those that follow from counts of slot errors."""
    return study_verdicts(panel, omission=OMISSION, hallucination=HALLUCINATION, draws=0).agreements


def by_slot_errors(panels: Mapping[str, tuple[Panel, Sequence[str]]]) -> str:
    """Four labels and two, against counts of slot errors."""
    rows = []
    for title, (panel, names) in panels.items():
        for name, verdict in zip(names, against_script(panel), strict=True):
            assert verdict.all_texts.four_way
            rows.append([title, name, f"{verdict.all_texts.four_way.accuracy.value:.3f}", *two_way(verdict)])
    header = ["facts", "templates", "four-way accuracy", "accuracy", "precision", "recall", "F1"]
    return table(header, rows)


def by_label(panel: Panel) -> str:
    """How often the script and the first metric say what."""
    four = against_script(panel)[0].all_texts.four_way
    assert four
    rows = [[label, *map(str, counts)] for label, counts in zip(four.labels, four.counts, strict=True)]
    return table(["the script says", *(f"nli says {label}" for label in four.labels)], rows)


def read_outputs(path: Path) -> list[Example]:
    """The outputs of the E2E challenge with their slot errors."""
    return list(open_format("e2e-outputs")([str(path)]))


def without_restaurants(examples: Sequence[Example], path: Path) -> Iterator[Example]:
    """The same with `restaurant` neither missed nor added, where the script counts it so."""
    content = lzma.decompress(path.read_bytes()).decode("utf-8")
    rows = csv.DictReader(io.StringIO(content), delimiter="\t")
    for example, row in zip(examples, rows, strict=True):
        slot = json.loads(row["diff"]).get("eat_type", {})
        # With another value beside it, it is a wrong value, and stays one.
        times = slot["restaurant"] if list(slot) == ["restaurant"] else 0
        kind = "added" if times > 0 else "missing"
        yield replace(example, human={**example.human, kind: example.human[kind] - abs(times)})


def make_tables(data: Path, jobs: int, max_texts: int, general: Path | None = None) -> dict[str, str]:
    """Every table of the page."""
    specs = {name: f'nli(templates="{name}")' for name in TEMPLATES}
    like_nlgi = {f"{name}, compat": f'nli(templates="{name}", compat="nlgi")' for name in TEMPLATES}
    zero_shot = {ZERO_SHOT: f'nli(model="{general}")'} if general else {}
    ratings = sample(read_ratings(data), max_texts)
    panel, names = score_with(ratings, specs | zero_shot, jobs)
    outputs = read_outputs(data / E2E_OUTPUTS)
    all_required = score_with(sample(outputs, max_texts), specs, jobs)
    ignoring = {name: f'nli(templates="{name}", optional="{RESTAURANT}")' for name in TEMPLATES}
    adjusted = list(without_restaurants(outputs, data / E2E_OUTPUTS))
    panels = {
        "all required": all_required,
        "restaurant optional": score_with(sample(adjusted, max_texts), ignoring, jobs),
    }
    of_ratings = study_verdicts(panel, humans=[HUMAN], thresholds=THRESHOLDS[:1], draws=0).agreements
    of_slots = against_script(all_required[0])
    of_general = (
        against_script(score_with(sample(outputs, max_texts)[::GENERAL_STRIDE], zero_shot, jobs)[0])
        if general
        else ()
    )
    first, second, sizes = (
        Comparison(name) for name in ("table 1", "table 2", "errors with number of facts")
    )
    tables = {
        "table 1": beside_published(
            dict(zip(names, map(rates_of, of_ratings), strict=True)), TABLE_1, (*RATES, RHO), first
        ),
        "table 2": beside_published(
            dict(zip(names, map(rates_of, (*of_slots, *of_general)), strict=True)),
            TABLE_2,
            (FOUR_WAY, *RATES),
            second,
        ),
        "table 3": by_classifier(dict(zip(TEMPLATES, map(rates_of, of_slots), strict=True))),
        "size": by_size({"WebNLG": of_ratings[0], "E2E": of_slots[0]}, sizes),
        "reading": by_reading(),
        "correlations": by_correlation(panel, names),
        "thresholds": by_threshold(*score_with(ratings, specs | like_nlgi, jobs)),
        "slot errors": by_slot_errors(panels),
        "labels": by_label(all_required[0]),
    }
    rows = [first.row(OTHER_MODEL), second.row(OTHER_MODEL), sizes.row(OTHER_MODEL)]
    return {**tables, "summary": table(SUMMARY, rows)}


if __name__ == "__main__":
    run("nli", __doc__, make_tables, arguments={"general": Path})
