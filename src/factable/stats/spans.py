"""How far two annotators mark the same characters of a text, or the same spans."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.stats.pairs import Column

Places = NDArray[np.int64]
Extent = tuple[int, int]


class Overlaps(NamedTuple):
    """What two annotators mark on one text, row by row in the order of pairs of annotators.

    `shared` is what both mark, `marked` the sum of what each marks: characters or spans.
    """

    pair_of: Places
    text_of: Places
    shared: Column
    marked: Column


def f1_draws(overlaps: Overlaps, weights: Column) -> Column:
    """The mean over pairs of annotators of F1 over all texts of a pair, in every draw of texts.

    A pair that marks nothing has no F1 and is left out; NaN where no pair has one.
    """
    starts = np.unique(overlaps.pair_of, return_index=True)[1]
    often = weights[:, overlaps.text_of]
    shared, marked = (
        np.add.reduceat(often * column, starts, axis=1) for column in (overlaps.shared, overlaps.marked)
    )
    defined = marked > 0
    f1 = 2 * shared / np.where(defined, marked, 1)
    with np.errstate(invalid="ignore"):
        mean: Column = (f1 * defined).sum(axis=1) / defined.sum(axis=1)
    return mean


def merge(spans: Iterable[Extent]) -> list[Extent]:
    """The same characters as spans that neither overlap nor touch, in order."""
    merged: list[Extent] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def count_characters(merged: Iterable[Extent]) -> int:
    """How many characters merged spans cover."""
    return sum(end - start for start, end in merged)


def count_shared(first: list[Extent], second: list[Extent]) -> int:
    """How many characters two lists of merged spans share."""
    shared = one = other = 0
    while one < len(first) and other < len(second):
        low = max(first[one][0], second[other][0])
        high = min(first[one][1], second[other][1])
        shared += max(0, high - low)
        if first[one][1] < second[other][1]:
            one += 1
        else:
            other += 1
    return shared
