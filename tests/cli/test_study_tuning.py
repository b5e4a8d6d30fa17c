"""`factable study --tune` as users run it."""

import csv
import io
import json
from functools import partial

import numpy as np
import pytest
from running import document
from scipy import stats

import factable

WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "an", "old", "red", "door"]
SYSTEMS = ("alpha", "beta", "gamma", "delta")


def make_lines(items=8):
    generator = np.random.default_rng(0)
    lines = []
    for item in range(items):
        reference = " ".join(generator.permutation(WORDS))
        for quality, system in enumerate(SYSTEMS, 1):
            kept = reference.split()[: 2 * quality + int(generator.integers(0, 3))]
            lines.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": {"animal": "cat", "place": "mat"},
                    "text": " ".join(kept),
                    "references": [reference],
                    "human": {
                        "semantics": quality + float(generator.random()),
                        "fluency": float(generator.random()),
                    },
                }
            )
    return lines


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    path = tmp_path_factory.mktemp("tuning") / "rated.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in make_lines()))
    return path


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study")


TUNE = ("--tune", "parent(mix=*)", "--human", "semantics", "--bootstrap", "40")


def test_json(run, rated):
    found = document(run(rated, *TUNE, "--grid", "0:1:0.5", "--level", "example", "--format", "json"))
    assert (found["metric"], found["parameter"], found["statistic"]) == ("parent(mix=*)", "mix", "pearson")
    assert (found["level"], found["bootstrap"], found["seed"], found["examples"]) == ("example", 40, 0, 32)
    (rating,) = found["ratings"]
    assert [setting["parameter"] for setting in rating["settings"]] == [0, 0.5, 1]
    ratings = [example.human["semantics"] for example in factable.read(rated)]
    for setting in [*rating["settings"], rating["default"]]:
        values = factable.score(rated, [setting["spec"]])[setting["spec"]].values
        assert setting["value"] == pytest.approx(stats.pearsonr(values, ratings).statistic)
        assert setting["low"] <= setting["mean"] <= setting["high"]
        assert setting["signature"].startswith("parent|")
    assert rating["best"] == max(rating["settings"], key=lambda setting: setting["value"])
    assert sum(setting["chosen"] for setting in rating["settings"]) == pytest.approx(1)
    left = rating["out_of_bag"]
    assert left["gain"]["mean"] == pytest.approx(left["tuned"]["mean"] - left["default"]["mean"])
    assert 0 < left["p_gain"] <= 1
    assert rating["left_out"] == 0


def test_every_rating_and_the_same_numbers_again(run, rated):
    arguments = (rated, "--tune", "bleu(orders=*)", "--bootstrap", "20", "--format", "json")
    whole = run(*arguments)
    assert [rating["human"] for rating in document(whole)["ratings"]] == ["semantics", "fluency"]
    assert len(document(whole)["ratings"][0]["settings"]) == 10
    assert run(*arguments, "--jobs", "2").stdout == whole.stdout
    assert run(*arguments, "--seed", "1").stdout != whole.stdout


def test_no_bootstrap(run, rated):
    (rating,) = document(run(rated, *TUNE[:4], "--bootstrap", "0", "--format", "json"))["ratings"]
    assert rating["best"]["value"] is not None
    assert rating["out_of_bag"]["reason"] == "nothing was drawn"
    assert rating["out_of_bag"]["gain"]["mean"] is None


def test_table_markdown_latex_and_csv(run, rated, tmp_path):
    table = run(rated, *TUNE, "--level", "item").stdout.decode()
    assert " semantics: parent(mix=*), correlation over the systems of each item, -1 to 1\n" in table
    assert "parent (default)" in table
    assert "tune|metric:parent(mix=*)|human:semantics|level:item|bootstrap:40|seed:0|systems:4|" in table
    assert "\x1b" not in table
    markdown = run(rated, *TUNE, "--format", "markdown").stdout.decode()
    assert markdown.count("| **") == 1
    assert r"\textbf{" in run(rated, *TUNE, "--format", "latex").stdout.decode()
    run(rated, *TUNE, "--grid", "0,1", "--out", tmp_path / "tuning.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "tuning.csv").read_text())))
    kinds = ["setting", "setting", "default", "out_of_bag_tuned", "out_of_bag_default", "out_of_bag_gain"]
    assert [row["row"] for row in rows] == kinds
    assert float(rows[-1]["p"]) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tune", "parent(mix=*)", "-m", "bleu"), "--tune studies one metric; drop -m"),
        (("--grid", "0,1"), "--grid is for --tune; give both or none"),
        (("--tune", "parent"), "cannot read 'parent'; write a metric with one * to tune"),
        (("--tune", "parent(mix=*)", "--grid", "0,2"), "parent: mix is 2; it must be auto or a number"),
        (("--tune", "parent(tokens=*)"), "parent: tokens is no number and cannot be tuned; numbers are mix"),
        (
            ("--tune", "parent(mix=*)", "--human", "semantic"),
            "no rating 'semantic'; did you mean 'semantics'?",
        ),
        (("--tune", "parent(mix=*)", "--system", "alpha"), "1 system, but level system needs 3 or more"),
    ],
)
def test_misuse_is_one_line(run, rated, arguments, message):
    result = run(rated, *arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1
