"""Metrics that other packages offer: found, listed and scored like our own."""

import json
import math
import os
import pickle
import re
import subprocess
import sys
from array import array

import pytest

import factable
from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis
from factable.errors import UsageError
from factable.types import Example, Record, Table
from helpers.paths import SOURCE

MODULE = '''
"""A plug-in of metrics, good and bad."""
from array import array

from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis


@metric
class Length(Metric):
    """Letters of the text, up to a limit."""

    name = "length"
    bounds = (0.0, 100.0)
    needs = frozenset()

    limit: int = param(100, "the limit", range=(1, 100))

    def analyse(self, examples, state=None):
        return Analysis(array("d", (min(len(example.text), self.limit) for example in examples)))


@metric
class Share(Length):
    """The text's share of the letters of all texts."""

    name = "share"
    bounds = (0.0, 1.0)
    corpus = True

    def collect(self, examples):
        return sum(len(example.text) for example in examples)

    def merge(self, collected, more):
        return collected + more

    def fit(self, collected, parallel_map=map):
        return collected or 1

    def analyse(self, examples, state=None):
        return Analysis(array("d", (len(example.text) / state for example in examples)))


@metric
class Raising(Length):
    """Fails at every example."""

    name = "raising"

    def analyse(self, examples, state=None):
        raise KeyError("no such thing\\nat all")


@metric
class Short(Length):
    """Gives too few values."""

    name = "short"

    def analyse(self, examples, state=None):
        return Analysis(array("d", [1.0]))
'''
BAD_DEFAULT = """
from factable.core.metric import Metric, metric, param

@metric
class Wrong(Metric):
    name = "wrong"
    share: float = param(2.0, "a share", range=(0.0, 1.0))
"""
POINTS = """[factable.metrics]
length = toy:Length
share = toy:Share
broken = toy:Nothing
raising = toy:Raising
short = toy:Short
wrong = bad_default:Wrong
no_metric = toy:array
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "toy.py").write_text(MODULE)
    (folder / "bad_default.py").write_text(BAD_DEFAULT)
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
    assert "limit=100" in described.stdout


@pytest.mark.parametrize("jobs", [1, 2])
def test_scored_by_example_and_by_corpus(site, tmp_path, jobs):
    one, two = (
        write_lines(tmp_path / "a.jsonl", "x" * 30),
        write_lines(tmp_path / "b.jsonl", "x" * 10, first=1),
    )
    arguments = ["-m", "length", "-m", "length( limit = 20 )", "-m", "share", "--format", "json"]
    result = run(site, "score", one, two, *arguments, "--jobs", jobs)
    assert (result.returncode, result.stderr) == (0, "")
    found = {entry["spec"]: entry for entry in json.loads(result.stdout)["metrics"]}
    assert found["length"]["values"] == [30, 10]
    assert found["length(limit=20)"]["values"] == [20, 10]
    assert found["share"]["values"] == [0.75, 0.25]
    assert found["share"]["signature"].startswith("share|limit:100|unscored:0|v:1|factable:")


def test_a_repeat_does_not_move_the_others_and_is_named_where_it_is(site, tmp_path):
    one = write_lines(tmp_path / "a.jsonl", "xx", "xx")
    two = write_lines(tmp_path / "b.jsonl", "xxxx", "xxxxxxxx", first=1)
    refused = run(site, "score", one, two, "-m", "share")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"factable: {two}:1: repeats id '1'; ")
    result = run(site, "score", one, two, "-m", "share", "--format", "json", "--skip-bad")
    assert json.loads(result.stdout)["metrics"][0]["values"] == [2 / 12, 2 / 12, 8 / 12]
    assert result.stderr.endswith("factable: 1 bad line skipped\n")


def test_a_misspelt_plug_in_gets_a_hint(site, tmp_path):
    result = run(site, "score", write_lines(tmp_path / "a.jsonl", "x"), "-m", "lenght")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no metric 'lenght'; did you mean 'length'?" in result.stderr


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        (
            "raising",
            2,
            r"metric raising failed \(KeyError: .*no such thing.* at .*toy\.py:\d+\); see its authors' page",
        ),
        (
            "short",
            2,
            r"metric short failed \(ValueError: value has 1 numbers for 2 examples at .*; see its auth",
        ),
        (
            "wrong",
            2,
            r"metric 'wrong' cannot be loaded from bad_default:Wrong \(UsageError: wrong: share is 2",
        ),
        (
            "no_metric",
            2,
            r"metric 'no_metric' at toy:array is no metric; derive the class from factable\.Metric",
        ),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_plug_in_that_fails_ends_in_one_line(site, tmp_path, name, code, line, jobs):
    result = run(site, "score", write_lines(tmp_path / "a.jsonl", "x", "y"), "-m", name, "--jobs", jobs)
    assert (result.returncode, result.stdout) == (code, "")
    assert re.fullmatch(rf"factable: {line}.*\n", result.stderr)


@metric
class Unregistered(Metric):
    """One for every text."""

    name = "unregistered"

    weight: float = param(1.0, "the value", range=(0.0, 1.0))

    def analyse(self, examples, state=None):
        values = array("d", (self.weight if example.table.records else math.nan for example in examples))
        reasons = {index: "no records" for index, value in enumerate(values) if math.isnan(value)}
        return Analysis(values, reasons=reasons)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_metric_of_your_own_needs_no_registration_in_python(jobs):
    filled = [Example("a", "", "t", Table((Record("", "b", "c"),))), Example("b", "", "u", Table(()))]
    scores = factable.score(filled, [Unregistered(weight=0.5)], jobs=jobs)
    (found,) = scores.values()
    assert (found.metric, found.corpus) == ("unregistered(weight=0.5)", 0.5)
    assert found.findings[1][0].note == "no records"
    with pytest.raises(UsageError, match="no metric 'unregistered'"):
        factable.score(filled, ["unregistered"])


OWN = """
from array import array
import factable


@factable.metric
class Length(factable.Metric):
    name = "length"
    limit: int = factable.param(1000, "count no more letters than these", range=(1, 10_000))

    @property
    def bounds(self):
        return 0.0, 10_000.0

    def analyse(self, examples, state=None):
        return factable.Analysis(array("d", [min(len(e.text), self.limit) for e in examples]))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_metric_in_a_file_of_ones_own(tmp_path, jobs):
    (tmp_path / "mine.py").write_text(OWN)
    rows = [{"id": str(n), "data": "a[b]", "text": "x" * n} for n in range(40)]
    spec = f"{tmp_path}/mine.py:Length(limit=20)"
    scores = factable.score(rows, spec, jobs=jobs)[spec]
    assert list(scores.values) == [min(n, 20) for n in range(40)]
    assert scores.metric == spec
    assert factable.parse(spec) == factable.parse(scores.metric)
    assert pickle.loads(pickle.dumps(factable.parse(spec))) == factable.parse(spec)
    assert "|file:" in scores.signature


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere.py:Length", "No such file"),
        ("mine.py:Lenght", "did you mean 'Length'?"),
        ("broken.py:Length", "cannot be loaded (ZeroDivisionError"),
    ],
)
def test_files_without_such_a_metric(tmp_path, monkeypatch, spec, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(factable.UsageError) as refused:
        factable.parse(spec)
    assert message in str(refused.value)
