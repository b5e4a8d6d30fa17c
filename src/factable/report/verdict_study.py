"""A study of verdicts in every form: labels of metrics against those of people."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from factable.report.studies import ESTIMATE_COLUMNS, HEADS, CsvRow, Document, csv_cells, estimate_objects
from factable.report.tables import (
    NO_NUMBER,
    Output,
    TextTable,
    best_first,
    make_text_table,
    table_signature,
    to_json_object,
)
from factable.study.panel import Estimate
from factable.study.verdicts import (
    FOUR_WAY,
    TWO_LABELS,
    TWO_WAY,
    Confusion,
    Disagreement,
    LabelAgreement,
    LabelledTexts,
    VerdictStudy,
)
from factable.types import Example

NOT_OK = TWO_LABELS[1]
ERRORS_WITH_FACTS = "errors with number of facts, Spearman rho"
RATES = ("accuracy", "balanced accuracy", "precision", "recall", "F1")


def verdicts_output(study: VerdictStudy) -> Output:
    """Labels of metrics against gold labels: rates, confusion matrices and differences of accuracy."""
    document = {
        "bootstrap": study.draws,
        "seed": study.seed,
        "systems": study.systems,
        "examples": study.examples,
        "metrics": [
            {
                "spec": spec,
                "signature": signature,
                "verdicts": {row.gold: _labels_object(row) for row in study.agreements if row.metric == spec},
            }
            for spec, signature in study.signatures.items()
        ],
        "differences": list(map(to_json_object, study.differences)),
    }
    columns = ("metric", "gold", "facts", "ways", "label", "statistic", *ESTIMATE_COLUMNS)
    rows = [row for agreement in study.agreements for row in _labels_csv_rows(agreement)]
    tables = [table for gold in study.golds for table in _verdict_tables(study, gold)]
    return Output(tables, tuple(study.signatures.values()), document, [columns, *rows])


def _verdict_tables(study: VerdictStudy, gold: str) -> Iterator[TextTable]:
    """Two labels, all texts and by number of facts; four labels; differences."""
    signature = table_signature(
        "verdicts",
        gold=gold,
        bootstrap=study.draws,
        seed=study.seed,
        systems=len(study.systems),
        examples=study.examples,
    )
    agreements = [agreement for agreement in study.agreements if agreement.gold == gold]
    agreements = best_first(agreements, lambda agreement: agreement.all_texts.two_way.accuracy)
    yield _rates_table(gold, agreements, signature)
    yield make_text_table(
        f"{gold}: rates by number of facts (0–1)",
        ["metric", "facts", f"texts {NOT_OK}", *RATES, "texts"],
        [
            [
                *(agreement.metric, facts, sum(texts.two_way.counts[1])),
                *(number.value for number in _two_way_rates(texts)),
                texts.examples,
            ]
            for agreement in agreements
            for facts, texts in agreement.by_facts.items()
        ],
        signature,
    )
    yield make_text_table(
        f"{gold}: number of texts by label",
        ["metric", "people say", *(f"metric says {label}" for label in TWO_LABELS)],
        [
            [agreement.metric, label, *counts]
            for agreement in agreements
            for label, counts in zip(TWO_LABELS, agreement.all_texts.two_way.counts, strict=True)
        ],
        signature,
    )
    for agreement in agreements:
        if agreement.all_texts.four_way:
            yield _classes_table(agreement, agreement.all_texts.four_way, signature)
    differences = [pair for pair in study.differences if pair.gold == gold]
    if differences:
        yield make_text_table(
            f"{gold}: differences of accuracy",
            ["better", "worse", "labels", "difference", "only better", "only worse", "p McNemar", "p Holm"],
            [
                [
                    *(pair.better, pair.worse, pair.ways, pair.difference),
                    *(pair.only_better, pair.only_worse, pair.p_mcnemar, pair.p_holm),
                ]
                for pair in differences
            ],
            signature,
        )


def _rates_table(gold: str, agreements: Sequence[LabelAgreement], signature: str) -> TextTable:
    """Two labels, with intervals; the best of each column in bold."""
    heads = [*RATES, *(HEADS[name] for name in agreements[0].correlations)]
    rows = [
        [*_two_way_rates(agreement.all_texts), *agreement.correlations.values()] for agreement in agreements
    ]
    sizes = [agreement.errors_with_facts for agreement in agreements]
    if any(agreement.all_texts.four_way for agreement in agreements):
        heads.append(f"{FOUR_WAY} accuracy")
        for row, agreement in zip(rows, agreements, strict=True):
            four_way = agreement.all_texts.four_way
            row.append(four_way.accuracy if four_way else Estimate(math.nan))
    return make_text_table(
        f"{gold}: {TWO_WAY}, rates of {NOT_OK} (0–1)",
        ["metric", "OK from", *heads, ERRORS_WITH_FACTS, "texts", "texts left out"],
        [
            [
                agreement.metric,
                f"{agreement.cut.value:.3g}" if agreement.cut else NO_NUMBER,
                *numbers,
                size,
                agreement.all_texts.examples,
                agreement.left_out,
            ]
            for agreement, numbers, size in zip(agreements, rows, sizes, strict=True)
        ],
        signature,
        best=heads,
        optional=["texts left out"],
    )


def _two_way_rates(texts: LabelledTexts) -> list[Estimate]:
    """The numbers under RATES."""
    confusion = texts.two_way
    return [confusion.accuracy, confusion.balanced_accuracy, *confusion.classes[NOT_OK]]


def _classes_table(agreement: LabelAgreement, four_way: Confusion, signature: str) -> TextTable:
    """Four labels of one metric: rates and confusion matrix."""
    says = (f"metric says {label}" for label in four_way.labels)
    return make_text_table(
        f"{agreement.gold}: {FOUR_WAY}, rates of {agreement.metric} (0–1)",
        ["people say", *RATES[2:], *says, "texts"],
        [
            [label, *rates, *counts, sum(counts)]
            for (label, rates), counts in zip(four_way.classes.items(), four_way.counts, strict=True)
        ],
        signature,
    )


def _labels_object(agreement: LabelAgreement) -> Document:
    return {
        **_texts_object(agreement.all_texts),
        "left_out": agreement.left_out,
        "cut": agreement.cut and agreement.cut._asdict(),
        "correlations": estimate_objects(agreement.correlations),
        "errors_with_facts": to_json_object(agreement.errors_with_facts),
        "by_facts": {str(facts): _texts_object(texts) for facts, texts in agreement.by_facts.items()},
    }


def _texts_object(texts: LabelledTexts) -> Document:
    four_way = {"four_way": _confusion_object(texts.four_way)} if texts.four_way else {}
    return {"examples": texts.examples, "two_way": _confusion_object(texts.two_way), **four_way}


def _confusion_object(confusion: Confusion) -> Document:
    return {
        "accuracy": to_json_object(confusion.accuracy),
        "balanced_accuracy": to_json_object(confusion.balanced_accuracy),
        "classes": {label: estimate_objects(rates._asdict()) for label, rates in confusion.classes.items()},
        "confusion": {
            label: dict(zip(confusion.labels, counts, strict=True))
            for label, counts in zip(confusion.labels, confusion.counts, strict=True)
        },
    }


def _labels_csv_rows(agreement: LabelAgreement) -> Iterator[CsvRow]:
    """A row per number of facts and statistic; `facts` is empty for all texts together."""
    start = (agreement.metric, agreement.gold)
    groups = {"": agreement.all_texts, **{str(facts): texts for facts, texts in agreement.by_facts.items()}}
    for facts, texts in groups.items():
        for ways, confusion in ((TWO_WAY, texts.two_way), (FOUR_WAY, texts.four_way)):
            if confusion:
                row = partial(_confusion_csv_row, start, facts, ways)
                yield row("", "accuracy", confusion.accuracy)
                yield row("", "balanced_accuracy", confusion.balanced_accuracy)
                for label, rates in confusion.classes.items():
                    for name, rate in rates._asdict().items():
                        yield row(label, name, rate)
    for statistic, number in agreement.correlations.items():
        yield *start, "", "", "", statistic, *csv_cells(number)
    yield *start, "", "", "", "errors_with_facts", *csv_cells(agreement.errors_with_facts)


def disagreement_rows(study: VerdictStudy, examples: Iterable[Example]) -> Iterator[Document]:
    """The texts that people and a metric label differently, with their data, in the order of the examples."""
    by_text: dict[tuple[str, str], list[tuple[LabelAgreement, Disagreement]]] = {}
    for agreement in study.agreements:
        for each in agreement.disagreements:
            by_text.setdefault((each.item, each.system), []).append((agreement, each))
    for example in examples:
        for agreement, each in by_text.pop((example.item, example.system), []):
            yield {
                "id": example.item,
                "system": example.system,
                "gold": agreement.gold,
                "people": each.people,
                "metric": agreement.metric,
                "says": each.metric,
                "data": list(map(list, example.table.records)),
                "text": example.text,
            }


def _confusion_csv_row(
    start: tuple[str, str], facts: str, ways: str, label: str, statistic: str, number: Estimate
) -> CsvRow:
    return *start, facts, ways, label, statistic, *csv_cells(number)
