"""Metrics that look for facts in texts, against people and against the counts of a slot error script.

python -m studies.extraction [--data ../shared/data] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/extraction.md. With --max-texts every part uses only so many
texts, evenly spaced, and the tables are printed.
"""

import csv
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.extraction.pairs import AS_VALUES, Overlap, agree
from factable.stats.correlation import pearson
from factable.study.panel import score_panel
from factable.study.verdicts import study_verdicts
from factable.train.extractor import measure_against_tables, measure_extractor
from factable.types import Example
from studies.nli import (
    E2E_OUTPUTS,
    HALLUCINATION,
    HUMAN,
    OMISSION,
    read_outputs,
    score_with,
    two_way,
)
from studies.page import PAGES, run, sample, table
from studies.webnlg2017 import REFERENCES, read_ratings

CLASSIFIERS = (
    "slot_error",
    'slot_error(compat="e2e")',
    "aligner",
    'aligner(patterns="e2e")',
    "fact_classifier",
    "nli",
)
COUNTS = {"added": "added", "missing": "missing", "wrong": "valerr", "repeated": "repeated"}
PAIRS = ("rg_f", "rg", "cs", "co", 'rg_f(matching="normalised")', 'rg_f(extractor="webnlg")', "parent", "nli")
# References of each kind from which the trained extractor extracts, evenly spread.
MEASURED = 500
# Table 5 of the paper on PARENT: precision, recall and F by exact match.
TABLE_5 = (0.428, 0.310, 0.351)
ROTOWIRE = Path("rotowire", "accuracySharedTask")
# Categories of which the training set of WebNLG 2017 has no texts.
UNSEEN = ("Artist", "Athlete", "CelestialBody", "MeanOfTransportation", "Politician")


def by_classifier(outputs: Sequence[Example], jobs: int) -> str:
    """Four labels and two against the script's counts; nli from its own study, which asks its model long."""
    specs = {spec: spec for spec in CLASSIFIERS if spec != "nli"}
    panel, names = score_with(outputs, specs, jobs)
    study = study_verdicts(panel, omission=OMISSION, hallucination=HALLUCINATION, draws=0)
    rows = []
    for name, verdict in zip(names, study.agreements, strict=True):
        assert verdict.all_texts.four_way
        rows.append([f"`{name}`", f"{verdict.all_texts.four_way.accuracy.value:.3f}", *two_way(verdict)])
    rows.append(["`nli` ([its study](nli.md))", *_row_of_nli()])
    return table(["metric", "four-way accuracy", "accuracy", "precision", "recall", "F1"], rows)


def _row_of_nli() -> list[str]:
    """What the page of the NLI check says of all facts required and default templates."""
    page = (PAGES / "nli.md").read_text()
    row = re.search(r"^\| all required \| default \| (.+) \|$", page, re.MULTILINE)
    assert row
    return row[1].split(" | ")


def by_counts(outputs: Sequence[Example]) -> str:
    """How often the counts are those of the script, on inputs whose outputs were looked at and on others."""
    rows = []
    inputs = {table: index for index, table in enumerate(dict.fromkeys(output.table for output in outputs))}
    for spec in CLASSIFIERS[:2]:
        scores = parse(spec).score(outputs)
        same = np.array(
            [
                all(scores.parts[part][index] == example.human[name] for part, name in COUNTS.items())
                for index, example in enumerate(outputs)
            ]
        )
        seen = np.array([inputs[example.table] % 2 == 0 for example in outputs])
        rows.append(
            [f"`{spec}`", *(f"{share:.1%}" for share in (same.mean(), same[seen].mean(), same[~seen].mean()))]
        )
    return table(["metric", "all outputs", "of inputs looked at", "of other inputs"], rows)


def by_rating(ratings: Sequence[Example], jobs: int) -> str:
    """Pearson's r with the rating of semantics, over systems and over texts, and texts a second."""
    panel = score_panel([ratings], [parse(spec) for spec in PAIRS], jobs=jobs)
    once = np.ones((1, len(panel.items)))
    systems = [example.system != REFERENCES for example in ratings]
    rating = panel.ratings[HUMAN]
    rows = []
    for spec, scores in zip(PAIRS, panel.result.scores, strict=True):
        column = np.frombuffer(scores.values)
        of_all = pearson(column, rating, panel.item_of, once)[0]
        of_systems = pearson(column[systems], rating[systems], panel.item_of[systems], once)[0]
        rows.append([f"`{spec}`", f"{of_systems:.3f}", f"{of_all:.3f}", f"{scores.corpus:.3f}"])
    return table(["metric", "texts of systems", "reference texts included", "corpus value"], rows)


