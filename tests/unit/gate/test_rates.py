"""Rates with intervals, from the statistics of the ledger."""

import math
from array import array

import pytest

from factable.core.metric import corpus_results
from factable.core.results import VALUE, Scores
from factable.gate.decision import RATES, measure_rates
from factable.metrics.ledger.metric import Ledger

METRIC = Ledger()
# texts, value, ok, probability, correct, omission, contradiction, hallucination, facts, omitted, words,
# contradicted, unsupported
GOOD = (1, 0.9, 1, 0.9, 0.9, 0, 0, 0, 4, 0, 10, 0, 0)
BAD = (1, 0.1, 0, 0.1, 0.1, 1, 1, 1, 4, 2, 10, 1, 3)


def scores_of(*rows):
    """Scores with these statistics; None has no value."""
    values = array("d", [math.nan if row is None else row[1] for row in rows])
    stats = array("d", [number for row in rows for number in (row or [0] * len(GOOD))])
    together = corpus_results(METRIC, values, dict.fromkeys(METRIC.parts, values), stats)
    corpus = together.pop(VALUE)
    return Scores("ledger", "", corpus, values, {}, ((),) * len(rows), together, stats)


def test_rates_are_those_of_the_corpus():
    rates = measure_rates(METRIC, scores_of(GOOD, BAD, GOOD, GOOD), ["a", "b", "c", "d"])
    assert tuple(rates) == RATES
    assert {name: rate.value for name, rate in rates.items()} == {
        "ok": 0.75,
        "contradiction": 0.25,
        "hallucination": 0.25,
        "omission": 0.25,
        "omitted": 12.5,
        "contradicted": 2.5,
        "unsupported": 7.5,
    }
    assert all(rate.low < rate.value < rate.high for rate in rates.values())
    assert rates["ok"].low == pytest.approx(0.25)
    assert rates["ok"].high == 1.0


def test_items_are_drawn_with_all_their_texts():
    rates = measure_rates(METRIC, scores_of(GOOD, BAD, GOOD, BAD), ["a", "a", "b", "b"])
    assert rates["ok"] == (0.5, 0.5, 0.5)


def test_unscored_texts_do_not_count():
    with_unscored = measure_rates(METRIC, scores_of(GOOD, None, BAD), ["a", "x", "b"])
    assert with_unscored == measure_rates(METRIC, scores_of(GOOD, BAD), ["a", "b"])
