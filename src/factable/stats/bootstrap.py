"""Bootstrap over items: what else the numbers could have been, had other inputs been drawn."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.stats.pairs import Column

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
    """How often each item is in each draw; the first row is the data as it is, every item once.

    `points` is how many numbers a draw takes in memory, where those are more than its items.
    """

    items: int
    draws: int
    seed: int
    points: int = 0

    def apply(self, compute: Callable[[Column], Mapping[str, Column]]) -> dict[str, Column]:
        """What `compute` makes of the weights (draws x items), chunk by chunk."""
        chunks = [compute(weights) for weights in self.chunks()]
        return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}

    def chunks(self) -> Iterator[Column]:
        """The weights; as many rows at once as memory should hold."""
        if (self.draws + 1) * max(self.items, self.points) <= WEIGHTS_AT_ONCE:
            yield self._whole
        else:
            yield from self._drawn()

    @cached_property
    def _whole(self) -> Column:
        return np.concatenate(list(self._drawn()))

    def _drawn(self) -> Iterator[Column]:
        yield np.ones((1, self.items))
        generator = np.random.default_rng(self.seed)
        most = max(1, WEIGHTS_AT_ONCE // max(self.items, self.points, 1))
        for start in range(0, self.draws, most):
            rows = min(most, self.draws - start)
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


def group_means(
    values: Column, item_of: NDArray[np.int64], group_of: NDArray[np.int64], groups: int, weights: Column
) -> Column:
    """The mean of each group (system) in each draw: draws x groups; NaN where a draw has none of a group."""
    shape = (weights.shape[1], groups)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (item_of, group_of), values)
    np.add.at(counts, (item_of, group_of), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Column = (weights @ sums) / (weights @ counts)
    return means


def group_totals(
    rows: Column,
    item_of: NDArray[np.int64],
    group_of: NDArray[np.int64],
    groups: int,
    weights: Column,
    finish: Finish,
) -> Column:
    """What `finish` makes of each group's sums, a row per draw; NaN where a draw has none of a group."""
    found = np.full((len(weights), groups), np.nan)
    for group in range(groups):
        mine = group_of == group
        sums = np.zeros((weights.shape[1], rows.shape[1]))
        np.add.at(sums, item_of[mine], rows[mine])
        drawn = weights @ np.bincount(item_of[mine], minlength=weights.shape[1]) > 0
        found[drawn, group] = finish(weights[drawn] @ sums)
    return found
