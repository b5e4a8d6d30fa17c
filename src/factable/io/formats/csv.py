"""CSV and TSV tables: the columns id, system, text, data, references …, or a fact in each column."""

from collections.abc import Iterator, Sequence

from factable.io.collect import Faults, make_each
from factable.io.delimited import check_width, read_cells
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.rows import Columns
from factable.types import Example


def read_csv(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each row; a table without texts gives empty ones."""
    require_sources("csv", sources, 1, 1)
    faults = Faults()
    for _, example in number_csv(sources[0], faults, need_text=False):
        yield example
    faults.check()


def number_csv(path: str, faults: Faults, *, need_text: bool) -> Iterator[tuple[int, Example]]:
    """The examples of a CSV or TSV file with the line each begins at."""
    header, rows = read_cells(path)
    columns = Columns(header)

    def make(row: tuple[int, list[str]]) -> Example:
        return columns.example(check_width(row[1], len(header)), row[0], need_text=need_text)

    numbered = ((line, (number, cells)) for number, (line, cells) in enumerate(rows, 1))
    return make_each(source_name(path), numbered, make, faults)
