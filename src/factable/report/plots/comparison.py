"""Dots: the value of each system under each metric."""

import math
from typing import TYPE_CHECKING

from factable.report.output import show
from factable.report.plots.rows import list_names, make_row_panels, write_beside
from factable.report.plots.style import PALETTE, SOFT, fix_layout, styled
from factable.study.comparison import Comparison, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    for place in range(1, len(standings)):
        if standings[place].rank != standings[place - 1].rank:
            between = (middles[place - 1] + middles[place]) / 2
            axes.axhline(between, color=SOFT, linewidth=0.5, linestyle=(0, (2, 2)))
