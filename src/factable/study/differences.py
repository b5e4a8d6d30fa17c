"""Is one metric closer to people than another."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factable.stats.bootstrap import Draws, interval
from factable.stats.significance import bootstrap_p, permutation_p, williams_p
from factable.study.panel import Column

# The statistic whose differences are tested: Williams' test is about this one.
COMPARED = "pearson"


class Contender(NamedTuple):
    """A metric, its correlation in every draw, and the columns (metric, ratings) that it came from."""

    metric: str
    draws: Column
    columns: tuple[Column, Column] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two correlations, its interval and p-values; `reason` says why some are NaN."""

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


def _test_columns(first: Contender, second: Contender, draws: Draws) -> tuple[float, float]:
    """Williams' and the permutation test, where there is one column of each metric to test."""
    difference = float(first.draws[0] - second.draws[0])
    if first.columns is None or second.columns is None or math.isnan(difference):
        return math.nan, math.nan
    (x, ratings), (other, _) = first.columns, second.columns
    between = float(np.corrcoef(x, other)[0, 1])
    williams = williams_p(float(first.draws[0]), float(second.draws[0]), between, len(x))
    if not draws.draws:
        return williams, math.nan
    return williams, permutation_p(x, other, ratings, permutations=draws.draws, seed=draws.seed)


def _why_missing(first: Contender, second: Contender, draws: Draws, williams: float) -> str:
    """Why some numbers are missing, or nothing."""
    if math.isnan(first.draws[0] - second.draws[0]):
        return "a correlation is undefined"
    reasons = []
    if first.columns is None:
        reasons.append("Williams' and the permutation test are not made for averages over items")
    elif math.isnan(williams):
        reasons.append("Williams' test needs four points and metrics that differ")
    if not draws.draws:
        reasons.append("nothing was drawn")
    return "; ".join(reasons)
