"""`factable study agreement` as users run it."""

import csv
import io
import json
from functools import partial

import krippendorff
import numpy as np
import pytest
from running import document, write


def make_rows(texts=25):
    generator = np.random.default_rng(0)
    rows = []
    for text in range(texts):
        quality = int(generator.integers(2, 5))
        for annotator in ("ann", "bob", "cy"):
            rating = quality + int(generator.integers(-1, 2))
            start = int(generator.integers(0, 3))
            rows.append(
                {
                    "id": text,
                    "system": "mine",
                    "annotator": annotator,
                    "human": {"semantics": rating, "verdict": "good" if rating > 3 else "bad"},
                    "spans": [[start, start + 6, "number"], [20, 25, "name"]],
                }
            )
    return rows


@pytest.fixture(scope="module")
def annotated(tmp_path_factory):
    return write(tmp_path_factory.mktemp("annotated") / "annotated.jsonl", make_rows())


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study", "agreement")


def test_json(run, annotated):
    found = document(run(annotated, "--bootstrap", "50", "--format", "json"))
    assert (found["texts"], found["annotators"], found["bootstrap"], found["seed"]) == (25, 3, 50, 0)
    semantics, verdict = found["dimensions"]
    ratings = np.array([row["human"]["semantics"] for row in make_rows()]).reshape(25, 3).T
    for level in ("nominal", "ordinal", "interval"):
        one = semantics["statistics"][f"alpha_{level}"]
        assert one["value"] == pytest.approx(krippendorff.alpha(ratings, level_of_measurement=level))
        assert one["low"] <= one["mean"] <= one["high"]
    assert verdict["statistics"]["alpha_interval"] == {
        "value": None,
        "mean": None,
        "deviation": None,
        "low": None,
        "high": None,
        "reason": "labels are no numbers",
    }
    assert [one["kind"] for one in found["spans"]] == [None, "name", "number"]
    assert found["spans"][1]["statistics"]["exact_f1"]["value"] == 1.0
    assert found["spans"][2]["statistics"]["exact_f1"]["value"] < 1.0


def test_csv_several_files_and_stdin_give_the_same(run, annotated, tmp_path):
    arguments = ("--bootstrap", "20", "--format", "json")
    whole = document(run(annotated, *arguments))
    with (tmp_path / "all.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "system", "annotator", "human.semantics", "verdict", "spans", "text"])
        for row in make_rows():
            human = row["human"]
            names = (row["id"], row["system"], row["annotator"])
            spans = json.dumps(row["spans"])
            writer.writerow([*names, human["semantics"], human["verdict"], spans, "a text"])
    lines = annotated.read_bytes().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[:40]))
    (tmp_path / "b.jsonl").write_bytes(b"".join(lines[40:]))
    assert document(run(tmp_path / "all.csv", *arguments)) == whole
    assert document(run(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *arguments)) == whole
    assert document(run("-", *arguments, stdin=annotated.read_bytes())) == whole
    assert document(run(annotated, *arguments, "--seed", "1")) != whole


def test_tables_and_csv(run, annotated, tmp_path):
    table = run(annotated).stdout.decode()
    assert "alpha ordinal" in table
    assert "character F1 (0–1)" in table
    assert "agreement|bootstrap:500|seed:0|texts:25|annotators:3|factable:" in table
    assert "–" in table
    assert "| semantics |" in run(annotated, "--format", "markdown").stdout.decode()
    assert r"\begin{tabular}" in run(annotated, "--format", "latex").stdout.decode()
    run(annotated, "--out", tmp_path / "found.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text())))
    assert len(rows) == 2 * 5 + 3 * 2
    assert (rows[-2]["kind"], rows[-2]["name"], rows[-2]["statistic"]) == ("spans", "number", "character_f1")


def test_no_bootstrap_and_unequal_numbers(run, tmp_path):
    rows = make_rows()[:-1]
    found = document(run(write(tmp_path / "x.jsonl", rows), "--bootstrap", "0", "--format", "json"))
    statistics = found["dimensions"][0]["statistics"]
    assert statistics["alpha_nominal"]["low"] is None
    assert statistics["fleiss_kappa"]["reason"].startswith("texts have 2 to 3 annotators")


GOOD = {"id": "t", "annotator": "ann", "human": {"semantics": 2}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"annotator": None}, '"annotator" is empty; give a string or a whole number'),
        ({"id": {}}, '"id" is an object; give a string or a whole number'),
        ({"human": 3}, '"human" is a number; give an object such as {"semantics": 2}'),
        ({"human": {"a": [1]}}, '"human" has a list for "a"; give numbers or labels'),
        ({"human": None}, 'neither "human" nor "spans"; add "human": {"semantics": 2} or "spans": [[0, 5]]'),
        ({"spans": {}}, '"spans" is an object; give a list such as [[0, 5]]'),
        ({"spans": [[3]]}, '"spans" has \'[3]\'; give [start, end] or [start, end, "kind"], counted'),
        ({"spans": [[3, 3]]}, "\"spans\" has '[3, 3]', which holds no character; give [start, end] or"),
        ({"spans": [[-1, 3]]}, "\"spans\" has '[-1, 3]', which holds no character; give [start, end] or"),
        ({"annotator": "first"}, "repeats annotator 'first' on id 't'; keep one of them"),
    ],
)
def test_bad_values(run, tmp_path, changes, message):
    path = write(tmp_path / "a.jsonl", [{**GOOD, "annotator": "first"}, {**GOOD, **changes}])
    result = run(path)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {path}:2: {message}")
    assert result.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            '{"id": 1, "anotator": 2}',
            ":1: no \"annotator\" field; did you mean 'anotator'? add it",
        ),
        ("a.jsonl", "[", ":1: broken JSON list"),
        ("a.jsonl", "", ": holds no ratings, labels or spans; give at least one"),
        ("a.csv", "id,annotator\n1,x\n", ": holds no ratings, labels or spans; give at least one"),
        ("a.csv", "id,who,mark\n1,x,2\n", ':1: no column "annotator" among id, who, mark'),
        ("a.csv", "id,annotator,mark\n1,x,nan\n", ":2: 'nan' in column \"mark\"; give finite numbers"),
        ("a.csv", 'id,annotator,spans\n1,x,"[[0, "\n', ":2: broken JSON"),
        ("a.csv", "id,annotator,spans\n1,x,none\n", ':2: "spans" is a string; give a list'),
    ],
)
def test_bad_files(run, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    result = run(path)
    assert result.returncode == 2
    assert result.stderr.decode().startswith(f"factable: {path}{message}")
    assert result.stderr.count(b"\n") == 1


def test_bad_lines_can_be_skipped(run, tmp_path):
    rows = [{**GOOD, "annotator": "a"}, {**GOOD, "annotator": "b"}, {"id": 3}, {**GOOD, "annotator": "b"}]
    path = write(tmp_path / "a.jsonl", rows)
    assert len(run(path).stderr.splitlines()) == 2
    result = run(path, "--skip-bad", "--format", "json")
    assert json.loads(result.stdout)["annotators"] == 2
    assert result.stderr.decode().splitlines()[-1] == "factable: 2 bad lines skipped"


def test_names_cannot_steer_the_terminal(run, tmp_path):
    rows = [{**GOOD, "annotator": name, "human": {"\x1b[31mred": 1}} for name in "ab"]
    printed = run(write(tmp_path / "a.jsonl", rows)).stdout
    assert b"\\x1b[31mred" in printed
    assert b"\x1b" not in printed
