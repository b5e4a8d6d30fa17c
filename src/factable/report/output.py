"""A result in every form that a command can print."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import orjson

from factable import __version__
from factable.report.cells import csv_lines, text_cell
from factable.report.summary import SummaryTable
from factable.report.text import to_latex, to_markdown, to_terminal

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

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
