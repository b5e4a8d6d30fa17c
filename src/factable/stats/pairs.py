"""Pairs of points: how many both columns order alike, how many are tied, and where ties should begin."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
# Every pair is looked at, so time grows with the square of the points.
MAX_POINTS = 5_000
PAIRS_AT_ONCE = 1 << 21


class PairSums(NamedTuple):
    """Weighted sums over pairs of different points, one per draw.

    `agreeing` is concordant less discordant pairs; `untied_x` and `untied_y` are pairs that differ; `correct`
    are pairs that x, with its tie threshold, and y see alike; `all` are all pairs.
    """

    agreeing: Column
    untied_x: Column
    untied_y: Column
    correct: Column
    all: Column


def sum_pairs(
    x: Column, y: Column, item_of: NDArray[np.int64], weights: Column, threshold: float
) -> PairSums:
    """Sums over pairs where each point counts as often as its item was drawn (`weights`: draws x items)."""
    order = np.argsort(item_of, kind="stable")
    x, y = x[order], y[order]
    present, starts = np.unique(item_of[order], return_index=True)
    mine = weights[:, present]
    sums = np.zeros((len(PairSums._fields), len(weights)))
    for low, high in _item_blocks(np.append(starts, len(x))):
        rows = slice(starts[low], starts[high] if high < len(starts) else len(x))
        for number, seen in enumerate(_compare(x[rows], x, y[rows], y, threshold)):
            # A copy of a point is no pair with it.
            seen[np.arange(len(seen)), np.arange(rows.start, rows.stop)] = 0
            by_column = np.add.reduceat(seen, starts, axis=1, dtype=np.float64)
            by_item = np.add.reduceat(by_column, starts[low:high] - rows.start, axis=0)
            sums[number] += np.einsum("di,di->d", mine @ by_item.T, mine[:, low:high])
    return PairSums(*(sums / 2))


def _item_blocks(starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of items whose points make few enough pairs at once."""
    rows = max(1, PAIRS_AT_ONCE // int(starts[-1]))
    low = 0
    while low < len(starts) - 1:
        high = max(low + 1, int(np.searchsorted(starts, starts[low] + rows, side="right")) - 1)
        yield low, high
        low = high


def _compare(
    x: Column, others_x: Column, y: Column, others_y: Column, threshold: float
) -> Iterator[NDArray[np.int8]]:
    """What PairSums sums, for every pair of a point and another."""
    apart = np.subtract.outer(x, others_x)
    sign_x, sign_y = _sign(apart), _sign(np.subtract.outer(y, others_y))
    yield sign_x * sign_y
    yield np.abs(sign_x)
    yield np.abs(sign_y)
    sign_x[np.abs(apart) <= threshold] = 0
    yield (sign_x == sign_y).astype(np.int8)
    yield np.ones_like(sign_x)


def _sign(apart: Column) -> NDArray[np.int8]:
    # Faster than np.sign and a cast.
    return (apart > 0).view(np.int8) - (apart < 0).view(np.int8)


def tie_threshold(x: Column, y: Column) -> float:
    """The distance up to which x should be called tied, so that most pairs are seen as y sees them."""
    first, second = np.triu_indices(len(x), 1)
    return best_threshold(x[first] - x[second], y[first] - y[second])


def best_threshold(apart: Column, human: Column, share: Column | None = None) -> float:
    """The calibration of Deutsch et al. (2023) from the differences of each pair; `share` weights pairs.

    Every threshold is tried that could be best: 0 and the distances of pairs that people see as tied. The
    smallest of the best is taken.
    """
    distance = np.abs(apart)
    # Calling a pair tied wins it where people see a tie, and loses it where it was ordered rightly.
    won = (human == 0) & (distance > 0)
    lost = np.sign(apart) * np.sign(human) > 0
    distances, gains = _sum_up_to(distance, won, share)
    if not len(distances):
        return 0.0
    lost_distances, losses = _sum_up_to(distance, lost, share)
    losses = np.append(0.0, losses)[np.searchsorted(lost_distances, distances, side="right")]
    # A threshold takes all pairs of the same distance along.
    last = np.append(distances[1:] != distances[:-1], True)
    distances, net = distances[last], (gains - losses)[last]
    best = int(np.argmax(net))
    # Sums of shares are rounded; what is no gain must not be taken for one.
    return float(distances[best]) if net[best] > 1e-9 else 0.0


def _sum_up_to(distance: Column, which: NDArray[np.bool_], share: Column | None) -> tuple[Column, Column]:
    """Sorted distances of some pairs, and how much all pairs up to each weigh."""
    distance = distance[which]
    if share is None:
        # Sorting numbers is several times faster than sorting places.
        return np.sort(distance), np.arange(1, len(distance) + 1, dtype=np.float64)
    order = np.argsort(distance)
    return distance[order], np.cumsum(share[which][order])
