"""The HTML report as a file: what it holds, what nothing in it can do, and when it is written."""

import base64
import hashlib
import json
import re
from array import array

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from factable.core.metric import Metric, metric
from factable.core.results import Analysis
from factable.core.schema import SCHEMA_FILE, row_object
from factable.engine.score import parse_all, score_files
from factable.errors import UsageError
from factable.io.read import read
from factable.models.runtime.manifest import read_shipped
from factable.report.html import ExampleListing, Report, listing_rows, write_report
from factable.stats.bootstrap import Draws, interval
from factable.study.comparison import compare_systems
from factable.study.panel import score_panel
from factable.types import Example, Finding, Record, Table

EXAMPLES = "examples/restaurants.jsonl"


@pytest.fixture
def restaurants(request):
    return request.config.rootpath / EXAMPLES


def written(tmp_path, sources, specs=("parent",), *, jobs=1, metrics=None, **fields):
    """The text of the page."""
    metrics = metrics or parse_all(specs)
    path = tmp_path / "page.html"
    with ExampleListing() as listing, path.open("wb") as stream:
        result = score_files(sources, metrics, jobs=jobs, listing=listing_rows, listener=listing.take)
        write_report(stream, Report("a title", result, listing, **fields))
    return path.read_text()


def blocks(page):
    """The contents of the two script blocks: the data and the script."""
    return re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)


def data_of(page):
    return json.loads(blocks(page)[0])


def made_up(item, system, text, value="x"):
    return Example(item, system, text, Table((Record("", "name", value),)), ("a reference",))


def test_every_example_is_there_with_data_values_and_findings(tmp_path, restaurants):
    data = data_of(written(tmp_path, [restaurants], ["parent", "bleu"]))
    examples = read(restaurants)
    scores = score_files([restaurants], parse_all(["parent", "bleu"]), explain=True).scores
    assert len(data["examples"]) == data["examples_in_all"] == len(examples) == 6
    # The two systems share their data.
    assert len(data["tables"]) == data["items_in_all"] == 3
    for index, row in enumerate(data["examples"]):
        example = examples[index]
        assert (row["system"], row["id"], row["text"]) == (example.system, example.item, example.text)
        table = data["tables"][row["table"]]
        assert (table["title"], tuple(table["references"])) == (example.table.title, example.references)
        assert [Record(*record) for record in table["records"]] == list(example.table.records)
        assert row["metrics"] == row_object(example, scores, index)["metrics"]


def test_the_page_holds_results_by_the_schema(tmp_path, restaurants):
    schema = json.loads(read_shipped(SCHEMA_FILE))
    nested = {"name": "Fon 5", "variants": [{"colour": "red", "price": 10}, {"colour": "blue", "price": 20}]}
    rows = [{"id": "n", "data": nested, "text": "Fon 5 is red.", "references": ["x"], "human": {"a": 2}}]
    for sources, specs in (([restaurants], ["ledger", "bleu"]), ([rows], ["ledger"])):
        data = data_of(written(tmp_path, sources, specs))
        validator = Draft202012Validator(schema | {"anyOf": [{"$ref": "#/$defs/report"}]})
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data)] == []
    (table,) = data["tables"]
    assert table["data"] == nested
    assert table["paths"][1:3] == ["variants[0].colour", "variants[0].price"]


