"""The examples that a report lists: made into JSON where they were scored, kept in a temporary file."""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.core.results import Scores
from factable.engine.plan import Scored
from factable.types import Example, Finding, Table

# In the order in which the page numbers them.
KINDS = ("supported", "omitted", "contradicted", "unsupported", "repeated", "unscored")
NUMBER_OF = {kind: number for number, kind in enumerate(KINDS)}
BYTES_IN_MEMORY = 1 << 26
DIGITS = 6
Indices = NDArray[np.int64]


class Listed(NamedTuple):
    """One example: its data as JSON, and the rest of it as JSON."""

    data: bytes
    rest: bytes


class ExampleListing:
    """Keeps the rows of all examples of a run until the page is written; memory holds 16 bytes of each."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(BYTES_IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._starts = array("q", [0])
        self._items = array("q")

    def __enter__(self) -> "ExampleListing":
        return self

    def __exit__(self, *raised: object) -> None:
        self._file.close()

    def take(self, unit: Scored) -> None:
        """Keep the rows of one unit."""
        self._items.extend(map(hash, unit.items))
        for row in unit.listed:
            self._file.write(row)
            self._starts.append(self._starts[-1] + len(row))

    def item_of(self) -> Indices:
        """A number for the item of each example, in the order in which items came."""
        hashes = np.frombuffer(self._items, dtype=np.int64)
        _, first, number_of = np.unique(hashes, return_index=True, return_inverse=True)
        # Hashes differ from process to process, and nothing drawn over items may.
        numbers: Indices = np.argsort(np.argsort(first))[number_of]
        return numbers

    def rows(self, indices: Sequence[int]) -> Iterator[Listed]:
        """The examples with these indices, which must ascend."""
        for index in indices:
            start, end = self._starts[index], self._starts[index + 1]
            self._file.seek(start)
            data, _, rest = self._file.read(end - start).partition(b"\n")
            yield Listed(data, rest)


def listing_rows(examples: Sequence[Example], scores: Sequence[Scores]) -> list[bytes]:
    """A line of JSON for the data of each example (shared by systems) and one for all else."""
    rows = []
    for index, example in enumerate(examples):
        data = page_data(example.table, example.references)
        findings = [page_findings(piece.findings[index], example.text) for piece in scores]
        ratings = {_clean(name): _rounded(rating) for name, rating in example.human.items()}
        rest = [_clean(example.item), _clean(example.text), _numbers(scores, index), findings, ratings]
        rows.append(orjson.dumps(data) + b"\n" + orjson.dumps(rest))
    return rows


def page_data(table: Table, references: Sequence[str]) -> tuple[object, ...]:
    """Title, records and references as pages have them."""
    records = [tuple(map(_clean, record)) for record in table.records]
    return _clean(table.title), records, tuple(map(_clean, references))


def _clean(text: str) -> str:
    """Text with lone surrogates, which no file can hold, replaced; the length stays."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _numbers(pieces: Sequence[Scores], index: int) -> list[list[float | None]]:
    """The value and the parts under each metric."""
    columns = [(piece.values, *piece.parts.values()) for piece in pieces]
    return [[_rounded(column[index]) for column in group] for group in columns]


def _rounded(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, DIGITS)


def page_findings(findings: Iterable[Finding], text: str) -> list[tuple[object, ...]]:
    """Findings as pages have them: kind by number, record, span in UTF-16 units, score and note."""
    index = _script_positions(text)
    return [
        (
            NUMBER_OF[finding.kind],
            finding.record,
            *((index(finding.span[0]), index(finding.span[1])) if finding.span else (None, None)),
            _rounded(finding.score),
            _clean(finding.note),
        )
        for finding in findings
    ]


def _script_positions(text: str) -> Callable[[int], int]:
    """Positions as JavaScript counts them, in UTF-16 units."""
    if not text or max(text) <= "\uffff":
        return int
    return list(accumulate((1 + (letter > "\uffff") for letter in text), initial=0)).__getitem__
