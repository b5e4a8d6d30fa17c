"""The figures: systems, correlations, metrics against ratings, curves of divergence, coverage."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.report.comparison import worse_systems
from factable.report.plots.labels import avoid_overlap, label_points, text_box, wrap
from factable.report.plots.style import (
    FILL,
    INK,
    PALETTE,
    SOFT,
    Look,
    fix_layout,
    make_panels,
    new_figure,
    shown,
    styled,
)
from factable.report.studies import coverage_bins, worse_metrics
from factable.report.tables import MARK, best_first, format_cell
from factable.stats import Column
from factable.study.comparison import SystemComparison, SystemRanking
from factable.study.divergence import Coverage, Curve, DivergenceCurves
from factable.study.levels import choose_points, sign_of, system_ratings, system_values, usable_examples
from factable.study.panel import Estimate, Panel, choose_systems
from factable.study.ratings import RatingAgreement, RatingStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

STATISTIC = "pearson"
MAX_COLUMNS = 3
# Inches of a line of text, and of a panel's title and axis.
LINE, MARGIN = 0.135, 0.5
# The height of a line of a name with the space around it, in lines of text.
SPACE = 1.3
# Bars of a histogram of bootstrap samples.
BINS = 30


@styled
def draw_comparison(comparison: SystemComparison, look: Look = Look()) -> "Figure":  # noqa: B008
    """One panel per metric, with lines for 95 % intervals; systems are in the order of the first metric.

    A star marks systems that are significantly worse than the best, or different from the baseline.
    """
    order = [standing.system for standing in comparison.rankings[0].standings]
    figure, panels = _make_row_panels([ranking.metric for ranking in comparison.rankings], order, look)
    starred = False
    for axes, ranking in zip(panels, comparison.rankings, strict=True):
        marked = worse_systems(comparison, ranking)
        starred = starred or bool(marked)
        _draw_dots(axes, ranking, order, marked, comparison.baseline)
    _list_names_once(panels, [look.rename(name) for name in order])
    interval = " with 95 % interval" if comparison.draws else ""
    baseline = look.rename(comparison.baseline)
    against = f"different from {baseline}" if baseline else "worse than the best"
    note = f"; {MARK} significantly {shown(against)}, p < {comparison.alpha:g}" if starred else ""
    figure.supxlabel(f"value{interval} on {comparison.items:,} items{note}", fontsize=7)
    fix_layout(figure)
    return figure


def _draw_dots(
    axes: "Axes", ranking: SystemRanking, order: Sequence[str], marked: Collection[str], baseline: str
) -> None:
    """Lines between clusters where the order is that of the metric; a hollow dot is the baseline."""
    standings = sorted(ranking.standings, key=lambda standing: order.index(standing.system))
    digits = 3 if all(abs(standing.value) < 10 for standing in standings) else 1
    middles = _row_middles(axes)
    for standing, middle in zip(standings, middles, strict=True):
        hollow = bool(baseline) and standing.system == baseline
        _draw_interval(axes, standing.low, standing.high, middle, PALETTE[0])
        axes.scatter(
            standing.value,
            middle,
            s=12,
            facecolor="white" if hollow else PALETTE[0],
            edgecolor=PALETTE[0],
            linewidth=0.9,
            zorder=3,
        )
        star = MARK if standing.system in marked else ""
        _write_beside(axes, middle, format_cell(standing.value, digits) + star)
    if standings != list(ranking.standings):
        return
    for index in range(1, len(standings)):
        if standings[index].rank != standings[index - 1].rank:
            between = (middles[index - 1] + middles[index]) / 2
            axes.axhline(between, color=SOFT, linewidth=0.5, linestyle=(0, (2, 2)))


@styled
def draw_correlations(study: RatingStudy, look: Look = Look()) -> "Figure":  # noqa: B008
    """Pearson's r, one panel per rating, lines for 95 % intervals; a star marks what is worse than the best.

    Metrics are in the order of their mean over all ratings, the best first and undefined ones last.
    """
    correlations = [
        {row.metric: row.statistics[STATISTIC] for row in study.agreements if row.human == human}
        for human in study.humans
    ]
    order = _metrics_in_order(study)
    figure, panels = _make_row_panels(study.humans, order, look)
    low = min(0.0, *(_lowest(number) for by_metric in correlations for number in by_metric.values()))
    starred = False
    for axes, human, by_metric in zip(panels, study.humans, correlations, strict=True):
        marked = worse_metrics(study, human)
        starred = starred or bool(marked)
        _draw_bars(axes, [by_metric[spec] for spec in order], [spec in marked for spec in order])
        axes.set_xlim(low * 1.05, 1)
    _list_names_once(panels, [look.rename(spec) for spec in order])
    interval = ", with 95 % interval" if study.draws else ""
    note = f"; {MARK} significantly lower than the best, p < {study.alpha:g}" if starred else ""
    figure.supxlabel(f"Pearson’s r with ratings, level {study.level}{interval}{note}", fontsize=7)
    fix_layout(figure)
    return figure


@styled
def draw_distributions(study: RatingStudy, look: Look = Look()) -> "Figure":  # noqa: B008
    """Pearson's r over bootstrap samples, one panel per rating: a hill per metric, a line at its mean."""
    if not study.draws:
        raise UsageError("a plot of bootstrap samples needs some; give a number of samples above 0")
    order = _metrics_in_order(study)
    figure, panels = _make_row_panels(study.humans, order, look)
    rows = [row for row in study.agreements if not math.isnan(row.statistics[STATISTIC].mean)]
    low = min((_quantile(row.samples, 0.005) for row in rows), default=0.0)
    for axes, human in zip(panels, study.humans, strict=True):
        _draw_hills(axes, {row.metric: row for row in rows if row.human == human}, order)
        axes.set_xlim(low - 0.02, 1)
    _list_names_once(panels, [look.rename(spec) for spec in order])
    figure.supxlabel(
        f"Pearson’s r with ratings over {study.draws:,} bootstrap samples, level {study.level}", fontsize=7
    )
    fix_layout(figure)
    return figure


