"""How alike two columns are: Pearson, Spearman, Kendall's tau-b and tau-c, pairwise accuracy.

Each function takes one column of a metric, one of ratings, the item of each point and weights (draws x
items), and gives a number per draw, NaN where it is undefined: a point counts as often as its item was drawn.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from factable.stats.pairs import MOST_POINTS, Column, PairSums, sum_pairs, tie_threshold

STATISTICS = ("pearson", "spearman", "kendall_b", "kendall_c", "pairwise_accuracy")


def why_undefined(x: Column, y: Column) -> str:
    """Why two columns have no correlation, or nothing."""
    if len(x) < 2:
        return "fewer than two points"
    if x.min() == x.max():
        return "all values of the metric are equal"
    return "all ratings are equal" if y.min() == y.max() else ""


def why_no_pairs(statistic: str, points: int) -> str:
    """Why a statistic of pairs is left out, or nothing."""
    if points <= MOST_POINTS or statistic in ("pearson", "spearman"):
        return ""
    return f"more than {MOST_POINTS:,} points, whose pairs are too many"


def correlate_draws(
    x: Column, y: Column, item_of: NDArray[np.int64], weights: Column
) -> Mapping[str, Column]:
    """Every statistic in every draw; the tie threshold is that of all points, each counted once."""
    found = {"pearson": pearson(x, y, item_of, weights), "spearman": spearman(x, y, item_of, weights)}
    if len(x) > MOST_POINTS:
        return found | dict.fromkeys(STATISTICS[2:], np.full(len(weights), np.nan))
    pairs = sum_pairs(x, y, item_of, weights, tie_threshold(x, y))
    points = weights @ np.bincount(item_of, minlength=weights.shape[1])
    distinct = np.minimum(*(_distinct(column, item_of, weights) for column in (x, y)))
    return found | from_pairs(pairs, points, distinct)


def from_pairs(pairs: PairSums, points: Column, distinct: Column) -> dict[str, Column]:
    """The statistics that come from pairs; `distinct` is the smaller number of different values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tau_b = pairs.agreeing / np.sqrt(pairs.untied_x * pairs.untied_y)
        tau_c = 2 * pairs.agreeing * distinct / (points**2 * (distinct - 1))
        accuracy = pairs.correct / pairs.all
    undefined = (pairs.untied_x == 0) | (pairs.untied_y == 0)
    named = zip(STATISTICS[2:], (tau_b, tau_c, accuracy), strict=True)
    return {name: np.where(undefined, np.nan, draws) for name, draws in named}


def pearson(x: Column, y: Column, item_of: NDArray[np.int64], weights: Column) -> Column:
    """Pearson's correlation from sums by item."""
    # Around the mean, so that little is lost in differences of sums.
    x, y = x - x.mean(), y - y.mean()
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    sums = [np.bincount(item_of, weights=column, minlength=weights.shape[1]) for column in columns]
    points, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (weights @ np.stack(sums, axis=1)).T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = (sum_xx - sum_x**2 / points) * (sum_yy - sum_y**2 / points)
        found = (sum_xy - sum_x * sum_y / points) / np.sqrt(spread)
    constant = _is_constant(x, item_of, weights) | _is_constant(y, item_of, weights)
    return np.where(constant, np.nan, np.clip(found, -1, 1))


def spearman(x: Column, y: Column, item_of: NDArray[np.int64], weights: Column) -> Column:
    """Pearson's correlation of ranks; equal values share the mean of their ranks."""
    often = weights[:, item_of]
    points = often.sum(axis=1)
    middle = ((points + 1) / 2)[:, None]
    rank_x, rank_y = _ranks(x, often) - middle, _ranks(y, often) - middle
    both, of_x, of_y = (
        np.einsum("dn,dn,dn->d", often, left, right)
        for left, right in ((rank_x, rank_y), (rank_x, rank_x), (rank_y, rank_y))
    )
    constant = _is_constant(x, item_of, weights) | _is_constant(y, item_of, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(constant, np.nan, np.clip(both / np.sqrt(of_x * of_y), -1, 1))


def _ranks(column: Column, often: Column) -> Column:
    """The rank of each point in each draw, where it counts `often` times."""
    values, place = np.unique(column, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(values)))
    count = np.add.reduceat(often[:, order], starts, axis=1)
    below = np.cumsum(count, axis=1) - count
    ranks: Column = (below + (count + 1) / 2)[:, place]
    return ranks


def _is_constant(column: Column, item_of: NDArray[np.int64], weights: Column) -> NDArray[np.bool_]:
    """Whether all points of a draw have the same value."""
    least, most = np.full(weights.shape[1], np.inf), np.full(weights.shape[1], -np.inf)
    np.minimum.at(least, item_of, column)
    np.maximum.at(most, item_of, column)
    drawn = weights > 0
    lowest = np.where(drawn, least, np.inf).min(axis=1)
    constant: NDArray[np.bool_] = lowest >= np.where(drawn, most, -np.inf).max(axis=1)
    return constant


def _distinct(column: Column, item_of: NDArray[np.int64], weights: Column) -> Column:
    """How many different values each draw has."""
    values, place = np.unique(column, return_inverse=True)
    has = np.zeros((weights.shape[1], len(values)), dtype=np.float32)
    has[item_of, place] = 1
    found: Column = np.count_nonzero((weights > 0).astype(np.float32) @ has, axis=1).astype(np.float64)
    return found
