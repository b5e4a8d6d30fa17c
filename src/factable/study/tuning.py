"""The value of a metric's parameter that agrees best with people, and how much of that is luck.

A value chosen on some ratings fits them better than it will fit others. So in each bootstrap draw of items
the best value is chosen on the items drawn and measured on those that were not, beside the default value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from math import isfinite
from tokenize import NAME, OP, TokenError, generate_tokens
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.core.params import Param
from factable.core.registry import load, parse
from factable.core.signature import spec
from factable.errors import UsageError, did_you_mean
from factable.stats import Column, Indices
from factable.stats.bootstrap import Draws, Interval, interval
from factable.stats.significance import bootstrap_p
from factable.study.levels import (
    Level,
    check_level,
    choose_points,
    pearson_at,
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
    metric_number,
    signatures_of,
)

Value = int | float
STAR = "*"
MAX_VALUES = 1_000
# Values to try by default, as far as the metric takes them.
SHARES = tuple(number / 20 for number in range(21))
WHOLES = tuple(range(11))
STATISTIC = "pearson"


@dataclass(frozen=True, slots=True)
class Grid:
    """A metric with every value to try, and with its default value; `text` is its spec with a star."""

    text: str
    parameter: str
    default: Metric
    settings: Mapping[Value, Metric]

    @property
    def metrics(self) -> list[Metric]:
        """All metrics to score, each once."""
        return list(dict.fromkeys([*self.settings.values(), self.default]))


def make_grid(metric: str, values: str | None = None) -> Grid:
    """Read a metric such as `parent(mix=*)`, and values such as `0:1:0.05` or `1,2,4`.

    Without values those from 0 to 1 are tried for a fraction, and small whole numbers for a count.
    """
    starred = _parse_starred(metric)
    tried = _default_values(starred) if values is None else _parse_values(values)
    settings = {value: starred.fill(value) for value in tried}
    default = starred.fill(starred.param.default)
    return Grid(metric.strip(), starred.param.name, default, settings)


@dataclass(frozen=True, slots=True)
class _StarredSpec:
    """Spec text before and after the star, and the parameter that the star stands for."""

    before: str
    after: str
    metric: type[Metric]
    param: Param

    def fill(self, value: object) -> Metric:
        """The metric with a value in place of the star."""
        return parse(f"{self.before}{value!r}{self.after}")


def _parse_starred(text: str) -> _StarredSpec:
    """Read a spec in which one parameter is a star."""
    text = text.strip()
    start, parameter, name = _find_star(text)
    metric = load(name)
    params = {param.name: param for param in metric.params}
    if parameter not in params:
        hint = did_you_mean(parameter, params)
        raise UsageError(f"{name} has no parameter {parameter!r}; {hint}parameters are {', '.join(params)}")
    starred = _StarredSpec(text[:start], text[start + 1 :], metric, params[parameter])
    # Raises now, and not for each value, if anything else is wrong with the text.
    starred.fill(starred.param.default)
    return starred


def _find_star(text: str) -> tuple[int, str, str]:
    """The position of the star, its parameter and the name of the metric; quoted text may have stars."""
    try:
        tokens = list(generate_tokens(StringIO(text).readline))
    except (TokenError, SyntaxError):
        tokens = []
    indices = [index for index, token in enumerate(tokens) if token.type == OP and STAR in token.string]
    if len(indices) == 1 and "\n" not in text and tokens[0].type == NAME:
        index = indices[0]
        parameter, equals, star = tokens[index - 2 : index + 1] if index > 2 else tokens[:3]
        if (parameter.type, equals.string, star.string) == (NAME, "=", STAR):
            return star.start[1], parameter.string, tokens[0].string
    raise UsageError(f"cannot read {text!r}; write a metric with one * to tune, such as parent(mix=*)")


def _default_values(starred: _StarredSpec) -> tuple[Value, ...]:
    """Shares from 0 to 1 for a fraction, small whole numbers for a count, as far as the metric takes them."""
    name = f"{starred.metric.name}: {starred.param.name}"
    if starred.param.range is None:
        numbers = [param.name for param in starred.metric.params if param.range is not None]
        known = f"; numbers are {', '.join(numbers)}" if numbers else ""
        raise UsageError(f"{name} is no number and cannot be tuned{known}")
    tried: Sequence[Value] = WHOLES if isinstance(starred.param.range[0], int) else SHARES
    # A parameter that takes 2.0 is no fraction.
    taken = () if _takes(starred, 2.0) else tuple(value for value in tried if _takes(starred, value))
    if len(taken) < 2:
        raise UsageError(f"{name} has no natural range; give `values`")
    return taken


def _takes(starred: _StarredSpec, value: Value) -> bool:
    try:
        starred.fill(value)
    except UsageError:
        return False
    return True


def _parse_values(text: str) -> tuple[Value, ...]:
    """Values such as `1,2,4`, or all from one to another by a step such as `0:1:0.05`, each once."""
    try:
        values = _between(text) if ":" in text else [Decimal(piece) for piece in text.split(",")]
        if not all(isfinite(value) for value in values):
            raise ValueError
    except (ArithmeticError, ValueError):
        remedy = "write values such as 1,2,4 or a range with a step such as 0:1:0.05"
        raise UsageError(f"cannot read the grid {text!r}; {remedy}") from None
    if not 2 <= len(set(values)) <= MAX_VALUES:
        raise UsageError(f"the grid {text!r} is too small or too large; give 2 to {MAX_VALUES:,} values")
    return tuple(_plain(value) for value in dict.fromkeys(values))


def _between(text: str) -> list[Decimal]:
    """Exact decimals, so that 0.15 is 0.15 and the end is included."""
    start, stop, step = map(Decimal, text.split(":"))
    if step <= 0 or stop < start:
        raise ValueError
    # One more than allowed is enough to refuse the grid.
    steps = min(int((stop - start) / step), MAX_VALUES)
    return [start + number * step for number in range(steps + 1)]


def _plain(value: Decimal) -> Value:
    """An int where the number was written as one."""
    return int(value) if value.as_tuple().exponent == 0 else float(value)


@dataclass(frozen=True, slots=True)
class Setting:
    """A metric with one value: its correlation, and the share of draws in which it was the best."""

    value: Value
    metric: str
    correlation: Estimate
    chosen: float


class OutOfBag(NamedTuple):
    """Correlations on the items that a draw left out, over all draws; `reason` says why they are NaN.

    `tuned` is of the value that was best on the items drawn, `gain` its lead over the default value.
    """

    tuned: Interval
    default: Interval
    gain: Interval
    p: float
    reason: str


@dataclass(frozen=True, slots=True)
class TunedRating:
    """All settings against one rating; `best` is None where no correlation is defined."""

    human: str
    settings: tuple[Setting, ...]
    best: Setting | None
    default: Estimate
    out_of_bag: OutOfBag
    examples_left_out: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """One parameter tuned to each rating, and the settings it was computed with."""

    metric: str
    parameter: str
    default: str
    level: str
    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    tuned: tuple[TunedRating, ...]


def tune(
    data: StudyData,
    metric: str | Grid,
    *,
    humans: Sequence[str] = (),
    level: Level = "system",
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    jobs: int = 1,
) -> Tuning:
    """Find the best value of a metric's parameter, such as `parent(mix=*)`, for each rating.

    A panel must have been scored with all metrics of the grid.
    """
    grid = make_grid(metric) if isinstance(metric, str) else metric
    panel = as_panel(data, grid.metrics, jobs=jobs)
    names = choose_ratings(panel, humans)
    panel = choose_systems(panel, systems, excluded)
    check_level(panel, level)
    drawn = Draws(int(panel.item_of.max()) + 1, draws, seed)
    return Tuning(
        metric=grid.text,
        parameter=grid.parameter,
        default=spec(grid.default),
        level=level,
        draws=draws,
        seed=seed,
        signatures=signatures_of(panel),
        systems=panel.result.systems,
        examples=len(panel.item_of),
        tuned=tuple(_tune(panel, grid, human, level, drawn) for human in names),
    )


def _tune(panel: Panel, grid: Grid, human: str, level: str, draws: Draws) -> TunedRating:
    """Choose by one rating, on the examples that every setting scores."""
    numbers = range(len(panel.result.metrics))
    usable = np.all([usable_examples(panel, number, human) for number in numbers], axis=0)
    points = [choose_points(panel, number, usable, panel.ratings[human]) for number in numbers]

    def correlate(weights: Column) -> Column:
        return np.stack([pearson_at(level, metric_points, weights) for metric_points in points], axis=1)

    drawn = draws.apply(
        lambda weights: {"in": correlate(weights), "out": correlate((weights == 0).astype(np.float64))}
    )
    indices = [metric_number(panel, metric) for metric in grid.settings.values()]
    default = metric_number(panel, grid.default)
    best = _best(drawn["in"][:, indices])
    estimates = [
        estimate(column, why_undefined(metric_points, level))
        for column, metric_points in zip(drawn["in"].T, points, strict=True)
    ]
    settings = tuple(
        Setting(value, panel.result.scores[index].metric, estimates[index], _share(best[1:], number))
        for number, (value, index) in enumerate(zip(grid.settings, indices, strict=True))
    )
    return TunedRating(
        human=human,
        settings=settings,
        best=settings[best[0]] if best[0] >= 0 else None,
        default=estimates[default],
        out_of_bag=_out_of_bag(drawn["out"][1:, indices], drawn["out"][1:, default], best[1:]),
        examples_left_out=int((~usable).sum()),
    )


def _best(correlations: Column) -> Indices:
    """The column with the highest correlation in each row, the first of equal ones; -1 where all are NaN."""
    known = np.where(np.isnan(correlations), -np.inf, correlations)
    return np.where(np.isinf(known).all(axis=1), -1, known.argmax(axis=1))


def _share(best: Indices, number: int) -> float:
    """How often a setting was chosen, of the draws in which one was; NaN where there are none."""
    chosen = best[best >= 0]
    return float((chosen == number).mean()) if len(chosen) else math.nan


def _out_of_bag(settings: Column, default: Column, best: Indices) -> OutOfBag:
    """Correlations of the value that was best on the items drawn, on the other items."""
    tuned = np.where(best >= 0, settings[np.arange(len(best)), best], np.nan)
    gain = tuned - default
    # Both over the same draws, so that the gain is the difference of the means.
    defined = ~np.isnan(gain)
    reason = "" if defined.any() else "no draw leaves out items with a correlation"
    if not len(best):
        reason = "nothing was drawn"
    intervals = [interval(column[defined]) for column in (tuned, default, gain)]
    return OutOfBag(intervals[0], intervals[1], intervals[2], bootstrap_p(gain), reason)
