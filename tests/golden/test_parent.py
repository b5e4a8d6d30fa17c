"""PARENT against numbers made with the original programs."""

import json
import math
import re
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factable import Example, Record, Scores, Table
from factable.core.registry import parse
from factable.kernels import parent as twin
from factable.metrics.parent.counts import load_counts, save_counts
from factable.metrics.parent.metric import Parent
from factable.train.counts import CountsBuilder
from helpers.paths import DATA

HERE = Path(__file__).parent
ROWS = "../golden/parent_webnlg300.jsonl"
WEBNLG_ROWS = DATA / ROWS
WEBNLG_TRAIN = DATA / "webnlg2017" / "challenge_data_train_dev.tar.xz"
CASES = json.loads((HERE / "parent_cases.json").read_text())
REFERENCES = tuple(" ".join(CASES[name]) for name in ("reference", "reference2"))
PAIRS = Table(tuple(Record("", " ".join(attribute), " ".join(value)) for attribute, value in CASES["table"]))

needs_webnlg = pytest.mark.data(ROWS)


def text_example(text: str, references: int = 1) -> Example:
    return Example("1", "", text, PAIRS, REFERENCES[:references])


def check(scores: Scores, golden: dict[str, float]) -> None:
    found = (scores.parts["precision"][0], scores.parts["recall"][0], scores.values[0])
    assert found == pytest.approx((golden["P"], golden["R"], golden["F"]), abs=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES["cases"] if case["case"] in CASES["predictions"]])
@pytest.mark.parametrize("program", ["google", "kaiju"])
def test_hand_made_cases(case: dict, program: str) -> None:
    mix = "auto" if case["lam"] is None else case["lam"]
    example = text_example(CASES["predictions"][case["case"]], references=case["nref"])
    check(Parent(compat=program, mix=mix).score([example]), case[program])


def golden_case(name: str) -> dict:
    return next(case for case in CASES["cases"] if case["case"] == name)


def test_cooccurrence(tmp_path: Path) -> None:
    counts = tmp_path / "counts.json"
    counts.write_text(json.dumps(CASES["counts"]))
    metric = Parent(compat="google", entailment="cooccurrence", counts=str(counts))
    check(metric.score([text_example(CASES["predictions"]["p1"])]), golden_case("p1 cooc")["google"])
    options = metric._options()
    entails = twin.table_entailment(text_example(""), options, load_counts(str(counts)))
    for case in CASES["cases"]:
        if "p" in case:
            ngram = tuple(case["case"].removeprefix("cooc ").split())
            assert entails(ngram) == pytest.approx(case["p"], abs=1e-12), ngram


def test_empty_reference() -> None:
    example = Example("1", "", CASES["predictions"]["p1"], PAIRS, ("",))
    check(Parent(compat="google", mix=0.5).score([example]), golden_case("emptyref")["google"])
    scores = Parent(mix=0.5).score([example])
    assert math.isnan(scores.values[0])
    assert scores.findings[0][0].note == "no references"


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ((Record("", "a", "b"), Record("", "c", "")), "empty value"),
        ((), "no records"),
        ((Record("", "a", "b"), Record("x", "c", "y")), "with and without a subject"),
    ],
)
def test_where_the_original_stops(records: tuple[Record, ...], reason: str) -> None:
    example = Example("1", "", "b y", Table(records), ("b y",))
    scores = Parent(compat="google").score([example])
    assert math.isnan(scores.values[0])
    assert reason in scores.findings[0][0].note
    if records:
        assert Parent().score([example]).values[0] > 0


def figure_1() -> list[Example]:
    return [text_example(CASES["predictions"][name]) for name in ("p1", "p2", "p3")]


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("bleu", (0.79, 0.71, 0.73)),
        ('rouge(kind="4", tokens="whitespace")', (0.77, 0.79, 0.70)),
        ('parent(compat="paper", mix=0.5, tokens="whitespace")', (0.76, 0.82, 0.84)),
        ('parent(compat="google", mix=0.5)', (0.76, 0.82, 0.84)),
    ],
)
def test_figure_1_of_the_paper(metric: str, published: tuple[float, ...]) -> None:
    """The nine numbers of the figure; its ROUGE is ROUGE-4, its lambda 0.5."""
    scores = parse(metric).score(figure_1())
    scale = 100 if metric == "bleu" else 1
    assert [value / scale for value in scores.values] == pytest.approx(published, abs=0.005)


