"""The correlation of one metric with one rating at each level, in every draw of items."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import Metric
from factable.stats.bootstrap import Draws, group_means, group_totals
from factable.stats.correlation import (
    STATISTICS,
    correlate_draws,
    correlate_rows,
    pearson,
    pearson_rows,
    tie_threshold_rows,
)
from factable.stats.correlation import why_undefined as why_constant
from factable.study.panel import Column, Indices, Panel

LEVELS = ("system", "example", "item")
Mask = NDArray[np.bool_]


class Points(NamedTuple):
    """Examples with a value and a rating; `item_of` counts all items of the study, so that draws are shared.

    Values of metrics that are better lower, and their system values, have their sign turned: a correlation
    always says how far the metric agrees.
    """

    metric: Metric
    values: Column
    rows: Column
    ratings: Column
    item_of: Indices
    system_of: Indices
    systems: int


def usable_examples(panel: Panel, number: int, human: str) -> Mask:
    """Which examples have a value of the metric with this number and this rating."""
    values = np.frombuffer(panel.result.scores[number].values)
    missing: Mask = np.isnan(values) | np.isnan(panel.ratings[human])
    return ~missing


def choose_points(panel: Panel, number: int, human: str, usable: Mask) -> Points:
    """Those of the examples that are usable."""
    metric, scores = panel.result.metrics[number], panel.result.scores[number]
    return Points(
        metric=metric,
        values=sign_of(metric) * np.frombuffer(scores.values)[usable],
        rows=np.frombuffer(scores.stats).reshape(len(usable), -1)[usable],
        ratings=panel.ratings[human][usable],
        item_of=panel.item_of[usable],
        system_of=panel.system_of[usable],
        systems=len(panel.result.systems),
    )


def sign_of(metric: Metric) -> float:
    """1, or -1 for a metric that is better lower."""
    return 1.0 if metric.higher_is_better else -1.0


def system_values(points: Points, weights: Column) -> Column:
    """The metric of each system in each draw (draws x systems).

    Of an additive metric such as BLEU it is the corpus value, from summed statistics; of others the mean.
    """
    where = (points.item_of, points.system_of, points.systems, weights)
    if not points.metric.additive:
        return group_means(points.values, *where)
    found = group_totals(points.rows, *where, finish=points.metric.finish_rows)
    return sign_of(points.metric) * found


def system_ratings(points: Points, weights: Column) -> Column:
    """The mean rating of each system in each draw."""
    return group_means(points.ratings, points.item_of, points.system_of, points.systems, weights)


def over_draws(compute: Callable[[Points, Column], Column], points: Points, draws: Draws) -> Column:
    """System values or ratings in all draws."""
    return draws.apply(lambda weights: {"": compute(points, weights)})[""]


def item_rows(points: Points) -> tuple[Column, Column]:
    """Values and ratings as items x systems, NaN where there is no example; empty items are left out."""
    present, row_of = np.unique(points.item_of, return_inverse=True)
    shape = (len(present), points.systems)
    values, ratings = np.full(shape, np.nan), np.full(shape, np.nan)
    values[row_of, points.system_of] = points.values
    ratings[row_of, points.system_of] = points.ratings
    return values, ratings


def nothing(draws: Draws) -> Mapping[str, Column]:
    """Every statistic where there is nothing to correlate."""
    return dict.fromkeys(STATISTICS, np.full(draws.draws + 1, np.nan))


def over_systems(values: Column, ratings: Column) -> Mapping[str, Column]:
    """Over systems, from the values and ratings of each in every draw."""
    there = ~(np.isnan(values) | np.isnan(ratings))
    threshold = tie_threshold_rows(values[:1], ratings[:1], there[:1])
    return correlate_rows(values, ratings, there, threshold)


def over_examples(points: Points, draws: Draws) -> Mapping[str, Column]:
    """Over all examples."""
    return draws.apply(
        lambda weights: correlate_draws(points.values, points.ratings, points.item_of, weights)
    )


def over_items(points: Points, draws: Draws) -> Mapping[str, Column]:
    """Over the systems of each item, then averaged over the items where it is defined."""
    x, y = item_rows(points)
    there = ~np.isnan(x)
    found = correlate_rows(x, y, there, tie_threshold_rows(x, y, there))
    present = np.unique(points.item_of)

    def average(weights: Column) -> dict[str, Column]:
        means = {}
        for name, column in found.items():
            defined = ~np.isnan(column)
            mine = weights[:, present[defined]]
            with np.errstate(invalid="ignore"):
                means[name] = mine @ column[defined] / mine.sum(axis=1)
        return means

    return draws.apply(average)


def point_rows(points: Points, level: str) -> tuple[Column, Column]:
    """The metric and the ratings that are correlated, row by row: one row, or one for each item."""
    if level == "item":
        return item_rows(points)
    if level == "example":
        return points.values[None], points.ratings[None]
    items = int(points.item_of.max(initial=-1)) + 1
    once = np.ones((1, items))
    x, y = system_values(points, once)[0], system_ratings(points, once)[0]
    there = ~(np.isnan(x) | np.isnan(y))
    return x[there][None], y[there][None]


def why_undefined(points: Points, level: str) -> str:
    """Why a metric and a rating have no correlation, or nothing."""
    if not len(points.values):
        return "no example has both a value and this rating"
    if level == "item":
        return "no item has systems that differ" if not len(_defined_items(points)) else ""
    (values,), (ratings,) = point_rows(points, level)
    return why_constant(values, ratings)


def undefined_items(points: Points) -> int:
    """How many items have no correlation: fewer than two systems, or all alike."""
    return len(np.unique(points.item_of)) - len(_defined_items(points))


def _defined_items(points: Points) -> Indices:
    x, y = item_rows(points)
    return np.flatnonzero(~np.isnan(pearson_rows(x, y, ~np.isnan(x))))


def pearson_at(level: str, points: Points, weights: Column) -> Column:
    """One number for each row of weights (rows x items); NaN where it is undefined."""
    if not len(points.values):
        return np.full(len(weights), np.nan)
    if level == "example":
        return pearson(points.values, points.ratings, points.item_of, weights)
    if level == "item":
        return _mean_over_items(points, weights)
    values, ratings = system_values(points, weights), system_ratings(points, weights)
    return pearson_rows(values, ratings, ~(np.isnan(values) | np.isnan(ratings)))


def _mean_over_items(points: Points, weights: Column) -> Column:
    """Over the systems of each item, then averaged over the items where it is defined."""
    values, ratings = item_rows(points)
    found = pearson_rows(values, ratings, ~np.isnan(values))
    defined = ~np.isnan(found)
    mine = weights[:, np.unique(points.item_of)[defined]]
    with np.errstate(invalid="ignore"):
        mean: Column = mine @ found[defined] / mine.sum(axis=1)
    return mean
