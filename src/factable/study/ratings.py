"""How well each metric agrees with human ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from factable.errors import UsageError
from factable.stats.bootstrap import Draws
from factable.stats.correlation import why_no_pairs
from factable.study.differences import COMPARED, Comparison, Contender, compare, correct_for_many
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
from factable.study.measured import Measured, summarize
from factable.study.panel import Column, Panel, choose_dimensions, choose_systems

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
