"""A study of verdicts as tables of text, as JSON and as CSV."""

import math
from collections.abc import Iterator, Sequence

from factable.report.formats import NO_NUMBER, Output, show, show_with_interval, sign, to_object
from factable.report.terminal import SummaryTable
from factable.study.labels import TWO_LABELS, Confusion, Group
from factable.study.panel import Measured
from factable.study.verdicts import FOUR_WAY, TWO_WAY, Verdict, VerdictStudy

NOT_OK = TWO_LABELS[1]
RATES = ("accuracy", "balanced accuracy", "precision", "recall", "F1")
CSV_COLUMNS = (
    *("metric", "gold", "facts", "ways", "label", "statistic"),
    *("value", "mean", "low", "high", "reason"),
)


def verdicts_output(study: VerdictStudy) -> Output:
    """A study in every form."""
    return Output(_tables(study), tuple(study.signatures.values()), _document(study), _csv_rows(study))


def _tables(study: VerdictStudy) -> list[SummaryTable]:
    """For each gold: two labels, together and by number of facts; four labels; differences."""
    tables = []
    for gold in study.golds:
        mine = [verdict for verdict in study.verdicts if verdict.gold == gold]
        ordered = sorted(mine, key=lambda one: _order(one.whole.two_way.accuracy))
        tables.append(_rates_table(study, gold, ordered))
        tables.append(_facts_table(study, gold, ordered))
        tables.append(_confusion_table(study, gold, ordered))
        tables += [_classes_table(study, one, four) for one in ordered if (four := one.whole.four_way)]
        if any(one.gold == gold for one in study.differences):
            tables.append(_differences_table(study, gold))
    return tables


def _rates_table(study: VerdictStudy, gold: str, verdicts: Sequence[Verdict]) -> SummaryTable:
    """Two labels, with intervals; the best of each column in bold."""
    columns = [[*_rates(one.whole.two_way), *one.correlations.values()] for one in verdicts]
    names = [*RATES, *verdicts[0].correlations]
    if any(one.whole.four_way for one in verdicts):
        names.append(f"{FOUR_WAY} accuracy")
        columns = [
            [*numbers, four.accuracy if (four := one.whole.four_way) else Measured(math.nan)]
            for numbers, one in zip(columns, verdicts, strict=True)
        ]
    rows = [
        [verdict.metric, _show_cut(verdict), *map(_show, numbers), str(verdict.whole.examples)]
        for verdict, numbers in zip(verdicts, columns, strict=True)
    ]
    header = ["metric", "OK from", *names, "n"]
    if any(verdict.left_out for verdict in verdicts):
        header.append("left out")
        rows = [[*row, str(verdict.left_out)] for row, verdict in zip(rows, verdicts, strict=True)]
    best = {
        (min(range(len(rows)), key=lambda row: _order(columns[row][number])), number + 2)
        for number in range(len(columns[0]))
    }
    shown = frozenset((row, column) for row, column in best if rows[row][column] != NO_NUMBER)
    title = f"{gold}: {TWO_WAY}, rates of {NOT_OK}"
    return SummaryTable(title, tuple(header), tuple(map(tuple, rows)), _sign(study, gold), shown)


def _facts_table(study: VerdictStudy, gold: str, verdicts: Sequence[Verdict]) -> SummaryTable:
    """The same by number of facts, without intervals."""
    rows = tuple(
        (
            verdict.metric,
            str(facts),
            str(sum(group.two_way.counts[1])),
            *(show(number.value) for number in _rates(group.two_way)),
            str(group.examples),
        )
        for verdict in verdicts
        for facts, group in verdict.by_facts.items()
    )
    header = ("metric", "facts", NOT_OK, *RATES, "n")
    return SummaryTable(f"{gold}: by number of facts", header, rows, _sign(study, gold))


def _confusion_table(study: VerdictStudy, gold: str, verdicts: Sequence[Verdict]) -> SummaryTable:
    """How many texts people and each metric call what, of two labels."""
    rows = tuple(
        (verdict.metric, label, *map(str, counts))
        for verdict in verdicts
        for label, counts in zip(TWO_LABELS, verdict.whole.two_way.counts, strict=True)
    )
    header = ("metric", "people say", *(f"metric says {label}" for label in TWO_LABELS))
    return SummaryTable(f"{gold}: texts by what is said of them", header, rows, _sign(study, gold))


