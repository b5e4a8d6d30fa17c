"""Correlation of two columns: Pearson, Spearman, Kendall's tau-b and tau-c, pairwise accuracy.

Most functions take a column of a metric, one of ratings, the item of each point and weights (draws x items),
and give a number per draw, NaN where it is undefined: a point counts as often as its item was drawn.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.stats import Column, Indices, Mask

# Every pair is compared, so time grows with the square of the points.
MAX_POINTS = 5_000
PAIRS_AT_ONCE = 1 << 21
STATISTICS = ("pearson", "spearman", "kendall_b", "kendall_c", "pairwise_accuracy")


class PairSums(NamedTuple):
    """Weighted sums over pairs of different points, one per draw.

    `agreeing` is concordant minus discordant pairs; `untied_x` and `untied_y` are pairs that differ;
    `correct` are pairs on which x, with its tie threshold, and y agree; `all` are all pairs.
    """

    agreeing: Column
    untied_x: Column
    untied_y: Column
    correct: Column
    all: Column


def why_no_correlation(x: Column, y: Column) -> str:
    """Why two columns have no correlation; empty if they have one."""
    if len(x) < 2:
        return "fewer than two points"
    if x.min() == x.max():
        return "all values of the metric are equal"
    return "all ratings are equal" if y.min() == y.max() else ""


def why_no_pairs(statistic: str, points: int) -> str:
    """Why a statistic of pairs is left out; empty if it is not."""
    if points <= MAX_POINTS or statistic in ("pearson", "spearman"):
        return ""
    return f"more than {MAX_POINTS:,} points, whose pairs are too many"


def correlate_draws(x: Column, y: Column, item_of: Indices, weights: Column) -> Mapping[str, Column]:
    """Every statistic in every draw; the tie threshold is that of all points, each counted once."""
    linear = {"pearson": pearson(x, y, item_of, weights), "spearman": spearman(x, y, item_of, weights)}
    if len(x) > MAX_POINTS:
        return linear | dict.fromkeys(STATISTICS[2:], np.full(len(weights), np.nan))
    pairs = sum_pairs(x, y, item_of, weights, tie_threshold(x, y))
    points = weights @ np.bincount(item_of, minlength=weights.shape[1])
    distinct = np.minimum(*(_distinct(column, item_of, weights) for column in (x, y)))
    return linear | _from_pairs(pairs, points, distinct)


def _from_pairs(pairs: PairSums, points: Column, distinct: Column) -> dict[str, Column]:
    """The statistics computed from pairs; `distinct` is the smaller of the numbers of distinct values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tau_b = pairs.agreeing / np.sqrt(pairs.untied_x * pairs.untied_y)
        tau_c = 2 * pairs.agreeing * distinct / (points**2 * (distinct - 1))
        accuracy = pairs.correct / pairs.all
    undefined = (pairs.untied_x == 0) | (pairs.untied_y == 0)
    named = zip(STATISTICS[2:], (tau_b, tau_c, accuracy), strict=True)
    return {name: np.where(undefined, np.nan, draws) for name, draws in named}


def pearson(x: Column, y: Column, item_of: Indices, weights: Column) -> Column:
    """Pearson's correlation from sums by item."""
    # Around the mean, so that little is lost in differences of sums.
    x, y = x - x.mean(), y - y.mean()
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    sums = [np.bincount(item_of, weights=column, minlength=weights.shape[1]) for column in columns]
    points, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (weights @ np.stack(sums, axis=1)).T
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = (sum_xx - sum_x**2 / points) * (sum_yy - sum_y**2 / points)
        correlation = (sum_xy - sum_x * sum_y / points) / np.sqrt(variances)
    constant = _is_constant(x, item_of, weights) | _is_constant(y, item_of, weights)
    return np.where(constant, np.nan, np.clip(correlation, -1, 1))


def spearman(x: Column, y: Column, item_of: Indices, weights: Column) -> Column:
    """Pearson's correlation of ranks; equal values share the mean of their ranks."""
    counts = weights[:, item_of]
    points = counts.sum(axis=1)
    middle = ((points + 1) / 2)[:, None]
    rank_x, rank_y = _ranks(x, counts) - middle, _ranks(y, counts) - middle
    both, of_x, of_y = (
        np.einsum("dn,dn,dn->d", counts, left, right)
        for left, right in ((rank_x, rank_y), (rank_x, rank_x), (rank_y, rank_y))
    )
    constant = _is_constant(x, item_of, weights) | _is_constant(y, item_of, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(constant, np.nan, np.clip(both / np.sqrt(of_x * of_y), -1, 1))


def _ranks(column: Column, counts: Column) -> Column:
    """The rank of each point in each draw, where it counts `counts` times."""
    values, index = np.unique(column, return_inverse=True)
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(len(values)))
    count = np.add.reduceat(counts[:, order], starts, axis=1)
    below = np.cumsum(count, axis=1) - count
    ranks: Column = (below + (count + 1) / 2)[:, index]
    return ranks


