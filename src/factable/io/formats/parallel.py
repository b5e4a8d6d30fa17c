"""Texts, references and data in separate files, line by line."""

from collections.abc import Iterator, Sequence

from factable.io.aligned import zip_lines
from factable.io.collect import examples_of
from factable.io.data import make_table
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.rows import parse_cell
from factable.types import Example, Table


def read_parallel(sources: Sequence[str], *, data: str | None = None) -> Iterator[Example]:
    """One example for each line; a blank line is an empty text, or a missing reference."""
    require_sources("parallel", sources, 1)
    paths = [*sources] if data is None else [*sources, data]
    # Only a line of data can be wrong, so that is the file that faults name.
    return examples_of(source_name(paths[-1]), _rows(paths), lambda row: _make(*row, data is not None))


def _rows(paths: Sequence[str]) -> Iterator[tuple[int, tuple[int, list[str]]]]:
    return ((number, (number, lines)) for number, lines in zip_lines(paths))


def _make(number: int, lines: list[str], has_data: bool) -> Example:
    text, *references = lines
    table = make_table(parse_cell(references.pop())) if has_data else Table(())
    kept = tuple(reference.strip() for reference in references if reference.strip())
    return Example(str(number), "", text.strip(), table, kept)
