"""`factable study` as users run it."""

import csv
import io
from functools import partial

import numpy as np
import pytest
from running import document, write
from scipy import stats

import factable

SYSTEMS = ("alpha", "beta", "gamma", "delta")
WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "an", "old", "red", "door"]


def make_lines(systems=SYSTEMS, items=8):
    generator = np.random.default_rng(0)
    lines = []
    for item in range(items):
        reference = " ".join(generator.permutation(WORDS))
        for quality, system in enumerate(systems, 1):
            kept = reference.split()[: 2 * quality + int(generator.integers(0, 3))]
            human = {
                "semantics": quality + int(generator.integers(0, 3)),
                "fluency": float(generator.random()),
            }
            lines.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": {"animal": "cat", "place": "mat"},
                    "text": " ".join(kept),
                    "references": [reference],
                    "human": human,
                }
            )
    return lines


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return write(tmp_path_factory.mktemp("rated") / "rated.jsonl", make_lines())


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study")


METRICS = ("-m", "parent", "-m", "bleu")


def test_json_of_systems(run, rated):
    found = document(run(rated, *METRICS, "--bootstrap", "50", "--format", "json"))
    assert found["systems"] == list(SYSTEMS)
    assert found["examples"] == 32
    assert (found["level"], found["bootstrap"], found["seed"]) == ("system", 50, 0)
    examples = factable.read(rated)
    for metric in found["metrics"]:
        assert metric["signature"].startswith(metric["spec"] + "|")
        values = []
        for system in SYSTEMS:
            mine = [example for example in examples if example.system == system]
            values.append(factable.score(mine, [metric["spec"]])[metric["spec"]].corpus)
        for human, statistics in metric["correlations"].items():
            ratings = [np.mean([e.human[human] for e in examples if e.system == s]) for s in SYSTEMS]
            expected = stats.pearsonr(values, ratings).statistic
            assert statistics["pearson"]["value"] == pytest.approx(expected, abs=1e-9)
            for one in statistics.values():
                assert set(one) == {"value", "mean", "low", "high", "deviation"}
                assert one["low"] <= one["mean"] <= one["high"]
    for comparison in found["comparisons"]:
        assert {comparison["better"], comparison["worse"]} == {"parent", "bleu"}
        assert comparison["statistic"] == "pearson"
        assert comparison["difference"] >= 0
        assert 0 < comparison["p_bootstrap"] <= 1
        assert 0 < comparison["p_permutation"] <= 1
    assert found["left_out"]["parent"]["semantics"] == {"examples": 0, "items": 0}


def test_level_example_and_item(run, rated):
    arguments = (rated, "-m", "parent", "--human", "semantics", "--bootstrap", "20", "--format", "json")
    examples = factable.read(rated)
    values = np.array(factable.score(rated, ["parent"])["parent"].values)
    ratings = np.array([example.human["semantics"] for example in examples])
    (metric,) = document(run(*arguments, "--level", "example"))["metrics"]
    found = metric["correlations"]["semantics"]
    assert list(metric["correlations"]) == ["semantics"]
    assert found["spearman"]["value"] == pytest.approx(stats.spearmanr(values, ratings).statistic)
    assert found["kendall_b"]["value"] == pytest.approx(stats.kendalltau(values, ratings).statistic)
    document_of_items = document(run(*arguments, "--level", "item"))
    by_item = [stats.pearsonr(values[i : i + 4], ratings[i : i + 4]).statistic for i in range(0, 32, 4)]
    found = document_of_items["metrics"][0]["correlations"]["semantics"]
    assert found["pearson"]["value"] == pytest.approx(np.mean(by_item))


def test_jobs_files_and_stdin_give_the_same(run, rated, tmp_path):
    arguments = (*METRICS, "--bootstrap", "30", "--format", "json")
    whole = run(rated, *arguments).stdout
    lines = rated.read_bytes().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[:10]))
    (tmp_path / "b.jsonl").write_bytes(b"".join(lines[10:]))
    assert run(rated, *arguments, "--jobs", "2").stdout == whole
    assert run(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *arguments).stdout == whole
    assert run("-", *arguments, stdin=rated.read_bytes()).stdout == whole
    assert run(rated, *arguments, "--seed", "1").stdout != whole


def test_what_is_left_out_is_counted(run, tmp_path):
    lines = make_lines()
    lines[0]["references"] = []
    del lines[5]["human"]["semantics"]
    # One system of an item is left, so that it has no correlation.
    lines = [line for line in lines if line["id"] != "i7" or line["system"] == "alpha"]
    path = write(tmp_path / "some.jsonl", lines)
    found = document(run(path, "-m", "bleu", "--level", "item", "--format", "json"))
    assert found["left_out"]["bleu"] == {
        "semantics": {"examples": 2, "items": 1},
        "fluency": {"examples": 1, "items": 1},
    }
    assert "items left out" in run(path, "-m", "bleu", "--level", "item").stdout.decode()


