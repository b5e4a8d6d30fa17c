"""Points: every metric against every rating."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.report.plots.labels import label_points, text_box, wrap
from factable.report.plots.style import COLUMN, PAGE, PALETTE, fix_layout, new_figure, shown, styled
from factable.study.levels import choose_points, sign_of, system_ratings, system_values, usable_examples
from factable.study.panel import Column, Panel, choose_systems
from factable.study.ratings import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More dots than this become one blot.
MAX_DOTS = 1500
MAX_BESIDE = 3
HEXAGONS = 28


class Cloud(NamedTuple):
    """Points of a metric and a rating with their names, if they have any, and r as the study gives it."""

    metric: str
    human: str
    ratings: Column
    values: Column
    names: tuple[str, ...]
    pearson: float
    higher_is_better: bool


@styled
def draw_scatter(panel: Panel, study: Study) -> "Figure":
    """A panel per metric and rating: systems with their names, or texts."""
    panel = choose_systems(panel, study.systems, ())
    metrics, several = range(len(panel.result.metrics)), len(study.humans) > 1
    clouds = [_cloud(panel, study, number, human) for number in metrics for human in study.humans]
    # With several ratings each metric has a line of its own; with one the metrics fill the lines.
    columns = len(study.humans) if several else min(len(clouds), MAX_BESIDE)
    rows = math.ceil(len(clouds) / columns)
    width = COLUMN if columns == 1 else PAGE
    figure = new_figure(width, rows * min(1.9, max(1.4, width / columns * 0.72)) + 0.2)
    grid = figure.subplots(rows, columns, squeeze=False, sharex="col", sharey="row" if several else "none")
    for index, (axes, cloud) in enumerate(zip(grid.flat, clouds, strict=False)):
        _draw_points(axes, cloud)
        bottom = index + columns >= len(clouds)
        axes.tick_params(labelbottom=bottom)
        axes.set_xlabel(shown(cloud.human) if bottom else "")
        first = not several or index % columns == 0
        axes.set_ylabel(wrap(cloud.metric, 22) + ("" if cloud.higher_is_better else " ↓") if first else "")
    for axes in grid.flat[len(clouds) :]:
        axes.set_visible(False)
    figure.align_ylabels()
    fix_layout(figure)
    for axes, cloud in zip(grid.flat, clouds, strict=False):
        corner = text_box(axes.texts[0])
        if cloud.names:
            label_points(axes, cloud.ratings.tolist(), cloud.values.tolist(), cloud.names, [corner])
    return figure


def _cloud(panel: Panel, study: Study, number: int, human: str) -> Cloud:
    """The points that the study correlates, with values in the metric's own sense."""
    spec, metric = panel.result.scores[number].metric, panel.result.metrics[number]
    points = choose_points(panel, number, human, usable_examples(panel, number, human))
    values, ratings, names = points.values, points.ratings, panel.result.systems
    if study.level == "system":
        once = np.ones((1, len(panel.items)))
        values, ratings = system_values(points, once)[0], system_ratings(points, once)[0]
        there = ~(np.isnan(values) | np.isnan(ratings))
        values, ratings = values[there], ratings[there]
        names = tuple(name for name, is_there in zip(names, there.tolist(), strict=True) if is_there)
    (pearson,) = (
        one.statistics["pearson"].value
        for one in study.agreements
        if (one.metric, one.human) == (spec, human)
    )
    return Cloud(
        metric=spec,
        human=human,
        ratings=ratings,
        values=sign_of(metric) * values,
        names=names if study.level == "system" else (),
        pearson=pearson,
        higher_is_better=metric.higher_is_better,
    )


def _draw_points(axes: "Axes", cloud: Cloud) -> None:
    """Systems as dots, texts as pale dots, very many texts as hexagons; the better is up and to the right."""
    from matplotlib.colors import LogNorm

    if cloud.names:
        axes.scatter(cloud.ratings, cloud.values, s=7, color=PALETTE[0], linewidth=0)
        axes.margins(0.16)
    elif len(cloud.values) <= MAX_DOTS:
        axes.scatter(cloud.ratings, cloud.values, s=5, color=PALETTE[0], alpha=0.3, linewidth=0)
    else:
        axes.hexbin(
            cloud.ratings,
            cloud.values,
            gridsize=(HEXAGONS, HEXAGONS * 3 // 5),
            # A single text must be seen, too.
            norm=LogNorm(vmin=0.2),
            cmap="Blues",
            mincnt=1,
            linewidths=0.1,
        )
    axes.yaxis.set_inverted(not cloud.higher_is_better)
    r = "r undefined" if math.isnan(cloud.pearson) else f"r = {cloud.pearson:.2f}"
    around = {"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": 0.8, "linewidth": 0}
    axes.text(0.03, 0.97, r, transform=axes.transAxes, va="top", fontsize=6.5, bbox=around)
