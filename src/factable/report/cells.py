"""Cells of CSV: text that a spreadsheet would take for a formula is marked as text."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

# What formulas begin with, in narrow and in wide characters; and the mark, so that it can be taken off again.
FORMULA = re.compile(r"['=+\-@\t\r＝＋－＠]")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MARK = "'"


def text_cell(text: str) -> str:
    """The text, with an apostrophe before it if it begins as a formula does; a number stays a number."""
    if not FORMULA.match(text) or NUMBER.fullmatch(text):
        return text
    return MARK + text


def csv_lines(rows: Iterable[Sequence[str]]) -> list[bytes]:
    """Lines of CSV, one for each row of cells."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    ends = [0]
    for row in rows:
        writer.writerow(row)
        ends.append(lines.tell())
    text = lines.getvalue()
    return [text[start:end].encode("utf-8", "surrogatepass") for start, end in pairwise(ends)]
