"""Text files that belong together line by line."""

from collections.abc import Iterator, Sequence

from factable.errors import DataError, Fault
from factable.io.files import iter_lines, source_name


def zip_lines(paths: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The n-th line of every file, numbered from 1; unequal counts are one fault that names both."""
    streams = [iter_lines(path) for path in paths]
    number = 0
    while True:
        taken = [next(stream, None) for stream in streams]
        lines = [line for line in taken if line is not None]
        if len(lines) < len(streams):
            break
        number += 1
        yield number, lines
    if lines:
        counts = [
            number + (line is not None) + sum(1 for _ in stream)
            for line, stream in zip(taken, streams, strict=True)
        ]
        raise DataError([unequal_lines(paths, counts)])


def unequal_lines(paths: Sequence[str], counts: Sequence[int]) -> Fault:
    """Names the first file and the first whose count differs from it."""
    other = next(place for place, count in enumerate(counts) if count != counts[0])
    found = f"has {counts[other]} lines, but {source_name(paths[0])} has {counts[0]}"
    return Fault(
        source_name(paths[other]), None, found, "give both the same number of lines, in the same order"
    )