def test_only_its_own_script_and_style_may_run(tmp_path, restaurants):
    page = written(tmp_path, [restaurants])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script = blocks(page)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    for inline, name in ((script, "script"), (style, "style")):
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)|url\(|@import|innerHTML|\beval\b", page)


@pytest.mark.parametrize(
    "text", ["</script><b>", "<!--", "&amp;", "\u2028\u2029", "\x00\x1b", "\u202e", "😀"]
)
def test_no_text_leaves_its_block(tmp_path, text):
    page = written(tmp_path, [[made_up(f"i{text}", f"s{text}", f"t{text}", f"v{text}")]])
    assert len(blocks(page)) == 2
    assert not re.search("[<>&\u2028\u2029]", blocks(page)[0])
    data = data_of(page)
    assert (data["examples"][0]["id"], data["examples"][0]["text"]) == (f"i{text}", f"t{text}")
    assert data["systems"] == [f"s{text}"]
    assert data["tables"][0]["records"] == [["", "name", f"v{text}"]]


def test_half_a_surrogate_pair_does_no_harm(tmp_path):
    data = data_of(written(tmp_path, [[made_up("i", "s\ud800", "te\udfffxt", "v\ud800")]]))
    assert data["examples"][0]["text"] == "te?xt"
    assert data["systems"] == [data["examples"][0]["system"]] == ["s?"]


def test_intervals_are_drawn_over_items_with_a_seed(tmp_path):
    generator = np.random.default_rng(7)
    words = np.array(["a", "reference", "x", "other", "words"])
    examples = [
        made_up(str(item), system, " ".join(generator.choice(words, 4)))
        for item in range(40)
        for system in ("one", "two")
    ]
    page = written(tmp_path, [examples], draws=200, seed=3)
    assert page == written(tmp_path, [examples], draws=200, seed=3)
    assert page != written(tmp_path, [examples], draws=200, seed=4)
    one, two, both = data_of(page)["metrics"][0]["lines"]
    assert (one["system"], two["system"], both["system"]) == (0, 1, -1)
    values = np.array(score_files([examples], parse_all(["parent"])).scores[0].values).reshape(40, 2)
    weights = np.concatenate(list(Draws(40, 200, 3).chunks()))[1:] / 40
    for line, column in ((one, values[:, 0]), (two, values[:, 1]), (both, values.mean(axis=1))):
        expected = interval(weights @ column)
        assert line["value"] == pytest.approx(column.mean())
        assert (line["low"], line["high"]) == pytest.approx((expected.low, expected.high))
        assert line["low"] < line["value"] < line["high"]
    assert sum(both["bins"]) == 80


def test_additive_metrics_have_intervals_of_their_corpus_value(tmp_path, restaurants):
    (overview,) = data_of(written(tmp_path, [restaurants], ["bleu"]))["metrics"]
    scores = score_files([restaurants], parse_all(["bleu"])).scores[0]
    assert overview["lines"][-1]["value"] == pytest.approx(scores.corpus)
    assert all(line["low"] <= line["value"] <= line["high"] for line in overview["lines"])
    assert overview["signature"] == scores.signature


def test_processes_change_nothing(tmp_path, restaurants):
    assert written(tmp_path, [restaurants]) == written(tmp_path, [restaurants], jobs=2)


def test_of_too_many_examples_the_worst_items_are_listed(tmp_path):
    good, bad = "a reference x", "nothing of it"
    examples = [
        made_up(str(item), system, bad if (item, system) in {(4, "a"), (7, "b")} else good)
        for item in range(10)
        for system in ("a", "b")
    ]
    data = data_of(written(tmp_path, [examples], most_examples=4))
    assert [row["id"] for row in data["examples"]] == ["4", "4", "7", "7"]
    assert (data["shown"], data["examples_in_all"]) == (4, 20)
    assert sum(data["metrics"][0]["lines"][-1]["bins"]) == 20


def test_a_comparison_brings_its_own_numbers_and_systems(tmp_path, restaurants):
    third = [made_up("blue-spice", "third", "text")]
    metrics = parse_all(["parent"])
    path = tmp_path / "page.html"
    with ExampleListing() as listing, path.open("wb") as stream:
        panel = score_panel(
            [restaurants, third], metrics, need_ratings=False, listing=listing_rows, listener=listing.take
        )
        found = compare_systems(panel, excluded=["third"], draws=100)
        write_report(stream, Report("t", panel.result, listing, comparison=found))
    data = data_of(path.read_text())
    (overview,) = data["metrics"]
    assert [data["systems"][line["system"]] for line in overview["lines"]] == ["careful", "lively"]
    assert len(data["examples"]) == 6
    for line, standing in zip(overview["lines"], found.rankings[0].standings, strict=True):
        assert (line["value"], line["low"], line["high"]) == (standing.value, standing.low, standing.high)
    assert overview["differences"][0]["p_holm"] == found.rankings[0].differences[0].p_holm


@metric
class Unbounded(Metric):
    """A metric without bounds that finds one emoji and cannot score a text without letters."""

    name = "unbounded"
    higher_is_better = False
    bounds = (0.0, float("inf"))
    needs = frozenset()

    def analyse(self, examples, state=None):
        values = array("d", [len(one.text) if one.text else float("nan") for one in examples])
        reasons = {index: "no text" for index, one in enumerate(examples) if not one.text}
        return Analysis(
            values,
            reasons=reasons,
            find=lambda: [
                (Finding("unsupported", span=(one.text.index("b"), len(one.text))),) if one.text else ()
                for one in examples
            ],
        )


def test_any_metric_will_do(tmp_path):
    examples = [made_up("1", "", "😀b"), made_up("2", "", "")]
    data = data_of(written(tmp_path, [examples], metrics=[Unbounded()]))
    (overview,) = data["metrics"]
    assert overview["better"] == "lower"
    assert overview["edges"] == [0, 2]
    first, second = (row["metrics"]["unbounded"] for row in data["examples"])
    assert [(claim["span"], claim["text"]) for claim in first["claims"]] == [([1, 2], "b")]
    assert (second["value"], second["reason"], "claims" in second) == (None, "no text", False)
    assert overview["lines"][0]["unscored"] == 1


class TestCommand:
    @pytest.fixture
    def run(self, monkeypatch, tmp_path):
        from click.testing import CliRunner

        from factable.cli.main import cli

        monkeypatch.chdir(tmp_path)
        return lambda *arguments: CliRunner().invoke(cli, list(map(str, arguments)))

    def test_the_page_comes_beside_the_usual_output(self, run, restaurants, tmp_path):
        plain = run("score", restaurants)
        assert run("score", restaurants, "--report", "r.html").output == plain.output
        assert data_of((tmp_path / "r.html").read_text())["title"] == "restaurants.jsonl"
        explained = run("score", restaurants, "--explain", "--report", "e.html", "--format", "jsonl")
        assert explained.exit_code == 0
        assert data_of((tmp_path / "e.html").read_text()) == data_of((tmp_path / "r.html").read_text())

    def test_nothing_is_left_of_a_run_that_fails(self, run, tmp_path):
        bad = tmp_path / "bad.jsonl"
        bad.write_text("{}\n")
        assert isinstance(run("score", bad, "--report", "r.html").exception, Exception)
        assert list(tmp_path.iterdir()) == [bad]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--report", "r.pdf"], "ends in .html"),
            (["--report", "-"], "ends in .html"),
            (["--report", "r.html", "--out", "r.html", "--format", "json"], "give two names"),
        ],
    )
    def test_misuse(self, run, restaurants, tmp_path, options, message):
        found = run("score", restaurants, *options).exception
        assert isinstance(found, UsageError)
        assert message in str(found)
        assert not list(tmp_path.iterdir())


def test_the_sample_of_the_documentation_works(request, restaurants, tmp_path, monkeypatch):
    page = (request.config.rootpath / "docs/report.md").read_text()
    (sample,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(sample.replace(EXAMPLES, str(restaurants)), {})
    assert data_of((tmp_path / "report.html").read_text())["notes"] == ["made on Monday"]
