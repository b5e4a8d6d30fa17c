"""The result of `factable score` as tables, JSON, JSON lines and CSV."""

import math
from collections.abc import Iterable, Sequence
from typing import IO

import orjson

from factable.core.metric import Metric, corpus_results, part_heads
from factable.core.results import VALUE, Scores, pick
from factable.core.schema import SCHEMA, gives_labels, row_object
from factable.core.signature import spec
from factable.engine.collect import Result
from factable.report.formats import csv_lines, csv_number, csv_text
from factable.report.tables import (
    Cell,
    TextTable,
    best_of,
    column_head,
    format_scale,
    make_text_table,
    table_signature,
)
from factable.types import Example

UNSCORED = "unscored"


def summarize(result: Result) -> list[TextTable]:
    """One table per metric: its value and parts for each system, and for all together.

    Before them, of several metrics, one with the values of all.
    """
    import numpy as np

    system_of = np.frombuffer(result.system_of, dtype=np.uint32)
    groups = [(name or "(unnamed)", system_of == number) for number, name in enumerate(result.systems)]
    if len(groups) != 1:
        groups.append(("all", np.ones(len(system_of), dtype=bool)))
    names = [name for name, _ in groups]
    tables, columns = [], []
    for metric, scores in zip(result.metrics, result.scores, strict=True):
        rows = [_summary_row(metric, pick(scores, members)) for _, members in groups]
        columns.append([row[0] for row in rows])
        header = ("system", _head(metric, metric.name), *part_heads(metric), "texts", UNSCORED)
        cells = [[name, *row] for name, row in zip(names, rows, strict=True)]
        tables.append(make_text_table(scores.metric, header, cells, scores.signature, optional=[UNSCORED]))
    if len(tables) > 1:
        tables.insert(0, _overview(result, names, columns))
    return tables


def _overview(result: Result, names: Sequence[str], columns: Sequence[Sequence[Cell]]) -> TextTable:
    """Systems and the values of all metrics, the best of each in bold."""
    heads = [_head(metric, spec(metric)) for metric in result.metrics]
    rows = [[name, *cells] for name, cells in zip(names, zip(*columns, strict=True), strict=True)]
    # The last row is of all systems together.
    systems = [column[: len(result.systems)] for column in columns]
    bold = [
        (index, number)
        for number, (metric, values) in enumerate(zip(result.metrics, systems, strict=True), 1)
        if len(values) > 1
        for index in best_of(values, higher_is_better=metric.higher_is_better)
    ]
    signature = table_signature("score", texts=len(result.system_of), systems=len(result.systems))
    return make_text_table("all metrics", ["system", *heads], rows, signature, bold=bold)


def _head(metric: Metric, name: str) -> str:
    return column_head(name, format_scale(metric.bounds, higher_is_better=metric.higher_is_better))


def _summary_row(metric: Metric, scores: Scores) -> list[Cell]:
    """Value, parts and numbers of examples of one system."""
    corpus = corpus_results(metric, scores.values, scores.parts, scores.stats)
    numbers = [corpus[name] for name in (VALUE, *metric.parts)]
    return [*numbers, len(scores.values), sum(map(math.isnan, scores.values))]


def jsonl_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """`{"id", "system", "metrics": {spec: {"value", "parts", …}}}` by the schema; a missing value is null."""
    if examples and not any(gives_labels(piece) or any(piece.findings) for piece in pieces):
        return _number_rows(examples, pieces)
    # Adding the line feed here makes a copy of the right size; orjson's own bytes hold a kilobyte each.
    return [
        orjson.dumps(row_object(example, pieces, index)) + b"\n" for index, example in enumerate(examples)
    ]


def _number_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """The same rows where there is nothing but numbers: written by columns, which is three times as fast."""
    columns = [column for piece in pieces for column in (piece.values, *piece.parts.values())]
    shape = [_row_shape(piece) for piece in pieces]
    row = b'{"id":"%%b","system":"%%b","metrics":{%b}}\n' % b",".join(shape)
    items, systems = ([getattr(example, name) for example in examples] for name in ("item", "system"))
    # NaN becomes null.
    numbers = (orjson.dumps(column.tolist())[1:-1].split(b",") for column in columns)
    return [row % cells for cells in zip(_dump_strings(items), _dump_strings(systems), *numbers, strict=True)]


def _row_shape(piece: Scores) -> bytes:
    """What a row has of one metric, with a place for each number."""
    names = b",".join(orjson.dumps(name).replace(b"%", b"%%") + b":%b" for name in piece.parts)
    return orjson.dumps(piece.metric).replace(b"%", b"%%") + b':{"value":%b,"parts":{' + names + b"}}"


def _dump_strings(strings: list[str]) -> list[bytes]:
    """JSON strings without quotation marks; inside of them, each such mark has a backslash before it."""
    return orjson.dumps(strings)[2:-2].split(b'","')


def csv_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """`id,system,value and parts of each metric`; a missing value is an empty cell."""
    columns = [column for piece in pieces for column in (piece.values, *piece.parts.values())]
    cells = zip(*(map(csv_number, column) for column in columns), strict=True)
    return csv_lines(
        (csv_text(example.item), csv_text(example.system), *row)
        for example, row in zip(examples, cells, strict=True)
    )


def csv_header(metrics: Sequence[Metric]) -> bytes:
    """The first line of the CSV: `spec` for the value, `spec.part` for each part."""
    names = [name for metric in metrics for name in _column_names(metric)]
    return csv_lines([["id", "system", *map(csv_text, names)]])[0]


def _column_names(metric: Metric) -> list[str]:
    return [spec(metric), *(f"{spec(metric)}.{part}" for part in metric.parts)]


def write_json(result: Result, rows: Iterable[bytes], stream: IO[bytes]) -> None:
    """`{"schema", "metrics": […], "examples": […]}`; `rows` are those of `jsonl_rows`.

    Written piece by piece, so that the text of a million values is never held at once.
    """
    stream.write(b'{"schema":%s,"metrics":[' % orjson.dumps(SCHEMA))
    for number, scores in enumerate(result.scores):
        stream.write(b"," if number else b"")
        _write_scores(scores, stream)
    stream.write(b'],"examples":[')
    for number, row in enumerate(rows):
        stream.write(b"," if number else b"")
        stream.write(row.rstrip(b"\n"))
    stream.write(b"]}\n")


def _write_scores(scores: Scores, stream: IO[bytes]) -> None:
    head = {
        "spec": scores.metric,
        "signature": scores.signature,
        "corpus": scores.corpus,
        "corpus_parts": dict(scores.corpus_parts),
        "unscored": sum(map(math.isnan, scores.values)),
    }
    stream.write(orjson.dumps(head)[:-1])
    stream.write(b',"values":')
    stream.write(_dump_array(scores.values))
    stream.write(b',"parts":{')
    for number, (name, part) in enumerate(scores.parts.items()):
        stream.write(b"," if number else b"")
        stream.write(orjson.dumps(name) + b":")
        stream.write(_dump_array(part))
    stream.write(b"}}")


def _dump_array(values: Sequence[float]) -> bytes:
    # NumPy needs no copy of the values as Python numbers; NaN becomes null.
    import numpy as np

    return orjson.dumps(np.frombuffer(values), option=orjson.OPT_SERIALIZE_NUMPY)  # type: ignore[call-overload]
