"""A study of preferences as tables of text, as JSON and as CSV."""

import math
from collections.abc import Sequence

from factable.report.formats import Output, show, show_with_interval, sign, to_object
from factable.report.terminal import SummaryTable
from factable.study.panel import Measured
from factable.study.preferences import Contrast, PreferenceStudy

SIGNIFICANT = 0.05
CSV_COLUMNS = ("kind", "name", "statistic", "value", "mean", "low", "high", "reason")


def preferences_output(study: PreferenceStudy) -> Output:
    """A study in every form."""
    return Output(_tables(study), tuple(study.signatures.values()), _document(study), _csv_rows(study))


def _tables(study: PreferenceStudy) -> list[SummaryTable]:
    tables = [_system_table(study), _metric_table(study)]
    found = [one for one in study.contrasts if one.p_holm < SIGNIFICANT]
    if found:
        tables.append(_contrast_table(study, found))
    return tables


def _system_table(study: PreferenceStudy) -> SummaryTable:
    ordered = sorted(study.systems, key=lambda one: _order(one.score))
    rows = tuple(
        (one.system or "(unnamed)", _show(one.score), str(one.compared), str(one.won), str(one.tied))
        for one in ordered
    )
    header = ("system", "Thurstone score", "compared", "won", "tied")
    return SummaryTable(
        "systems, as people see them", header, rows, _sign(study), _best([[one.score] for one in ordered])
    )


def _metric_table(study: PreferenceStudy) -> SummaryTable:
    ordered = sorted(study.metrics, key=lambda one: _order(one.accuracy))
    header = ["metric", "accuracy on pairs", "Pearson's r of systems", "pairs"]
    rows = [[one.metric, _show(one.accuracy), _show(one.pearson), str(one.pairs)] for one in ordered]
    for title, counts in (
        ("tied", [one.tied for one in ordered]),
        ("unscored", [one.unscored for one in ordered]),
    ):
        if any(counts):
            header.append(title)
            rows = [[*row, str(count)] for row, count in zip(rows, counts, strict=True)]
    best = _best([[one.accuracy, one.pearson] for one in ordered])
    return SummaryTable("metrics against people", tuple(header), tuple(map(tuple, rows)), _sign(study), best)


def _contrast_table(study: PreferenceStudy, contrasts: Sequence[Contrast]) -> SummaryTable:
    header = ("better", "worse", "pairs", "only better right", "only worse right", "p McNemar", "p Holm")
    rows = tuple(
        (
            one.better,
            one.worse,
            *map(str, (one.pairs, one.only_better, one.only_worse)),
            *map(show, (one.p_mcnemar, one.p_holm)),
        )
        for one in sorted(contrasts, key=lambda one: one.p_holm)
    )
    return SummaryTable(f"differences of accuracy with p < {SIGNIFICANT}", header, rows, _sign(study))


def _best(rows: Sequence[Sequence[Measured]]) -> frozenset[tuple[int, int]]:
    """The best value of each column, which is right of the names; the first of equals."""
    found = set()
    for column in range(len(rows[0])):
        row = min(range(len(rows)), key=lambda row: _order(rows[row][column]))
        if not math.isnan(rows[row][column].value):
            found.add((row, column + 1))
    return frozenset(found)


def _order(measured: Measured) -> float:
    """Best first, undefined last."""
    return math.inf if math.isnan(measured.value) else -measured.value


def _show(measured: Measured) -> str:
    return show_with_interval(measured.value, measured.low, measured.high)


def _sign(study: PreferenceStudy) -> str:
    pieces = {
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": len(study.systems),
        "items": study.items,
        "preferences": study.preferences,
        "pairs": study.pairs,
        "undecided": study.undecided,
    }
    return sign("preferences", pieces)


def _document(study: PreferenceStudy) -> dict[str, object]:
    """One JSON document; a number that is not there is null, with a reason."""
    metrics = [
        {"spec": one.metric, "signature": study.signatures[one.metric], **_without_name(to_object(one))}
        for one in study.metrics
    ]
    return {
        "bootstrap": study.draws,
        "seed": study.seed,
        "items": study.items,
        "preferences": study.preferences,
        "pairs": study.pairs,
        "undecided": study.undecided,
        "systems": [to_object(one) for one in study.systems],
        "metrics": metrics,
        "comparisons": [to_object(one) for one in study.contrasts],
    }


def _without_name(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if name != "metric"}


def _csv_rows(study: PreferenceStudy) -> list[tuple[str | float, ...]]:
    """A row per system, and two per metric."""
    found = [("system", one.system, "thurstone", one.score) for one in study.systems]
    for one in study.metrics:
        found.append(("metric", one.metric, "accuracy", one.accuracy))
        found.append(("metric", one.metric, "pearson", one.pearson))
    rows = [
        (kind, name, statistic, it.value, it.mean, it.low, it.high, it.reason)
        for kind, name, statistic, it in found
    ]
    return [CSV_COLUMNS, *rows]
