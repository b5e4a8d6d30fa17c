"""Pools: the facts and references that are ranked, sorted, so that the order of examples does not matter."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import sha256_of
from factable.io.read import iter_examples
from factable.metrics.ranking.rankers import FIND_TABLE, Index, Ranker, make_rankers
from factable.models.runtime.arrays import DATA_SET, cached_by_mtime
from factable.models.runtime.progress import ParallelMap
from factable.text.documents import table_documents
from factable.types import Example

UnitSet = frozenset[str]
Indices = NDArray[np.int64]
Degrees = NDArray[np.float64]


class SimilarReferences(NamedTuple):
    """Indices of references whose table shares units with a given one, and how similar each table is."""

    indices: Indices
    degrees: Degrees


class PoolContents(NamedTuple):
    """What examples have to rank: attributes, units, and references with the units of their tables."""

    attributes: set[str]
    units: set[str]
    references: set[tuple[str, tuple[str, ...]]]

    def add(self, more: "PoolContents") -> None:
        """Add what others have."""
        self.attributes.update(more.attributes)
        self.units.update(more.units)
        self.references.update(more.references)


def collect_contents(examples: Iterable[Example], reading: str) -> PoolContents:
    """What these examples have to rank."""
    contents = PoolContents(set(), set(), set())
    for example in examples:
        contents.attributes.update(record.attribute for record in example.table.records)
        units = tuple(sorted(table_documents(example.table, reading)))
        contents.units.update(units)
        contents.references.update((text, units) for text in example.references if units and text.strip())
    return contents


class Pool:
    """Units and references, and which units the table of each reference has."""

    def __init__(self, contents: PoolContents) -> None:
        self.attributes: Sequence[str] = sorted(contents.attributes)
        self.units: Sequence[str] = sorted(contents.units)
        self.index_of = {unit: index for index, unit in enumerate(self.units)}
        ordered = sorted(contents.references)
        self.references: Sequence[str] = [text for text, _ in ordered]
        numbers: dict[tuple[str, ...], int] = {}
        self._table_of = np.array(
            [numbers.setdefault(units, len(numbers)) for _, units in ordered], dtype=np.int64
        )
        self._tables = list(numbers)
        self._sizes = np.array(list(map(len, numbers)), dtype=np.int64)
        having: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        for units, number in numbers.items():
            for unit in units:
                having[unit].append(number)
        self._tables_with = dict(having)

    def table(self, reference: int) -> UnitSet:
        """The units of a reference's table."""
        return frozenset(self._tables[self._table_of[reference]])

    def similar_references(self, units: UnitSet, delta: float) -> SimilarReferences:
        """References whose table is similar to these units by more than delta (intersection over union)."""
        shared = np.zeros(len(self._tables), dtype=np.int64)
        for unit in units:
            if unit in self._tables_with:
                shared[np.frombuffer(self._tables_with[unit], dtype=np.int64)] += 1
        degrees = shared / np.maximum(self._sizes + len(units) - shared, 1)
        of_references = np.where(degrees > delta, degrees, 0.0)[self._table_of]
        indices = np.flatnonzero(of_references)
        return SimilarReferences(indices, of_references[indices])


class IndexedPool:
    """A pool with the rankers of each direction and their indexes, made when they are first needed."""

    def __init__(self, pool: Pool, rankers: Mapping[str, Ranker]) -> None:
        self.pool, self._rankers = pool, rankers
        self._indexes: dict[str, Index] = {}

    def read(self, texts: Sequence[str], directions: Sequence[str]) -> list[Any]:
        """The queries of each direction; a ranker of several reads the texts once."""
        rankers = [self._rankers[direction] for direction in directions]
        queries = {ranker: ranker.read(texts) for ranker in dict.fromkeys(rankers)}
        return [queries[ranker] for ranker in rankers]

    def index(self, direction: str, parallel_map: ParallelMap = map) -> Index:
        """The index of all units of tables, or of all references."""
        if direction not in self._indexes:
            documents = self.pool.units if direction == FIND_TABLE else self.pool.references
            self._indexes[direction] = self._rankers[direction].index(documents, parallel_map)
        return self._indexes[direction]


def index_pool(contents: PoolContents, ranker: str) -> IndexedPool:
    """The pool of what was collected."""
    return IndexedPool(Pool(contents), make_rankers(ranker))


def load_pool(path: str, reading: str, ranker: str, identity: str) -> IndexedPool:
    """The pool of a converted data set, cached while file and ranker stay the same."""
    return _load(path, pool_checksum(path), reading, ranker, identity)


def pool_checksum(path: str) -> str:
    """The sha256 of a data set."""
    return cached_by_mtime(sha256_of, path, DATA_SET)


@lru_cache(maxsize=2)
def _load(path: str, _checksum: str, reading: str, ranker: str, _identity: str) -> IndexedPool:
    return index_pool(_read_contents(path, reading), ranker)


def load_units(path: str, reading: str) -> UnitSet:
    """All units of a converted data set, cached while the file stays the same."""
    return _load_units(path, pool_checksum(path), reading)


@lru_cache(maxsize=2)
def _load_units(path: str, _checksum: str, reading: str) -> UnitSet:
    return frozenset(_read_contents(path, reading).units)


def _read_contents(path: str, reading: str) -> PoolContents:
    contents = collect_contents(iter_examples(path, need_text=False), reading)
    if not contents.units:
        raise DataError([Fault(path, None, "holds no records with a value", DATA_SET.remedy)])
    return contents