def test_undefined_has_a_reason(run, tmp_path):
    lines = make_lines()
    for line in lines:
        line["human"]["semantics"] = 3
    path = write(tmp_path / "constant.jsonl", lines)
    found = document(run(path, *METRICS, "--human", "semantics", "--format", "json"))
    pearson = found["metrics"][0]["correlations"]["semantics"]["pearson"]
    assert pearson["value"] is None
    assert pearson["reason"] == "all ratings are equal"
    assert found["comparisons"][0]["reason"] == "a correlation is undefined"
    assert "–" in run(path, *METRICS, "--human", "semantics").stdout.decode()
    for level in ("example", "item"):
        again = document(run(path, *METRICS, "--human", "semantics", "--level", level, "--format", "json"))
        assert again["metrics"][0]["correlations"]["semantics"]["kendall_b"]["reason"]


def test_no_bootstrap(run, rated):
    found = document(run(rated, *METRICS, "--bootstrap", "0", "--format", "json"))
    pearson = found["metrics"][0]["correlations"]["semantics"]["pearson"]
    assert pearson["value"] is not None
    assert pearson["low"] is None
    comparison = found["comparisons"][0]
    assert comparison["p_bootstrap"] is comparison["p_permutation"] is None
    assert comparison["p_williams"] > 0
    assert comparison["reason"] == "nothing was drawn"


def test_systems_in_and_out(run, rated):
    kept = document(run(rated, "--exclude-system", "beta", "--format", "json"))
    assert kept["systems"] == ["alpha", "gamma", "delta"]
    assert kept["examples"] == 24
    only = [part for system in kept["systems"] for part in ("--system", system)]
    assert document(run(rated, *only, "--format", "json")) == kept


def test_table_markdown_latex_and_csv(run, rated, tmp_path):
    table = run(rated, *METRICS).stdout.decode()
    assert " semantics: correlation with metrics over systems, -1 to 1\n" in table
    assert "study|human:semantics|level:system|bootstrap:500|seed:0|systems:4|examples:32|" in table
    assert "\x1b" not in table
    assert "| **" in run(rated, *METRICS, "--format", "markdown").stdout.decode()
    assert r"\textbf{" in run(rated, *METRICS, "--format", "latex").stdout.decode()
    run(rated, *METRICS, "--out", tmp_path / "study.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "study.csv").read_text())))
    assert len(rows) == 2 * 2 * 5
    assert -1 <= float(rows[0]["value"]) <= 1


def test_names_cannot_steer_the_terminal(run, tmp_path):
    lines = make_lines()
    for line in lines:
        line["human"] = {"\x1b[31mred": line["human"]["semantics"]}
    printed = run(write(tmp_path / "odd.jsonl", lines)).stdout
    assert b"\\x1b[31mred" in printed
    assert b"\x1b" not in printed
    refused = run(tmp_path / "odd.jsonl", "--human", "blue").stderr
    assert b"ratings in the data are \\x1b[31mred" in refused
    assert b"\x1b" not in refused


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("--human", "semantic"),
            2,
            "no rating 'semantic'; did you mean 'semantics'? ratings in the data are",
        ),
        (
            ("--exclude-system", "alpa"),
            2,
            "no system 'alpa'; did you mean 'alpha'? systems in the data are alpha",
        ),
        (
            ("--system", "alpha", "--system", "beta"),
            2,
            "2 systems, but level system needs 3 or more; add systems",
        ),
        (("--system", "alpha", "--level", "item"), 2, "1 system, but level item compares systems"),
        (("--system", "alpha", "--exclude-system", "alpha"), 2, "no system is left; exclude fewer"),
        (("--level", "word"), 2, "Invalid value for '--level'"),
        (("--out", "x.jsonl"), 2, "no format ends in '.jsonl'; end --out in .json, .csv, .md, .tex or .txt"),
    ],
)
def test_misuse_is_one_line(run, rated, arguments, code, message):
    result = run(rated, *arguments)
    assert result.returncode == code
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1


def test_no_ratings(run, tmp_path):
    lines = [{**line, "human": {}} for line in make_lines()]
    path = write(tmp_path / "bare.jsonl", lines)
    result = run(path)
    assert result.returncode == 2
    assert result.stderr.decode() == f'factable: {path}: no ratings; add "human": {{"semantics": …}}\n'
