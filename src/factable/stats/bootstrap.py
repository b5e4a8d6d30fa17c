"""Bootstrap over items: how far numbers vary when items are drawn again with replacement."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from factable.stats import Column, Indices

WEIGHTS_AT_ONCE = 1 << 22
CONFIDENCE = 0.95
Finish = Callable[[Column], Column]


class Interval(NamedTuple):
    """Mean and 95 % percentile interval of the draws in which a number is defined."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Draws:
    """Weights: how often each item is in each draw; the first row is the data itself, every item once.

    `points` is how many numbers one draw takes in memory, if more than there are items.
    """

    items: int
    draws: int
    seed: int
    points: int = 0

    def apply(self, compute: Callable[[Column], Mapping[str, Column]]) -> dict[str, Column]:
        """Run `compute` on the weights (draws x items), chunk by chunk, and join its results."""
        chunks = [compute(weights) for weights in self.chunks()]
        return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}

    def apply_one(self, compute: Callable[[Column], Column]) -> Column:
        """The same where `compute` gives one array."""
        return self.apply(lambda weights: {"": compute(weights)})[""]

    def chunks(self) -> Iterator[Column]:
        """The weights, in chunks of bounded size."""
        if (self.draws + 1) * max(self.items, self.points) <= WEIGHTS_AT_ONCE:
            yield self._all_weights
        else:
            yield from self._drawn()

    @cached_property
    def _all_weights(self) -> Column:
        return np.concatenate(list(self._drawn()))

    def _drawn(self) -> Iterator[Column]:
        yield np.ones((1, self.items))
        generator = np.random.default_rng(self.seed)
        max_rows = max(1, WEIGHTS_AT_ONCE // max(self.items, self.points, 1))
        for start in range(0, self.draws, max_rows):
            rows = min(max_rows, self.draws - start)
            chosen = generator.integers(self.items, size=(rows, self.items))
            flat = (chosen + np.arange(rows)[:, None] * self.items).ravel()
            yield np.bincount(flat, minlength=rows * self.items).reshape(rows, -1).astype(np.float64)


def interval(draws: Column) -> Interval:
    """The percentile interval of draws; NaN where there are none."""
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return Interval(np.nan, np.nan, np.nan)
    edge = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, (edge, 1 - edge))
    return Interval(float(defined.mean()), float(low), float(high))


def group_means(values: Column, item_of: Indices, group_of: Indices, groups: int, weights: Column) -> Column:
    """The mean of each group (system) in each draw: draws x groups; NaN where a group is not drawn."""
    shape = (weights.shape[1], groups)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (item_of, group_of), values)
    np.add.at(counts, (item_of, group_of), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Column = (weights @ sums) / (weights @ counts)
    return means


def group_totals(
    rows: Column,
    item_of: Indices,
    group_of: Indices,
    groups: int,
    weights: Column,
    finish: Finish,
) -> Column:
    """`finish` of the sums of each group in each draw: draws x groups; NaN where a group is not drawn."""
    totals = np.full((len(weights), groups), np.nan)
    for group in range(groups):
        members = group_of == group
        sums = np.zeros((weights.shape[1], rows.shape[1]))
        np.add.at(sums, item_of[members], rows[members])
        drawn = weights @ np.bincount(item_of[members], minlength=weights.shape[1]) > 0
        totals[drawn, group] = finish(weights[drawn] @ sums)
    return totals
