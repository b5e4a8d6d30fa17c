"""Metrics that depend on all examples: told of them in a first pass, they score units anywhere, the same."""

import json
import os
import sys
from array import array
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest

import factable
from factable.core.metric import Metric, metric, param
from factable.core.registry import parse
from factable.core.results import Analysis
from factable.engine.score import score_files
from factable.errors import DataError, UsageError
from factable.types import Example, Record, Table

WORDS = ["Ada", "Bonn", "Cork", "was", "born", "in", "lived", "a", "poet", "there"]
# With ranking among them, units are small.
METRICS = [
    "nist",
    "cider",
    "cider_d",
    'cider_d(compat="coco")',
    'bleu(compat="webnlg2020")',
    'bertscore(idf="references")',
    'bertscore(idf="references", compat="bert_score")',
    'ranking(ranker="bm25")',
    'ranking(ranker="embed", rank="values")',
]


def make_examples(count=360, systems=3):
    """Texts of several systems on the same items, as files have them: one system after the other."""
    rng = np.random.default_rng(0)
    items = [
        (
            Table((Record("Ada", "place", str(rng.choice(WORDS))), Record("Ada", "year", str(number)))),
            tuple(" ".join(rng.choice(WORDS, 6)) for _ in range(number % 3)),
        )
        for number in range(count // systems)
    ]
    return [
        Example(str(number), f"s{system}", " ".join(rng.choice(WORDS, 5)), table, references)
        for system in range(systems)
        for number, (table, references) in enumerate(items)
    ]


EXAMPLES = make_examples()


def write(path, examples):
    rows = [
        {"id": one.item, "system": one.system, "text": one.text, "references": one.references}
        | {"data": [tuple(record) for record in one.table.records]}
        for one in examples
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def at_once():
    """What the metrics say of all examples in one call."""
    return [repr(astuple(parse(spec).score(EXAMPLES))) for spec in METRICS]


def whole(result):
    """All that scores hold, NaN included, as something that can be compared."""
    return [repr(astuple(scores)) for scores in result.scores]


@pytest.mark.parametrize(("kind", "jobs"), [("list", 1), ("file", 2)])
def test_units_are_scored_as_if_all_were_one(tmp_path, at_once, kind, jobs):
    source = EXAMPLES if kind == "list" else write(tmp_path / "x.jsonl", EXAMPLES)
    sizes = []
    result = score_files(
        [source], list(map(parse, METRICS)), jobs=jobs, listener=lambda unit: sizes.append(len(unit.items))
    )
    assert len(sizes) > 3
    assert whole(result) == at_once


def test_explanations_know_of_all():
    metric = parse('ranking(ranker="bm25")')
    (scores,) = score_files([EXAMPLES], [metric], explain=True, jobs=2).scores
    assert any(scores.findings)
    assert scores.findings == metric.score(EXAMPLES, explain=True).findings


def test_repeats_that_are_skipped_move_nothing(tmp_path):
    clean = write(tmp_path / "clean.jsonl", EXAMPLES)
    repeated = tmp_path / "repeated.jsonl"
    other = replace(EXAMPLES[3], references=("something else entirely",))
    write(repeated, [*EXAMPLES[:100], other, EXAMPLES[7], *EXAMPLES[100:]])
    metrics = list(map(parse, METRICS))
    expected = score_files([clean], metrics)
    found = score_files([repeated], metrics, skip_bad=True, jobs=2)
    assert whole(found) == whole(expected)
    assert found.skipped.total == 2


@metric
class Counting(Metric):
    """How many examples there are; notes in a file that it scored."""

    name = "counting"
    bounds = (0.0, 1e9)
    needs = frozenset()
    corpus = True
    slow = True

    log: str = param("", "the file to write to")

    def collect(self, examples):
        return len(examples)

    def merge(self, collected, more):
        return collected + more

    def fit(self, collected, parallel_map=map):
        return sum(parallel_map(int, [str(collected), "0"]))

    def analyse(self, examples, state=None):
        with open(self.log, "a") as log:
            log.write(f"{len(examples)} ")
        return Analysis(array("d", [float(state)] * len(examples)))


@pytest.fixture
def counting(tmp_path):
    (tmp_path / "log").touch()
    return Counting(log=str(tmp_path / "log"))


def scored(counting):
    return Path(counting.log).read_text()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_metric_of_ones_own_is_told(counting, jobs):
    (scores,) = score_files([EXAMPLES], [counting], jobs=jobs).scores
    assert set(scores.values) == {360.0}


def test_bad_data_is_refused_before_anything_is_scored(tmp_path, counting):
    path = write(tmp_path / "x.jsonl", [*EXAMPLES, EXAMPLES[0]])
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(DataError, match=r"x\.jsonl:361: repeats id '0'") as refused:
        score_files([path], [counting])
    assert [fault.line for fault in refused.value.faults] == [361, 362]
    assert scored(counting) == ""
    (scores,) = score_files([path], [counting], skip_bad=True).scores
    assert set(scores.values) == {360.0}


def test_what_comes_by_a_pipe_is_read_once(tmp_path, monkeypatch, at_once):
    path = write(tmp_path / "x.jsonl", EXAMPLES)
    with open(path) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        (scores,) = score_files(["-"], [parse("cider")]).scores
    assert repr(astuple(scores)) == at_once[METRICS.index("cider")]


def test_a_file_that_changes_between_the_passes_is_refused(tmp_path):
    path = write(tmp_path / "x.jsonl", EXAMPLES)

    def touch(_unit):
        os.utime(path, ns=(1, 1))

    with pytest.raises(DataError, match=r"x\.jsonl: changed while it was read"):
        score_files([path], [parse("cider")], listener=touch)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stopped_run_goes_on(tmp_path, counting, jobs):
    def stop(_unit):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_files([EXAMPLES], [counting], resume=tmp_path / "kept", listener=stop)
    done = len(scored(counting).split())
    (scores,) = score_files([EXAMPLES], [counting], resume=tmp_path / "kept", jobs=jobs).scores
    assert set(scores.values) == {360.0}
    assert sum(map(int, scored(counting).split()[done:])) < len(EXAMPLES)
    finished = scored(counting)
    assert score_files([EXAMPLES], [counting], resume=tmp_path / "kept").scores == (scores,)
    assert scored(counting) == finished


def test_what_was_kept_of_other_examples_is_refused(tmp_path):
    kept = tmp_path / "kept"
    factable.score(EXAMPLES, ["cider"], resume=kept)
    other = [*EXAMPLES[:-1], replace(EXAMPLES[-1], references=("other",))]
    with pytest.raises(UsageError, match=r"holds results of list with 360 examples \(sha256 .*; now it has"):
        factable.score(other, ["cider"], resume=kept)
