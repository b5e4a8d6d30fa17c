"""`factable study verdicts` as users run it."""

import csv
import io
import json
from functools import partial

import numpy as np
import pytest
from running import document, write

import factable
from helpers.peers import Peer

metrics = Peer("sklearn.metrics")
WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "an", "old", "red", "door"]


def make_lines(items=12, systems=("alpha", "beta", "gamma")):
    generator = np.random.default_rng(0)
    lines = []
    for item in range(items):
        reference = " ".join(generator.permutation(WORDS))
        for system in systems:
            said = int(generator.integers(2, len(WORDS) + 1))
            lines.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": {"animal": "cat", "place": "mat", **({"door": "red"} if item % 2 else {})},
                    "text": " ".join(reference.split()[:said]),
                    "references": [reference],
                    "human": {
                        "semantics": round(1 + 2 * said / len(WORDS) + 0.3 * generator.normal(), 2),
                        "omission": int(said < 8),
                        "hallucination": int(generator.integers(2)),
                    },
                }
            )
    return lines


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return write(tmp_path_factory.mktemp("verdicts") / "rated.jsonl", make_lines())


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study", "verdicts")


@pytest.mark.packages
def test_json_of_a_rating(run, rated):
    arguments = (
        rated,
        "-m",
        "chrf",
        "-m",
        "bleu",
        "--human",
        "semantics",
        "--bootstrap",
        "50",
        "--seed",
        "3",
    )
    found = document(run(*arguments, "--threshold", "2.2", "--cut", "chrf=60", "--format", "json"))
    assert (found["bootstrap"], found["seed"], found["examples"]) == (50, 3, 36)
    chrf, bleu = (metric["verdicts"]["semantics >= 2.2"] for metric in found["metrics"])
    wrong = np.array(factable.score(rated, ["chrf"])["chrf"].values) < 60
    gold = np.array([example.human["semantics"] < 2.2 for example in factable.read(rated)])
    (a, b), (c, d) = metrics.confusion_matrix(gold, wrong).tolist()
    two = chrf["two_way"]
    assert two["confusion"] == {"OK": {"OK": a, "not OK": b}, "not OK": {"OK": c, "not OK": d}}
    assert two["classes"]["not OK"]["f1"]["value"] == pytest.approx(metrics.f1_score(gold, wrong))
    assert set(two["accuracy"]) == {"value", "mean", "low", "high", "deviation"}
    assert "four_way" not in chrf
    assert chrf["cut"] == {"value": 60.0, "folds": []}
    assert 1 <= len(bleu["cut"]["folds"]) <= 5
    assert set(chrf["correlations"]) == {"pearson", "spearman"}
    assert {facts: group["examples"] for facts, group in chrf["by_facts"].items()} == {"2": 18, "3": 18}
    (difference,) = found["differences"]
    assert {difference["better"], difference["worse"]} == {"chrf", "bleu"}
    assert 0 < difference["p_mcnemar"] <= difference["p_holm"] <= 1


def test_labels_and_jobs(run, rated):
    whole = run(rated, "-m", "chrf", "--bootstrap", "20", "--format", "json")
    (metric,) = document(whole)["metrics"]
    assert list(metric["verdicts"]) == ["omission and hallucination"]
    assert metric["verdicts"]["omission and hallucination"]["correlations"] == {}
    again = run("-", "-m", "chrf", "--bootstrap", "20", "--format", "json", stdin=rated.read_bytes())
    assert again.stdout == whole.stdout
    jobs = run(rated, "-m", "chrf", "--bootstrap", "20", "--format", "json", "--jobs", "2")
    assert jobs.stdout == whole.stdout
    named = document(
        run(rated, "-m", "chrf", "--omission", "omission", "--hallucination", "omission", "--format", "json")
    )
    assert list(named["metrics"][0]["verdicts"]) == ["omission and omission"]


