"""Rates of a run with bootstrap intervals, from the ledger's statistics."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factable.metrics.ledger import Ledger
from factable.stats.bootstrap import Draws, interval
from factable.stats.pairs import Column
from factable.types import Scores

RATES = ("ok", "hallucination", "omission", "omitted", "unsupported")
DRAWS = 1000
SEED = 0


class Rate(NamedTuple):
    """A rate and its 95 % interval."""

    value: float
    low: float
    high: float


def measure_rates(metric: Ledger, scores: Scores, items: Sequence[str]) -> dict[str, Rate]:
    """Each rate of all scored texts; items are drawn, with all their texts."""
    scored = ~np.isnan(np.frombuffer(scores.values))
    numbers: dict[str, int] = {}
    item_of = [
        numbers.setdefault(item, len(numbers)) for item, kept in zip(items, scored, strict=True) if kept
    ]
    rows = np.frombuffer(scores.stats).reshape(len(scored), -1)[scored]
    sums = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(sums, item_of, rows)

    def compute(weights: Column) -> Mapping[str, Column]:
        finished = [metric.finish(totals) for totals in (weights @ sums).tolist()]
        return {name: np.array([each[name] for each in finished]) for name in RATES}

    drawn = Draws(len(numbers), DRAWS, SEED).apply(compute)
    return {name: _rate(scores.corpus_parts[name], column) for name, column in drawn.items()}


def _rate(value: float, column: Column) -> Rate:
    # The first draw is the data itself.
    _, low, high = interval(column[1:])
    return Rate(value, low, high)
