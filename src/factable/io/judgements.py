"""Rows of judgements by people, such as preferences: the same fields in JSON lines, a JSON list or CSV."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from factable.errors import did_you_mean
from factable.io.collect import Faults, Unit, make_each
from factable.io.delimited import check_width, find_column, read_cells
from factable.io.files import plain_suffix, source_name
from factable.io.malformed import Malformed, kind_of
from factable.io.objects import open_objects

R = TypeVar("R")
Fields = Mapping[str, object]
Cells = Mapping[str, str | None]


def open_judgements(
    path: str | os.PathLike[str],
    make: Callable[[Fields], R],
    faults: Faults,
    *,
    needed: Sequence[str],
    arrange: Callable[[Cells], Fields],
) -> tuple[Unit, Iterator[tuple[int, R]]]:
    """How messages count in a file, and what is made of its numbered rows.

    `needed` columns are looked for in the header of a CSV file, whose cells `arrange` turns into fields; an
    empty cell is None.
    """
    if plain_suffix(path) not in (".csv", ".tsv"):
        return open_objects(path, lambda value, _: make(_check_object(value, needed)), faults)
    header, rows = read_cells(path)
    for name in needed:
        header[find_column(source_name(path), header, name)] = name

    def make_row(cells: list[str]) -> R:
        filled = [cell if cell.strip() else None for cell in check_width(cells, len(header))]
        return make(arrange(dict(zip(header, filled, strict=True))))

    return "line", make_each(source_name(path), rows, make_row, faults)


def _check_object(value: object, needed: Sequence[str]) -> Fields:
    if not isinstance(value, dict):
        shown = ", ".join(f'"{name}": …' for name in needed)
        raise Malformed(f"{kind_of(value)} instead of an object", f"write {{{shown}}}")
    for name in needed:
        if name not in value:
            others = [str(field) for field in value if field not in needed]
            raise Malformed(f'no "{name}" field', f"{did_you_mean(name, others)}add it")
    return value


def take_name(fields: Fields, field: str, default: str | None = None) -> str:
    """An id or a name; where it is missing the default, if there is one."""
    value = fields.get(field)
    if type(value) is int:
        return str(value)
    if isinstance(value, str) and value:
        return value
    if value is not None and value != "":
        raise Malformed(f'"{field}" is {kind_of(value)}', "give a string or a whole number")
    if default is None:
        raise Malformed(f'"{field}" is empty', "give a string or a whole number")
    return default
