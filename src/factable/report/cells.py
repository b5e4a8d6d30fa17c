"""Cells of CSV: text that a spreadsheet would take for a formula is marked as text."""

import re
from collections.abc import Iterable, Sequence

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
