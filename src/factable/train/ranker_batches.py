"""What a ranker learns from: texts of a corpus with the facts they state, in batches of related ones.

The two training sets of the paper, labelled within a batch: a text and a unit (a fact, or its bare value)
belong together or not; two texts belong together as far as their tables do.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.text.documents import DOCUMENT_KINDS, RECORDS, VALUES, document_text
from factable.text.templates import clean_value, facts_of
from factable.types import Example, Record

# Share of facts that are drawn as their bare value.
SHARE_VALUES = 0.2
# Share of texts that come with a text that uses their names wrongly, instead of one that shares a fact.
SHARE_RETOLD = 0.4
# Share of those that state a single fact.
SHARE_ONE_FACT = 0.4
PARTS = ("subject", "attribute", "value")
# Attempts to draw a related text, or a fact that nearly fits.
MAX_TRIES = 8

# For each fact of a table, the indices of its subject and value among all names of the table.
TableShape = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RankerCorpus:
    """Texts, the index of each text's table, and the facts of each table."""

    texts: Sequence[str]
    table_of: Sequence[int]
    facts: Sequence[tuple[Record, ...]]

    def units(self, table: int, readings: Sequence[str] = DOCUMENT_KINDS) -> frozenset[str]:
        """All units of a table."""
        return units_of_facts(self.facts[table], readings)


def units_of_facts(facts: Iterable[Record], readings: Sequence[str] = DOCUMENT_KINDS) -> frozenset[str]:
    """All units of some facts."""
    return frozenset({document_text(fact, reading) for fact in facts for reading in readings} - {""})


def make_corpus(examples: Iterable[Example]) -> RankerCorpus:
    """Every reference of a corpus, or the text where there is none; equal tables become one."""
    texts: list[str] = []
    table_of: list[int] = []
    facts: list[tuple[Record, ...]] = []
    numbers: dict[frozenset[str], int] = {}
    for example in examples:
        records = tuple(facts_of(example.table).values())
        key = frozenset(document_text(record, RECORDS) for record in records) - {""}
        if not key:
            continue
        if key not in numbers:
            numbers[key] = len(facts)
            facts.append(records)
        for text in filter(str.strip, example.references or (example.text,)):
            texts.append(text)
            table_of.append(numbers[key])
    return RankerCorpus(texts, table_of, facts)


def split_tables(corpus: RankerCorpus, share: float, seed: int) -> tuple[RankerCorpus, RankerCorpus]:
    """The texts of that share of the tables, and those of the others."""
    tables = list(range(len(corpus.facts)))
    random.Random(seed).shuffle(tables)  # noqa: S311
    first = set(tables[: round(share * len(tables))])
    return _select(corpus, first), _select(corpus, set(tables) - first)


def _select(corpus: RankerCorpus, tables: set[int]) -> RankerCorpus:
    numbers = {table: number for number, table in enumerate(sorted(tables))}
    kept = [index for index, table in enumerate(corpus.table_of) if table in tables]
    return RankerCorpus(
        [corpus.texts[index] for index in kept],
        [numbers[corpus.table_of[index]] for index in kept],
        [corpus.facts[table] for table in numbers],
    )


def table_overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """How similar two tables are: intersection over union of their units."""
    return len(first & second) / (len(first | second) or 1)


class StatedFacts(NamedTuple):
    """A text and the facts that it states."""

    text: str
    facts: tuple[Record, ...]


class TextPattern(NamedTuple):
    """A text with the indices of names in place of the names, and the attributes of its facts."""

    pieces: tuple[str | int, ...]
    attributes: tuple[str, ...]


class Retelling:
    """The texts of a corpus that have every name of their table, by the shape of the table."""

    def __init__(self, corpus: RankerCorpus) -> None:
        self._patterns: dict[TableShape, list[TextPattern]] = defaultdict(list)
        for text, table in zip(corpus.texts, corpus.table_of, strict=True):
            facts = corpus.facts[table]
            pieces = cut_at_names(text, names_of(facts))
            if pieces:
                pattern = TextPattern(pieces, tuple(fact.attribute for fact in facts))
                self._patterns[table_shape(facts)].append(pattern)

    def retell(self, facts: Sequence[Record], draw: random.Random) -> StatedFacts | None:
        """A text of another table of the same shape, with the names of these facts."""
        patterns = self._patterns.get(table_shape(facts))
        if not patterns:
            return None
        pattern = draw.choice(patterns)
        names = names_of(facts)
        text = "".join(piece if isinstance(piece, str) else names[piece] for piece in pattern.pieces)
        pairs = zip(facts, pattern.attributes, strict=True)
        return StatedFacts(text, tuple(fact._replace(attribute=attribute) for fact, attribute in pairs))


def names_of(facts: Sequence[Record]) -> list[str]:
    """Subjects and values, each once, in their order."""
    return list(dict.fromkeys(clean_value(name) for fact in facts for name in (fact.subject, fact.value)))


def table_shape(facts: Sequence[Record]) -> TableShape:
    """Which facts share which names."""
    index = {name: number for number, name in enumerate(names_of(facts))}
    return tuple((index[clean_value(fact.subject)], index[clean_value(fact.value)]) for fact in facts)


def cut_at_names(text: str, names: Sequence[str]) -> tuple[str | int, ...]:
    """The text with indices in place of names; empty unless the text has all of them word for word."""
    index = {name.casefold(): number for number, name in enumerate(names)}
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    any_name = "|".join(map(re.escape, longest_first))
    pieces = re.split(rf"(?<!\w)({any_name})(?!\w)", text, flags=re.IGNORECASE)
    cut = tuple(_names_to_indices(pieces, index))
    return cut if {piece for piece in cut if isinstance(piece, int)} >= set(range(len(names))) else ()


