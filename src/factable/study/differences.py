"""Is one metric closer to people than another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from factable.stats.bootstrap import Draws, interval
from factable.stats.rows import permutation_p_of_rows
from factable.stats.significance import bootstrap_p, holm, permutation_p, williams_p
from factable.study.panel import Column

# The statistic whose differences are tested: Williams' test is about this one.
COMPARED = "pearson"


class Contender(NamedTuple):
    """A metric, its correlation in every draw, and what it came from: values and ratings as rows of points.

    There is one row, or at the level of items one for each; a point that a row lacks is NaN.
    """

    metric: str
    draws: Column
    values: Column
    ratings: Column


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two correlations, its interval and p-values; `reason` says why some are NaN.

    `p_holm` is p_bootstrap, or p_williams where nothing was drawn, after Holm's correction for all
    comparisons with the same rating.
    """

    better: str
    worse: str
    human: str
    statistic: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_williams: float
    p_permutation: float
    p_holm: float = math.nan
    reason: str = ""


def compare(first: Contender, second: Contender, human: str, draws: Draws) -> Comparison:
    """Compare two metrics on the same examples and draws; the better one by the data itself is put first."""
    if second.draws[0] > first.draws[0]:
        first, second = second, first
    differences = first.draws - second.draws
    _, low, high = interval(differences[1:])
    williams, permutation = _test_columns(first, second, draws)
    return Comparison(
        better=first.metric,
        worse=second.metric,
        human=human,
        statistic=COMPARED,
        difference=float(differences[0]),
        low=low,
        high=high,
        p_bootstrap=bootstrap_p(differences[1:]),
        p_williams=williams,
        p_permutation=permutation,
        reason=_why_missing(first, second, draws, williams),
    )


def correct_for_many(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with p-values corrected for their number."""
    decisive = [one.p_williams if math.isnan(one.p_bootstrap) else one.p_bootstrap for one in comparisons]
    return [replace(one, p_holm=p) for one, p in zip(comparisons, holm(decisive), strict=True)]


def _test_columns(first: Contender, second: Contender, draws: Draws) -> tuple[float, float]:
    """Williams' test, where there is one row of points, and the permutation test."""
    difference = float(first.draws[0] - second.draws[0])
    if math.isnan(difference):
        return math.nan, math.nan
    rows = (first.values, second.values, first.ratings)
    one_row = len(first.values) == 1
    williams = permutation = math.nan
    if one_row:
        between = float(np.corrcoef(first.values[0], second.values[0])[0, 1])
        points = first.values.shape[1]
        williams = williams_p(float(first.draws[0]), float(second.draws[0]), between, points)
    if draws.draws:
        test = permutation_p if one_row else permutation_p_of_rows
        columns = [row[0] for row in rows] if one_row else rows
        permutation = test(*columns, permutations=draws.draws, seed=draws.seed)
    return williams, permutation


def _why_missing(first: Contender, second: Contender, draws: Draws, williams: float) -> str:
    """Why some numbers are missing, or nothing."""
    if math.isnan(first.draws[0] - second.draws[0]):
        return "a correlation is undefined"
    reasons = []
    if len(first.values) != 1:
        reasons.append("Williams' test is not made for averages over items")
    elif math.isnan(williams):
        reasons.append("Williams' test needs four points and metrics that differ")
    if not draws.draws:
        reasons.append("nothing was drawn")
    return "; ".join(reasons)
