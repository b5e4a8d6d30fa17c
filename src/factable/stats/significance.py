"""Significance tests: bootstrap, Williams', permutation, McNemar's, randomisation; Holm's correction."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from factable.stats import Column
from factable.stats.bootstrap import Finish

SWAPS_AT_ONCE = 1 << 22
# Lentz's continued fraction converges in tens of steps at any degrees of freedom in use.
MAX_STEPS = 10_000
TINY = 1e-300
# From this many pairs on the chi-square approximation of McNemar's test is good enough.
FEWEST_FOR_CHI_SQUARE = 25


def bootstrap_p(differences: Column) -> float:
    """Two-sided p from the draws of a difference: twice the share of draws on the rarer side of 0."""
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return math.nan
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))


def williams_p(human_first: float, human_second: float, between: float, points: int) -> float:
    """One-sided p of Williams' test that the first metric correlates more with people than the second.

    Takes the correlations of people with both metrics and of the metrics with each other.
    """
    if points <= 3:
        return math.nan
    first, second, n = human_first, human_second, points
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    variance = 2 * (n - 1) / (n - 3) * determinant + ((first + second) / 2) ** 2 * (1 - between) ** 3
    # Written with "not", so that NaN ends here too; equal metrics leave rounding errors.
    if not variance > 1e-15:
        return math.nan
    return student_t_tail((first - second) * math.sqrt((n - 1) * (1 + between) / variance), n - 3)


def student_t_tail(t: float, freedom: float) -> float:
    """The probability that Student's t is greater than `t`."""
    tail = _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t), t * t / (freedom + t * t)) / 2
    return tail if t > 0 else 1 - tail


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b), with `rest` = 1 - x given exactly."""
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(log_front) / a * _beta_fraction(a, b, x)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22)."""
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = lower
    for step in range(1, MAX_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            lower = 1 / _not_zero(1 + term * lower)
            upper = _not_zero(1 + term / upper)
            fraction *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def permutation_p(first: Column, second: Column, human: Column, *, permutations: int, seed: int) -> float:
    """Two-sided p of the difference of Pearson correlations, where each point's two metric values may swap.

    Values are standardised before, so that metrics of different scales can be swapped.
    """
    first, second, human = (_standardise(column) for column in (first, second, human))
    observed = abs(float(first @ human - second @ human)) / len(human)
    generator = np.random.default_rng(seed)
    max_rows = max(1, SWAPS_AT_ONCE // len(human))
    # The sums of a swapped column are those of the original plus what swapping changes.
    change = np.stack([second - first, (second - first) * human, second**2 - first**2], axis=1)
    sums = [np.array([c.sum(), c @ human, c @ c]) for c in (first, second)]
    reached = 0
    for start in range(0, permutations, max_rows):
        rows = min(max_rows, permutations - start)
        moved = generator.integers(2, size=(rows, len(human)), dtype=np.int8).astype(np.float64) @ change
        gap = _correlation(sums[0] + moved, len(human)) - _correlation(sums[1] - moved, len(human))
        # Equal but for rounding counts as reached.
        reached += int((np.abs(gap) >= observed - 1e-12).sum())
    return (reached + 1) / (permutations + 1) if not math.isnan(observed) else math.nan


def _standardise(column: Column) -> Column:
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled: Column = (column - column.mean()) / column.std()
    return scaled


def _correlation(sums: Column, points: int) -> Column:
    """Pearson's correlation with standardised ratings, from sums of x, of x times rating and of x squared."""
    of_x, with_human, squares = sums.T
    deviation = np.sqrt(np.maximum(squares - of_x**2 / points, 1e-300) * points)
    correlation: Column = with_human / deviation
    return correlation


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Two-sided p of McNemar's test, from how often only the first and only the second metric is right.

    Exact (binomial) below 25 such cases, otherwise chi-square with continuity correction.
    """
    cases = only_first + only_second
    if cases < FEWEST_FOR_CHI_SQUARE:
        rarer = min(only_first, only_second)
        return min(1.0, 2 * sum(math.comb(cases, k) for k in range(rarer + 1)) / 2.0**cases)
    # The correction must not turn no difference into one.
    corrected = max(0, abs(only_first - only_second) - 1)
    return math.erfc(corrected / math.sqrt(2 * cases))


def holm(p_values: Sequence[float] | Column) -> list[float]:
    """Holm's adjusted p-values, for many comparisons at once; NaN stays NaN and does not count."""
    tested = [index for index in range(len(p_values)) if not math.isnan(p_values[index])]
    adjusted = [math.nan] * len(p_values)
    lowest = 0.0
    for rank, index in enumerate(sorted(tested, key=p_values.__getitem__)):
        lowest = max(lowest, min(1.0, (len(tested) - rank) * float(p_values[index])))
        adjusted[index] = lowest
    return adjusted


# Relative rounding error of sums in another order; a gap that is equal but for it counts as reached.
ROUNDING = 1e-10


def randomization_p(
    systems: Sequence[Column],
    pairs: Sequence[tuple[int, int]],
    finish: Finish,
    *,
    randomizations: int,
    seed: int,
) -> list[float]:
    """Two-sided p of the difference of each pair of systems, where the outputs of any item may swap.

    `systems` has a row of statistics per item for each system, in the same order of items; `finish` turns
    rows of sums into values. All pairs see the same swaps.
    """
    totals = [rows.sum(axis=0) for rows in systems]
    values = finish(np.stack(totals))
    observed = [abs(float(values[first] - values[second])) for first, second in pairs]
    enough = [
        gap - ROUNDING * max(abs(values[first]), abs(values[second]))
        for gap, (first, second) in zip(observed, pairs, strict=True)
    ]
    reached = [0] * len(pairs)
    for swaps in _draw_swaps(len(systems[0]), randomizations, seed):
        # The statistics that a system gives away in each randomisation; the other system of a pair gets them.
        given = [swaps @ rows for rows in systems]
        for index, (first, second) in enumerate(pairs):
            change = given[second] - given[first]
            gaps = np.abs(finish(totals[first] + change) - finish(totals[second] - change))
            reached[index] += int((gaps >= enough[index]).sum())
    if not randomizations:
        return [math.nan] * len(pairs)
    return [
        math.nan if math.isnan(gap) else (count + 1) / (randomizations + 1)
        for count, gap in zip(reached, observed, strict=True)
    ]


def _draw_swaps(items: int, randomizations: int, seed: int) -> Iterator[Column]:
    """Which items swap (1) and which do not (0), in chunks of bounded size."""
    generator = np.random.default_rng(seed)
    max_rows = max(1, SWAPS_AT_ONCE // items)
    for start in range(0, randomizations, max_rows):
        size = (min(max_rows, randomizations - start), items)
        yield generator.integers(2, size=size, dtype=np.bool_).astype(np.float64)
