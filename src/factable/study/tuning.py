"""The value of a metric's parameter that agrees best with people, and how much of that is luck.

A value chosen on some ratings fits them better than it will fit others. So in each bootstrap draw of items
the best value is chosen on the items drawn and judged on those that were not, next to the default setting.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factable.signature import spec
from factable.stats.bootstrap import Draws, Interval, interval
from factable.stats.significance import bootstrap_p
from factable.study.grid import Grid, Value
from factable.study.levels import choose_points, usable_examples, why_undefined
from factable.study.measured import Measured, summarize
from factable.study.panel import Column, Panel, Places, choose_dimensions, choose_systems
from factable.study.ratings import check_systems
from factable.study.weighted import pearson_at

STATISTIC = "pearson"


@dataclass(frozen=True, slots=True)
class Setting:
    """A metric with one value: its correlation, and the share of draws in which it was best."""

    value: Value
    metric: str
    correlation: Measured
    chosen: float


class OutOfBag(NamedTuple):
    """Correlations on the items that a draw left out, over all draws; `reason` says why they are NaN.

    `tuned` is of the value that was best on the items drawn, `gain` what it is ahead of the default setting.
    """

    tuned: Interval
    default: Interval
    gain: Interval
    p: float
    reason: str


@dataclass(frozen=True, slots=True)
class Tuned:
    """All settings against one rating; `best` is None where no correlation is defined."""

    human: str
    settings: tuple[Setting, ...]
    best: Setting | None
    default: Measured
    out_of_bag: OutOfBag
    examples_left_out: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """One parameter tuned to each rating, and what it was made from."""

    metric: str
    parameter: str
    default: str
    level: str
    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    tuned: tuple[Tuned, ...]


def tune(
    panel: Panel,
    grid: Grid,
    *,
    humans: Sequence[str] = (),
    level: str = "system",
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> Tuning:
    """Find the best value for each rating, from a panel of all metrics of the grid."""
    names = choose_dimensions(panel, humans)
    panel = choose_systems(panel, systems, excluded)
    check_systems(panel, level)
    drawn = Draws(int(panel.item_of.max()) + 1, draws, seed)
    return Tuning(
        metric=grid.text,
        parameter=grid.parameter,
        default=spec(grid.default),
        level=level,
        draws=draws,
        seed=seed,
        signatures={scores.metric: scores.signature for scores in panel.result.scores},
        systems=panel.result.systems,
        examples=len(panel.item_of),
        tuned=tuple(_tune(panel, grid, human, level, drawn) for human in names),
    )


def _tune(panel: Panel, grid: Grid, human: str, level: str, draws: Draws) -> Tuned:
    """Choose by one rating, on the examples that every setting scores."""
    numbers = range(len(panel.result.metrics))
    usable = np.all([usable_examples(panel, number, human) for number in numbers], axis=0)
    points = [choose_points(panel, number, human, usable) for number in numbers]

    def correlate(weights: Column) -> Column:
        return np.stack([pearson_at(level, one, weights) for one in points], axis=1)

    found = draws.apply(
        lambda weights: {"in": correlate(weights), "out": correlate((weights == 0).astype(np.float64))}
    )
    places = [panel.result.metrics.index(metric) for metric in grid.settings.values()]
    default = panel.result.metrics.index(grid.default)
    best = _best(found["in"][:, places])
    measured = [
        summarize(column, why_undefined(one, level))
        for column, one in zip(found["in"].T, points, strict=True)
    ]
    settings = tuple(
        Setting(value, panel.result.scores[place].metric, measured[place], _share(best[1:], number))
        for number, (value, place) in enumerate(zip(grid.settings, places, strict=True))
    )
    return Tuned(
        human=human,
        settings=settings,
        best=settings[best[0]] if best[0] >= 0 else None,
        default=measured[default],
        out_of_bag=_out_of_bag(found["out"][1:, places], found["out"][1:, default], best[1:]),
        examples_left_out=int((~usable).sum()),
    )


def _best(correlations: Column) -> Places:
    """The column with the highest correlation in each row, the first of equal ones; -1 where all are NaN."""
    known = np.where(np.isnan(correlations), -np.inf, correlations)
    return np.where(np.isinf(known).all(axis=1), -1, known.argmax(axis=1))


def _share(best: Places, number: int) -> float:
    """How often a setting was chosen, of the draws in which one was; NaN where there are none."""
    chosen = best[best >= 0]
    return float((chosen == number).mean()) if len(chosen) else math.nan


def _out_of_bag(settings: Column, default: Column, best: Places) -> OutOfBag:
    """What was best on the items drawn, on the others."""
    tuned = np.where(best >= 0, settings[np.arange(len(best)), best], np.nan)
    gain = tuned - default
    # Both over the same draws, so that the gain is the difference of the means.
    defined = ~np.isnan(gain)
    reason = "" if defined.any() else "no draw leaves out items with a correlation"
    if not len(best):
        reason = "nothing was drawn"
    over, under, ahead = (interval(column[defined]) for column in (tuned, default, gain))
    return OutOfBag(over, under, ahead, bootstrap_p(gain), reason)