def _quantile(samples: Sequence[float], share: float) -> float:
    return float(np.nanquantile(samples, share))


def _draw_hills(axes: "Axes", rows: Mapping[str, RatingAgreement], order: Sequence[str]) -> None:
    """A hill for each metric that has samples; all have the same height."""
    for spec, middle in zip(order, _row_middles(axes), strict=True):
        if spec not in rows:
            continue
        row = rows[spec]
        samples = np.array(row.samples)
        counts, edges = np.histogram(samples[~np.isnan(samples)], bins=BINS)
        foot, height = middle + 0.5, counts / counts.max()
        axes.fill_between(
            edges, foot, foot - np.append(height, height[-1]), step="post", color=FILL, linewidth=0
        )
        mean = row.statistics[STATISTIC].mean
        axes.plot((mean, mean), (foot, foot - 1), color=INK, linewidth=0.9)
        _write_beside(axes, middle, f"{format_cell(mean)} ± {row.statistics[STATISTIC].deviation:.2f}")
    axes.spines["left"].set_visible(False)


def _metrics_in_order(study: RatingStudy) -> list[str]:
    """Metrics by their mean correlation over all ratings, the best first and undefined ones last."""
    numbers: dict[str, list[float]] = {spec: [] for spec in study.signatures}
    for row in study.agreements:
        numbers[row.metric].append(row.statistics[STATISTIC].value)
    return best_first(numbers, lambda spec: fmean(numbers[spec]))


def _lowest(number: Estimate) -> float:
    return min((end for end in (number.value, number.low) if not math.isnan(end)), default=0.0)


