"""How well each metric agrees with human ratings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.stats.bootstrap import Draws, interval
from factable.stats.correlation import permutation_p_of_rows, why_no_pairs
from factable.stats.significance import bootstrap_p, holm, permutation_p, williams_p
from factable.study.levels import (
    Mask,
    Points,
    choose_points,
    nothing,
    over_draws,
    over_examples,
    over_items,
    over_systems,
    point_rows,
    system_ratings,
    system_values,
    undefined_items,
    usable_examples,
    why_undefined,
)
from factable.study.panel import Column, Measured, Panel, choose_dimensions, choose_systems, summarize

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


FEWEST_SYSTEMS = 3


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a metric agrees with one rating: every statistic, and what was left out."""

    metric: str
    human: str
    statistics: Mapping[str, Measured]
    examples_left_out: int
    items_left_out: int


@dataclass(frozen=True, slots=True)
class Study:
    """All agreements and comparisons, and what they were made from."""

    level: str
    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    humans: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    comparisons: tuple[Comparison, ...]


def study(
    panel: Panel,
    *,
    humans: Sequence[str] = (),
    level: str = "system",
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> Study:
    """Correlate every metric with every rating, and compare the metrics with each other."""
    names = choose_dimensions(panel, humans)
    panel = choose_systems(panel, systems, excluded)
    check_systems(panel, level)
    work = _Work(panel, level, _draws(panel, level, draws, seed))
    numbers = range(len(panel.result.metrics))
    return Study(
        level=level,
        draws=draws,
        seed=seed,
        signatures={scores.metric: scores.signature for scores in panel.result.scores},
        systems=panel.result.systems,
        examples=len(panel.item_of),
        humans=names,
        agreements=tuple(work.agreement(number, name) for name in names for number in numbers),
        comparisons=tuple(
            one
            for name in names
            for one in correct_for_many([work.comparison(a, b, name) for a, b in combinations(numbers, 2)])
        ),
    )


def check_systems(panel: Panel, level: str) -> None:
    """Refuse a level that needs more systems than there are."""
    found = len(panel.result.systems)
    if level == "system" and found < FEWEST_SYSTEMS:
        noun = "system" if found == 1 else "systems"
        needed = f"level system needs {FEWEST_SYSTEMS} or more"
        raise UsageError(f"{found} {noun}, but {needed}; add systems or take level example")
    if level == "item" and found < 2:
        raise UsageError("1 system, but level item compares systems; add systems or take level example")


def _draws(panel: Panel, level: str, draws: int, seed: int) -> Draws:
    points = len(panel.item_of) if level == "example" else 0
    return Draws(int(panel.item_of.max()) + 1, draws, seed, points)


class _Work:
    """The study at hand; what was computed is kept for the comparisons."""

    def __init__(self, panel: Panel, level: str, draws: Draws) -> None:
        self._panel, self._level, self._draws = panel, level, draws
        self._known: dict[tuple[int, str, bytes], Mapping[str, Column]] = {}
        self._system_values: dict[tuple[int, bytes], Column] = {}

    def agreement(self, number: int, human: str) -> Agreement:
        """Every statistic of one metric and rating."""
        usable = usable_examples(self._panel, number, human)
        points = choose_points(self._panel, number, human, usable)
        found = self._correlate(number, human, usable)
        reason = why_undefined(points, self._level)
        size = len(points.values) if self._level == "example" else 0
        statistics = {
            name: summarize(column, reason or why_no_pairs(name, size)) for name, column in found.items()
        }
        undefined = undefined_items(points) if self._level == "item" else 0
        left_out = int((~usable).sum())
        return Agreement(self._panel.result.scores[number].metric, human, statistics, left_out, undefined)

    def comparison(self, first: int, second: int, human: str) -> Comparison:
        """Two metrics on the examples that both score."""
        usable = usable_examples(self._panel, first, human) & usable_examples(self._panel, second, human)
        pair = [
            Contender(
                self._panel.result.scores[number].metric,
                self._correlate(number, human, usable)[COMPARED],
                *point_rows(choose_points(self._panel, number, human, usable), self._level),
            )
            for number in (first, second)
        ]
        return compare(pair[0], pair[1], human, self._draws)

    def _correlate(self, number: int, human: str, usable: Mask) -> Mapping[str, Column]:
        key = (number, human, usable.tobytes())
        if key not in self._known:
            points = choose_points(self._panel, number, human, usable)
            self._known[key] = self._compute(number, points, usable)
        return self._known[key]

    def _compute(self, number: int, points: Points, usable: Mask) -> Mapping[str, Column]:
        if not usable.any():
            return nothing(self._draws)
        if self._level == "example":
            return over_examples(points, self._draws)
        if self._level == "item":
            return over_items(points, self._draws)
        # The values of systems are the same for every rating, and those of additive metrics take their time.
        key = (number, usable.tobytes())
        if key not in self._system_values:
            self._system_values[key] = over_draws(system_values, points, self._draws)
        return over_systems(self._system_values[key], over_draws(system_ratings, points, self._draws))
