"""A comparison of systems as tables of text, as JSON and as CSV."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from factable._version import __version__
from factable.core.results import VALUE
from factable.report.formats import Output, show, show_with_interval
from factable.report.terminal import SummaryTable
from factable.study.comparison import Comparison, Difference, Ranking

# Of more pairs than these, tables list those that differ.
MAX_PAIRS = 10
CSV_COLUMNS = ("metric", "system", "rank", "name", "value", "low", "high", "items")


def comparison_output(comparison: Comparison) -> Output:
    """A comparison in every form."""
    signatures = [ranking.signature for ranking in comparison.rankings]
    return Output(_tables(comparison), signatures, _document(comparison), _csv_rows(comparison))


def _tables(comparison: Comparison) -> list[SummaryTable]:
    """All metrics in one table where there are several; then for each its systems and their differences."""
    tables = []
    if len(comparison.rankings) > 1:
        tables.append(_overview(comparison))
    for ranking in comparison.rankings:
        tables.append(_system_table(comparison, ranking))
        shown = _shown_differences(comparison, ranking)
        if shown:
            tables.append(_difference_table(comparison, ranking, shown))
    return tables


def _overview(comparison: Comparison) -> SummaryTable:
    """Systems in the order of the first metric, and their value under each."""
    systems = [standing.system for standing in comparison.rankings[0].standings]
    columns = [{one.system: one for one in ranking.standings} for ranking in comparison.rankings]
    best = {
        (systems.index(system), index)
        for index, ranking in enumerate(comparison.rankings, 1)
        for system in _best_systems(ranking)
    }
    return SummaryTable(
        title="all metrics",
        header=("system", *(ranking.metric for ranking in comparison.rankings)),
        rows=tuple((system, *(show(column[system].value) for column in columns)) for system in systems),
        signature=_sign(comparison, {"missing": comparison.missing}),
        best=frozenset(best),
    )


def _best_systems(ranking: Ranking) -> list[str]:
    """Those of the first cluster, or without clusters those of the best value."""
    first = ranking.standings[0]
    if first.rank is not None:
        return [one.system for one in ranking.standings if one.rank == 1]
    return [one.system for one in ranking.standings if one.value == first.value]


def _system_table(comparison: Comparison, ranking: Ranking) -> SummaryTable:
    ranked = ranking.standings[0].rank is not None
    best = _best_systems(ranking)
    rows = tuple(
        (
            one.system,
            *([str(one.rank)] if ranked else []),
            show_with_interval(one.value, one.low, one.high),
            str(ranking.items),
        )
        for one in ranking.standings
    )
    value = 2 if ranked else 1
    left_out = {"missing": comparison.missing, "unscored": ranking.unscored}
    return SummaryTable(
        title=f"{ranking.metric}: {ranking.reason}" if ranking.reason else ranking.metric,
        header=("system", *(["rank"] if ranked else []), "value", "n"),
        rows=rows,
        signature=_sign(comparison, left_out),
        best=frozenset((index, value) for index, row in enumerate(rows) if row[0] in best),
    )


def _shown_differences(comparison: Comparison, ranking: Ranking) -> list[Difference]:
    """What the tables list: nothing untested, and of many pairs those that differ."""
    if not comparison.draws:
        return []
    if len(ranking.differences) <= MAX_PAIRS:
        return list(ranking.differences)
    return [one for one in ranking.differences if one.p_holm < comparison.alpha]


def _difference_table(
    comparison: Comparison, ranking: Ranking, differences: Sequence[Difference]
) -> SummaryTable:
    rows = tuple(
        (
            one.system,
            one.other,
            show_with_interval(one.difference, one.low, one.high),
            *map(show, (one.p_bootstrap, one.p_randomization, one.p_holm)),
        )
        for one in differences
    )
    all_shown = len(differences) == len(ranking.differences)
    which = "differences" if all_shown else f"differences with p Holm < {comparison.alpha:g}"
    significant = [index for index, one in enumerate(differences) if one.p_holm < comparison.alpha]
    return SummaryTable(
        title=f"{ranking.metric}: {which}",
        header=("system", "other", "difference", "p bootstrap", "p randomization", "p Holm"),
        rows=rows,
        signature=_sign(comparison, {"pairs": len(ranking.differences)}),
        best=frozenset((index, 2) for index in significant),
    )


def _sign(comparison: Comparison, more: Mapping[str, int]) -> str:
    """What the comparison was made from; the signatures of the metrics say the rest."""
    pieces = {
        **({"baseline": comparison.baseline} if comparison.baseline else {}),
        "bootstrap": comparison.draws,
        "seed": comparison.seed,
        "alpha": f"{comparison.alpha:g}",
        "systems": len(comparison.systems),
        **more,
        "factable": __version__,
    }
    return "|".join(["compare", *(f"{name}:{value}" for name, value in pieces.items())])


def _document(comparison: Comparison) -> dict[str, object]:
    """One JSON document; a number that is not there is null."""
    found: dict[str, object] = {
        "bootstrap": comparison.draws,
        "seed": comparison.seed,
        "alpha": comparison.alpha,
        "baseline": comparison.baseline or None,
        "systems": comparison.systems,
        "items": comparison.items,
        "missing": comparison.missing,
        "metrics": [_metric_object(ranking) for ranking in comparison.rankings],
    }
    return {**found, "note": comparison.note} if comparison.note else found


def _metric_object(ranking: Ranking) -> dict[str, object]:
    found: dict[str, object] = {
        "spec": ranking.metric,
        "signature": ranking.signature,
        "items": ranking.items,
        "unscored": ranking.unscored,
        "systems": list(map(asdict, ranking.standings)),
        "differences": list(map(asdict, ranking.differences)),
    }
    return {**found, "reason": ranking.reason} if ranking.reason else found


def _csv_rows(comparison: Comparison) -> list[tuple[str | float, ...]]:
    """A row for the value and each part of each metric and system; parts have no interval."""
    rows: list[tuple[str | float, ...]] = [CSV_COLUMNS]
    for ranking in comparison.rankings:
        for one in ranking.standings:
            index = (ranking.metric, one.system, "" if one.rank is None else one.rank)
            rows.append((*index, VALUE, one.value, one.low, one.high, ranking.items))
            parts = one.parts.items()
            rows += [(*index, name, part, math.nan, math.nan, ranking.items) for name, part in parts]
    return rows
