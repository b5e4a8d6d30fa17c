"""How alike two columns are: Pearson, Spearman, Kendall's tau-b and tau-c, pairwise accuracy.

Each function takes one column of a metric, one of ratings, the item of each point and weights (draws x
items), and gives a number per draw, NaN where it is undefined: a point counts as often as its item was drawn.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from factable.stats.pairs import MAX_POINTS, Column, PairSums, best_threshold, sum_pairs, tie_threshold

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
    if points <= MAX_POINTS or statistic in ("pearson", "spearman"):
        return ""
    return f"more than {MAX_POINTS:,} points, whose pairs are too many"


def correlate_draws(
    x: Column, y: Column, item_of: NDArray[np.int64], weights: Column
) -> Mapping[str, Column]:
    """Every statistic in every draw; the tie threshold is that of all points, each counted once."""
    found = {"pearson": pearson(x, y, item_of, weights), "spearman": spearman(x, y, item_of, weights)}
    if len(x) > MAX_POINTS:
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
        parallel_map = (sum_xx - sum_x**2 / points) * (sum_yy - sum_y**2 / points)
        found = (sum_xy - sum_x * sum_y / points) / np.sqrt(parallel_map)
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
    values, index = np.unique(column, return_inverse=True)
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(len(values)))
    count = np.add.reduceat(often[:, order], starts, axis=1)
    below = np.cumsum(count, axis=1) - count
    ranks: Column = (below + (count + 1) / 2)[:, index]
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
    values, index = np.unique(column, return_inverse=True)
    has = np.zeros((weights.shape[1], len(values)), dtype=np.float32)
    has[item_of, index] = 1
    found: Column = np.count_nonzero((weights > 0).astype(np.float32) @ has, axis=1).astype(np.float64)
    return found


Mask = NDArray[np.bool_]
PAIRS_AT_ONCE = 1 << 21


def correlate_rows(x: Column, y: Column, there: Mask, threshold: float) -> Mapping[str, Column]:
    """Every statistic of every row, in blocks of rows, so that memory is bounded."""
    rows = max(1, PAIRS_AT_ONCE // max(1, x.shape[1]) ** 2)
    blocks = [
        _correlate(x[low : low + rows], y[low : low + rows], there[low : low + rows], threshold)
        for low in range(0, len(x), rows)
    ]
    return {name: np.concatenate([block[name] for block in blocks]) for name in STATISTICS}


def _correlate(x: Column, y: Column, there: Mask, threshold: float) -> Mapping[str, Column]:
    both = there[:, :, None] & there[:, None, :] & ~np.eye(x.shape[1], dtype=bool)
    x, y = np.where(there, x, 0.0), np.where(there, y, 0.0)
    apart = x[:, :, None] - x[:, None, :]
    sign_x, sign_y = np.sign(apart), np.sign(y[:, :, None] - y[:, None, :])
    alike = np.where(np.abs(apart) <= threshold, 0, sign_x) == sign_y
    seen = (sign_x * sign_y, sign_x != 0, sign_y != 0, alike, both)
    pairs = PairSums(*(np.where(both, one, 0).sum(axis=(1, 2)) / 2 for one in seen))
    distinct = np.minimum(_row_distinct(sign_x, both, there), _row_distinct(sign_y, both, there))
    return {
        "pearson": pearson_rows(x, y, there),
        "spearman": pearson_rows(_row_ranks(sign_x, both), _row_ranks(sign_y, both), there),
        **from_pairs(pairs, there.sum(axis=1).astype(np.float64), distinct),
    }


def tie_threshold_rows(x: Column, y: Column, there: Mask) -> float:
    """One tie threshold for pairs within rows, where every row counts the same."""
    first, second = np.triu_indices(x.shape[1], 1)
    both = there[:, first] & there[:, second]
    apart, human = (column[:, first] - column[:, second] for column in (x, y))
    share = np.broadcast_to(1 / np.maximum(both.sum(axis=1, keepdims=True), 1), both.shape)
    return best_threshold(apart[both], human[both], share[both])


def pearson_rows(x: Column, y: Column, there: Mask) -> Column:
    """Pearson's correlation of each row."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (_centre(column, there) for column in (x, y))
        both, of_x, of_y = ((left * right).sum(axis=1) for left, right in ((x, y), (x, x), (y, y)))
        # Without a spread 0 / 0 is NaN, which is what undefined is.
        found: Column = np.clip(both / np.sqrt(of_x * of_y), -1, 1)
    return found


def _centre(column: Column, there: Mask) -> Column:
    """Distances from the mean; exactly 0 where a row is constant, whatever rounding makes of its mean."""
    mean = np.where(there, column, 0.0).sum(axis=1, keepdims=True) / there.sum(axis=1, keepdims=True)
    low = np.where(there, column, np.inf).min(axis=1, keepdims=True)
    high = np.where(there, column, -np.inf).max(axis=1, keepdims=True)
    return np.where(there & (low < high), column - mean, 0.0)


def _row_ranks(sign: Column, both: Mask) -> Column:
    """Ranks with ties shared, up to a constant."""
    ranks: Column = np.where(both, sign, 0).sum(axis=2) / 2
    return ranks


def _row_distinct(sign: Column, both: Mask, there: Mask) -> Column:
    """How many different values a row has: points without an equal one before them."""
    before = np.tril(np.ones(sign.shape[1:], dtype=bool), -1)
    repeated = (both & before & (sign == 0)).any(axis=2)
    found: Column = (there & ~repeated).sum(axis=1).astype(np.float64)
    return found


def permutation_p_of_rows(
    first: Column, second: Column, human: Column, *, permutations: int, seed: int
) -> float:
    """Two-sided p of the difference of mean correlations over rows, where each point's two values may swap.

    A point that a row lacks is NaN in all three. Values are standardised before, as in `permutation_p`.
    """
    there = ~(np.isnan(first) | np.isnan(second) | np.isnan(human))
    first, second = (_standardise_all(column, there) for column in (first, second))
    generator = np.random.default_rng(seed)
    at_once = max(1, PAIRS_AT_ONCE // max(1, first.size))
    observed = abs(_mean_gap(first[None], second[None], human, there)[0])
    reached = 0
    for start in range(0, permutations, at_once):
        shape = (min(at_once, permutations - start), *first.shape)
        swap = generator.integers(2, size=shape, dtype=np.int8).astype(bool)
        gaps = _mean_gap(np.where(swap, second, first), np.where(swap, first, second), human, there)
        # Equal but for rounding counts as reached.
        reached += int((np.abs(gaps) >= observed - 1e-12).sum())
    return (reached + 1) / (permutations + 1) if not np.isnan(observed) else np.nan


def _standardise_all(column: Column, there: Mask) -> Column:
    mean, parallel_map = column[there].mean(), column[there].std()
    scaled: Column = (column - mean) / (parallel_map or 1.0)
    return scaled


def _mean_gap(first: Column, second: Column, human: Column, there: Mask) -> Column:
    """The mean correlation over rows of the first column less that of the second, for each permutation."""
    means = []
    for column in (first, second):
        flat = column.reshape(-1, column.shape[-1])
        times = len(flat) // len(human)
        found = pearson_rows(flat, np.tile(human, (times, 1)), np.tile(there, (times, 1)))
        rows = found.reshape(times, -1)
        defined = ~np.isnan(rows)
        with np.errstate(invalid="ignore"):
            means.append(np.where(defined, rows, 0.0).sum(axis=1) / defined.sum(axis=1))
    gap: Column = means[0] - means[1]
    return gap
