"""How well each metric agrees with human ratings."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.stats import Column, Mask
from factable.stats.bootstrap import Draws, interval
from factable.stats.correlation import permutation_p_of_rows, why_no_pairs
from factable.stats.significance import bootstrap_p, permutation_p, williams_p
from factable.study.levels import (
    Level,
    Points,
    check_level,
    choose_points,
    over_draws,
    over_examples,
    over_items,
    over_systems,
    point_rows,
    system_ratings,
    system_values,
    undefined_everywhere,
    undefined_items,
    usable_examples,
    why_undefined,
)
from factable.study.panel import (
    Estimate,
    Panel,
    StudyData,
    as_panel,
    choose_ratings,
    choose_systems,
    estimate,
    signatures_of,
    with_holm,
)

# The statistic whose differences are tested: Williams' test is about this one.
COMPARED = "pearson"


@dataclass(frozen=True, slots=True)
class RatingAgreement:
    """How a metric agrees with one rating: every statistic, and how much was left out.

    `samples` are Pearson's r in each bootstrap sample.
    """

    metric: str
    human: str
    statistics: Mapping[str, Estimate]
    examples_left_out: int
    items_left_out: int
    samples: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """The difference of two correlations, its interval and p-values; `reason` says why some are NaN.

    `p_holm` is p_bootstrap, or p_williams where nothing was drawn, after Holm's correction for all pairs of
    metrics with the same rating.
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


@dataclass(frozen=True, slots=True)
class RatingStudy:
    """Agreements with ratings and differences between metrics, and the settings they were computed with."""

    level: str
    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    humans: tuple[str, ...]
    agreements: tuple[RatingAgreement, ...]
    differences: tuple[CorrelationDifference, ...]
    alpha: float = 0.05


def study_ratings(
    data: StudyData,
    metrics: Iterable[str | Metric] = (),
    *,
    humans: Sequence[str] = (),
    level: Level = "system",
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    alpha: float = 0.05,
    jobs: int = 1,
) -> RatingStudy:
    """Correlate every metric with every rating, and compare the metrics with each other.

    `humans` names the ratings, `systems` the systems to use without those `excluded`; all if not given.
    `level` says what is correlated: systems, examples, or the systems of each item, averaged over items.
    Differences with p below `alpha` are shown as significant.
    """
    panel = as_panel(data, metrics, jobs=jobs)
    names = choose_ratings(panel, humans)
    panel = choose_systems(panel, systems, excluded)
    check_level(panel, level)
    points = len(panel.item_of) if level == "example" else 0
    correlator = _Correlator(panel, level, Draws(int(panel.item_of.max()) + 1, draws, seed, points))
    numbers = range(len(panel.result.metrics))
    return RatingStudy(
        level=level,
        draws=draws,
        seed=seed,
        signatures=signatures_of(panel),
        systems=panel.result.systems,
        examples=len(panel.item_of),
        humans=names,
        agreements=tuple(correlator.agreement(number, name) for name in names for number in numbers),
        differences=tuple(difference for name in names for difference in correlator.differences(name)),
        alpha=alpha,
    )


class _Contender(NamedTuple):
    """A metric, its correlation in every draw, and the values and ratings it came from, as rows of points.

    There is one row, or at the level of items one for each; a point that a row lacks is NaN.
    """

    metric: str
    draws: Column
    values: Column
    ratings: Column


class _Correlator:
    """Correlates metrics with ratings; results are kept for the comparisons."""

    def __init__(self, panel: Panel, level: str, draws: Draws) -> None:
        self._panel, self._level, self._draws = panel, level, draws
        self._cache: dict[tuple[int, str, bytes], Mapping[str, Column]] = {}
        self._system_values: dict[tuple[int, bytes], Column] = {}

    def agreement(self, number: int, human: str) -> RatingAgreement:
        """Every statistic of one metric and rating."""
        usable = usable_examples(self._panel, number, human)
        points = self._points(number, human, usable)
        reason = why_undefined(points, self._level)
        size = len(points.values) if self._level == "example" else 0
        correlations = self._correlate(number, human, usable)
        return RatingAgreement(
            metric=self._panel.result.scores[number].metric,
            human=human,
            statistics={
                name: estimate(column, reason or why_no_pairs(name, size))
                for name, column in correlations.items()
            },
            examples_left_out=int((~usable).sum()),
            items_left_out=undefined_items(points) if self._level == "item" else 0,
            samples=tuple(correlations[COMPARED][1:].tolist()),
        )

    def differences(self, human: str) -> list[CorrelationDifference]:
        """Every two metrics, on the examples that both score."""
        numbers = range(len(self._panel.result.metrics))
        pairs = [self._difference(*pair, human) for pair in combinations(numbers, 2)]
        return with_holm(pairs, [p.p_williams if math.isnan(p.p_bootstrap) else p.p_bootstrap for p in pairs])

    def _difference(self, first: int, second: int, human: str) -> CorrelationDifference:
        usable = usable_examples(self._panel, first, human) & usable_examples(self._panel, second, human)
        pair = [
            _Contender(
                self._panel.result.scores[number].metric,
                self._correlate(number, human, usable)[COMPARED],
                *point_rows(self._points(number, human, usable), self._level),
            )
            for number in (first, second)
        ]
        return _compare(pair[0], pair[1], human, self._draws)

    def _points(self, number: int, human: str, usable: Mask) -> Points:
        return choose_points(self._panel, number, usable, self._panel.ratings[human])

    def _correlate(self, number: int, human: str, usable: Mask) -> Mapping[str, Column]:
        key = (number, human, usable.tobytes())
        if key not in self._cache:
            self._cache[key] = self._compute(number, self._points(number, human, usable), usable)
        return self._cache[key]

    def _compute(self, number: int, points: Points, usable: Mask) -> Mapping[str, Column]:
        if not usable.any():
            return undefined_everywhere(self._draws)
        if self._level == "example":
            return over_examples(points, self._draws)
        if self._level == "item":
            return over_items(points, self._draws)
        # The values of systems are the same for every rating, and those of additive metrics are slow.
        key = (number, usable.tobytes())
        if key not in self._system_values:
            self._system_values[key] = over_draws(system_values, points, self._draws)
        return over_systems(self._system_values[key], over_draws(system_ratings, points, self._draws))


def _compare(first: _Contender, second: _Contender, human: str, draws: Draws) -> CorrelationDifference:
    """Compare two metrics on the same examples and draws; the one that is better on the data comes first."""
    if second.draws[0] > first.draws[0]:
        first, second = second, first
    differences = first.draws - second.draws
    _, low, high = interval(differences[1:])
    williams, permutation = _test_columns(first, second, draws)
    return CorrelationDifference(
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


def _test_columns(first: _Contender, second: _Contender, draws: Draws) -> tuple[float, float]:
    """The p of Williams' test, where there is one row of points, and of the permutation test."""
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


def _why_missing(first: _Contender, second: _Contender, draws: Draws, williams: float) -> str:
    """Why some p-values are missing; empty if none is."""
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
