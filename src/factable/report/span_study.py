"""A study of spans in every form: errors that metrics, judges and people mark in texts."""

from collections.abc import Iterator, Mapping, Sequence

from factable.report.studies import ESTIMATE_COLUMNS, HEADS, CsvRow, Document, csv_cells, estimate_objects
from factable.report.tables import Cell, Output, TextTable, make_text_table, table_signature, to_json_object
from factable.study.spans import MarkerResult, SpanRates, SpanStudy

# Heads of the statistics, each on a scale from 0 to 1 or, for correlations, from -1 to 1.
SPAN_HEADS = {
    "character_precision": "precision",
    "character_recall": "recall",
    "character_f1": "F1",
    "overlap_precision": "overlap precision",
    "overlap_recall": "overlap recall",
    "overlap_f1": "overlap F1",
}
TEXT_HEADS = {
    "auc": "AUC",
    "spearman": HEADS["spearman"],
    "kendall_b": HEADS["kendall_b"],
    "false_alarms": "false alarms",
    "missed": "missed",
}
# Statistics whose intervals are shown; JSON and CSV have all.
WITH_INTERVAL = ("character_f1", "overlap_f1", "auc")
IN_GROUPS = ("character_f1", "overlap_f1", "auc", "false_alarms", "missed")
LEFT_OUT, NO_CATEGORY = "texts left out", "(none)"


def spans_output(study: SpanStudy) -> Output:
    """Marks against spans and labels of texts: all texts, by domain, system and category."""
    document = {
        "gold": study.gold,
        "bootstrap": study.draws,
        "seed": study.seed,
        "examples": study.examples,
        "metrics": [{"spec": spec, "signature": signature} for spec, signature in study.signatures.items()],
        "markers": list(map(_marker_object, study.markers)),
    }
    columns = ("marker", "kind", "group", "name", "statistic", *ESTIMATE_COLUMNS)
    rows = [row for marker in study.markers for row in _csv_rows(marker)]
    return Output(list(_tables(study)), tuple(study.signatures.values()), document, [columns, *rows])


def _tables(study: SpanStudy) -> Iterator[TextTable]:
    truth = study.gold or "people"
    signature = table_signature(
        "spans", gold=truth, bootstrap=study.draws, seed=study.seed, examples=study.examples
    )
    by_spans = [marker for marker in study.markers if marker.has_spans]
    if by_spans:
        yield _whole_table(
            f"spans against those of {truth}, by characters and by overlap (0–1)",
            by_spans,
            SPAN_HEADS,
            {"marks": "marks", "spans": f"spans of {truth}"},
            signature,
        )
    yield _whole_table(
        f"texts that have an error according to {truth} (AUC and rates 0–1, correlations -1–1)",
        study.markers,
        TEXT_HEADS,
        {"faulty": "texts with an error", "texts": "texts"},
        signature,
    )
    for group in ("domain", "system"):
        results = [(marker.name, getattr(marker, f"by_{group}")) for marker in study.markers]
        if any(len(rates) > 1 for _, rates in results):
            yield _group_table(group, results, signature)
    if any(marker.by_category for marker in study.markers):
        yield _category_table(truth, study.markers, signature)


def _whole_table(
    title: str,
    markers: Sequence[MarkerResult],
    heads: Mapping[str, str],
    numbers: Mapping[str, str],
    signature: str,
) -> TextTable:
    """All texts, a row per marker; `heads` are of statistics, `numbers` of fields."""
    return make_text_table(
        title,
        ["marked by", *heads.values(), *numbers.values(), LEFT_OUT],
        [
            [
                marker.name,
                *_cells(marker.all_texts, heads),
                *(getattr(marker.all_texts, number) for number in numbers),
                marker.left_out,
            ]
            for marker in markers
        ],
        signature,
        best=[head for name, head in heads.items() if name in WITH_INTERVAL],
        optional=[LEFT_OUT],
    )


def _cells(rates: SpanRates, names: Mapping[str, str] | Sequence[str]) -> list[Cell]:
    statistics = rates.statistics
    return [statistics[name] if name in WITH_INTERVAL else statistics[name].value for name in names]


def _group_table(
    group: str, results: Sequence[tuple[str, Mapping[str, SpanRates]]], signature: str
) -> TextTable:
    """The main statistics of each domain or system, markers side by side."""
    heads = {**SPAN_HEADS, **TEXT_HEADS}
    names = dict.fromkeys(name for _, rates in results for name in rates)
    return make_text_table(
        f"by {group} (0–1)",
        [group, "marked by", *(heads[name] for name in IN_GROUPS), "texts with an error", "texts"],
        [
            [name, marker, *_cells(rates[name], IN_GROUPS), rates[name].faulty, rates[name].texts]
            for name in names
            for marker, rates in results
            if name in rates
        ],
        signature,
    )


def _category_table(truth: str, markers: Sequence[MarkerResult], signature: str) -> TextTable:
    categories = dict.fromkeys(category for marker in markers for category in marker.by_category)
    return make_text_table(
        f"recall by category of {truth} (0–1)",
        ["category", "marked by", SPAN_HEADS["character_recall"], SPAN_HEADS["overlap_recall"], "spans"],
        [
            [
                category or NO_CATEGORY,
                marker.name,
                recall.character_recall,
                recall.overlap_recall,
                recall.spans,
            ]
            for category in categories
            for marker in markers
            if (recall := marker.by_category.get(category))
        ],
        signature,
    )


def _marker_object(marker: MarkerResult) -> Document:
    return {
        "name": marker.name,
        "kind": marker.kind,
        "has_spans": marker.has_spans,
        "left_out": marker.left_out,
        **_rates_object(marker.all_texts),
        "by_domain": {name: _rates_object(rates) for name, rates in marker.by_domain.items()},
        "by_system": {name: _rates_object(rates) for name, rates in marker.by_system.items()},
        "by_category": {name: to_json_object(recall) for name, recall in marker.by_category.items()},
    }


def _rates_object(rates: SpanRates) -> Document:
    numbers = {"texts": rates.texts, "faulty": rates.faulty, "marks": rates.marks, "spans": rates.spans}
    return {**numbers, "statistics": estimate_objects(rates.statistics)}


def _csv_rows(marker: MarkerResult) -> Iterator[CsvRow]:
    """A row per group and statistic; group and name are empty for all texts together."""
    groups = [("", {"": marker.all_texts}), ("domain", marker.by_domain), ("system", marker.by_system)]
    for group, by_name in groups:
        for name, rates in by_name.items():
            for statistic, number in rates.statistics.items():
                yield marker.name, marker.kind, group, name, statistic, *csv_cells(number)
    for category, recall in marker.by_category.items():
        for statistic in ("character_recall", "overlap_recall"):
            number = getattr(recall, statistic)
            yield marker.name, marker.kind, "category", category, statistic, *csv_cells(number)
