"""What is public: one call for each thing the command line does, with typed results."""

import inspect
import json

import pytest

import factable
from helpers.paths import RESTAURANTS


@pytest.fixture(scope="module")
def scores():
    return factable.score(RESTAURANTS, ["parent(mix=0.50)", "bleu"], explain=True)


def test_scores_are_found_under_the_spec_that_was_written(scores):
    assert list(scores) == ["parent(mix=0.50)", "bleu"]
    assert scores["parent(mix=0.50)"] is scores["parent(mix=0.5)"] is scores["parent( mix = 0.5 )"]
    assert scores["bleu"].metric == "bleu"
    for key in ("parent", "nothing", "parent("):
        with pytest.raises(KeyError):
            scores[key]


def test_one_metric_needs_no_list():
    alone = factable.score(RESTAURANTS, factable.parse("parent(mix=1)"))
    assert list(alone) == ["parent(mix=1.0)"]


def test_scores_print_short_and_index_by_example(scores):
    parent = scores["parent(mix=0.5)"]
    assert repr(parent) == f"<Scores parent(mix=0.5) = {parent.corpus:.4g} over 6 examples>"
    first = parent[0]
    assert (first.item, first.system, first.value) == ("blue-spice", "careful", parent.values[0])
    assert first.parts == {name: part[0] for name, part in parent.parts.items()}
    assert parent["blue-spice", "lively"] == parent[1]
    assert parent[-1] == list(parent)[5]
    with pytest.raises(KeyError, match="has 2 systems; name one"):
        parent["blue-spice"]
    with pytest.raises(KeyError):
        parent["nobody", "lively"]
    with pytest.raises(IndexError, match="no example 6; there are 6"):
        parent[6]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scores_become_a_data_frame(scores, library):
    pytest.importorskip(library)
    frame = scores["bleu"].to_frame(library)
    assert list(frame.columns) == ["item", "system", "value", *scores["bleu"].parts]
    assert list(frame["value"]) == list(scores["bleu"].values)


def test_progress_and_bad_lines(tmp_path):
    lines = RESTAURANTS.read_text().splitlines()
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join([lines[0], "{", lines[1]]))
    with pytest.raises(factable.DataError, match=":2: broken JSON"):
        factable.score(path, ["parent"])
    done = []
    scores = factable.score(path, ["parent"], skip_bad=True, progress=done.append)
    assert len(scores["parent"]) == 2
    assert done[-1] == 2


def test_compare_rerank_and_reports(tmp_path):
    comparison = factable.compare(RESTAURANTS, ["parent"], draws=20)
    assert isinstance(comparison, factable.SystemComparison)
    assert factable.report.show(comparison, "markdown").startswith("### parent")
    assert json.loads(factable.report.show(comparison, "json"))
    with pytest.raises(factable.UsageError, match="result is a int; it must be the result of"):
        factable.report.show(1)
    page = tmp_path / "page.html"
    factable.report.write_html(RESTAURANTS, page, ["parent"])
    assert "blue-spice" in page.read_text()
    texts = [
        {"id": "1", "data": {"name": "Ada"}, "text": text, "references": ["Ada."]}
        for text in ("Bob.", "Ada.")
    ]
    ranked = factable.rerank(texts, "parent")
    assert [(each.position, each.rank) for each in ranked] == [(1, 1), (0, 2)]


def test_metrics_are_listed_and_described():
    assert "parent" in factable.metrics.names()
    (mix,) = [each for each in factable.metrics.load("parent").params if each.name == "mix"]
    assert (mix.default, mix.allowed) == ("auto", "auto or a number from 0 to 1")


def test_no_public_function_takes_anything():
    functions = [getattr(factable, name) for name in factable.__all__ if not name[0].isupper()]
    functions += [getattr(factable.study, name) for name in factable.study.__all__]
    functions += [getattr(factable.report, name) for name in factable.report.__all__]
    for function in functions:
        if inspect.isfunction(function):
            kinds = {each.kind for each in inspect.signature(function).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, function
            assert function.__doc__, function


def test_options_of_the_ledger_are_those_it_declares():
    from factable.metrics.ledger.metric import Ledger, LedgerOptions

    assert list(LedgerOptions.__annotations__) == [each.name for each in Ledger.params]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: factable.check({"a": "b"}, "b", optionl="a"),
            "check has no parameter 'optionl'; did",
        ),
        (lambda: factable.score([], "bleu", explian=True), "score has no parameter 'explian'; did you mean"),
        (lambda: factable.read([], refrences="r.csv"), "read has no parameter 'refrences'; did you mean"),
        (lambda: factable.rerank([], bset=1), "rerank has no parameter 'bset'; did you mean 'best'"),
    ],
)
def test_misspelt_parameters_are_refused_with_a_suggestion(call, message):
    with pytest.raises(factable.UsageError, match=message):
        call()
