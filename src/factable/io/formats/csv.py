"""CSV and TSV tables: the columns id, system, text, data, references …, or a fact in each column."""

from collections.abc import Iterator, Sequence

from factable.io.blocks import BLOCK_ROWS, RowBlock, cut_rows, iter_rows
from factable.io.delimited import read_cells
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.types import Example


def read_csv(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each row; a table without texts gives empty ones."""
    require_sources("csv", sources, 1, 1)
    return iter_rows(iter_csv(sources[0], need_text=False), need_text=False)


def iter_csv(path: str, *, most: int = BLOCK_ROWS, need_text: bool) -> Iterator[RowBlock]:
    """The rows of a CSV or TSV file with the line each begins at, in blocks."""
    header, rows = read_cells(path)
    return cut_rows(source_name(path), header, rows, most=most, need_text=need_text)
