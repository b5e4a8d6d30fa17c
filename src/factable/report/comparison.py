"""A comparison of systems in every form."""

import math
from collections.abc import Iterator
from dataclasses import asdict

from factable.core.results import VALUE
from factable.report.tables import (
    MARK,
    Output,
    TextTable,
    column_head,
    format_scale,
    make_text_table,
    table_signature,
)
from factable.study.comparison import SystemComparison, SystemDifference, SystemRanking
from factable.study.panel import Estimate

# Of more pairs than these, tables list only those that differ.
MAX_PAIRS = 10
CSV_COLUMNS = ("metric", "system", "rank", "name", "value", "low", "high", "items")
RANK = "rank"


def comparison_output(comparison: SystemComparison) -> Output:
    """Systems ranked under each metric, and their differences."""
    signatures = [ranking.signature for ranking in comparison.rankings]
    rows = [CSV_COLUMNS, *(row for ranking in comparison.rankings for row in _csv_rows(ranking))]
    return Output(list(_tables(comparison)), signatures, _document(comparison), rows)


def _tables(comparison: SystemComparison) -> Iterator[TextTable]:
    """All metrics in one table where there are several; then for each its systems and their differences."""
    if len(comparison.rankings) > 1:
        yield _overview(comparison)
    for ranking in comparison.rankings:
        yield _system_table(comparison, ranking)
        differences = _listed_differences(comparison, ranking)
        if differences:
            yield _difference_table(comparison, ranking, differences)


def _overview(comparison: SystemComparison) -> TextTable:
    """Systems in the order of the first metric, and their value under each."""
    rankings = comparison.rankings
    systems = [standing.system for standing in rankings[0].standings]
    columns = [{standing.system: standing.value for standing in ranking.standings} for ranking in rankings]
    marked = [
        (systems.index(system), number)
        for number, ranking in enumerate(rankings, 1)
        for system in worse_systems(comparison, ranking)
    ]
    return make_text_table(
        "all metrics",
        ["system", *(column_head(ranking.metric, _scale(ranking)) for ranking in rankings)],
        [[system, *(column[system] for column in columns)] for system in systems],
        _sign(comparison, missing=comparison.missing),
        bold=[
            (systems.index(system), number)
            for number, ranking in enumerate(rankings, 1)
            for system in _best_systems(ranking)
        ],
        marked=marked,
        note=_note(comparison),
    )


def _scale(ranking: SystemRanking) -> str:
    return format_scale(ranking.bounds, higher_is_better=ranking.higher_is_better)


def _best_systems(ranking: SystemRanking) -> list[str]:
    """Those of the first cluster, or without clusters those of the best value."""
    first = ranking.standings[0]
    if first.rank is not None:
        return [standing.system for standing in ranking.standings if standing.rank == 1]
    return [standing.system for standing in ranking.standings if standing.value == first.value]


def worse_systems(comparison: SystemComparison, ranking: SystemRanking) -> list[str]:
    """Those that differ significantly from the baseline, or without one are worse than the best."""
    against = comparison.baseline or ranking.standings[0].system
    return [
        ({pair.system, pair.other} - {against}).pop()
        for pair in ranking.differences
        if against in (pair.system, pair.other) and pair.p_holm < comparison.alpha
    ]


def _note(comparison: SystemComparison) -> str:
    other = f"different from {comparison.baseline}" if comparison.baseline else "worse than the best system"
    how = "randomisation test with Holm's correction"
    return f"{MARK} Significantly {other} (p < {comparison.alpha:g}, {how})."


def _system_table(comparison: SystemComparison, ranking: SystemRanking) -> TextTable:
    best = _best_systems(ranking)
    ranked = ranking.standings[0].rank is not None
    return make_text_table(
        f"{ranking.metric}: {ranking.reason}" if ranking.reason else ranking.metric,
        ["system", RANK, column_head("value", _scale(ranking)), "items"],
        [
            [
                standing.system,
                standing.rank or 0,
                Estimate(standing.value, low=standing.low, high=standing.high),
                ranking.items,
            ]
            for standing in ranking.standings
        ],
        _sign(comparison, missing=comparison.missing, unscored=ranking.unscored),
        optional=[RANK],
        bold=[
            (index, 2 if ranked else 1)
            for index, standing in enumerate(ranking.standings)
            if standing.system in best
        ],
        marked=[
            (index, 2 if ranked else 1)
            for index, standing in enumerate(ranking.standings)
            if standing.system in worse_systems(comparison, ranking)
        ],
        note=_note(comparison),
    )


def _listed_differences(comparison: SystemComparison, ranking: SystemRanking) -> list[SystemDifference]:
    """The pairs in the tables: none if none was tested, and of many those that differ."""
    if not comparison.draws:
        return []
    if len(ranking.differences) <= MAX_PAIRS:
        return list(ranking.differences)
    return [pair for pair in ranking.differences if pair.p_holm < comparison.alpha]


def _difference_table(
    comparison: SystemComparison, ranking: SystemRanking, differences: list[SystemDifference]
) -> TextTable:
    complete = len(differences) == len(ranking.differences)
    title = "differences" if complete else f"differences with p Holm < {comparison.alpha:g}"
    return make_text_table(
        f"{ranking.metric}: {title}",
        ["system", "other", "difference", "p bootstrap", "p randomization", "p Holm"],
        [
            [
                *(pair.system, pair.other, Estimate(pair.difference, low=pair.low, high=pair.high)),
                *(pair.p_bootstrap, pair.p_randomization, pair.p_holm),
            ]
            for pair in differences
        ],
        _sign(comparison, pairs=len(ranking.differences)),
        bold=[(index, 2) for index, pair in enumerate(differences) if pair.p_holm < comparison.alpha],
        bold_note="Significant differences in bold.",
    )


def _sign(comparison: SystemComparison, **counts: int) -> str:
    baseline = {"baseline": comparison.baseline} if comparison.baseline else {}
    return table_signature(
        "compare",
        **baseline,
        bootstrap=comparison.draws,
        seed=comparison.seed,
        alpha=f"{comparison.alpha:g}",
        systems=len(comparison.systems),
        **counts,
    )


def _document(comparison: SystemComparison) -> dict[str, object]:
    document: dict[str, object] = {
        "bootstrap": comparison.draws,
        "seed": comparison.seed,
        "alpha": comparison.alpha,
        "baseline": comparison.baseline or None,
        "systems": comparison.systems,
        "items": comparison.items,
        "missing": comparison.missing,
        "metrics": [_ranking_object(ranking) for ranking in comparison.rankings],
    }
    return {**document, "note": comparison.note} if comparison.note else document


def _ranking_object(ranking: SystemRanking) -> dict[str, object]:
    document: dict[str, object] = {
        "spec": ranking.metric,
        "signature": ranking.signature,
        "items": ranking.items,
        "unscored": ranking.unscored,
        "systems": list(map(asdict, ranking.standings)),
        "differences": list(map(asdict, ranking.differences)),
    }
    return {**document, "reason": ranking.reason} if ranking.reason else document


def _csv_rows(ranking: SystemRanking) -> Iterator[tuple[str | float, ...]]:
    """A row for the value and each part of each system; parts have no interval."""
    for standing in ranking.standings:
        start = (ranking.metric, standing.system, "" if standing.rank is None else standing.rank)
        yield *start, VALUE, standing.value, standing.low, standing.high, ranking.items
        for name, part in standing.parts.items():
            yield *start, name, part, math.nan, math.nan, ranking.items