def _is_constant(column: Column, item_of: Indices, weights: Column) -> NDArray[np.bool_]:
    """True for draws in which all points have the same value."""
    low, high = np.full(weights.shape[1], np.inf), np.full(weights.shape[1], -np.inf)
    np.minimum.at(low, item_of, column)
    np.maximum.at(high, item_of, column)
    drawn = weights > 0
    lowest = np.where(drawn, low, np.inf).min(axis=1)
    constant: Mask = lowest >= np.where(drawn, high, -np.inf).max(axis=1)
    return constant


def _distinct(column: Column, item_of: Indices, weights: Column) -> Column:
    """How many distinct values each draw has."""
    values, index = np.unique(column, return_inverse=True)
    has = np.zeros((weights.shape[1], len(values)), dtype=np.float32)
    has[item_of, index] = 1
    count: Column = np.count_nonzero((weights > 0).astype(np.float32) @ has, axis=1).astype(np.float64)
    return count


def sum_pairs(x: Column, y: Column, item_of: Indices, weights: Column, threshold: float) -> PairSums:
    """Sums over pairs where each point counts as often as its item was drawn (`weights`: draws x items)."""
    order = np.argsort(item_of, kind="stable")
    x, y = x[order], y[order]
    present, starts = np.unique(item_of[order], return_index=True)
    item_weights = weights[:, present]
    sums = np.zeros((len(PairSums._fields), len(weights)))
    for low, high in _item_blocks(np.append(starts, len(x))):
        rows = slice(starts[low], starts[high] if high < len(starts) else len(x))
        for number, terms in enumerate(_compare(x[rows], x, y[rows], y, threshold)):
            # A copy of a point is no pair with it.
            terms[np.arange(len(terms)), np.arange(rows.start, rows.stop)] = 0
            by_column = np.add.reduceat(terms, starts, axis=1, dtype=np.float64)
            by_item = np.add.reduceat(by_column, starts[low:high] - rows.start, axis=0)
            sums[number] += np.einsum("di,di->d", item_weights @ by_item.T, item_weights[:, low:high])
    return PairSums(*(sums / 2))


def _item_blocks(starts: Indices) -> Iterator[tuple[int, int]]:
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
    """The terms of PairSums for every pair of a point and another point."""
    gaps = np.subtract.outer(x, others_x)
    sign_x, sign_y = _sign(gaps), _sign(np.subtract.outer(y, others_y))
    yield sign_x * sign_y
    yield np.abs(sign_x)
    yield np.abs(sign_y)
    sign_x[np.abs(gaps) <= threshold] = 0
    yield (sign_x == sign_y).astype(np.int8)
    yield np.ones_like(sign_x)


def _sign(gaps: Column) -> NDArray[np.int8]:
    # Faster than np.sign and a cast.
    return (gaps > 0).view(np.int8) - (gaps < 0).view(np.int8)


def tie_threshold(x: Column, y: Column) -> float:
    """The distance up to which x should count as tied, so that x and y agree on the most pairs."""
    first, second = np.triu_indices(len(x), 1)
    return best_threshold(x[first] - x[second], y[first] - y[second])


def best_threshold(gaps: Column, human: Column, share: Column | None = None) -> float:
    """The tie calibration of Deutsch et al. (2023), from the differences of each pair; `share` weights pairs.

    Tries every threshold that could be best: 0 and the distances of pairs that people call tied. Of equally
    good ones the smallest is taken.
    """
    distance = np.abs(gaps)
    # Calling a pair tied is right where people see a tie, and wrong where the order was right.
    won = (human == 0) & (distance > 0)
    lost = np.sign(gaps) * np.sign(human) > 0
    distances, gains = _sum_up_to(distance, won, share)
    if not len(distances):
        return 0.0
    lost_distances, losses = _sum_up_to(distance, lost, share)
    losses = np.append(0.0, losses)[np.searchsorted(lost_distances, distances, side="right")]
    # A threshold takes all pairs of the same distance along.
    last = np.append(distances[1:] != distances[:-1], True)
    distances, net = distances[last], (gains - losses)[last]
    best = int(np.argmax(net))
    # Sums of shares are rounded; a rounding error is no gain.
    return float(distances[best]) if net[best] > 1e-9 else 0.0


def _sum_up_to(distance: Column, chosen: Mask, share: Column | None) -> tuple[Column, Column]:
    """Sorted distances of the chosen pairs, and the total weight of pairs up to each."""
    distance = distance[chosen]
    if share is None:
        # np.sort is several times faster than np.argsort.
        return np.sort(distance), np.arange(1, len(distance) + 1, dtype=np.float64)
    order = np.argsort(distance)
    return distance[order], np.cumsum(share[chosen][order])