def _draw_bars(axes: "Axes", numbers: Sequence[Estimate], starred: Sequence[bool]) -> None:
    """A bar for each number, the first at the top."""
    for number, star, middle in zip(numbers, starred, _row_middles(axes), strict=True):
        if math.isnan(number.value):
            axes.text(0.01, middle, "undefined", color=SOFT, style="italic", va="center_baseline", fontsize=6)
            continue
        axes.barh(middle, number.value, height=0.85, color=FILL, linewidth=0)
        _write_beside(axes, middle, format_cell(number.value) + (MARK if star else ""))
        _draw_interval(axes, number.low, number.high, middle, INK)
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=SOFT, linewidth=0.5)


def _make_row_panels(
    titles: Sequence[str], names: Sequence[str], look: Look
) -> tuple["Figure", list["Axes"]]:
    """A figure with a panel for each title, every one with a row for each name, in the same order."""
    columns = _even_columns(len(titles), look)
    heights = [_row_height(wrap(look.rename(name))) for name in names]
    height = LINE * sum(heights) + MARGIN
    figure, panels = make_panels(len(titles), columns, height, width=look.inches(columns))
    ends = list(accumulate(heights))
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(shown(look.rename(title)), loc="left")
        axes.set_yticks([end - height / 2 for end, height in zip(ends, heights, strict=True)])
        axes.set_ylim(ends[-1], 0)
        axes.tick_params(axis="y", length=0, labelleft=False)
        axes.grid(visible=False, axis="y")
    return figure, panels


def _even_columns(panels: int, look: Look) -> int:
    """How many panels stand side by side: of four two and two, not three and one."""
    most = min(look.max_columns(MAX_COLUMNS), panels)
    return math.ceil(panels / math.ceil(panels / most))


def _row_middles(axes: "Axes") -> list[float]:
    """Where the rows of a panel are."""
    return [float(middle) for middle in axes.get_yticks()]


def _list_names_once(panels: Sequence["Axes"], names: Sequence[str]) -> None:
    """Write the names of the rows beside the first panel of each line of panels."""
    for axes in panels:
        place = axes.get_subplotspec()
        if place is not None and place.is_first_col():
            axes.set_yticks(axes.get_yticks(), list(map(wrap, names)))
            axes.tick_params(labelleft=True)


def _row_height(wrapped: str) -> float:
    return SPACE * (1 + wrapped.count("\n"))


def _write_beside(axes: "Axes", middle: float, text: str) -> None:
    """Write a row's number to the right of the panel, where it can cover no bar or line."""
    beside = axes.get_yaxis_transform()
    axes.text(1.02, middle, text.replace("-", "−"), va="center_baseline", fontsize=6.5, transform=beside)


def _draw_interval(axes: "Axes", low: float, high: float, middle: float, colour: str) -> None:
    """A line along a row, if there is an interval."""
    if not math.isnan(low):
        axes.plot((low, high), (middle, middle), color=colour, linewidth=0.9, solid_capstyle="butt")


# With more dots than this a scatter plot becomes one blot.
MAX_DOTS = 1500
# Ratings with at most so many different values are steps of a scale.
MAX_STEPS = 12
HEXAGONS = 28


class _Cloud(NamedTuple):
    """Points of a metric and a rating with their names, if they have any, and r as the study gives it."""

    metric: str
    human: str
    ratings: Column
    values: Column
    names: tuple[str, ...]
    pearson: float
    higher_is_better: bool


