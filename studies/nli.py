"""The NLI check against people (WebNLG 2017) and against a slot error script (E2E), as in its paper.

python -m studies.nli [--data ../shared/data] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/nli.md. Answers of the model are kept on disk, so a second run is quick.
With --max-texts every part uses only so many texts, evenly spaced, and the tables are printed.
"""

import csv
import io
import json
import lzma
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
from studies.page import run, sample, table
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


def by_slot_errors(panels: Mapping[str, tuple[Panel, Sequence[str]]]) -> str:
    """Four labels and two, against counts of slot errors."""
    rows = []
    for title, (panel, names) in panels.items():
        study = study_verdicts(panel, omission=OMISSION, hallucination=HALLUCINATION, draws=0)
        for name, verdict in zip(names, study.agreements, strict=True):
            assert verdict.all_texts.four_way
            rows.append([title, name, f"{verdict.all_texts.four_way.accuracy.value:.3f}", *two_way(verdict)])
    header = ["facts", "templates", "four-way accuracy", "accuracy", "precision", "recall", "F1"]
    return table(header, rows)


def by_label(panel: Panel) -> str:
    """How often the script and the first metric say what."""
    verdict = study_verdicts(panel, omission=OMISSION, hallucination=HALLUCINATION, draws=0).agreements[0]
    four = verdict.all_texts.four_way
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


def make_tables(data: Path, jobs: int, max_texts: int) -> dict[str, str]:
    """Every table of the page."""
    specs = {name: f'nli(templates="{name}")' for name in TEMPLATES}
    like_nlgi = {f"{name}, compat": f'nli(templates="{name}", compat="nlgi")' for name in TEMPLATES}
    ratings = sample(read_ratings(data), max_texts)
    panel, names = score_with(ratings, specs, jobs)
    outputs = read_outputs(data / E2E_OUTPUTS)
    all_required = score_with(sample(outputs, max_texts), specs, jobs)
    ignoring = {name: f'nli(templates="{name}", optional="{RESTAURANT}")' for name in TEMPLATES}
    adjusted = list(without_restaurants(outputs, data / E2E_OUTPUTS))
    panels = {
        "all required": all_required,
        "restaurant optional": score_with(sample(adjusted, max_texts), ignoring, jobs),
    }
    return {
        "correlations": by_correlation(panel, names),
        "thresholds": by_threshold(*score_with(ratings, specs | like_nlgi, jobs)),
        "slot errors": by_slot_errors(panels),
        "labels": by_label(all_required[0]),
    }


if __name__ == "__main__":
    run("nli", __doc__, make_tables)
