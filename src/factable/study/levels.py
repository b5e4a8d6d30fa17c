"""The correlation of one metric with one rating at each level, in every draw of items."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

import numpy as np

from factable.core.metric import Metric
from factable.errors import UsageError
from factable.stats import Column, Indices, Mask
from factable.stats.bootstrap import Draws, group_means, group_totals
from factable.stats.correlation import (
    STATISTICS,
    correlate_draws,
    correlate_rows,
    pearson,
    pearson_rows,
    tie_threshold_rows,
    why_no_correlation,
)
from factable.study.panel import Panel

Level = Literal["system", "example", "item"]
LEVELS: tuple[Level, ...] = get_args(Level)
MIN_SYSTEMS = 3


def check_level(panel: Panel, level: str, levels: tuple[str, ...] = LEVELS) -> None:
    """Refuse a level that does not exist, or that needs more systems than there are."""
    if level not in levels:
        raise UsageError(f"`level` is {level!r}; it must be {', '.join(levels)}")
    systems = len(panel.result.systems)
    if level == "system" and systems < MIN_SYSTEMS:
        noun = "system" if systems == 1 else "systems"
        needed = f"level system needs {MIN_SYSTEMS} or more"
        raise UsageError(f"{systems} {noun}, but {needed}; add systems or take level example")
    if level == "item" and systems < 2:
        raise UsageError("1 system, but level item compares systems; add systems or take level example")


class Points(NamedTuple):
    """Examples with a value and a rating; `item_of` counts all items of the study, so that draws are shared.

    Values of metrics that are better lower, and their system values, have their sign turned, so that a
    positive correlation always means agreement.
    """

    metric: Metric
    values: Column
    rows: Column
    ratings: Column
    item_of: Indices
    system_of: Indices
    systems: int


def usable_examples(panel: Panel, number: int, human: str) -> Mask:
    """Which examples have this rating and a value of the metric with this number."""
    values = np.frombuffer(panel.result.scores[number].values)
    missing: Mask = np.isnan(values) | np.isnan(panel.ratings[human])
    return ~missing


def choose_points(panel: Panel, number: int, usable: Mask, ratings: Column) -> Points:
    """The usable examples, with the values of the metric with this number."""
    metric, scores = panel.result.metrics[number], panel.result.scores[number]
    return Points(
        metric=metric,
        values=sign_of(metric) * np.frombuffer(scores.values)[usable],
        rows=np.frombuffer(scores.stats).reshape(len(usable), -1)[usable],
        ratings=ratings[usable],
        item_of=panel.item_of[usable],
        system_of=panel.system_of[usable],
        systems=len(panel.result.systems),
    )


def sign_of(metric: Metric) -> float:
    """1, or -1 for a metric that is better lower."""
    return 1.0 if metric.higher_is_better else -1.0


def system_values(points: Points, weights: Column) -> Column:
    """The metric of each system in each draw (draws x systems).

    For an additive metric such as BLEU this is the corpus value, from summed statistics; for others the mean.
    """
    groups = (points.item_of, points.system_of, points.systems, weights)
    if not points.metric.additive:
        return group_means(points.values, *groups)
    totals = group_totals(points.rows, *groups, finish=points.metric.finish_rows)
    return sign_of(points.metric) * totals


def system_ratings(points: Points, weights: Column) -> Column:
    """The mean rating of each system in each draw."""
    return group_means(points.ratings, points.item_of, points.system_of, points.systems, weights)


def over_draws(compute: Callable[[Points, Column], Column], points: Points, draws: Draws) -> Column:
    """System values or ratings in all draws."""
    return draws.apply_one(lambda weights: compute(points, weights))


def mean_in_draws(values: Column, item_of: Indices, draws: Draws) -> Column:
    """The mean over texts in every draw of items."""
    together = np.zeros_like(item_of)
    return draws.apply_one(lambda weights: group_means(values, item_of, together, 1, weights)[:, 0])


def item_rows(points: Points) -> tuple[Column, Column]:
    """Values and ratings as items x systems, NaN where there is no example; empty items are left out."""
    present, row_of = np.unique(points.item_of, return_inverse=True)
    shape = (len(present), points.systems)
    values, ratings = np.full(shape, np.nan), np.full(shape, np.nan)
    values[row_of, points.system_of] = points.values
    ratings[row_of, points.system_of] = points.ratings
    return values, ratings


def undefined_everywhere(draws: Draws) -> Mapping[str, Column]:
    """Every statistic where there is nothing to correlate."""
    return dict.fromkeys(STATISTICS, np.full(draws.draws + 1, np.nan))


def over_systems(values: Column, ratings: Column) -> Mapping[str, Column]:
    """Correlations over systems, from the values and ratings of each in every draw."""
    present = ~(np.isnan(values) | np.isnan(ratings))
    threshold = tie_threshold_rows(values[:1], ratings[:1], present[:1])
    return correlate_rows(values, ratings, present, threshold)


def over_examples(points: Points, draws: Draws) -> Mapping[str, Column]:
    """Correlations over all examples."""
    return draws.apply(
        lambda weights: correlate_draws(points.values, points.ratings, points.item_of, weights)
    )


def over_items(points: Points, draws: Draws) -> Mapping[str, Column]:
    """Correlations over the systems of each item, averaged over the items where they are defined."""
    values, ratings = item_rows(points)
    present = ~np.isnan(values)
    threshold = tie_threshold_rows(values, ratings, present)
    statistics = correlate_rows(values, ratings, present, threshold)
    return draws.apply(
        lambda weights: {name: _average_items(points, column, weights) for name, column in statistics.items()}
    )


def _average_items(points: Points, by_item: Column, weights: Column) -> Column:
    """The mean of a statistic over the items where it is defined, in every draw."""
    defined = ~np.isnan(by_item)
    item_weights = weights[:, np.unique(points.item_of)[defined]]
    with np.errstate(invalid="ignore"):
        mean: Column = item_weights @ by_item[defined] / item_weights.sum(axis=1)
    return mean


def point_rows(points: Points, level: str) -> tuple[Column, Column]:
    """The values and the ratings that are correlated, row by row: one row, or one for each item."""
    if level == "item":
        return item_rows(points)
    if level == "example":
        return points.values[None], points.ratings[None]
    items = int(points.item_of.max(initial=-1)) + 1
    once = np.ones((1, items))
    values, ratings = system_values(points, once)[0], system_ratings(points, once)[0]
    present = ~(np.isnan(values) | np.isnan(ratings))
    return values[present][None], ratings[present][None]


def why_undefined(points: Points, level: str) -> str:
    """Why a metric and a rating have no correlation; empty if they have one."""
    if not len(points.values):
        return "no example has both a value and this rating"
    if level == "item":
        return "" if _count_defined_items(points) else "no item has systems that differ"
    (values,), (ratings,) = point_rows(points, level)
    return why_no_correlation(values, ratings)


def undefined_items(points: Points) -> int:
    """How many items have no correlation: fewer than two systems, or all alike."""
    return len(np.unique(points.item_of)) - _count_defined_items(points)


def _count_defined_items(points: Points) -> int:
    return int((~np.isnan(_pearson_of_items(points))).sum())


def _pearson_of_items(points: Points) -> Column:
    values, ratings = item_rows(points)
    return pearson_rows(values, ratings, ~np.isnan(values))


def pearson_at(level: str, points: Points, weights: Column) -> Column:
    """Pearson's r for each row of weights (rows x items); NaN where it is undefined."""
    if not len(points.values):
        return np.full(len(weights), np.nan)
    if level == "example":
        return pearson(points.values, points.ratings, points.item_of, weights)
    if level == "item":
        return _average_items(points, _pearson_of_items(points), weights)
    values, ratings = system_values(points, weights), system_ratings(points, weights)
    return pearson_rows(values, ratings, ~(np.isnan(values) | np.isnan(ratings)))