@styled
def draw_scatter(panel: Panel, study: RatingStudy, look: Look = Look()) -> "Figure":  # noqa: B008
    """A panel per metric and rating: systems with their names, or texts."""
    panel = choose_systems(panel, study.systems, ())
    metrics, several = range(len(panel.result.metrics)), len(study.humans) > 1
    clouds = [_cloud(panel, study, number, human) for number in metrics for human in study.humans]
    # With several ratings each metric has a line of its own; with one the metrics fill the lines.
    columns = len(study.humans) if several else _even_columns(len(clouds), look)
    width = look.inches(columns)
    height = min(1.9, max(1.4, width / columns * 0.72))
    figure, panels = make_panels(
        len(clouds),
        columns,
        height,
        width=width,
        extra=0.2,
        sharex="col",
        sharey="row" if several else "none",
    )
    for index, (axes, cloud) in enumerate(zip(panels, clouds, strict=True)):
        _draw_points(axes, cloud)
        bottom = index + columns >= len(clouds)
        axes.tick_params(labelbottom=bottom)
        axes.set_xlabel(shown(look.rename(cloud.human)) if bottom else "")
        first = not several or index % columns == 0
        name = wrap(look.rename(cloud.metric), 22) + ("" if cloud.higher_is_better else " ↓")
        axes.set_ylabel(name if first else "")
    figure.align_ylabels()
    fix_layout(figure)
    for axes, cloud in zip(panels, clouds, strict=True):
        corner = text_box(axes.texts[0])
        if cloud.names:
            names = list(map(look.rename, cloud.names))
            label_points(axes, cloud.ratings.tolist(), cloud.values.tolist(), names, [corner])
    return figure


def _cloud(panel: Panel, study: RatingStudy, number: int, human: str) -> _Cloud:
    """The points that the study correlates, with values in the metric's own direction."""
    spec, metric = panel.result.scores[number].metric, panel.result.metrics[number]
    points = choose_points(panel, number, usable_examples(panel, number, human), panel.ratings[human])
    values, ratings, names = points.values, points.ratings, panel.result.systems
    if study.level == "system":
        once = np.ones((1, len(panel.items)))
        values, ratings = system_values(points, once)[0], system_ratings(points, once)[0]
        present = ~(np.isnan(values) | np.isnan(ratings))
        values, ratings = values[present], ratings[present]
        names = tuple(name for name, is_present in zip(names, present.tolist(), strict=True) if is_present)
    (pearson,) = (
        agreement.statistics[STATISTIC].value
        for agreement in study.agreements
        if (agreement.metric, agreement.human) == (spec, human)
    )
    return _Cloud(
        metric=spec,
        human=human,
        ratings=ratings,
        values=sign_of(metric) * values,
        names=names if study.level == "system" else (),
        pearson=pearson,
        higher_is_better=metric.higher_is_better,
    )


def _draw_points(axes: "Axes", cloud: _Cloud) -> None:
    """Systems as dots, texts as pale dots; the better is up and to the right.

    Texts with one of a few ratings are boxes over scattered dots; very many others are hexagons.
    """
    if cloud.names:
        axes.scatter(cloud.ratings, cloud.values, s=7, color=PALETTE[0], linewidth=0)
        axes.margins(0.16)
    elif len(steps := np.unique(cloud.ratings)) <= MAX_STEPS < len(cloud.values):
        _draw_boxes(axes, cloud, steps)
    elif len(cloud.values) <= MAX_DOTS:
        axes.scatter(cloud.ratings, cloud.values, s=5, color=PALETTE[0], alpha=0.3, linewidth=0)
    else:
        _draw_hexagons(axes, cloud)
    axes.yaxis.set_inverted(not cloud.higher_is_better)
    r = "r undefined" if math.isnan(cloud.pearson) else f"r = {cloud.pearson:.2f}"
    around = {"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": 0.8, "linewidth": 0}
    axes.text(0.03, 0.97, r, transform=axes.transAxes, va="top", fontsize=6.5, bbox=around)


def _draw_boxes(axes: "Axes", cloud: _Cloud, steps: Column) -> None:
    """Quartiles and median of the values at each rating, over dots that are scattered sideways."""
    gap = float(np.diff(steps).min()) if len(steps) > 1 else 1.0
    generator = np.random.default_rng(0)
    chosen = generator.permutation(len(cloud.values))[:MAX_DOTS]
    aside = generator.uniform(-0.28 * gap, 0.28 * gap, len(chosen))
    xs, ys = cloud.ratings[chosen] + aside, cloud.values[chosen]
    axes.scatter(xs, ys, s=3, color=PALETTE[0], alpha=0.25, linewidth=0)
    axes.boxplot(
        [cloud.values[cloud.ratings == step] for step in steps],
        positions=steps,
        widths=0.7 * gap,
        manage_ticks=False,
        showfliers=False,
        boxprops={"color": INK, "linewidth": 0.7},
        medianprops={"color": PALETTE[1], "linewidth": 1.1},
        whiskerprops={"color": INK, "linewidth": 0.7},
        capprops={"color": INK, "linewidth": 0.7},
    )
    axes.set_xlim(steps[0] - 0.6 * gap, steps[-1] + 0.6 * gap)