def _classes_table(study: VerdictStudy, verdict: Verdict, four: Confusion) -> SummaryTable:
    """Four labels of one metric: rates and confusion matrix."""
    rows = tuple(
        (label, *map(_show, rates), *map(str, (*counts, sum(counts))))
        for (label, rates), counts in zip(four.classes.items(), four.counts, strict=True)
    )
    says = (f"metric says {label}" for label in four.labels)
    header = ("people say", "precision", "recall", "F1", *says, "n")
    title = f"{verdict.gold}: {FOUR_WAY}, {verdict.metric}"
    return SummaryTable(title, header, rows, _sign(study, verdict.gold))


def _differences_table(study: VerdictStudy, gold: str) -> SummaryTable:
    rows = tuple(
        (
            one.better,
            one.worse,
            one.ways,
            _show(one.difference),
            str(one.only_better),
            str(one.only_worse),
            show(one.p_mcnemar),
            show(one.p_holm),
        )
        for one in study.differences
        if one.gold == gold
    )
    header = ("better", "worse", "labels", "difference", "only better", "only worse", "p McNemar", "p Holm")
    return SummaryTable(f"{gold}: differences of accuracy", header, rows, _sign(study, gold))


def _rates(confusion: Confusion) -> list[Measured]:
    return [confusion.accuracy, confusion.balanced_accuracy, *confusion.classes[NOT_OK]]


def _show(measured: Measured) -> str:
    return show_with_interval(measured.value, measured.low, measured.high)


def _show_cut(verdict: Verdict) -> str:
    return f"{verdict.cut.value:.3g}" if verdict.cut else NO_NUMBER


def _order(measured: Measured) -> float:
    """Best first, undefined last."""
    return math.inf if math.isnan(measured.value) else -measured.value


def _sign(study: VerdictStudy, gold: str) -> str:
    """What the study was made from."""
    pieces = {
        "gold": gold,
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": len(study.systems),
        "examples": study.examples,
    }
    return sign("verdicts", pieces)


def _document(study: VerdictStudy) -> dict[str, object]:
    """One JSON document; a number that is not there is null, with a reason."""
    return {
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": study.systems,
        "examples": study.examples,
        "metrics": [
            {
                "spec": spec,
                "signature": signature,
                "verdicts": {one.gold: _verdict(one) for one in study.verdicts if one.metric == spec},
            }
            for spec, signature in study.signatures.items()
        ],
        "differences": [to_object(one) for one in study.differences],
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        **_group(verdict.whole),
        "left_out": verdict.left_out,
        "cut": verdict.cut and verdict.cut._asdict(),
        "correlations": {name: to_object(one) for name, one in verdict.correlations.items()},
        "by_facts": {str(facts): _group(group) for facts, group in verdict.by_facts.items()},
    }


def _group(group: Group) -> dict[str, object]:
    found: dict[str, object] = {"examples": group.examples, "two_way": _confusion(group.two_way)}
    if group.four_way:
        found["four_way"] = _confusion(group.four_way)
    return found


def _confusion(found: Confusion) -> dict[str, object]:
    return {
        "accuracy": to_object(found.accuracy),
        "balanced_accuracy": to_object(found.balanced_accuracy),
        "classes": {
            label: {name: to_object(rate) for name, rate in rates._asdict().items()}
            for label, rates in found.classes.items()
        },
        "confusion": {
            label: dict(zip(found.labels, counts, strict=True))
            for label, counts in zip(found.labels, found.counts, strict=True)
        },
    }


def _csv_rows(study: VerdictStudy) -> list[tuple[str | float, ...]]:
    """A row per metric, gold, number of facts and statistic; `facts` is empty for all texts together."""
    rows: list[tuple[str | float, ...]] = [CSV_COLUMNS]
    for verdict in study.verdicts:
        groups = {"": verdict.whole, **{str(facts): group for facts, group in verdict.by_facts.items()}}
        for facts, group in groups.items():
            for ways, label, statistic, it in _numbers(group):
                numbers = (it.value, it.mean, it.low, it.high, it.reason)
                rows.append((verdict.metric, verdict.gold, facts, ways, label, statistic, *numbers))
        for statistic, it in verdict.correlations.items():
            numbers = (it.value, it.mean, it.low, it.high, it.reason)
            rows.append((verdict.metric, verdict.gold, "", "", "", statistic, *numbers))
    return rows


def _numbers(group: Group) -> Iterator[tuple[str, str, str, Measured]]:
    """Labels in use, label, statistic and number."""
    for ways, found in ((TWO_WAY, group.two_way), (FOUR_WAY, group.four_way)):
        if found:
            yield ways, "", "accuracy", found.accuracy
            yield ways, "", "balanced_accuracy", found.balanced_accuracy
            for label, rates in found.classes.items():
                for name, rate in rates._asdict().items():
                    yield ways, label, name, rate
