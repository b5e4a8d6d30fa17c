"""Metrics with models: small units of work, cores shared between processes, no model used in two of them."""

import json
import os
import subprocess
import sys
from array import array
from collections.abc import Sequence

import pytest

import factable
from factable.core.metric import Metric, metric
from factable.core.registry import parse
from factable.core.results import Analysis
from factable.engine.score import parse_all, score_files
from factable.engine.sources import iter_units
from factable.errors import UsageError
from factable.models.runtime.manifest import embedded_folder
from factable.models.runtime.threads import core_count, thread_count
from factable.types import Example, Record, Table


@metric
class Threads(Metric):
    """How many threads a model would use where the example is scored."""

    name = "threads"
    needs = frozenset()
    bounds = (0.0, 1e9)
    slow = True

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        return Analysis(array("d", [thread_count()] * len(examples)))


def example(number):
    table = Table((Record("Ada", "birthPlace", "London"), Record("Ada", "born", str(number))))
    text = f"Ada was born in London in {number}."
    return Example(str(number), "s", text, table, (text,))


def lines(path, number):
    common = {"text": "Ada was born. " * 10, "data": {"name": "Ada"}, "references": ["Ada was here."]}
    rows = [{"id": str(index), **common} for index in range(number)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def sizes_of_units(source, metrics):
    sizes = []
    score_files([source], metrics, listener=lambda unit: sizes.append(len(unit.items)))
    assert sum(sizes) == 500
    return sizes


def test_units_for_slow_metrics_are_small(tmp_path):
    path = lines(tmp_path / "x.jsonl", 500)
    examples = [example(number) for number in range(500)]
    quick = parse("chrf")
    for source in (path, examples):
        assert max(sizes_of_units(source, [Threads()])) < 150
        # One slow metric is enough.
        assert max(sizes_of_units(source, [quick, Threads()])) < 150
        assert sizes_of_units(source, [quick]) == [500]


def test_small_units_are_all_of_the_file(tmp_path):
    path = lines(tmp_path / "x.jsonl", 500)
    small = list(iter_units([path], slow=True))
    assert b"".join(unit.lines for unit in small) == path.read_bytes()
    assert all(unit.lines.endswith(b"\n") for unit in small)
    assert len(small) > 5


@pytest.mark.parametrize("jobs", [2, 4])
def test_processes_share_the_cores(monkeypatch, jobs):
    monkeypatch.delenv("FACTABLE_THREADS", raising=False)
    examples = [example(n) for n in range(100)]
    shared = factable.score(examples, [Threads()], jobs=jobs)["threads"]
    assert set(shared.values) == {max(1, core_count() // jobs)}
    assert set(factable.score(examples, [Threads()])["threads"].values) == {core_count()}
    assert "FACTABLE_THREADS" not in os.environ
    monkeypatch.setenv("FACTABLE_THREADS", "7")
    assert set(factable.score(examples, [Threads()], jobs=jobs)["threads"].values) == {7}


def in_a_fresh_process(script, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "FACTABLE_CACHE": "off", **environment},
        timeout=120,
    )


SCORE = (
    "import factable\n"
    "from factable import Example, Record, Table\n"
    "def table(n): return Table((Record('Ada', 'birthPlace', 'London'), Record('Ada', 'born', str(n))))\n"
    "def examples(first):\n"
    "    numbers = range(first, first + 40)\n"
    "    return [Example(str(n), 's', f'Ada was born in London in {n}.', table(n)) for n in numbers]\n"
    "def values(first, jobs):\n"
    "    return factable.score(examples(first), [METRIC], jobs=jobs)[METRIC].values\n"
)


def test_processes_after_a_model_was_used_here():
    # A model of the parent is useless in a forked process; the answers are other ones, so that each needs it.
    script = f"METRIC = 'nli'\n{SCORE}values(0, 1)\nprint(values(100, 2) == values(100, 1))"
    run = in_a_fresh_process(script)
    assert (run.stdout, run.stderr) == ("True\n", "")


@pytest.mark.packages
def test_processes_after_torch_was_used_here(tmp_path):
    from helpers.nli_models import make_hf_folder

    folder = make_hf_folder(tmp_path / "model", ("neutral", "contradiction", "entailment"))
    script = (
        f"METRIC = 'nli(model=\"{folder}\")'\n{SCORE}"
        "if __name__ == '__main__':\n"
        "    values(0, 1)\n    print(values(100, 2) == values(100, 1))\n"
    )
    path = tmp_path / "script.py"
    path.write_text(script)
    run = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        env={**os.environ, "FACTABLE_CACHE": "off", "FACTABLE_THREADS": "1"},
        timeout=120,
    )
    assert (run.stdout, run.stderr) == ("True\n", "")


def test_one_model_under_two_names_is_refused(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(embedded_folder("nli"))
    monkeypatch.chdir(tmp_path)
    assert len(parse_all(["nli", 'nli(model="nli")', "nli()"])) == 1
    for names in (["nli", 'nli(model="link")'], ['nli(model="link")', 'nli(model="./link")']):
        with pytest.raises(UsageError) as caught:
            parse_all(["parent", *names])
        assert str(caught.value) == f"{names[0]} and {names[1]} are the same; give one of them"
    both = ["nli", 'nli(model="link", direction="omission")']
    assert len(parse_all(both)) == 2
