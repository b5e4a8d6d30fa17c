"""One line per example, as JSON lines or CSV; rendered where the example was scored, written as they come."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import orjson

from factable.metric import Metric
from factable.report.cells import csv_lines, text_cell
from factable.signature import spec
from factable.types import Example, Finding, Scores


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
    cells = zip(*(map(_cell, column) for column in columns), strict=True)
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


def _cell(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
