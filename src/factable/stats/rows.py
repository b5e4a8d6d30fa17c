"""The same statistics for many short pairs of rows at once: systems in each draw, or systems of each item.

`x` and `y` are rows x points; `there` says which points a row has. A number per row, NaN where undefined.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from factable.stats.correlation import STATISTICS, from_pairs
from factable.stats.pairs import Column, PairSums, best_threshold

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
    distinct = np.minimum(_distinct(sign_x, both, there), _distinct(sign_y, both, there))
    return {
        "pearson": pearson_rows(x, y, there),
        "spearman": pearson_rows(_ranks(sign_x, both), _ranks(sign_y, both), there),
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


def _ranks(sign: Column, both: Mask) -> Column:
    """Ranks with ties shared, up to a constant."""
    ranks: Column = np.where(both, sign, 0).sum(axis=2) / 2
    return ranks


def _distinct(sign: Column, both: Mask, there: Mask) -> Column:
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
    mean, spread = column[there].mean(), column[there].std()
    scaled: Column = (column - mean) / (spread or 1.0)
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
