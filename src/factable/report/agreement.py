"""Agreement of annotators as tables of text, as JSON and as CSV."""

from collections.abc import Mapping, Sequence

from factable.report.formats import Output, show_with_interval, sign, to_object
from factable.report.terminal import SummaryTable
from factable.study.agreement import AnnotatorStudy, DimensionAgreement, SpanAgreement
from factable.study.panel import Measured

CSV_COLUMNS = ("kind", "name", "statistic", "value", "mean", "low", "high", "reason")


def agreement_output(study: AnnotatorStudy) -> Output:
    """A study in every form; no metric is in it, and so no signature of one."""
    return Output(_tables(study), (), _document(study), _csv_rows(study))


def _tables(study: AnnotatorStudy) -> list[SummaryTable]:
    pieces = {
        "bootstrap": study.draws,
        "seed": study.seed,
        "texts": study.texts,
        "annotators": study.annotators,
    }
    signature = sign("agreement", pieces)
    tables = []
    if study.dimensions:
        names = [one.dimension for one in study.dimensions]
        tables.append(_table("ratings and labels", "dimension", names, study.dimensions, signature))
    if study.spans:
        names = ["(any)" if one.kind is None else one.kind for one in study.spans]
        tables.append(_table("spans", "kind", names, study.spans, signature))
    return tables


def _table(
    title: str,
    first: str,
    names: Sequence[str],
    found: Sequence[DimensionAgreement | SpanAgreement],
    signature: str,
) -> SummaryTable:
    statistics = [name.replace("_", " ") for name in found[0].statistics]
    header = [first, *statistics, "texts", "annotators"]
    rows = [
        [name, *map(_show, one.statistics.values()), str(one.texts), str(one.annotators)]
        for name, one in zip(names, found, strict=True)
    ]
    if any(one.left_out for one in found):
        header.append("left out")
        rows = [[*row, str(one.left_out)] for row, one in zip(rows, found, strict=True)]
    return SummaryTable(title, tuple(header), tuple(map(tuple, rows)), signature)


def _document(study: AnnotatorStudy) -> dict[str, object]:
    """One JSON document; a number that is not there is null, with a reason."""
    return {
        "bootstrap": study.draws,
        "seed": study.seed,
        "texts": study.texts,
        "annotators": study.annotators,
        "dimensions": [to_object(one) for one in study.dimensions],
        "spans": [to_object(one) for one in study.spans],
    }


def _show(measured: Measured) -> str:
    return show_with_interval(measured.value, measured.low, measured.high)


def _csv_rows(study: AnnotatorStudy) -> list[tuple[str | float, ...]]:
    """A row per statistic of each dimension and kind of span; spans of any kind have no name."""
    found: list[tuple[str, str, Mapping[str, Measured]]] = [
        *(("dimension", one.dimension, one.statistics) for one in study.dimensions),
        *(("spans", one.kind or "", one.statistics) for one in study.spans),
    ]
    rows = [
        (kind, name, statistic, it.value, it.mean, it.low, it.high, it.reason)
        for kind, name, statistics in found
        for statistic, it in statistics.items()
    ]
    return [CSV_COLUMNS, *rows]
