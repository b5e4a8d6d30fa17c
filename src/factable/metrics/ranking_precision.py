"""Average precision of a ranking, from the ranks of what is relevant alone.

Where scores are equal, the less relevant comes first: a tie never helps a text, and the order in which
things are put into a pool moves nothing.
"""

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Places = NDArray[np.int64]
IDEAL, FOUND = SUMMED = ("ideal", "found")
HARMONIC, ARITHMETIC = MEANS = ("harmonic", "arithmetic")
# Up to so many thresholds a pass over the scores for each is faster than sorting them.
MOST_COUNTED = 32


def average_precision(scores: Floats, relevant: Places) -> float:
    """The mean, over the relevant places, of the precision at the rank of each."""
    mine = np.sort(scores[relevant])[::-1]
    found = np.arange(1, len(mine) + 1)
    return float(np.mean(found / (found + _irrelevant_above(scores, mine))))


def graded_precision(
    scores: Floats, relevant: Places, relevance: NDArray[np.float64], summed: str = IDEAL
) -> float:
    """The same for relevance in degrees: precision is the sum of relevance over that of the ideal order.

    Precisions are summed at the first ranks, as many as are relevant, each weighing as much as what the ideal
    order has there; or at the ranks where something relevant was found, weighing as much as that.
    """
    mine = scores[relevant]
    order = np.lexsort((relevance, -mine))
    mine, degrees = mine[order], relevance[order]
    ranks = np.arange(1, len(mine) + 1) + _irrelevant_above(scores, mine)
    ideal = np.sort(relevance)[::-1]
    most = np.cumsum(ideal)
    if summed == FOUND:
        precision, weights = np.cumsum(degrees) / most[np.minimum(ranks, len(most)) - 1], degrees
    else:
        early = ranks <= len(ideal)
        at_rank = np.bincount(ranks[early] - 1, weights=degrees[early], minlength=len(ideal))
        precision, weights = np.cumsum(at_rank) / most, ideal
    # Sums in another order differ in their last digit; an ideal ranking has a precision of exactly 1.
    return min(1.0, float(np.sum(np.minimum(precision, 1.0) * weights) / np.sum(weights)))


def mean_precision(precisions: Collection[float], mean: str = HARMONIC) -> float:
    """The mean of the precisions of some rankings; the harmonic one is 0 where any of them is."""
    if mean == ARITHMETIC:
        return math.fsum(precisions) / len(precisions)
    # Reciprocals are added only of what is above 0; those of equal precisions must give that precision back.
    if min(precisions) == max(precisions) or not min(precisions):
        return min(precisions)
    return len(precisions) / math.fsum(1 / precision for precision in precisions)


def _irrelevant_above(scores: Floats, mine: Floats) -> Places:
    """How many that are not relevant score at least as much as each of the relevant ones, best first."""
    relevant = len(mine) - np.searchsorted(mine[::-1], mine, side="left")
    return _count_at_least(scores, mine) - relevant


def _count_at_least(scores: Floats, thresholds: Floats) -> Places:
    if len(thresholds) <= MOST_COUNTED:
        return np.array([np.count_nonzero(scores >= threshold) for threshold in thresholds], dtype=np.int64)
    counts: Places = len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")
    return counts
