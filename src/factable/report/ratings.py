"""A study of ratings as tables of text, as JSON and as CSV."""

import math
from collections.abc import Sequence

from factable.report.formats import NO_NUMBER, Output, show, show_with_interval, sign, to_object
from factable.report.terminal import SummaryTable
from factable.study.panel import Measured
from factable.study.ratings import Agreement, Comparison, Study

SIGNIFICANT = 0.05
CSV_COLUMNS = ("metric", "human", "level", "statistic", "value", "mean", "low", "high", "reason")


def study_output(study: Study) -> Output:
    """A study in every form."""
    return Output(_tables(study), tuple(study.signatures.values()), _document(study), _csv_rows(study))


def _tables(study: Study) -> list[SummaryTable]:
    """For each rating the agreement of the metrics and their significant differences."""
    tables = []
    for human in study.humans:
        mine = [agreement for agreement in study.agreements if agreement.human == human]
        tables.append(_agreement_table(study, human, mine))
        found = [c for c in study.comparisons if c.human == human and c.p_holm < SIGNIFICANT]
        if found:
            tables.append(_difference_table(study, human, found))
    return tables


def _agreement_table(study: Study, human: str, agreements: Sequence[Agreement]) -> SummaryTable:
    names = list(agreements[0].statistics)
    ordered = sorted(agreements, key=lambda one: _order(one.statistics[names[0]]))
    rows = [[one.metric, *(_show(one.statistics[name]) for name in names)] for one in ordered]
    header = ["metric", *(name.replace("_", " ") for name in names)]
    for title, left_out in (
        ("left out", [one.examples_left_out for one in ordered]),
        ("items left out", [one.items_left_out for one in ordered]),
    ):
        if any(left_out):
            header.append(title)
            rows = [[*row, str(number)] for row, number in zip(rows, left_out, strict=True)]
    best = {
        (min(range(len(ordered)), key=lambda row: _order(ordered[row].statistics[name])), column)
        for column, name in enumerate(names, 1)
    }
    shown = {(row, column) for row, column in best if rows[row][column] != NO_NUMBER}
    return SummaryTable(human, tuple(header), tuple(map(tuple, rows)), _sign(study, human), frozenset(shown))


def _difference_table(study: Study, human: str, comparisons: Sequence[Comparison]) -> SummaryTable:
    rows = tuple(
        (
            one.better,
            one.worse,
            show_with_interval(one.difference, one.low, one.high),
            *map(show, (one.p_holm, one.p_bootstrap, one.p_williams, one.p_permutation)),
        )
        for one in sorted(comparisons, key=lambda one: -one.difference)
    )
    header = ("better", "worse", "difference", "p (Holm)", "p bootstrap", "p Williams", "p permutation")
    title = (
        f"{human}: differences of {comparisons[0].statistic} with p < {SIGNIFICANT} after Holm’s correction"
    )
    return SummaryTable(title, header, rows, _sign(study, human))


def _sign(study: Study, human: str) -> str:
    """What the study was made from; the signatures of the metrics say the rest."""
    pieces = {
        "human": human,
        "level": study.level,
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": len(study.systems),
        "examples": study.examples,
    }
    return sign("study", pieces)


def _order(correlation: Measured) -> float:
    """Best first, undefined last."""
    return math.inf if math.isnan(correlation.value) else -correlation.value


def _show(correlation: Measured) -> str:
    return show_with_interval(correlation.value, correlation.low, correlation.high)


def _document(study: Study) -> dict[str, object]:
    """One JSON document; a number that is not there is null, with a reason."""
    metrics = [
        {
            "spec": spec,
            "signature": signature,
            "correlations": {one.human: _objects(one) for one in study.agreements if one.metric == spec},
        }
        for spec, signature in study.signatures.items()
    ]
    left_out: dict[str, dict[str, dict[str, int]]] = {spec: {} for spec in study.signatures}
    for one in study.agreements:
        left_out[one.metric][one.human] = {"examples": one.examples_left_out, "items": one.items_left_out}
    return {
        "level": study.level,
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": study.systems,
        "examples": study.examples,
        "metrics": metrics,
        "comparisons": [to_object(comparison) for comparison in study.comparisons],
        "left_out": left_out,
    }


def _objects(agreement: Agreement) -> dict[str, dict[str, object]]:
    return {name: to_object(correlation) for name, correlation in agreement.statistics.items()}


def _csv_rows(study: Study) -> list[tuple[str | float, ...]]:
    """A row per metric, rating and statistic."""
    return [
        CSV_COLUMNS,
        *(
            (one.metric, one.human, study.level, name, it.value, it.mean, it.low, it.high, it.reason)
            for one in study.agreements
            for name, it in one.statistics.items()
        ),
    ]
