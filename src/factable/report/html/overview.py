"""The overview of a page: values with intervals, and histograms."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from factable.core.metric import Metric, corpus_results, part_heads
from factable.core.results import VALUE, Scores, pick
from factable.engine.collect import Result
from factable.report.tables import format_scale
from factable.stats import Column, Indices
from factable.stats.bootstrap import Draws, Interval, group_means, group_totals, interval

if TYPE_CHECKING:
    from factable.study.comparison import SystemComparison

BINS = 25
# The number of a system that stands for all of them together.
ALL = -1


@dataclass(frozen=True, slots=True)
class Line:
    """A system by number, or all of them: value with interval, parts, and how many values are in each bin."""

    system: int
    examples: int
    unscored: int
    value: float
    low: float
    high: float
    parts: Sequence[float]
    bins: Sequence[int]
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """All about one metric; `edges` are the lowest and highest value of the distribution."""

    spec: str
    name: str
    signature: str
    scale: str
    better: str
    parts: Sequence[str]
    heads: Sequence[str]
    meanings: Sequence[str]
    edges: tuple[float, float]
    lines: Sequence[Line]
    differences: Sequence[Mapping[str, object]] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """How intervals are drawn: how often, from which seed, and the number of each example's item."""

    draws: int
    seed: int
    item_of: Indices


def overviews(result: Result, drawing: Drawing, comparison: "SystemComparison | None") -> list[Overview]:
    """One for each metric; a comparison brings its own values, of the items that all its systems have."""
    if comparison:
        return [_compared(result, index, comparison) for index in range(len(result.metrics))]
    intervals = _intervals(result, drawing)
    return [_scored(result, index, intervals[index]) for index in range(len(result.metrics))]


def _scored(result: Result, index: int, intervals: Sequence[Interval]) -> Overview:
    metric, scores = result.metrics[index], result.scores[index]
    edges = _edges(metric, np.frombuffer(scores.values))
    system_of = _system_of(result)
    groups = [(number, system_of == number) for number in range(len(result.systems))]
    if len(groups) > 1:
        groups.append((ALL, np.ones(len(system_of), dtype=bool)))
    lines = [
        _line(metric, pick(scores, members), number, bounds, edges)
        for (number, members), bounds in zip(groups, intervals, strict=False)
    ]
    return _overview(metric, scores, edges, lines)


def _overview(metric: Metric, scores: Scores, edges: tuple[float, float], lines: Sequence[Line]) -> Overview:
    better = "higher" if metric.higher_is_better else "lower"
    return Overview(
        spec=scores.metric,
        name=metric.name,
        signature=scores.signature,
        scale=format_scale(metric.bounds, higher_is_better=True),
        better=better,
        parts=metric.parts,
        heads=part_heads(metric),
        meanings=[metric.meanings.get(part, "") for part in metric.parts],
        edges=edges,
        lines=lines,
    )


def _line(metric: Metric, scores: Scores, system: int, bounds: Interval, edges: tuple[float, float]) -> Line:
    together = corpus_results(metric, scores.values, scores.parts, scores.stats)
    return Line(
        system=system,
        examples=len(scores.values),
        unscored=sum(map(math.isnan, scores.values)),
        value=together[VALUE],
        low=bounds.low,
        high=bounds.high,
        parts=[together[part] for part in metric.parts],
        bins=_bins(np.frombuffer(scores.values), edges),
    )


def _compared(result: Result, index: int, comparison: "SystemComparison") -> Overview:
    metric, scores, ranking = result.metrics[index], result.scores[index], comparison.rankings[index]
    values = np.frombuffer(scores.values)
    edges = _edges(metric, values)
    numbers = {name: number for number, name in enumerate(result.systems)}
    system_of = _system_of(result)
    lines = [
        Line(
            system=numbers[standing.system],
            examples=ranking.items,
            unscored=ranking.unscored,
            value=standing.value,
            low=standing.low,
            high=standing.high,
            parts=list(standing.parts.values()),
            bins=_bins(values[system_of == numbers[standing.system]], edges),
            rank=standing.rank,
        )
        for standing in ranking.standings
    ]
    differences = [
        asdict(difference) | {"system": numbers[difference.system], "other": numbers[difference.other]}
        for difference in ranking.differences
    ]
    return replace(_overview(metric, scores, edges, lines), differences=differences)


def _system_of(result: Result) -> Indices:
    return np.frombuffer(result.system_of, dtype=np.uint32).astype(np.int64)


def _edges(metric: Metric, values: Column) -> tuple[float, float]:
    """The bounds of the metric; the values' own where it has none."""
    defined = values[~np.isnan(values)]
    low, high = metric.bounds
    low = low if math.isfinite(low) else float(defined.min(initial=0.0))
    high = high if math.isfinite(high) else float(defined.max(initial=low))
    return low, high if high > low else low + 1


def _bins(values: Column, edges: tuple[float, float]) -> list[int]:
    counts: list[int] = np.histogram(values[~np.isnan(values)], bins=BINS, range=edges)[0].tolist()
    return counts


def _intervals(result: Result, drawing: Drawing) -> list[list[Interval]]:
    """For each metric the interval of each system, and of all; items are drawn, with all their texts."""
    system_of, nobody = _system_of(result), np.zeros(len(result.system_of), dtype=np.int64)
    groupings = {"system": (system_of, len(result.systems)), "all": (nobody, 1)}

    def compute(weights: Column) -> dict[str, Column]:
        return {
            f"{index} {name}": _drawn(result, index, drawing.item_of, *groups, weights=weights)
            for index in range(len(result.metrics))
            for name, groups in groupings.items()
        }

    items = int(drawing.item_of.max()) + 1
    drawn = Draws(items, drawing.draws, drawing.seed).apply(compute)
    intervals = []
    for index in range(len(result.metrics)):
        # The first draw is the data itself.
        columns = np.hstack([drawn[f"{index} {name}"] for name in groupings])[1:]
        intervals.append([interval(column) for column in columns.T])
    return intervals


def _drawn(
    result: Result, index: int, item_of: Indices, group_of: Indices, groups: int, *, weights: Column
) -> Column:
    """The value of each group in each draw (draws x groups)."""
    metric, scores = result.metrics[index], result.scores[index]
    values = np.frombuffer(scores.values)
    scored = ~np.isnan(values)
    item_of, group_of = item_of[scored], group_of[scored]
    if not metric.additive:
        return group_means(values[scored], item_of, group_of, groups, weights)
    rows = np.frombuffer(scores.stats).reshape(len(values), -1)[scored]
    return group_totals(rows, item_of, group_of, groups, weights, metric.finish_rows)
