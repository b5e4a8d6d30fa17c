"""Rows of CSV and Parquet files in blocks: cut here, made into examples anywhere, in any process."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from factable.errors import MOST_FAULTS_SHOWN, DataError
from factable.io.blocks import Block, Parsed, parse_block
from factable.io.collect import Faults, Unit, make_each
from factable.io.delimited import check_width
from factable.io.rows import Columns
from factable.types import Example

BLOCK_ROWS = 1024


class RowBlock(NamedTuple):
    """Consecutive rows under the same names: lists of cells, or a record batch of Arrow.

    `lines` says where each row stands in its source; `first` is the number of the first, which stands in for
    a missing id. `system` is the name for the system of rows that name none.
    """

    source: str
    unit: Unit
    names: Sequence[str]
    lines: Sequence[int]
    first: int
    rows: Any
    size: int
    system: str = ""


def cut_rows(
    source: str,
    names: Sequence[str],
    rows: Iterable[tuple[int, list[str]]],
    *,
    most: int = BLOCK_ROWS,
    need_text: bool,
) -> Iterator[RowBlock]:
    """Blocks of rows with the line each begins at; a source that breaks off tells of earlier faults, too."""
    lines: list[int] = []
    cells: list[list[str]] = []
    first = 1

    def block() -> RowBlock:
        # Cells and what separates them; quotes are gone.
        size = sum(len(cell) + 1 for row in cells for cell in row)
        return RowBlock(source, "line", names, lines, first, cells, size)

    try:
        for line, row in rows:
            lines.append(line)
            cells.append(row)
            if len(cells) == most:
                yield block()
                first += len(cells)
                lines, cells = [], []
    except DataError as error:
        found = [*parse_rows(block(), need_text=need_text).faults, *error.faults]
        raise DataError(found[:MOST_FAULTS_SHOWN]) from None
    if cells:
        yield block()


def parse_rows(block: RowBlock, *, need_text: bool = True) -> Parsed:
    """Make an example of every row; a bad one becomes a fault and the others go on."""
    columns = Columns(block.names)
    faults = Faults(patient=True)
    width = len(block.names)

    def make(row: tuple[int, Sequence[Any]]) -> Example:
        return columns.example(check_width(row[1], width), row[0], need_text=need_text)

    numbered = zip(block.lines, enumerate(_cells_of(block), block.first), strict=True)
    made = list(make_each(block.source, numbered, make, faults, unit=block.unit))
    return Parsed([example for _, example in made], [line for line, _ in made], faults.take())


def parse_any(block: Block | RowBlock, *, need_text: bool = True) -> Parsed:
    """What a block of lines or of rows holds."""
    if isinstance(block, Block):
        return parse_block(block, need_text=need_text)
    return parse_rows(block, need_text=need_text)


def iter_rows(blocks: Iterable[RowBlock], *, need_text: bool) -> Iterator[Example]:
    """The examples of all blocks one by one; faults are raised at the end, or at the tenth."""
    faults = Faults()
    for block in blocks:
        parsed = parse_rows(block, need_text=need_text)
        yield from parsed.examples
        faults.add(*parsed.faults)
    faults.check()


def _cells_of(block: RowBlock) -> Iterable[Sequence[Any]]:
    if isinstance(block.rows, list):
        return block.rows
    from factable.io.formats.parquet import cells_of

    return cells_of(block.source, block.rows)
