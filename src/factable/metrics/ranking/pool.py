"""Pools: all that is ranked, made from examples; in an order of their own, whatever the examples' order."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import sha256_of
from factable.io.read import iter_examples
from factable.metrics.ranking.rankers import Index, Ranker, make_ranker
from factable.models.runtime.arrays import cached_by_mtime
from factable.models.runtime.progress import ParallelMap
from factable.text.documents import units_of
from factable.types import Example

Units = frozenset[str]
Indices = NDArray[np.int64]
Degrees = NDArray[np.float64]
# What a text can find.
TABLE, REFERENCES = "table", "references"
WHAT = "a data set"
REMEDY = "name a converted data set, such as the training set"


class Alike(NamedTuple):
    """Places of references whose table has something in common with one, and how far they are the same."""

    indices: Indices
    degrees: Degrees


class Collected(NamedTuple):
    """What examples have to rank: attributes, units, and references with the units of their tables."""

    attributes: set[str]
    units: set[str]
    references: set[tuple[str, tuple[str, ...]]]

    def add(self, more: "Collected") -> None:
        """Have what others have, too."""
        self.attributes.update(more.attributes)
        self.units.update(more.units)
        self.references.update(more.references)


def collect(examples: Iterable[Example], reading: str) -> Collected:
    """What these examples have to rank."""
    found = Collected(set(), set(), set())
    for example in examples:
        found.attributes.update(record.attribute for record in example.table.records)
        mine = tuple(sorted(units_of(example.table, reading)))
        found.units.update(mine)
        found.references.update((text, mine) for text in example.references if mine and text.strip())
    return found


class Pool:
    """Units and references, and which units the table of each reference has."""

    def __init__(self, collected: Collected) -> None:
        self.attributes: Sequence[str] = sorted(collected.attributes)
        self.units: Sequence[str] = sorted(collected.units)
        self.position_of = {unit: index for index, unit in enumerate(self.units)}
        ordered = sorted(collected.references)
        self.references: Sequence[str] = [text for text, _ in ordered]
        numbers: dict[tuple[str, ...], int] = {}
        self._table_of = np.array(
            [numbers.setdefault(mine, len(numbers)) for _, mine in ordered], dtype=np.int64
        )
        self._tables = list(numbers)
        self._sizes = np.array(list(map(len, numbers)), dtype=np.int64)
        having: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        for mine, number in numbers.items():
            for unit in mine:
                having[unit].append(number)
        self._tables_with = dict(having)

    def table(self, reference: int) -> Units:
        """The units of a reference's table."""
        return frozenset(self._tables[self._table_of[reference]])

    def alike(self, units: Units, delta: float) -> Alike:
        """References whose table is the same as these units by more than delta (intersection over union)."""
        shared = np.zeros(len(self._tables), dtype=np.int64)
        for unit in units:
            if unit in self._tables_with:
                shared[np.frombuffer(self._tables_with[unit], dtype=np.int64)] += 1
        degrees = shared / np.maximum(self._sizes + len(units) - shared, 1)
        of_references = np.where(degrees > delta, degrees, 0.0)[self._table_of]
        indices = np.flatnonzero(of_references)
        return Alike(indices, of_references[indices])


class IndexedPool:
    """A pool with what a ranker makes of it, once it is asked for."""

    def __init__(self, pool: Pool, ranker: Ranker) -> None:
        self.pool, self._ranker = pool, ranker
        self._indexes: dict[str, Index] = {}

    def index(self, direction: str, parallel_map: ParallelMap = map) -> Index:
        """All units of tables, or all references, ready to be ranked."""
        if direction not in self._indexes:
            documents = self.pool.units if direction == TABLE else self.pool.references
            self._indexes[direction] = self._ranker.index(documents, parallel_map)
        return self._indexes[direction]


def index_pool(collected: Collected, ranker: str) -> IndexedPool:
    """The pool of what was collected."""
    return IndexedPool(Pool(collected), make_ranker(ranker))


def load_pool(path: str, reading: str, ranker: str, identity: str) -> IndexedPool:
    """The pool of a converted data set, kept for as long as file and ranker stay as they are."""
    return _load(path, pool_checksum(path), reading, ranker, identity)


def pool_checksum(path: str) -> str:
    """The sha256 of a data set."""
    return cached_by_mtime(sha256_of, path, what=WHAT, remedy=REMEDY)


@lru_cache(maxsize=2)
def _load(path: str, _checksum: str, reading: str, ranker: str, _identity: str) -> IndexedPool:
    found = index_pool(collect(iter_examples(path, need_text=False), reading), ranker)
    if not found.pool.units:
        raise DataError([Fault(path, None, "holds no records with a value", REMEDY)])
    return found
