"""Pearson's r of a metric with a rating at each level, where items count as often as weights say."""

import numpy as np

from factable.stats.correlation import pearson
from factable.stats.rows import pearson_rows
from factable.study.levels import Points, item_rows, system_ratings, system_values
from factable.study.panel import Column


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
