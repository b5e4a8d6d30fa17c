"""A result in every form that a command can print."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING

import numpy as np
import orjson

from factable._version import __version__
from factable.core.metric import Metric
from factable.core.results import Scores
from factable.core.signature import spec
from factable.engine.collect import Result
from factable.report.terminal import SummaryTable, to_latex, to_markdown, to_terminal
from factable.types import Example, Finding

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


# What formulas begin with, in narrow and in wide characters; and the mark, so that it can be taken off again.
FORMULA = re.compile(r"['=+\-@\t\r＝＋－＠]")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MARK = "'"
# What would end a cell or a row.
TO_QUOTE = re.compile('[",\r\n]')


def text_cell(text: str) -> str:
    """The text, with an apostrophe before it if it begins as a formula does; a number stays a number."""
    if not FORMULA.match(text) or NUMBER.fullmatch(text):
        return text
    return MARK + text


def csv_lines(rows: Iterable[Sequence[str]]) -> list[bytes]:
    """Lines of CSV, one for each row of cells.

    The csv module refuses some characters, which ones depends on the version of Python.
    """
    return [f"{','.join(map(_quoted, row))}\n".encode("utf-8", "surrogatepass") for row in rows]


def _quoted(cell: str) -> str:
    if not TO_QUOTE.search(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


NO_NUMBER = "–"


@dataclass(frozen=True, slots=True)
class Output:
    """Tables for people with the signatures of the metrics in them, a JSON document, rows of CSV.

    In the document a NaN becomes null; in `csv_rows`, whose first is the header, an empty cell.
    """

    tables: Sequence[SummaryTable]
    signatures: Sequence[str]
    document: object
    csv_rows: Sequence[Sequence[str | float]]


def render(output: Output, shape: str, *, colour: bool = False) -> bytes:
    """The output as table (terminal text), json, csv, markdown or latex."""
    if shape == "json":
        return orjson.dumps(output.document, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"
    if shape == "csv":
        return _to_csv(output.csv_rows)
    if shape == "markdown":
        return to_markdown(output.tables, output.signatures).encode()
    if shape == "latex":
        return to_latex(output.tables, output.signatures).encode()
    return to_terminal(output.tables, output.signatures, colour=colour).encode()


def _to_csv(rows: Sequence[Sequence[str | float]]) -> bytes:
    return b"".join(csv_lines([_cell(value) for value in row] for row in rows))


def _cell(value: str | float) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return text_cell(value) if isinstance(value, str) else str(value)


def show(value: float, digits: int = 3) -> str:
    """A number as people read it; a missing one is a dash."""
    return NO_NUMBER if math.isnan(value) else f"{value:.{digits}f}"


def show_with_interval(value: float, low: float, high: float, digits: int = 3) -> str:
    """A number and its interval, where it has one."""
    if math.isnan(low):
        return show(value, digits)
    return f"{show(value, digits)} [{show(low, digits)}, {show(high, digits)}]"


def sign(kind: str, pieces: Mapping[str, object]) -> str:
    """What a table was made from, in one line; the signatures of the metrics say the rest."""
    return "|".join([kind, *(f"{name}:{value}" for name, value in pieces.items()), f"factable:{__version__}"])


def to_object(found: "DataclassInstance") -> dict[str, object]:
    """The JSON object of a dataclass and of those in it, with a reason only where there is one."""
    return asdict(
        found, dict_factory=lambda fields: {name: it for name, it in fields if name != "reason" or it}
    )


def jsonl_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """`{"id", "system", "metrics": {spec: {"value", "parts", "findings"}}}`; a missing value is null."""
    rows = []
    for index, example in enumerate(examples):
        metrics = {
            piece.metric: {
                "value": piece.values[index],
                "parts": {name: part[index] for name, part in piece.parts.items()},
                "findings": [finding_object(finding) for finding in piece.findings[index]],
            }
            for piece in pieces
        }
        row = {"id": example.item, "system": example.system, "metrics": metrics}
        # Adding the line feed here makes a copy of the right size; orjson's own bytes hold a kilobyte each.
        rows.append(orjson.dumps(row) + b"\n")
    return rows


def finding_object(finding: Finding) -> dict[str, object]:
    """The JSON object of a finding."""
    return asdict(finding)


def csv_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """`id,system,value and parts of each metric`; a missing value is an empty cell."""
    columns = [column for piece in pieces for column in (piece.values, *piece.parts.values())]
    cells = zip(*(map(_row_cell, column) for column in columns), strict=True)
    return csv_lines(
        (text_cell(example.item), text_cell(example.system), *row)
        for example, row in zip(examples, cells, strict=True)
    )


def csv_header(metrics: Sequence[Metric]) -> bytes:
    """The first line of the CSV: `spec` for the value, `spec.part` for each part."""
    names = [name for metric in metrics for name in _column_names(metric)]
    return csv_lines([["id", "system", *map(text_cell, names)]])[0]


def _column_names(metric: Metric) -> list[str]:
    return [spec(metric), *(f"{spec(metric)}.{part}" for part in metric.parts)]


def _row_cell(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


ARRAYS = orjson.OPT_SERIALIZE_NUMPY
FINDINGS_AT_ONCE = 4096


def write_json(result: Result, stream: IO[bytes]) -> None:
    """`{"examples": N, "metrics": [{spec, signature, corpus, values, parts, findings, unscored}]}`.

    Written piece by piece, so that the text of a million values is never held at once.
    """
    stream.write(b'{"examples":%d,"metrics":[' % len(result.system_of))
    for number, scores in enumerate(result.scores):
        stream.write(b"," if number else b"")
        _write_scores(scores, stream)
    stream.write(b"]}\n")


def _write_scores(scores: Scores, stream: IO[bytes]) -> None:
    head = {
        "spec": scores.metric,
        "signature": scores.signature,
        "corpus": scores.corpus,
        "corpus_parts": dict(scores.corpus_parts),
    }
    stream.write(orjson.dumps(head)[:-1])
    stream.write(b',"values":')
    stream.write(_dump_array(scores.values))
    stream.write(b',"parts":{')
    for number, (name, part) in enumerate(scores.parts.items()):
        stream.write(b"," if number else b"")
        stream.write(orjson.dumps(name) + b":")
        stream.write(_dump_array(part))
    stream.write(b'},"findings":[')
    for number, chunk in enumerate(_chunks(scores.findings)):
        stream.write(b"," if number else b"")
        stream.write(orjson.dumps([[finding_object(f) for f in found] for found in chunk])[1:-1])
    stream.write(b'],"unscored":%d}' % sum(map(math.isnan, scores.values)))


def _dump_array(values: Sequence[float]) -> bytes:
    # NaN becomes null.
    return orjson.dumps(np.frombuffer(values), option=ARRAYS)  # type: ignore[call-overload]


def _chunks(findings: Sequence[tuple[Finding, ...]]) -> Iterable[Sequence[tuple[Finding, ...]]]:
    for start in range(0, len(findings), FINDINGS_AT_ONCE):
        yield findings[start : start + FINDINGS_AT_ONCE]
