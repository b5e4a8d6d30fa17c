"""Metrics that other packages offer: found, listed and scored like our own."""

import json
import math
import os
import subprocess
import sys
from array import array
from dataclasses import dataclass
from typing import ClassVar

import pytest

import factable
from factable.core.metric import make_scores
from factable.errors import UsageError
from factable.types import Example, Record, Table
from helpers.paths import SOURCE

MODULE = '''
"""A plug-in of two metrics."""
from array import array
from dataclasses import dataclass
from typing import ClassVar

from factable.core.metric import make_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """Letters of the text, up to a limit.

    most  the limit
    """

    name: ClassVar[str] = "length"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    parts: ClassVar[tuple[str, ...]] = ()
    shard_by: ClassVar[str] = "example"

    most: int = 100

    @property
    def needs(self):
        return frozenset()

    def checksums(self):
        return {}

    def score(self, examples):
        values = array("d", (min(len(example.text), self.most) for example in examples))
        return make_scores(self, examples, values, {}, {})

    def explain(self, examples):
        return tuple(() for _ in examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Length):
    """The text's share of the letters of all texts."""

    name: ClassVar[str] = "share"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    shard_by: ClassVar[str] = "corpus"

    def score(self, examples):
        total = sum(len(example.text) for example in examples) or 1
        values = array("d", (len(example.text) / total for example in examples))
        return make_scores(self, examples, values, {}, {})
'''
POINTS = "[factable.metrics]\nlength = toy:Length\nshare = toy:Share\nbroken = toy:Nothing\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "toy.py").write_text(MODULE)
    (folder / "toy-1.0.dist-info").mkdir()
    (folder / "toy-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (folder / "toy-1.0.dist-info" / "entry_points.txt").write_text(POINTS)
    return folder


def run(site, *arguments):
    path = os.pathsep.join([str(site), str(SOURCE)])
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "factable", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


def write_lines(path, *texts, first=0):
    lines = [
        json.dumps({"id": str(number), "data": [], "text": text}) for number, text in enumerate(texts, first)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_listed_and_described(site):
    listing = run(site, "metrics")
    assert (listing.returncode, listing.stderr) == (0, "")
    about = dict(line.split(maxsplit=1) for line in listing.stdout.splitlines() if line)
    assert about["length"] == "Letters of the text, up to a limit."
    assert {"parent", "share"} <= set(about)
    assert about["broken"].startswith("metric 'broken' cannot be loaded from toy:Nothing (")
    refused = run(site, "metrics", "broken")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("factable: metric 'broken' cannot be loaded from toy:Nothing (")
    described = run(site, "metrics", "length")
    assert (described.returncode, described.stderr) == (0, "")
    assert "Letters of the text" in described.stdout
    assert "most=100" in described.stdout


@pytest.mark.parametrize("jobs", [1, 2])
def test_scored_by_example_and_by_corpus(site, tmp_path, jobs):
    one, two = (
        write_lines(tmp_path / "a.jsonl", "x" * 30),
        write_lines(tmp_path / "b.jsonl", "x" * 10, first=1),
    )
    arguments = ["-m", "length", "-m", "length( most = 20 )", "-m", "share", "--format", "json"]
    result = run(site, "score", one, two, *arguments, "--jobs", jobs)
    assert (result.returncode, result.stderr) == (0, "")
    found = {entry["spec"]: entry for entry in json.loads(result.stdout)["metrics"]}
    assert found["length"]["values"] == [30, 10]
    assert found["length(most=20)"]["values"] == [20, 10]
    assert found["share"]["values"] == [0.75, 0.25]
    assert found["share"]["signature"].startswith("share|most:100|unscored:0|v:1|factable:")


def test_a_repeat_does_not_move_the_others_and_is_named_where_it_is(site, tmp_path):
    one = write_lines(tmp_path / "a.jsonl", "xx", "xx")
    two = write_lines(tmp_path / "b.jsonl", "xxxx", "xxxxxxxx", first=1)
    refused = run(site, "score", one, two, "-m", "share")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"factable: {two}:1: repeats id '1'; ")
    result = run(site, "score", one, two, "-m", "share", "--format", "json", "--skip-bad")
    assert json.loads(result.stdout)["metrics"][0]["values"] == [2 / 12, 2 / 12, 8 / 12]
    assert result.stderr.endswith("factable: 1 bad line skipped\n")


def test_a_misspelt_plug_in_gets_a_hint(site, tmp_path):
    result = run(site, "score", write_lines(tmp_path / "a.jsonl", "x"), "-m", "lenght")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no metric 'lenght'; did you mean 'length'?" in result.stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class Unregistered:
    """One for every text."""

    name: ClassVar[str] = "unregistered"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = ()
    shard_by: ClassVar[str] = "example"

    needs: ClassVar[frozenset[str]] = frozenset({"table"})
    weight: float = 1.0

    def checksums(self):
        return {}

    def score(self, examples):
        values = array("d", (self.weight if example.table.records else math.nan for example in examples))
        reasons = {index: "no records" for index, value in enumerate(values) if math.isnan(value)}
        return make_scores(self, examples, values, {}, reasons)

    def explain(self, examples):
        return tuple(() for _ in examples)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_metric_of_your_own_needs_no_registration_in_python(jobs):
    filled = [Example("a", "", "t", Table((Record("", "b", "c"),))), Example("b", "", "u", Table(()))]
    scores = factable.score(filled, [Unregistered(weight=0.5)], jobs=jobs)
    (found,) = scores.values()
    assert (found.metric, found.corpus) == ("unregistered(weight=0.5)", 0.5)
    assert found.findings[1][0].note == "no records"
    with pytest.raises(UsageError, match="no metric 'unregistered'"):
        factable.score(filled, ["unregistered"])
