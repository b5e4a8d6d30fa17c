"""Panels that list names down the side, one row each: metrics, or systems."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factable.report.plots.labels import wrap
from factable.report.plots.style import COLUMN, PAGE, new_figure, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches of a line of text, and of a panel's title and axis.
LINE, MARGIN = 0.135, 0.5
# A line of a name with the space around it, in lines of text.
SPACE = 1.3
# Names longer than this leave too little room for panels side by side.
LONGEST_BESIDE = 18
MOST_BESIDE = 3


def make_row_panels(titles: Sequence[str], names: Sequence[str]) -> tuple["Figure", list["Axes"]]:
    """A figure with a panel for each title, every one with a row for each name."""
    beside = MOST_BESIDE if max(map(len, names)) <= LONGEST_BESIDE else 1
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
