"""One line per example, as JSON lines or CSV; rendered where the example was scored, written as they come."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict

import orjson

from factable.metric import Metric
from factable.types import Example, Finding, Scores

LINE = orjson.OPT_APPEND_NEWLINE


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
        rows.append(orjson.dumps(row, option=LINE))
    return rows


def finding_object(finding: Finding) -> dict[str, object]:
    """The JSON object of a finding."""
    return asdict(finding)


def csv_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """`id,system,value and parts of each metric`; a missing value is an empty cell."""
    columns = [column for piece in pieces for column in (piece.values, *piece.parts.values())]
    return [
        _csv_line([example.item, example.system, *(_cell(column[index]) for column in columns)])
        for index, example in enumerate(examples)
    ]


def csv_header(metrics: Sequence[Metric], specs: Sequence[str]) -> bytes:
    """The first line of the CSV: `spec` for the value, `spec.part` for each part."""
    names = [
        name for metric, spec in zip(metrics, specs, strict=True) for name in _column_names(metric, spec)
    ]
    return _csv_line(["id", "system", *names])


def _column_names(metric: Metric, spec: str) -> list[str]:
    return [spec, *(f"{spec}.{part}" for part in metric.parts)]


def _cell(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


def _csv_line(cells: Sequence[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode("utf-8", "surrogatepass")