def test_table_markdown_latex_and_csv(run, rated, tmp_path):
    arguments = (rated, "-m", "chrf", "-m", "bleu", "--human", "semantics", "--bootstrap", "20")
    table = run(*arguments).stdout.decode()
    for title in (
        "semantics >= 2.5: two-way, rates of not OK (0–1)",
        "semantics >= 2: rates by number of facts (0–1)",
        "semantics >= 2: number of texts by label",
        "semantics >= 2.5: differences of accuracy",
    ):
        assert f" {title}\n" in table
    assert "verdicts|gold:semantics >= 2.5|bootstrap:20|seed:0|systems:3|examples:36|factable:" in table
    assert "| **" in run(*arguments, "--format", "markdown").stdout.decode()
    assert r"\textbf{" in run(*arguments, "--format", "latex").stdout.decode()
    run(*arguments, "--out", tmp_path / "study.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "study.csv").read_text())))
    # Two metrics and thresholds: five rates of all texts and of two numbers of facts, three correlations.
    assert len(rows) == 2 * 2 * (3 * 5 + 3)
    assert {row["facts"] for row in rows} == {"", "2", "3"}


def test_systems_in_and_out(run, rated):
    kept = document(run(rated, "-m", "chrf", "--exclude-system", "beta", "--format", "json"))
    assert kept["systems"] == ["alpha", "gamma"]
    assert kept["examples"] == 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--human", "semantic"), "no rating 'semantic'; did you mean 'semantics'? ratings in the data are"),
        (("--threshold", "2"), "--threshold applies to ratings; name them with --human"),
        (
            ("--omission", "missing"),
            "no rating 'missing' among semantics, omission, hallucination; name ratings with --human",
        ),
        (("--human", "semantics", "--omission", "omission"), "--human names ratings, --omission and"),
        (("--cut", "0.5"), "cannot read --cut '0.5'; write a metric and a number, such as parent=0.4"),
        (("--cut", "parent=high"), "cannot read --cut 'parent=high'; write"),
        (("--cut", "parent=nan"), "cannot read --cut 'parent=nan'; write"),
        (("--cut", "chrf=50"), "--cut names chrf, which is not studied; add it with --metric"),
        (
            ("--cut", "parent(mix=0.5)=0.3"),
            "--cut names parent(mix=0.5), which is not studied; add it with --metric",
        ),
    ],
)
def test_misuse_is_one_line(run, rated, arguments, message):
    result = run(rated, *arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1


def test_names_cannot_steer_the_terminal(run, tmp_path):
    lines = make_lines()
    for line in lines:
        line["human"] = {"\x1b[31mred": line["human"]["semantics"]}
    path = write(tmp_path / "odd.jsonl", lines)
    printed = run(path, "--human", "\x1b[31mred").stdout
    assert b"\\x1b[31mred >= 2.5" in printed
    refused = run(path).stderr
    assert b"no rating 'omission' among \\x1b[31mred; name ratings with --human" in refused
    assert b"\x1b" not in printed + refused


def test_disagreements_are_listed_with_data_and_text(run, rated, tmp_path):
    path = tmp_path / "disagreements.jsonl"
    arguments = (rated, "-m", "chrf", "--human", "semantics", "--threshold", "2.5", "--bootstrap", "0")
    found = document(run(*arguments, "--disagreements", path, "--format", "json"))
    (verdict,) = (verdicts["semantics >= 2.5"] for verdicts in (one["verdicts"] for one in found["metrics"]))
    confusion = verdict["two_way"]["confusion"]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == confusion["OK"]["not OK"] + confusion["not OK"]["OK"] > 0
    assert set(rows[0]) == {"id", "system", "gold", "people", "metric", "says", "data", "text"}
    assert all(row["people"] != row["says"] for row in rows)
    assert -1 <= verdict["errors_with_facts"]["value"] <= 1
    refused = run("-", *arguments[1:], "--disagreements", path)
    assert refused.returncode == 2
    assert b"name a file" in refused.stderr