def by_category(data: Path, max_texts: int) -> str:
    """Precision, recall and F of the pairs that the trained extractor finds in test references.

    First against what the references state; then by exact match against the whole tables, as in table 5 of
    the paper on PARENT, whose row is of another data set.
    """
    content = lzma.decompress((data / "webnlg2017" / "testdata_with_lex.xml.xz").read_bytes())
    with tempfile.TemporaryDirectory() as work:
        path = Path(work, "test.xml")
        path.write_bytes(content)
        examples = list(open_format("webnlg")([str(path)]))
    entries = re.findall(r'category="(\w+)" eid="(\w+)"', content.decode("utf-8"))
    category_of = {entry: category for category, entry in entries}
    unseen = [category_of[example.item] in UNSEEN for example in examples]
    rows = []
    for title, wanted in (("seen categories", False), ("unseen categories", True)):
        chosen = [example for example, new in zip(examples, unseen, strict=True) if new == wanted]
        overlaps: list[Overlap] = [
            measure(chosen, "webnlg", max_texts or MEASURED)
            for measure in (measure_extractor, measure_against_tables)
        ]
        shares = [share for one in overlaps for share in (one.precision, one.recall, one.f)]
        rows.append([title, *(f"{share:.3f}" for share in shares)])
    rows.append(["WikiBio, published", *["–"] * 3, *(f"{share:.3f}" for share in TABLE_5)])
    exact = ("exact match: precision", "recall", "F")
    return table(["references of", "precision", "recall", "F", *exact], rows)


def read_reports(data: Path) -> Iterator[tuple[Example, list[tuple[int, int, str]]]]:
    """The generated reports of games with their box scores, and the errors that experts marked."""
    folder = data / ROTOWIRE
    marked: dict[str, list[tuple[int, int, str]]] = {}
    with (folder / "gsml.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            index = int(row["DOC_TOKEN_START"]), int(row["DOC_TOKEN_END"]), row["TYPE"]
            marked.setdefault(row["TEXT_ID"].removesuffix(".txt"), []).append(index)
    for example in open_format("rotowire")([str(folder / "shared_task.jsonl")]):
        text = (folder / "texts" / f"{example.item}.txt").read_text(encoding="utf-8").strip()
        tokens = [token.span() for token in re.finditer(r"\S+", text)]
        errors = [
            (tokens[first - 1][0], tokens[last - 1][1], kind)
            for first, last, kind in marked.get(example.item, [])
        ]
        yield replace(example, text=text), errors


def by_expert(reports: Sequence[tuple[Example, Sequence[tuple[int, int, str]]]]) -> str:
    """How many numbers that the box score does not have are marked, and how many marks are found so."""
    extractor = load_extractor("rotowire")
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    found_kinds: Counter[str] = Counter()
    for example, errors in reports:
        (extracted,) = extractor.extract([(example.text, example.table)])
        wrong = [
            fact.span
            for fact in extracted
            if fact.span
            and not any(agree(record, fact.record, AS_VALUES) for record in example.table.records)
        ]
        counts["numbers"] += len(extracted)
        counts["not in the data"] += len(wrong)
        counts["marked"] += sum(any(s < end and start < e for s, e, _ in errors) for start, end in wrong)
        for start, end, kind in errors:
            kinds[kind] += 1
            found_kinds[kind] += any(s < end and start < e for s, e in wrong)
    rows = [
        ["numbers found", f"{counts['numbers']:,}"],
        ["not in the box score", f"{counts['not in the data']:,}"],
        ["of these, marked by experts", f"{counts['marked'] / counts['not in the data']:.1%}"],
    ]
    for kind in ("NUMBER", "NAME", "WORD"):
        rows.append(
            [f"{kind} errors of experts found, of {kinds[kind]}", f"{found_kinds[kind] / kinds[kind]:.1%}"]
        )
    for spec in ("rg", "cs", "co"):
        scores = parse(f'{spec}(extractor="rotowire")').score([example for example, _ in reports])
        rows.append([f"`{spec}`, corpus", f"{scores.corpus:.3f}"])
    title = "`rg` of a text with its marked NUMBER errors per number found, Pearson"
    rows.append([title, f"{_agreement(reports):.3f}"])
    return table(["", "value"], rows)


def _agreement(reports: Sequence[tuple[Example, Sequence[tuple[int, int, str]]]]) -> float:
    """Pearson's r of rg with the share of extracted numbers that experts marked as wrong."""
    scores = parse('rg(extractor="rotowire")').score([example for example, _ in reports])
    numbers = np.array([sum(kind == "NUMBER" for _, _, kind in errors) for _, errors in reports], dtype=float)
    share = numbers / np.maximum(np.frombuffer(scores.parts["extracted"]), 1)
    return float(np.corrcoef(np.frombuffer(scores.values), share)[0, 1])


def make_tables(data: Path, jobs: int, max_texts: int) -> dict[str, str]:
    """Every table of the page."""
    outputs = sample(read_outputs(data / E2E_OUTPUTS), max_texts)
    reports = list(read_reports(data))
    return {
        "classifiers": by_classifier(outputs, jobs),
        "counts": by_counts(outputs),
        "ratings": by_rating(sample(read_ratings(data), max_texts), jobs),
        "trained": by_category(data, max_texts),
        "experts": by_expert(reports),
    }


if __name__ == "__main__":
    run("extraction", __doc__, make_tables)
