"""Bars: how well each metric agrees with each rating."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from factable.report.plots.rows import list_names, make_row_panels, write_beside
from factable.report.plots.style import FILL, INK, SOFT, fix_layout, styled
from factable.study.measured import Measured
from factable.study.ratings import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
