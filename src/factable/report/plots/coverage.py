"""A histogram: how much of the data the references have."""

from typing import TYPE_CHECKING

from factable.report.divergence import coverage_bins
from factable.report.plots.style import COLUMN, FILL, INK, fix_layout, new_figure, styled
from factable.study.coverage import Coverage

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def draw_coverage(coverage: Coverage) -> "Figure":
    """The share of items by 1 - lambda, and the mean."""
    from matplotlib.ticker import PercentFormatter

    figure = new_figure(COLUMN, 2.0)
    axes = figure.subplots()
    counts, edges = coverage_bins(coverage)
    shares = [count / max(1, sum(counts)) for count in counts]
    axes.bar(
        edges[:-1],
        shares,
        width=edges[1],
        align="edge",
        color=FILL,
        edgecolor="white",
        linewidth=0.4,
    )
    if sum(counts):
        mean = float(coverage.values.mean())
        axes.axvline(mean, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
        # On the side of the line where there is more room.
        left = mean > 0.5
        axes.annotate(
            f"mean {mean:.2f}",
            (mean, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-3 if left else 3, -1),
            textcoords="offset points",
            ha="right" if left else "left",
            va="top",
        )
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the data in the references (1 − λ)")
    axes.set_ylabel(f"share of {sum(counts):,} items")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.grid(visible=False, axis="x")
    fix_layout(figure)
    return figure
