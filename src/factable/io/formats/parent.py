"""The files of Dhingra et al. 2019 (PARENT): texts, references and tables, line by line."""

from collections.abc import Iterator, Sequence

from factable.io.faults import Malformed, examples_of, shorten
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.formats.parallel import zip_lines
from factable.types import Example, Record, Table


def read_parent(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each line; references and records are separated by tabs."""
    require_sources("parent", sources, 3, 3)
    rows = ((number, (number, lines)) for number, lines in zip_lines(sources))
    # Only the tables can be malformed, so faults name that file.
    return examples_of(source_name(sources[2]), rows, lambda row: _make(*row))


def _make(number: int, lines: list[str]) -> Example:
    text, references, table = lines
    records = tuple(_record(piece) for piece in table.split("\t") if piece.strip())
    stripped = map(str.strip, references.split("\t"))
    return Example(str(number), "", text.strip(), Table(records), tuple(filter(None, stripped)))


def _record(piece: str) -> Record:
    parts = [part.strip() for part in piece.split("|||")]
    if len(parts) == 2:
        return Record("", *parts)
    if len(parts) == 3:
        return Record(*parts)
    raise Malformed(
        f"{shorten(piece)} has {len(parts)} parts", "write attribute|||value or head|||relation|||tail"
    )
