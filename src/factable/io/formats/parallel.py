"""Texts, references and data in separate files, line by line."""

from collections.abc import Iterator, Sequence

from factable.errors import DataError, Fault
from factable.io.data import make_table
from factable.io.faults import examples_of
from factable.io.files import iter_lines, source_name
from factable.io.formats import require_sources
from factable.io.rows import parse_cell
from factable.types import Example, Table


def zip_lines(paths: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The n-th line of every file, numbered from 1; files of different length are a fault."""
    streams = [iter_lines(path) for path in paths]
    number = 0
    while True:
        row = [next(stream, None) for stream in streams]
        lines = [line for line in row if line is not None]
        if len(lines) < len(streams):
            break
        number += 1
        yield number, lines
    if lines:
        counts = [
            number + (line is not None) + sum(1 for _ in stream)
            for line, stream in zip(row, streams, strict=True)
        ]
        raise DataError([unequal_lines(paths, counts)])


def unequal_lines(paths: Sequence[str], counts: Sequence[int]) -> Fault:
    """The fault of files with different numbers of lines: names the first file and the first that differs."""
    other = next(index for index, count in enumerate(counts) if count != counts[0])
    problem = f"has {counts[other]} lines, but {source_name(paths[0])} has {counts[0]}"
    return Fault(
        source_name(paths[other]), None, problem, "give both the same number of lines, in the same order"
    )


def read_parallel(sources: Sequence[str], *, data: str | None = None) -> Iterator[Example]:
    """One example for each line; a blank line is an empty text, or a missing reference."""
    require_sources("parallel", sources, 1)
    paths = [*sources] if data is None else [*sources, data]
    # Only the data can be malformed, so faults name that file.
    return examples_of(source_name(paths[-1]), _rows(paths), lambda row: _make(*row, data is not None))


def _rows(paths: Sequence[str]) -> Iterator[tuple[int, tuple[int, list[str]]]]:
    return ((number, (number, lines)) for number, lines in zip_lines(paths))


def _make(number: int, lines: list[str], has_data: bool) -> Example:
    text, *references = lines
    table = make_table(parse_cell(references.pop())) if has_data else Table(())
    return Example(str(number), "", text.strip(), table, tuple(filter(None, map(str.strip, references))))
