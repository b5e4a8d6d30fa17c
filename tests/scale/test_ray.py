"""Ray as users meet it: the same bytes as without, whatever the machines, and each model once per worker."""

import json
import subprocess
import sys

import pytest
from odd_metrics import Worker

import factable
from factable.core.registry import parse
from factable.engine.score import score_files
from factable.errors import UsageError
from factable.types import Example, Record, Table

pytestmark = pytest.mark.ray

on_three_nodes = pytest.mark.usefixtures("three_nodes")
METRICS = ["parent", "bleu", "ter"]


def example(number):
    table = Table((Record("Ada", "birthPlace", "London"), Record("Ada", "born", str(number))))
    text = f"Ada was born in London in {number}."
    return Example(str(number), "s", text, table, (text, "She was born."))


def row(number):
    text = f"Ada was born in {number}. " * (1 + number % 7)
    return {"id": str(number), "system": f"s{number % 3}", "data": {"name": "Ada", "born": number}} | {
        "text": text,
        "references": [f"Ada, born in {number}, was a mathematician."],
    }


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """A file of several blocks, in which a line is no JSON."""
    path = tmp_path_factory.mktemp("lines") / "lines.jsonl"
    rows = [json.dumps(row(number)) for number in range(10_000)]
    path.write_text("\n".join([*rows[:7000], "{", *rows[7000:]]) + "\n")
    assert path.stat().st_size > 2 << 20
    return path


@pytest.fixture(scope="module")
def three_nodes(ray_cluster, add_ray_node):
    nodes = [add_ray_node() for _ in range(2)]
    yield nodes
    for node in nodes:
        if node in ray_cluster.worker_nodes:
            ray_cluster.remove_node(node)


def run(*arguments, **environment):
    command = [sys.executable, "-W", "error", "-m", "factable", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


@on_three_nodes
def test_each_worker_loads_a_model_once(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    monkeypatch.delenv("FACTABLE_THREADS", raising=False)
    examples = [example(number) for number in range(320)]
    metrics = ["nli", Worker(folder=str(tmp_path), meet=3)]
    nli, workers = factable.score(examples, metrics, engine="ray").values()
    assert len(set(workers.values)) == 3
    assert set(workers.parts["loads"]) == {1.0}
    assert set(workers.parts["threads"]) == {1.0}
    assert nli == factable.score(examples, ["nli"])["nli"]


@on_three_nodes
@pytest.mark.parametrize("shape", ["jsonl", "table"])
def test_the_command_gives_the_same_bytes(ray_cluster, lines, shape):
    metrics = [word for metric in METRICS for word in ("-m", metric)]
    arguments = ["score", lines, *metrics, "--format", shape, "--skip-bad"]
    here = run(*arguments)
    assert here[0] == 0
    assert b"left out" in here[2] or b"skipped" in here[2]
    assert run(*arguments, "--engine", "ray", RAY_ADDRESS=ray_cluster.address) == here


@on_three_nodes
def test_bad_lines_and_repeated_ids_are_found_as_without(lines, tmp_path):
    repeated = tmp_path / "repeated.jsonl"
    repeated.write_text("".join(json.dumps(row(number)) + "\n" for number in (1, 2, 1)))
    found = []
    for engine in ("local", "ray"):
        with pytest.raises(factable.DataError) as caught:
            score_files([lines, repeated], [parse("parent")], engine=engine)
        found.append(caught.value.faults)
    assert found[0] == found[1]
    assert len(found[0]) == 4


@on_three_nodes
def test_parquet_and_lists(tmp_path):
    import pyarrow
    import pyarrow.parquet

    rows = [row(number) for number in range(3000)]
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    for source in (path, rows):
        assert factable.score(source, METRICS, engine="ray") == factable.score(source, METRICS)


@on_three_nodes
def test_a_machine_that_is_lost(ray_cluster, add_ray_node, lines, tmp_path):
    extra = [add_ray_node()]
    # Every actor has a unit when the first is done.
    metrics = [parse("parent"), Worker(folder=str(tmp_path), meet=4)]

    def lose(_):
        if extra:
            ray_cluster.remove_node(extra.pop())

    lost = score_files([lines], metrics, skip_bad=True, engine="ray", listener=lose).scores
    here = score_files([lines], metrics[:1], skip_bad=True).scores
    assert lost[0] == here[0]


@on_three_nodes
@pytest.mark.parametrize("spec", ["ledger", 'ranking(ranker="bm25")', "nist"])
def test_a_machine_that_is_lost_costs_no_digit(ray_cluster, add_ray_node, tmp_path, spec):
    """Metrics with models, and those that see all examples before they score one."""
    examples = [example(number) for number in range(1700, 1900)]
    extra = [add_ray_node()]
    metrics = [parse(spec), Worker(folder=str(tmp_path), meet=4)]

    def lose(_):
        if extra:
            ray_cluster.remove_node(extra.pop())

    lost = score_files([examples], metrics, engine="ray", listener=lose).scores
    assert extra == []
    assert lost[0] == score_files([examples], metrics[:1]).scores[0]


@on_three_nodes
def test_counts_are_the_same_bytes(tmp_path):
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(json.dumps(row(number)) + "\n" for number in range(10_000)))
    from factable.metrics.parent.counts import save_counts
    from factable.train.counts import count_files

    files = []
    for index, how in enumerate([{}, {"jobs": 2}, {"engine": "ray"}]):
        path = tmp_path / f"{index}.counts"
        told = []
        save_counts(count_files([str(whole)], "words", advance=told.append, **how).finish(), path)
        assert sum(told) == 10_000
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_without_the_extra(lines):
    script = (
        "import sys\nsys.modules['ray'] = None\nfrom factable.cli.main import main\n"
        f"sys.argv[1:] = ['score', {str(lines)!r}, '-m', 'parent', '--engine', 'ray']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    install = "pip install 'factable[ray]'"
    line = f"factable: the engine ray needs the extra 'ray'; install it with: {install}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_an_unknown_engine():
    with pytest.raises(UsageError, match="no engine 'rey'; engines are local, ray"):
        factable.score([example(1)], ["parent"], engine="rey")
    with pytest.raises(UsageError, match="jobs is 0; give 1 or more"):
        factable.score([example(1)], ["parent"], engine="ray", jobs=0)


def test_a_cluster_that_is_not_there(lines):
    code, stdout, stderr = run("score", lines, "-m", "parent", "--engine", "ray", RAY_ADDRESS="127.0.0.1:9")
    assert (code, stdout) == (2, b"")
    assert stderr.startswith(b"factable: the Ray cluster at RAY_ADDRESS=127.0.0.1:9 cannot be reached (")
    assert stderr.count(b"\n") == 1