def test_the_paper_counts_attribute_names_as_words_of_the_table() -> None:
    example = replace(text_example("his birth place is illinois"), references=("he died in skokie",))
    (paper,), (default,) = (
        metric.score([example]).parts["precision"] for metric in (Parent(compat="paper"), Parent())
    )
    # Of five words the table has "birth", "place" and "illinois", or "illinois" only.
    assert paper == pytest.approx((3 / 5 * 5 / 8 * 2 / 3 * 5 / 8) ** 0.25)
    assert default == pytest.approx((1 / 5 * 1 / 8 * 1 / 9 * 1 / 8) ** 0.25)


def test_the_paper_smooths_every_zero() -> None:
    example = text_example(CASES["predictions"]["disjoint"])
    scores = Parent(compat="paper", mix=0.5).score([example])
    parts = (scores.parts[part][0] for part in ("precision", "reference_recall", "table_recall"))
    assert tuple(parts) == pytest.approx((1e-5, 1e-5, 1e-5))
    assert Parent(mix=0.5).score([example]).parts["precision"][0] == 0


def webnlg_rows() -> list[dict]:
    return [json.loads(line) for line in WEBNLG_ROWS.read_text().splitlines()]


def webnlg_examples(rows: list[dict]) -> list[Example]:
    return [
        Example(
            str(number),
            row["system"],
            row["text"],
            Table(tuple(Record(*triple) for triple in row["triples"])),
            tuple(row["references"]),
        )
        for number, row in enumerate(rows)
    ]


def check_webnlg(metric: Parent, column: str) -> None:
    rows = webnlg_rows()
    scores = metric.score(webnlg_examples(rows))
    for index, row in enumerate(rows):
        found = (scores.parts["precision"][index], scores.parts["recall"][index], scores.values[index])
        assert found == pytest.approx(row[column], abs=1e-9), row["id"]


@needs_webnlg
@pytest.mark.parametrize(("mix", "column"), [("auto", "google_overlap_auto"), (0.5, "google_overlap_0.5")])
def test_webnlg_overlap(mix: str | float, column: str) -> None:
    check_webnlg(Parent(compat="google", mix=mix), column)


@needs_webnlg
@pytest.mark.data("webnlg2017")
def test_webnlg_cooccurrence(tmp_path: Path) -> None:
    builder = CountsBuilder("whitespace")
    for example in golden_training_set():
        builder.add(example)
    counts = builder.finish()
    assert builder.texts == 18_025
    assert int((counts.totals > 0).sum()) == 2_594
    assert len(counts.pairs) == 277_160
    save_counts(counts, tmp_path / "webnlg.counts")
    metric = Parent(compat="google", entailment="cooccurrence", counts=str(tmp_path / "webnlg.counts"))
    check_webnlg(metric, "google_cooccurrence_auto")


def golden_training_set() -> Iterator[Example]:
    """WebNLG 2017 train as the golden run took it: good texts only, tokens by the pattern of its notes."""
    with tarfile.open(WEBNLG_TRAIN) as archive:
        for member in archive:
            if "/train/" not in member.name or not member.name.endswith(".xml"):
                continue
            for number, entry in enumerate(ET.parse(archive.extractfile(member)).iter("entry")):
                records = tuple(golden_record(triple.text) for triple in entry.iter("mtriple"))
                good = tuple(
                    golden_tokens(lex.text) for lex in entry.iter("lex") if lex.get("comment") == "good"
                )
                if good:
                    yield Example(f"{member.name}/{number}", "", "", Table(records), good)


def golden_record(triple: str) -> Record:
    subject, attribute, value = (part.strip().strip('"') for part in triple.split(" | "))
    opened = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", attribute)
    return Record(golden_tokens(subject), golden_tokens(opened), golden_tokens(value))


def golden_tokens(text: str) -> str:
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower().replace("_", " ")))