def correlate_rows(x: Column, y: Column, present: Mask, threshold: float) -> Mapping[str, Column]:
    """Every statistic of every row, in blocks of rows, so that memory is bounded."""
    rows = max(1, PAIRS_AT_ONCE // max(1, x.shape[1]) ** 2)
    blocks = [
        _correlate(x[low : low + rows], y[low : low + rows], present[low : low + rows], threshold)
        for low in range(0, len(x), rows)
    ]
    return {name: np.concatenate([block[name] for block in blocks]) for name in STATISTICS}


def _correlate(x: Column, y: Column, present: Mask, threshold: float) -> Mapping[str, Column]:
    both = present[:, :, None] & present[:, None, :] & ~np.eye(x.shape[1], dtype=bool)
    x, y = np.where(present, x, 0.0), np.where(present, y, 0.0)
    gaps = x[:, :, None] - x[:, None, :]
    sign_x, sign_y = np.sign(gaps), np.sign(y[:, :, None] - y[:, None, :])
    agree = np.where(np.abs(gaps) <= threshold, 0, sign_x) == sign_y
    terms = (sign_x * sign_y, sign_x != 0, sign_y != 0, agree, both)
    pairs = PairSums(*(np.where(both, term, 0).sum(axis=(1, 2)) / 2 for term in terms))
    distinct = np.minimum(_row_distinct(sign_x, both, present), _row_distinct(sign_y, both, present))
    return {
        "pearson": pearson_rows(x, y, present),
        "spearman": pearson_rows(_row_ranks(sign_x, both), _row_ranks(sign_y, both), present),
        **_from_pairs(pairs, present.sum(axis=1).astype(np.float64), distinct),
    }


def tie_threshold_rows(x: Column, y: Column, present: Mask) -> float:
    """One tie threshold for pairs within rows, where every row counts the same."""
    first, second = np.triu_indices(x.shape[1], 1)
    both = present[:, first] & present[:, second]
    gaps, human = (column[:, first] - column[:, second] for column in (x, y))
    share = np.broadcast_to(1 / np.maximum(both.sum(axis=1, keepdims=True), 1), both.shape)
    return best_threshold(gaps[both], human[both], share[both])


def pearson_rows(x: Column, y: Column, present: Mask) -> Column:
    """Pearson's correlation of each row."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (_centre(column, present) for column in (x, y))
        both, of_x, of_y = ((left * right).sum(axis=1) for left, right in ((x, y), (x, x), (y, y)))
        # A constant row gives 0 / 0, which is NaN: undefined.
        correlation: Column = np.clip(both / np.sqrt(of_x * of_y), -1, 1)
    return correlation


def _centre(column: Column, present: Mask) -> Column:
    """Distances from the mean; exactly 0 where a row is constant, whatever rounding makes of its mean."""
    mean = np.where(present, column, 0.0).sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
    low = np.where(present, column, np.inf).min(axis=1, keepdims=True)
    high = np.where(present, column, -np.inf).max(axis=1, keepdims=True)
    return np.where(present & (low < high), column - mean, 0.0)


def _row_ranks(sign: Column, both: Mask) -> Column:
    """Ranks with ties shared, up to a constant."""
    ranks: Column = np.where(both, sign, 0).sum(axis=2) / 2
    return ranks


def _row_distinct(sign: Column, both: Mask, present: Mask) -> Column:
    """How many distinct values a row has: points without an equal one before them."""
    before = np.tril(np.ones(sign.shape[1:], dtype=bool), -1)
    repeated = (both & before & (sign == 0)).any(axis=2)
    count: Column = (present & ~repeated).sum(axis=1).astype(np.float64)
    return count


def permutation_p_of_rows(
    first: Column, second: Column, human: Column, *, permutations: int, seed: int
) -> float:
    """Two-sided p of the difference of mean correlations over rows, where each point's two values may swap.

    A point that a row lacks is NaN in all three. Values are standardised first, as in `permutation_p`.
    """
    present = ~(np.isnan(first) | np.isnan(second) | np.isnan(human))
    first, second = (_standardise_all(column, present) for column in (first, second))
    generator = np.random.default_rng(seed)
    at_once = max(1, PAIRS_AT_ONCE // max(1, first.size))
    observed = abs(_mean_gap(first[None], second[None], human, present)[0])
    reached = 0
    for start in range(0, permutations, at_once):
        shape = (min(at_once, permutations - start), *first.shape)
        swap = generator.integers(2, size=shape, dtype=np.int8).astype(bool)
        gaps = _mean_gap(np.where(swap, second, first), np.where(swap, first, second), human, present)
        # Equal but for rounding counts as reached.
        reached += int((np.abs(gaps) >= observed - 1e-12).sum())
    return (reached + 1) / (permutations + 1) if not np.isnan(observed) else np.nan


def _standardise_all(column: Column, present: Mask) -> Column:
    mean, deviation = column[present].mean(), column[present].std()
    scaled: Column = (column - mean) / (deviation or 1.0)
    return scaled


def _mean_gap(first: Column, second: Column, human: Column, present: Mask) -> Column:
    """The mean correlation over rows of the first column less that of the second, for each permutation."""
    means = []
    for column in (first, second):
        flat = column.reshape(-1, column.shape[-1])
        times = len(flat) // len(human)
        rows = pearson_rows(flat, np.tile(human, (times, 1)), np.tile(present, (times, 1))).reshape(times, -1)
        defined = ~np.isnan(rows)
        with np.errstate(invalid="ignore"):
            means.append(np.where(defined, rows, 0.0).sum(axis=1) / defined.sum(axis=1))
    gap: Column = means[0] - means[1]
    return gap
