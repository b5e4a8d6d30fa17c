"""The examples that a report lists: made into JSON where they were scored, kept in a temporary file.

An example is a row of `factable score --format jsonl`, by the schema of results, with its text and ratings.
Its data is kept apart, because texts of several systems share it.
"""

from array import array
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.core.results import Scores
from factable.core.schema import record_paths, row_object
from factable.engine.plan import Scored
from factable.types import Example, Table

BYTES_IN_MEMORY = 1 << 26
JSON_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
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
        data = table_object(example.table, example.references)
        rest = {
            **row_object(example, scores, index),
            "text": example.text,
            "human": dict(example.human),
        }
        rows.append(_dump(data) + b"\n" + _dump(rest))
    return rows


def table_object(table: Table, references: Sequence[str]) -> dict[str, object]:
    """The data of an example: its records, and, of objects and rows, `data` with the path of each record."""
    is_nested = isinstance(table.source, dict | list)
    return {
        "title": table.title,
        "records": [*map(list, table.records)],
        "references": references,
        **({"data": table.source, "paths": record_paths(table)} if is_nested else {}),
    }


def _dump(value: object) -> bytes:
    try:
        return orjson.dumps(value, default=str, option=JSON_OPTIONS)
    except TypeError:
        return orjson.dumps(_clean(value), default=str, option=JSON_OPTIONS)


def _clean(value: object) -> object:
    """The same with lone surrogates, which no file can hold, replaced; the length of texts stays."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    return [*map(_clean, value)] if isinstance(value, list | tuple) else value