def _draw_hexagons(axes: "Axes", cloud: _Cloud) -> None:
    """Hexagons that are darker for more texts, with a scale."""
    from matplotlib.colors import LogNorm

    hexagons = axes.hexbin(
        cloud.ratings,
        cloud.values,
        gridsize=(HEXAGONS, HEXAGONS * 3 // 5),
        # A single text must be visible too.
        norm=LogNorm(vmin=0.2),
        cmap="Blues",
        mincnt=1,
        linewidths=0.1,
    )
    scale = axes.figure.colorbar(hexagons, ax=axes, pad=0.02, aspect=25)
    scale.ax.set_ylim(1, None)
    scale.outline.set_visible(False)
    scale.ax.tick_params(labelsize=5.5, length=1.5)
    scale.set_label("texts", fontsize=5.5)


# With more metrics the bands hide each other.
MAX_BANDS = 4
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)))
NAME_SIZE = 6
# The height of a line of names beside curves, in inches.
NAME_LINE = NAME_SIZE * 1.25 / 72


@styled
def draw_curves(curves: DivergenceCurves, look: Look = Look()) -> "Figure":  # noqa: B008
    """One panel per rating, a line per metric with its name at the end, bands for 95 % intervals."""
    columns = min(look.max_columns(2), len(curves.humans))
    names = {spec: wrap(look.rename(spec), 22) for spec in curves.signatures}
    lines = sum(1 + name.count("\n") for name in names.values())
    height = max(2.1, lines * NAME_LINE + 0.75)
    figure, panels = make_panels(len(curves.humans), columns, height, width=look.inches(columns), sharey=True)
    labels = []
    for human, axes in zip(curves.humans, panels, strict=True):
        labels.append(_draw_lines(axes, [curve for curve in curves.curves if curve.human == human], names))
        axes.set_title(shown(look.rename(human)), loc="left")
    figure.supxlabel("share of items whose references the data entails", fontsize=7)
    band = "\n(band: 95 % interval)" if len(names) <= MAX_BANDS else ""
    for axes in panels[::columns]:
        axes.set_ylabel(f"Pearson’s r, level {curves.level}{band}")
    fix_layout(figure)
    for axes, panel_labels in zip(panels, labels, strict=True):
        _separate_labels(axes, panel_labels)
    return figure


def _draw_lines(axes: "Axes", curves: Sequence[Curve], names: dict[str, str]) -> list["Annotation"]:
    """The lines of one rating; returns the labels at their ends."""
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
        labels.append(_label_line(axes, curve, names[curve.metric], lowest, colour))
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.tick_params(labelleft=True)
    return labels


def _label_line(axes: "Axes", curve: Curve, name: str, lowest: float, colour: str) -> "Annotation":
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


def _separate_labels(axes: "Axes", labels: Sequence["Annotation"]) -> None:
    """Move labels up and down until none covers another."""
    low, high = axes.get_ylim()
    line = NAME_LINE * axes.figure.dpi / axes.bbox.height * (high - low)
    sizes = [line * (1 + label.get_text().count("\n")) for label in labels]
    heights = avoid_overlap([label.xyann[1] for label in labels], sizes, low, high)
    for label, height in zip(labels, heights, strict=True):
        label.xyann = (label.xyann[0], height)


@styled
def draw_coverage(coverage: Coverage, look: Look = Look()) -> "Figure":  # noqa: B008
    """The share of items by 1 - lambda, and the mean."""
    from matplotlib.ticker import PercentFormatter

    figure = new_figure(look.inches(1), 2.0)
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
