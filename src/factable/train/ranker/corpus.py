"""What a ranker learns from: texts of a corpus with the facts they tell, drawn in batches.

The two training sets of the paper, labelled within a batch: a text and a unit (a fact, or its bare value)
belong together or not; two texts belong together as far as their tables do.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factable.text.templates import facts_of
from factable.text.units import READINGS, RECORDS, VALUES, unit_text
from factable.types import Example, Record

# How often a fact is drawn as its bare value.
VALUES_SHARE = 0.25
# How often a fact that nearly fits is made up: the right subject and value, another attribute.
MADE_UP_SHARE = 0.4
PARTS = ("subject", "attribute", "value")
# Draws of a neighbour before one is left out.
MOST_TRIES = 8


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts, the number of each one's table, and the facts of each table."""

    texts: Sequence[str]
    table_of: Sequence[int]
    facts: Sequence[tuple[Record, ...]]

    def units(self, table: int, readings: Sequence[str] = READINGS) -> frozenset[str]:
        """All units of a table."""
        units = {unit_text(record, reading) for record in self.facts[table] for reading in readings}
        return frozenset(units - {""})


@dataclass(frozen=True, slots=True)
class Batch:
    """Places of texts in the corpus, and units for them."""

    texts: Sequence[int]
    units: Sequence[str]


def corpus_of(examples: Iterable[Example]) -> Corpus:
    """Every reference of a corpus, or the text where there is none; equal tables are one."""
    texts: list[str] = []
    table_of: list[int] = []
    facts: list[tuple[Record, ...]] = []
    numbers: dict[frozenset[str], int] = {}
    for example in examples:
        records = tuple(facts_of(example.table).values())
        key = frozenset(unit_text(record, RECORDS) for record in records) - {""}
        if not key:
            continue
        if key not in numbers:
            numbers[key] = len(facts)
            facts.append(records)
        for text in filter(str.strip, example.references or (example.text,)):
            texts.append(text)
            table_of.append(numbers[key])
    return Corpus(texts, table_of, facts)


def split(corpus: Corpus, share: float, seed: int) -> tuple[Corpus, Corpus]:
    """The texts of that share of the tables, and those of the others."""
    tables = list(range(len(corpus.facts)))
    random.Random(seed).shuffle(tables)  # noqa: S311
    first = set(tables[: round(share * len(tables))])
    return _choose(corpus, first), _choose(corpus, set(tables) - first)


def _choose(corpus: Corpus, tables: set[int]) -> Corpus:
    numbers = {table: number for number, table in enumerate(sorted(tables))}
    kept = [place for place, table in enumerate(corpus.table_of) if table in tables]
    return Corpus(
        [corpus.texts[place] for place in kept],
        [numbers[corpus.table_of[place]] for place in kept],
        [corpus.facts[table] for table in numbers],
    )


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """How far two tables are the same: intersection over union."""
    return len(first & second) / (len(first | second) or 1)


def relevance(corpus: Corpus, batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which unit belongs to which text (texts x units), and how far texts belong together (texts x texts)."""
    tables = [corpus.table_of[place] for place in batch.texts]
    every = [corpus.units(table) for table in tables]
    records = [corpus.units(table, (RECORDS,)) for table in tables]
    told = np.array([[unit in mine for unit in batch.units] for mine in every])
    alike = np.array([[overlap(mine, other) for other in records] for mine in records], dtype=np.float32)
    return told, alike


class BatchMaker:
    """Draws batches in which texts have neighbours: texts that share a fact, and facts that nearly fit."""

    def __init__(self, corpus: Corpus, size: int, seed: int) -> None:
        self._corpus, self._size = corpus, size
        self._draw = random.Random(seed)  # noqa: S311
        self._texts: dict[int, list[int]] = defaultdict(list)
        self._tables: dict[str, list[int]] = defaultdict(list)
        self._near: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for place, table in enumerate(corpus.table_of):
            self._texts[table].append(place)
        for table, facts in enumerate(corpus.facts):
            for record in facts:
                self._tables[unit_text(record, RECORDS)].append(table)
                for part in PARTS:
                    self._near[part, getattr(record, part)].append(record)
        self._attributes = sorted({record.attribute for facts in corpus.facts for record in facts})

    def epoch(self) -> Iterator[Batch]:
        """Batches in which every text is drawn about once."""
        order = list(range(len(self._corpus.texts)))
        self._draw.shuffle(order)
        drawn: set[int] = set()
        texts: list[int] = []
        for place in order:
            if place in drawn:
                continue
            pair = [place, *self._neighbour(place)]
            drawn.update(pair)
            texts += pair
            if len(texts) >= self._size:
                yield self._batch(texts)
                texts = []
        if len(texts) > 1:
            yield self._batch(texts)

    def _neighbour(self, place: int) -> list[int]:
        """Another text of a table with a fact in common, the same one included."""
        record = self._draw.choice(self._corpus.facts[self._corpus.table_of[place]])
        tables = self._tables[unit_text(record, RECORDS)]
        for _ in range(MOST_TRIES):
            other = self._draw.choice(self._texts[self._draw.choice(tables)])
            if other != place:
                return [other]
        return []

    def _batch(self, texts: list[int]) -> Batch:
        units: dict[str, None] = {}
        # Neighbours share facts, so units for every other text do for all.
        for place in texts[::2]:
            facts = self._corpus.facts[self._corpus.table_of[place]]
            record = self._draw.choice(facts)
            reading = VALUES if self._draw.random() < VALUES_SHARE else RECORDS
            for one in (record, *self._near_miss(record, facts)):
                units[unit_text(one, reading)] = None
        return Batch(texts, [unit for unit in units if unit])

    def _near_miss(self, record: Record, facts: Sequence[Record]) -> list[Record]:
        """A fact of another table with the same subject, attribute or value, or one made up."""
        for _ in range(MOST_TRIES):
            part = self._draw.choice(PARTS)
            other = self._draw.choice(self._near[part, getattr(record, part)])
            if self._draw.random() < MADE_UP_SHARE:
                # Of all that names the right things, only the attribute is wrong.
                other = record._replace(attribute=self._draw.choice(self._attributes))
            if other not in facts:
                return [other]
        return []