def _names_to_indices(pieces: Sequence[str], index: dict[str, int]) -> Iterator[str | int]:
    """Words unchanged, and every second piece, which is a name, as its index."""
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            yield piece
        elif piece.casefold() in index:
            yield index[piece.casefold()]


@dataclass(frozen=True, slots=True)
class RankerBatch:
    """Texts with the facts they state, and units to rank for them."""

    texts: Sequence[StatedFacts]
    units: Sequence[str]


def relevance(batch: RankerBatch) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which unit each text states (texts x units), and how similar their tables are (texts x texts)."""
    all_units = [units_of_facts(stated.facts) for stated in batch.texts]
    records = [units_of_facts(stated.facts, (RECORDS,)) for stated in batch.texts]
    stated = np.array([[unit in units for unit in batch.units] for units in all_units])
    similar = np.array(
        [[table_overlap(first, second) for second in records] for first in records], dtype=np.float32
    )
    return stated, similar


class BatchMaker:
    """Draws batches; the same ones for the same corpus, seed and epoch."""

    def __init__(self, corpus: RankerCorpus, size: int, seed: int) -> None:
        self._corpus, self._size, self._seed = corpus, size, seed
        self._retelling = Retelling(corpus)
        self._texts: dict[int, list[int]] = defaultdict(list)
        self._tables: dict[str, list[int]] = defaultdict(list)
        self._records: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for index, table in enumerate(corpus.table_of):
            self._texts[table].append(index)
        for table, facts in enumerate(corpus.facts):
            for record in facts:
                self._tables[document_text(record, RECORDS)].append(table)
                for part in PARTS:
                    self._records[part, getattr(record, part)].append(record)
        self._attributes = sorted({record.attribute for facts in corpus.facts for record in facts})

    def epoch(self, number: int) -> list[RankerBatch]:
        """Batches in which every text of the corpus is drawn about once."""
        draw = random.Random(f"{self._seed} {number}")  # noqa: S311
        order = list(range(len(self._corpus.texts)))
        draw.shuffle(order)
        drawn: set[int] = set()
        batches: list[RankerBatch] = []
        texts: list[StatedFacts] = []
        units: dict[str, None] = {}
        for index in order:
            if index in drawn:
                continue
            record = draw.choice(self._facts(index))
            retold = self._retold(index, record, draw) if draw.random() < SHARE_RETOLD else None
            related = [] if retold else self._related_text(index, record, draw)
            drawn.update((index, *related))
            texts += [self._stated(index), *map(self._stated, related), *([retold] if retold else [])]
            units |= dict.fromkeys(self._units(index, record, retold, draw))
            if len(texts) >= self._size:
                batches.append(RankerBatch(texts, list(units)))
                texts, units = [], {}
        if len(texts) > 1:
            batches.append(RankerBatch(texts, list(units)))
        return batches

    def _facts(self, index: int) -> tuple[Record, ...]:
        return self._corpus.facts[self._corpus.table_of[index]]

    def _stated(self, index: int) -> StatedFacts:
        return StatedFacts(self._corpus.texts[index], self._facts(index))

    def _related_text(self, index: int, record: Record, draw: random.Random) -> list[int]:
        """Another text of a table with this fact, possibly of the same table."""
        tables = self._tables[document_text(record, RECORDS)]
        for _ in range(MAX_TRIES):
            other = draw.choice(self._texts[draw.choice(tables)])
            if other != index:
                return [other]
        return []

    def _retold(self, index: int, record: Record, draw: random.Random) -> StatedFacts | None:
        """A text with the same names, all or those of one fact, which states other facts about them."""
        one_fact = draw.random() < SHARE_ONE_FACT
        retold = None if one_fact else self._retelling.retell(self._facts(index), draw)
        return retold or self._retelling.retell([record], draw)

    def _units(
        self, index: int, record: Record, retold: StatedFacts | None, draw: random.Random
    ) -> list[str]:
        """A fact of a text with facts that nearly fit, all as records or all as bare values."""
        reading = VALUES if draw.random() < SHARE_VALUES else RECORDS
        chosen = [record, *self._near_miss(index, record, draw)]
        if reading == RECORDS:
            chosen += self._invented(index, record, draw)
        if retold:
            chosen += [
                fact for fact in retold.facts if fact.subject == record.subject and fact.value == record.value
            ]
        return [unit for unit in (document_text(fact, reading) for fact in chosen) if unit]

    def _near_miss(self, index: int, record: Record, draw: random.Random) -> list[Record]:
        """A fact of another table with the same subject, attribute or value."""
        for _ in range(MAX_TRIES):
            part = draw.choice(PARTS)
            other = draw.choice(self._records[part, getattr(record, part)])
            if other not in self._facts(index):
                return [other]
        return []

    def _invented(self, index: int, record: Record, draw: random.Random) -> list[Record]:
        """The fact with other attributes, and with another value or with subject and value exchanged."""
        other = draw.choice(self._records["attribute", record.attribute])
        exchanged = record._replace(subject=record.value, value=record.subject)
        invented = [record._replace(attribute=draw.choice(self._attributes)) for _ in range(2)]
        invented.append(draw.choice((record._replace(value=other.value), exchanged)))
        return [fact for fact in invented if fact not in self._facts(index)]
