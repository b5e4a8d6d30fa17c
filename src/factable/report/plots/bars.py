"""Dots: the value of each system under each metric."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from factable.report.formats import show
from factable.report.plots.labels import wrap
from factable.report.plots.style import (
    COLUMN,
    FILL,
    INK,
    PAGE,
    PALETTE,
    SOFT,
    fix_layout,
    new_figure,
    shown,
    styled,
)
from factable.study.comparison import Comparison, Ranking
from factable.study.panel import Measured
from factable.study.ratings import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Inches of a line of text, and of a panel's title and axis.
LINE, MARGIN = 0.135, 0.5
# A line of a name with the space around it, in lines of text.
SPACE = 1.3
# Names longer than this leave too little room for panels side by side.
LONGEST_BESIDE = 18
MAX_BESIDE = 3


def make_row_panels(titles: Sequence[str], names: Sequence[str]) -> tuple["Figure", list["Axes"]]:
    """A figure with a panel for each title, every one with a row for each name."""
    beside = MAX_BESIDE if max(map(len, names)) <= LONGEST_BESIDE else 1
    columns = min(beside, len(titles))
    lines = math.ceil(len(titles) / columns)
    height = lines * (LINE * sum(_row_size(wrap(name)) for name in names) + MARGIN)
    figure = new_figure(COLUMN if columns == 1 else PAGE, height)
    grid = figure.subplots(lines, columns, squeeze=False).flat
    for axes in grid[len(titles) :]:
        axes.set_visible(False)
    panels = list(grid[: len(titles)])
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(shown(title), loc="left")
    return figure, panels


def list_names(axes: "Axes", names: Sequence[str]) -> list[float]:
    """Write names down the side, the first at the top; gives the middle of each row."""
    middles, end = [], 0.0
    wrapped = [wrap(name) for name in names]
    for name in wrapped:
        middles.append(end + _row_size(name) / 2)
        end += _row_size(name)
    axes.set_yticks(middles, wrapped)
    axes.set_ylim(end, 0)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    return middles


def write_beside(axes: "Axes", middle: float, text: str) -> None:
    """Write a row's number to the right of the panel, where it can meet no bar or line."""
    beside = axes.get_yaxis_transform()
    axes.text(1.02, middle, text.replace("-", "−"), va="center_baseline", fontsize=6.5, transform=beside)


def _row_size(wrapped: str) -> float:
    return SPACE * (1 + wrapped.count("\n"))


@styled
def draw_comparison(found: Comparison) -> "Figure":
    """One panel per metric, systems with the best first, lines for 95 % intervals and between clusters."""
    figure, all_axes = make_row_panels([ranking.metric for ranking in found.rankings], found.systems)
    for axes, ranking in zip(all_axes, found.rankings, strict=True):
        _draw_dots(axes, ranking, found.baseline)
    interval = " with 95 % interval" if found.draws else ""
    figure.supxlabel(f"value{interval} on {found.items:,} items", fontsize=7)
    fix_layout(figure)
    return figure


def _draw_dots(axes: "Axes", ranking: Ranking, baseline: str) -> None:
    """A hollow dot is the baseline."""
    standings = ranking.standings
    digits = 3 if all(abs(standing.value) < 10 for standing in standings) else 1
    middles = list_names(axes, [standing.system for standing in standings])
    for standing, middle in zip(standings, middles, strict=True):
        hollow = bool(baseline) and standing.system == baseline
        if not math.isnan(standing.low):
            ends = (standing.low, standing.high)
            axes.plot(
                ends, (middle, middle), color=PALETTE[0], linewidth=0.9, solid_capstyle="butt", zorder=2
            )
        axes.scatter(
            standing.value,
            middle,
            s=12,
            facecolor="white" if hollow else PALETTE[0],
            edgecolor=PALETTE[0],
            linewidth=0.9,
            zorder=3,
        )
        write_beside(axes, middle, show(standing.value, digits))
    for index in range(1, len(standings)):
        if standings[index].rank != standings[index - 1].rank:
            between = (middles[index - 1] + middles[index]) / 2
            axes.axhline(between, color=SOFT, linewidth=0.5, linestyle=(0, (2, 2)))


STATISTIC = "pearson"


@styled
def draw_correlations(study: Study) -> "Figure":
    """Pearson's r, one panel per rating, metrics with the best first, lines for 95 % intervals."""
    panels = [
        {one.metric: one.statistics[STATISTIC] for one in study.agreements if one.human == human}
        for human in study.humans
    ]
    figure, all_axes = make_row_panels(study.humans, list(study.signatures))
    low = min(0.0, *(_lowest(one) for panel in panels for one in panel.values()))
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw_bars(axes, panel)
        axes.set_xlim(low * 1.05, 1)
    interval = ", with 95 % interval" if study.draws else ""
    figure.supxlabel(f"Pearson’s r with ratings, level {study.level}{interval}", fontsize=7)
    fix_layout(figure)
    return figure


def _lowest(one: Measured) -> float:
    return min((number for number in (one.value, one.low) if not math.isnan(number)), default=0.0)


def _draw_bars(axes: "Axes", panel: Mapping[str, Measured]) -> None:
    """The best metric at the top, undefined ones last."""
    order = sorted(panel, key=lambda spec: math.inf if math.isnan(panel[spec].value) else -panel[spec].value)
    for spec, middle in zip(order, list_names(axes, order), strict=True):
        one = panel[spec]
        if math.isnan(one.value):
            axes.text(0.01, middle, "undefined", color=SOFT, style="italic", va="center_baseline", fontsize=6)
            continue
        axes.barh(middle, one.value, height=0.85, color=FILL, linewidth=0)
        write_beside(axes, middle, f"{one.value:.3f}")
        if not math.isnan(one.low):
            axes.plot((one.low, one.high), (middle, middle), color=INK, linewidth=0.9, solid_capstyle="butt")
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=SOFT, linewidth=0.5)
