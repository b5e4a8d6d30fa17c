"""A report shows the findings of the same computation that made the values, however it was asked for."""

from array import array

import numpy as np
import orjson
import pytest

from factable.core.metric import Metric, metric
from factable.core.registry import parse
from factable.core.results import Analysis
from factable.core.schema import example_object
from factable.engine.score import score_files
from factable.report.html import ExampleListing, listing_rows
from factable.types import Example, Finding, Record, Table

WORDS = ["Ada", "Bonn", "Cork", "Dover", "Essen", "poet", "judge", "nurse"]


@pytest.fixture(scope="module")
def examples():
    rng = np.random.default_rng(0)
    return [
        Example(
            str(number),
            "s",
            " ".join(rng.choice(WORDS, 5)),
            Table(
                (Record("Ada", "city", str(rng.choice(WORDS))), Record("Ada", "job", str(rng.choice(WORDS))))
            ),
            (" ".join(rng.choice(WORDS, 5)),),
        )
        for number in range(80)
    ]


def results_on_the_page(listing, count):
    """What the page says of each example under its only metric."""
    return [next(iter(orjson.loads(row.rest)["metrics"].values())) for row in listing.rows(range(count))]


# A corpus metric in units of 32, an additive one and a plain one.
@pytest.mark.parametrize("spec", ['ranking(ranker="bm25", direction="table")', "bleu", "parent"])
@pytest.mark.parametrize("explain", [False, True])
def test_the_page_shows_what_explain_shows(examples, spec, explain):
    metric = parse(spec)
    (expected,) = score_files([examples], [metric], explain=True).scores
    with ExampleListing() as listing:
        result = score_files(
            [examples], [metric], explain=explain, listing=listing_rows, listener=listing.take
        )
        shown = results_on_the_page(listing, len(examples))
    assert result.scores[0].values == expected.values
    assert any(expected.findings)
    for index, found in enumerate(shown):
        whole = example_object(examples[index], expected, index)
        assert {name: found[name] for name in whole} == orjson.loads(orjson.dumps(whole))


@metric
class Counted(Metric):
    """Counts how often it computes; always explains itself."""

    name = "counted"
    always_explains = True

    def analyse(self, examples, state=None):
        calls.append(len(examples))
        values = array("d", [1.0] * len(examples))
        return Analysis(values, find=lambda: [(Finding("supported", 0),) for _ in examples])


calls = []


def test_a_report_computes_nothing_twice(examples):
    calls.clear()
    with ExampleListing() as listing:
        score_files([examples], [Counted()], listing=listing_rows, listener=listing.take)
        shown = results_on_the_page(listing, len(examples))
    assert sum(calls) == len(examples)
    assert [[(fact["state"], fact["record"]) for fact in found["facts"]] for found in shown] == [
        [("supported", 0)]
    ] * len(examples)
