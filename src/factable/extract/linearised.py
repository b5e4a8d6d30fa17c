"""Records as a line of tokens, which a pointer network writes, and back."""

import re
from collections.abc import Iterable, Sequence

from factable.text.templates import readable
from factable.types import Record

# Cells of a row and rows of a table are kept apart by these; an attribute is one token.
CELL, ROW = "⟨cell⟩", "⟨row⟩"
# A line may be cut where it is this long: longer ones are repetitions.
MOST_TOKENS = 120
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|\w+|[^\w\s]")
_ATTRIBUTE = re.compile(r"⟨(.+)⟩")


def tokens_of(text: str) -> list[str]:
    """The tokens of a text or value, in small letters."""
    return [token.lower() for token in _TOKEN.findall(readable(text))]


def find_tokens(wanted: str, text: str) -> tuple[int, int] | None:
    """Where a text has tokens, joined by spaces as in a line, one after the other for the first time."""
    found = list(_TOKEN.finditer(text))
    tokens, size = [token[0].lower() for token in found], len(wanted.split())
    for place in range(len(tokens) - size + 1) if size else ():
        if " ".join(tokens[place : place + size]) == wanted:
            return found[place].start(), found[place + size - 1].end()
    return None


def attribute_token(attribute: str) -> str:
    """An attribute as a token of its own."""
    return f"⟨{attribute}⟩"


def linearise(records: Iterable[Record]) -> list[str]:
    """Records as tokens: subject, attribute and value of each with CELL between, ROW after each."""
    line: list[str] = []
    for subject, attribute, value in records:
        line += [*tokens_of(subject), CELL, attribute_token(attribute), CELL, *tokens_of(value), ROW]
    return line


def delinearise(line: Sequence[str]) -> list[Record]:
    """The records of a line of tokens; rows that are no record are left out."""
    records = []
    row: list[list[str]] = [[]]
    for token in line:
        if token == ROW:
            records += _record(row)
            row = [[]]
        elif token == CELL:
            row.append([])
        else:
            row[-1].append(token)
    return records


def _record(row: Sequence[Sequence[str]]) -> list[Record]:
    if len(row) != 3 or len(row[1]) != 1 or not row[2]:
        return []
    attribute = _ATTRIBUTE.fullmatch(row[1][0])
    return [Record(" ".join(row[0]), attribute[1], " ".join(row[2]))] if attribute else []
