"""Curves: what the share of references that the data entails does to each metric."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factable.report.divergence import coverage_bins
from factable.report.plots.labels import parallel_map, wrap
from factable.report.plots.style import (
    COLUMN,
    FILL,
    INK,
    PAGE,
    PALETTE,
    fix_layout,
    new_figure,
    shown,
    styled,
)
from factable.study.divergence import Coverage, Curve, Divergence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation


# With more metrics the bands hide each other.
MAX_BANDS = 4
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)))
NAME_SIZE = 6
# The height of a line of names, in inches.
LINE = NAME_SIZE * 1.25 / 72


@styled
def draw_curves(found: Divergence) -> "Figure":
    """One panel per rating, a line per metric with its name at the end, bands for 95 % intervals."""
    columns = min(2, len(found.humans))
    rows = math.ceil(len(found.humans) / columns)
    names = {spec: wrap(spec, 22) for spec in found.signatures}
    lines = sum(1 + name.count("\n") for name in names.values())
    figure = new_figure(COLUMN if columns == 1 else PAGE, rows * max(2.1, lines * LINE + 0.75))
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    labels = []
    for human, axes in zip(found.humans, grid.flat, strict=False):
        labels.append((axes, _draw_panel(axes, [c for c in found.curves if c.human == human], names)))
        axes.set_title(shown(human), loc="left")
    for axes in grid.flat[len(found.humans) :]:
        axes.set_visible(False)
    figure.supxlabel("share of items whose references the data entails", fontsize=7)
    band = "\n(band: 95 % interval)" if len(names) <= MAX_BANDS else ""
    for axes in grid[:, 0]:
        axes.set_ylabel(f"Pearson’s r, level {found.level}{band}")
    fix_layout(figure)
    for axes, mine in labels:
        _spread_labels(axes, mine)
    return figure


def _draw_panel(axes: "Axes", curves: Sequence[Curve], names: dict[str, str]) -> list["Annotation"]:
    """The lines of one rating; gives the labels at their ends."""
    from matplotlib.ticker import PercentFormatter

    labels = []
    lowest = min((p.mean for curve in curves for p in curve.points if not math.isnan(p.mean)), default=0.0)
    for index, curve in enumerate(curves):
        colour, dash = PALETTE[index % len(PALETTE)], DASHES[index // len(PALETTE) % len(DASHES)]
        shares = [point.share for point in curve.points]
        means = [point.mean for point in curve.points]
        axes.plot(shares, means, color=colour, linestyle=dash, marker="o", markersize=2)
        if len(curves) <= MAX_BANDS:
            low, high = ([getattr(point, edge) for point in curve.points] for edge in ("low", "high"))
            axes.fill_between(shares, low, high, color=colour, alpha=0.13, linewidth=0)
        labels.append(_label(axes, curve, names[curve.metric], lowest, colour))
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.tick_params(labelleft=True)
    return labels


def _label(axes: "Axes", curve: Curve, name: str, lowest: float, colour: str) -> "Annotation":
    """A name to the right of the panel, with a thin line to the end of its curve if it has one."""
    defined = [point.mean for point in curve.points if not math.isnan(point.mean)]
    height = defined[-1] if defined else lowest
    line = {
        "arrowstyle": "-",
        "color": colour,
        "linewidth": 0.4,
        "relpos": (0, 0.5),
        "shrinkA": 1,
        "shrinkB": 2,
    }
    return axes.annotate(
        name if defined else f"{name} (undefined)",
        (1.01, height),
        xytext=(1.07, height),
        textcoords=axes.get_yaxis_transform(),
        color=colour,
        fontsize=NAME_SIZE,
        va="center",
        annotation_clip=False,
        arrowprops=line if defined else None,
    )


def _spread_labels(axes: "Axes", labels: Sequence["Annotation"]) -> None:
    """Move labels up and down until none covers another."""
    low, high = axes.get_ylim()
    line = LINE * axes.figure.dpi / axes.bbox.height * (high - low)
    sizes = [line * (1 + label.get_text().count("\n")) for label in labels]
    heights = parallel_map([label.xyann[1] for label in labels], sizes, low, high)
    for label, height in zip(labels, heights, strict=True):
        label.xyann = (label.xyann[0], height)


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
