"""The forms of a result: tables of text, a JSON document, rows of CSV; and how numbers are shown in them."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from factable._version import __version__

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
NO_NUMBER = "–"
MARK = "*"
DIGITS = 3


class NumberWithInterval(Protocol):
    """A number with an interval, which is NaN where there is none."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """Where the interval begins."""

    @property
    def high(self) -> float:
        """Where it ends."""


Cell = str | int | float | NumberWithInterval


@dataclass(frozen=True, slots=True)
class TableStyle:
    """How tables look: digits after the point (None for the usual), and names to show instead of others."""

    digits: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, text: str) -> str:
        """A name of a system or a metric, alone or before a scale or what a table is about."""
        known = next(
            (name for name in self.names if text == name or text.startswith((f"{name} (", f"{name}:"))), ""
        )
        return self.names[known] + text.removeprefix(known) if known else text


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text; `best` has (row, column) of the cells to set in bold, `marked` of those with a star.

    `note` says what the star means, `bold_note` what bold means; `cells` are the rows before they became
    text.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    signature: str
    best: frozenset[tuple[int, int]] = frozenset()
    marked: frozenset[tuple[int, int]] = frozenset()
    note: str = ""
    bold_note: str = "Best in bold."
    cells: tuple[tuple[Cell, ...], ...] = ()

    def styled(self, style: TableStyle) -> "TextTable":
        """The same table in another style."""
        return replace(
            self,
            title=style.name(self.title),
            header=tuple(map(style.name, self.header)),
            rows=_text_rows(self.cells, self.marked, style) if self.cells else self.rows,
        )


def _text_rows(
    cells: Sequence[Sequence[Cell]], marked: Collection[tuple[int, int]], style: TableStyle
) -> tuple[tuple[str, ...], ...]:
    digits = DIGITS if style.digits is None else style.digits
    return tuple(
        tuple(
            style.name(format_cell(cell, digits)) + (MARK if (index, number) in marked else "")
            for number, cell in enumerate(row)
        )
        for index, row in enumerate(cells)
    )


@dataclass(frozen=True, slots=True)
class Output:
    """A result in every form: tables with the signatures of the metrics in them, a JSON document, CSV rows.

    NaN becomes null in the document and an empty cell in `csv_rows`, the first of which is the header.
    """

    tables: Sequence[TextTable]
    signatures: Sequence[str]
    document: object
    csv_rows: Sequence[Sequence[str | float]]


def make_text_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    signature: str,
    *,
    best: Collection[str] = (),
    optional: Collection[str] = (),
    bold: Iterable[tuple[int, int]] = (),
    marked: Collection[tuple[int, int]] = (),
    note: str = "",
    bold_note: str = "Best in bold.",
) -> TextTable:
    """A table of cells as text.

    The highest number of each column that `best` names is bold, and so are the cells in `bold`; those in
    `marked` have a star, which `note` explains. A column that `optional` names is left out where all its
    cells are 0; `bold` and `marked` count without it.
    """
    rows = list(rows)
    kept = [n for n, head in enumerate(header) if head not in optional or any(row[n] for row in rows)]
    header = [header[number] for number in kept]
    rows = [[row[number] for number in kept] for row in rows]
    highest = {
        (index, number)
        for number, head in enumerate(header)
        if head in best and (index := _highest([row[number] for row in rows])) is not None
    }
    return TextTable(
        title=title,
        header=tuple(header),
        rows=_text_rows(rows, marked, TableStyle()),
        signature=signature,
        best=frozenset(highest | set(bold)),
        marked=frozenset(marked),
        note=note if marked else "",
        bold_note=bold_note,
        cells=tuple(map(tuple, rows)),
    )


def _highest(cells: Sequence[Cell]) -> int | None:
    """The index of the highest number, the first of equal ones; None where there is none."""
    index = min(range(len(cells)), key=lambda number: _descending(cells[number]), default=None)
    return index if index is not None and _descending(cells[index]) < math.inf else None


def best_of(cells: Sequence[Cell], *, higher_is_better: bool = True) -> list[int]:
    """The indexes of the best numbers, several if they are equal; none where there is no number."""
    sign = 1 if higher_is_better else -1
    ranks = [sign * _descending(cell) for cell in cells]
    defined = [rank for rank in ranks if not math.isinf(rank)]
    return [index for index, rank in enumerate(ranks) if defined and rank == min(defined)]


def best_first(rows: Iterable[T], number: Callable[[T], Cell]) -> list[T]:
    """The rows sorted by a number, highest first; undefined ones are last."""
    return sorted(rows, key=lambda row: _descending(number(row)))


def _descending(cell: Cell) -> float:
    assert not isinstance(cell, str)
    value = cell if isinstance(cell, int | float) else cell.value
    return math.inf if math.isnan(value) else -value


def format_cell(cell: Cell, digits: int = DIGITS) -> str:
    """A cell as people read it: a number with its interval, if it has one; a dash where it is missing."""
    if isinstance(cell, str | int):
        return str(cell)
    if isinstance(cell, float):
        return NO_NUMBER if math.isnan(cell) else f"{cell:.{digits}f}"
    if math.isnan(cell.low):
        return format_cell(cell.value, digits)
    value, low, high = (format_cell(number, digits) for number in (cell.value, cell.low, cell.high))
    return f"{value} [{low}, {high}]"


def format_percent(share: float) -> str:
    """A share as a percentage."""
    return NO_NUMBER if math.isnan(share) else f"{100 * share:.1f} %"


def format_scale(bounds: tuple[float, float], *, higher_is_better: bool) -> str:
    """The scale of a metric for the head of its column, such as `0–1` or `0 or more, lower is better`."""
    low, high = bounds
    scale = f"{low:g}–{high:g}"
    if math.isinf(high):
        scale = "" if math.isinf(low) else f"{low:g} or more"
    return ", ".join(filter(None, [scale, "" if higher_is_better else "lower is better"]))


def column_head(name: str, scale: str) -> str:
    """The head of a column: a name, with its scale in brackets if it has one."""
    return f"{name} ({scale})" if scale else name


def table_signature(kind: str, **pieces: object) -> str:
    """What a table was made from, in one line; the signatures of the metrics say the rest."""
    return "|".join([kind, *(f"{name}:{value}" for name, value in pieces.items()), f"factable:{__version__}"])


def to_json_object(value: "DataclassInstance") -> dict[str, object]:
    """The JSON object of a dataclass and of those in it, with a reason only where there is one."""
    return asdict(
        value,
        dict_factory=lambda fields: {name: field for name, field in fields if name != "reason" or field},
    )
