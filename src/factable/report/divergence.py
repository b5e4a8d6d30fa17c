"""Coverage and divergence as tables of text, as JSON and as CSV."""

import math
from dataclasses import asdict

import numpy as np

from factable._version import __version__
from factable.report.formats import Output, show
from factable.report.terminal import SummaryTable
from factable.study.divergence import Coverage, Curve, Divergence

BINS = 20
DECILES = tuple(range(10, 100, 10))
CSV_COLUMNS = ("metric", "human", "level", "share", "mean", "low", "high", "reason")


def divergence_output(coverage: Coverage, divergence: Divergence | None) -> Output:
    """The coverage, and the curves where there are labels, in every form."""
    tables = [_coverage_table(coverage)]
    signatures = dict.fromkeys([coverage.signature])
    csv_rows: list[tuple[str | float, ...]] = [CSV_COLUMNS]
    if divergence:
        csv_rows += _csv_rows(divergence)
        tables += [_curve_table(divergence, human) for human in divergence.humans]
        signatures |= dict.fromkeys(divergence.signatures.values())
    return Output(tables, tuple(signatures), _document(coverage, divergence), csv_rows)


def coverage_bins(coverage: Coverage) -> tuple[list[int], list[float]]:
    """How many items are in each of the equal bins from 0 to 1, and the edges of the bins."""
    counts, edges = np.histogram(np.clip(coverage.values, 0, 1), bins=BINS, range=(0, 1))
    return counts.tolist(), edges.tolist()


def _deciles(coverage: Coverage) -> list[float]:
    if not len(coverage.values):
        return [math.nan] * len(DECILES)
    found: list[float] = np.percentile(coverage.values, DECILES).tolist()
    return found


def _mean(coverage: Coverage) -> float:
    return float(coverage.values.mean()) if len(coverage.values) else math.nan


def _coverage_table(coverage: Coverage) -> SummaryTable:
    header = ["items", "mean", *(f"{decile} %" for decile in DECILES)]
    row = [str(len(coverage.values)), *map(show, (_mean(coverage), *_deciles(coverage)))]
    if coverage.items_left_out:
        header.append("left out")
        row.append(str(coverage.items_left_out))
    title = "share of the data that the references have (1 − λ of PARENT): mean and percentiles"
    pieces = {"items": len(coverage.values), "factable": __version__}
    return SummaryTable(title, tuple(header), (tuple(row),), _sign("coverage", pieces))


def _curve_table(found: Divergence, human: str) -> SummaryTable:
    """Means by share of entailed items, the best of each share marked."""
    curves = [curve for curve in found.curves if curve.human == human]
    header = ["metric", *(f"{share:.0%}".replace("%", " %") for share in found.shares)]
    rows = [[curve.metric, *(show(point.mean) for point in curve.points)] for curve in curves]
    if any(curve.examples_left_out for curve in curves):
        header.append("left out")
        rows = [[*row, str(curve.examples_left_out)] for row, curve in zip(rows, curves, strict=True)]
    best = set()
    for column in range(len(found.shares)):
        means = [curve.points[column].mean for curve in curves]
        if not all(map(math.isnan, means)):
            best.add((int(np.nanargmax(means)), column + 1))
    title = f"{human}: Pearson's r by the share of items whose references are entailed"
    return SummaryTable(
        title, tuple(header), tuple(map(tuple, rows)), _sign_curves(found, human), frozenset(best)
    )


def _sign_curves(found: Divergence, human: str) -> str:
    pieces = {
        "human": human,
        "label": found.label,
        "level": found.level,
        "draws": found.draws,
        "seed": found.seed,
        "systems": len(found.systems),
        "entailed": found.entailed,
        "divergent": found.divergent,
        "sample": found.sample,
        "factable": __version__,
    }
    return _sign("divergence", pieces)


def _sign(name: str, pieces: dict[str, object]) -> str:
    return "|".join([name, *(f"{piece}:{value}" for piece, value in pieces.items())])


def _document(coverage: Coverage, found: Divergence | None) -> dict[str, object]:
    """One JSON document; `divergence` is null without labels."""
    covered = {
        "items": len(coverage.values),
        "left_out": coverage.items_left_out,
        "mean": _mean(coverage),
        "deciles": _deciles(coverage),
        "histogram": coverage_bins(coverage)[0],
        "signature": coverage.signature,
    }
    return {"coverage": covered, "divergence": _divergence_object(found) if found else None}


def _divergence_object(found: Divergence) -> dict[str, object]:
    names = ("label", "level", "draws", "seed", "systems", "entailed", "divergent", "sample")
    metrics = [
        {
            "spec": spec,
            "signature": signature,
            "curves": {curve.human: _points(curve) for curve in found.curves if curve.metric == spec},
            "left_out": {c.human: c.examples_left_out for c in found.curves if c.metric == spec},
        }
        for spec, signature in found.signatures.items()
    ]
    return {**{name: getattr(found, name) for name in names}, "metrics": metrics}


def _points(curve: Curve) -> list[dict[str, object]]:
    """JSON objects, with a reason only where there is one."""
    return [
        {name: value for name, value in asdict(point).items() if name != "reason" or value}
        for point in curve.points
    ]


def _csv_rows(found: Divergence) -> list[tuple[str | float, ...]]:
    """A row per metric, rating and share."""
    return [
        (curve.metric, curve.human, found.level, it.share, it.mean, it.low, it.high, it.reason)
        for curve in found.curves
        for it in curve.points
    ]
