"""CSV and TSV files: a header, then rows with one cell per column."""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, nan
from typing import TypeVar

from factable.errors import DataError, Fault, did_you_mean
from factable.io.faults import Malformed, shorten
from factable.io.files import iter_whole_lines, source_name
from factable.io.limits import MAX_LINE_BYTES

T = TypeVar("T")
QUOTED = re.compile(r'"[^"]*"')
# The csv module of Python 3.10 refuses NUL; it is replaced by a character that no UTF-8 line can hold.
NUL, STAND_IN = "\0", "\ud800"


def read_cells(path: str | os.PathLike[str]) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The header, and the rows with the line each begins at; the header shows what separates cells."""
    lines = iter_whole_lines(path)
    name = source_name(path)
    first = next(lines, "")
    rows = _split_rows(name, _chain(first, lines), find_delimiter(first))
    _, header = next(rows, (1, []))
    if not header:
        raise DataError([Fault(name, 1, "no header", "put the column names in the first line")])
    return check_header(name, header), rows


def find_delimiter(header: str) -> str:
    """A tab if the header line has one; else a semicolon or a comma, whichever it has more of."""
    if "\t" in header:
        return "\t"
    unquoted = QUOTED.sub("", header)
    return ";" if unquoted.count(";") > unquoted.count(",") else ","


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _split_rows(name: str, lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # The csv module refuses cells over 128 KiB unless told otherwise, for the whole process.
    csv.field_size_limit(MAX_LINE_BYTES)
    # Strict, because otherwise one stray quote swallows the rest of the file without a word.
    without_nul = (line.replace(NUL, STAND_IN) for line in lines)
    reader = csv.reader(without_nul, delimiter=delimiter, strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            remedy = 'put "…" around a cell with quotes, and double each quote in it'
            raise DataError([Fault(name, begins, f"broken CSV ({error})", remedy)]) from None
        if row:
            yield begins, [cell.replace(STAND_IN, NUL) for cell in row]


def check_header(name: str, header: Iterable[str]) -> list[str]:
    """The column names, stripped; every column must have a name of its own."""
    names = [column.strip() for column in header]
    seen: set[str] = set()
    for index, column in enumerate(names):
        if not column:
            raise DataError(
                [Fault(name, 1, f"column {index + 1} has no name", "name it or delete the column")]
            )
        if column in seen:
            raise DataError([Fault(name, 1, f'two columns are named "{column}"', "rename one of them")])
        seen.add(column)
    return names


def check_width(row: Sequence[T], width: int) -> Sequence[T]:
    """The row, if it has one cell for each column."""
    if len(row) != width:
        raise Malformed(
            f"{len(row)} cells under {width} column names", "give every row one cell for each column"
        )
    return row


def find_column(name: str, header: list[str], column: str) -> int:
    """The index of a column; case does not matter."""
    lowered = [cell.lower() for cell in header]
    if column.lower() in lowered:
        return lowered.index(column.lower())
    problem = f'no column "{column}" among {", ".join(header)}'
    raise DataError(
        [Fault(name, 1, problem, f"{did_you_mean(column, header)}name the columns in the first line")]
    )


def read_number(cell: str, column: str) -> float:
    """The number in a cell, such as a rating."""
    try:
        number = float(cell)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise Malformed(f"{shorten(cell)} as {column}", "give a number")
    return number
