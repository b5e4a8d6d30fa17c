"""Batches to learn from: texts that have neighbours, and facts that nearly fit.

The two training sets of the paper, labelled within a batch: a text and a unit (a fact, or its bare value)
belong together or not; two texts belong together as far as their tables do.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.text.documents import RECORDS, VALUES, unit_text
from factable.text.templates import clean_value
from factable.train.ranker.corpus import Corpus, overlap, units_told
from factable.types import Record

# The places of subject and value of each fact among all names of a table.
Shape = tuple[tuple[int, int], ...]


class Told(NamedTuple):
    """A text and the facts that it tells."""

    text: str
    facts: tuple[Record, ...]


class Pattern(NamedTuple):
    """A text cut at its names: words, then the place of a name, then words again; and its attributes."""

    pieces: tuple[str | int, ...]
    attributes: tuple[str, ...]


class Retelling:
    """The texts of a corpus in which every name of their table is found, by the shape of the table."""

    def __init__(self, corpus: Corpus) -> None:
        self._patterns: dict[Shape, list[Pattern]] = defaultdict(list)
        for text, table in zip(corpus.texts, corpus.table_of, strict=True):
            facts = corpus.facts[table]
            pieces = cut_at_names(text, names_of(facts))
            if pieces:
                pattern = Pattern(pieces, tuple(fact.attribute for fact in facts))
                self._patterns[shape_of(facts)].append(pattern)

    def retell(self, facts: Sequence[Record], draw: random.Random) -> Told | None:
        """A text of another table of the same shape, with the names of these facts."""
        patterns = self._patterns.get(shape_of(facts))
        if not patterns:
            return None
        pattern = draw.choice(patterns)
        names = names_of(facts)
        text = "".join(piece if isinstance(piece, str) else names[piece] for piece in pattern.pieces)
        pairs = zip(facts, pattern.attributes, strict=True)
        return Told(text, tuple(fact._replace(attribute=attribute) for fact, attribute in pairs))


def names_of(facts: Sequence[Record]) -> list[str]:
    """Subjects and values, each once, in their order."""
    return list(dict.fromkeys(clean_value(name) for fact in facts for name in (fact.subject, fact.value)))


def shape_of(facts: Sequence[Record]) -> Shape:
    """Which facts share which names."""
    index = {name: number for number, name in enumerate(names_of(facts))}
    return tuple((index[clean_value(fact.subject)], index[clean_value(fact.value)]) for fact in facts)


def cut_at_names(text: str, names: Sequence[str]) -> tuple[str | int, ...]:
    """The text between names and the places of the names; nothing if one is not in it as it stands."""
    index = {name.casefold(): number for number, name in enumerate(names)}
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    anyone = "|".join(map(re.escape, longest_first))
    pieces = re.split(rf"(?<!\w)({anyone})(?!\w)", text, flags=re.IGNORECASE)
    cut = tuple(_indices(pieces, index))
    return cut if {piece for piece in cut if isinstance(piece, int)} >= set(range(len(names))) else ()


def _indices(pieces: Sequence[str], index: dict[str, int]) -> Iterator[str | int]:
    """Words as they are, and every other piece, which is a name, by its place."""
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            yield piece
        elif piece.casefold() in index:
            yield index[piece.casefold()]


# How often a fact is drawn as its bare value.
VALUES_SHARE = 0.2
# How often a text comes with one that tells its names wrong, and not with one that shares a fact.
RETOLD_SHARE = 0.4
# How often such a text tells one fact alone.
ALONE_SHARE = 0.4
PARTS = ("subject", "attribute", "value")
# Draws of a neighbour, or of a fact that nearly fits, before one is left out.
MAX_TRIES = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts with the facts they tell, and units for them."""

    texts: Sequence[Told]
    units: Sequence[str]


def relevance(batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which unit belongs to which text (texts x units), and how far texts belong together (texts x texts)."""
    every = [units_told(one.facts) for one in batch.texts]
    records = [units_told(one.facts, (RECORDS,)) for one in batch.texts]
    told = np.array([[unit in mine for unit in batch.units] for mine in every])
    alike = np.array([[overlap(mine, other) for other in records] for mine in records], dtype=np.float32)
    return told, alike


class BatchMaker:
    """Draws batches; the same ones for the same corpus, seed and epoch."""

    def __init__(self, corpus: Corpus, size: int, seed: int) -> None:
        self._corpus, self._size, self._seed = corpus, size, seed
        self._retelling = Retelling(corpus)
        self._texts: dict[int, list[int]] = defaultdict(list)
        self._tables: dict[str, list[int]] = defaultdict(list)
        self._near: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for index, table in enumerate(corpus.table_of):
            self._texts[table].append(index)
        for table, facts in enumerate(corpus.facts):
            for record in facts:
                self._tables[unit_text(record, RECORDS)].append(table)
                for part in PARTS:
                    self._near[part, getattr(record, part)].append(record)
        self._attributes = sorted({record.attribute for facts in corpus.facts for record in facts})

    def epoch(self, number: int) -> Iterator[Batch]:
        """Batches in which every text of the corpus is drawn about once."""
        draw = random.Random(f"{self._seed} {number}")  # noqa: S311
        order = list(range(len(self._corpus.texts)))
        draw.shuffle(order)
        drawn: set[int] = set()
        texts: list[Told] = []
        units: dict[str, None] = {}
        for index in order:
            if index in drawn:
                continue
            record = draw.choice(self._facts(index))
            retold = self._retold(index, record, draw) if draw.random() < RETOLD_SHARE else None
            near = [] if retold else self._neighbour(index, record, draw)
            drawn.update((index, *near))
            texts += [self._told(index), *map(self._told, near), *([retold] if retold else [])]
            units |= dict.fromkeys(self._units(index, record, retold, draw))
            if len(texts) >= self._size:
                yield Batch(texts, list(units))
                texts, units = [], {}
        if len(texts) > 1:
            yield Batch(texts, list(units))

    def _facts(self, index: int) -> tuple[Record, ...]:
        return self._corpus.facts[self._corpus.table_of[index]]

    def _told(self, index: int) -> Told:
        return Told(self._corpus.texts[index], self._facts(index))

    def _neighbour(self, index: int, record: Record, draw: random.Random) -> list[int]:
        """Another text of a table with this fact, the same table included."""
        tables = self._tables[unit_text(record, RECORDS)]
        for _ in range(MAX_TRIES):
            other = draw.choice(self._texts[draw.choice(tables)])
            if other != index:
                return [other]
        return []

    def _retold(self, index: int, record: Record, draw: random.Random) -> Told | None:
        """A text with the same names, all or those of one fact, which tells other facts of them."""
        alone = draw.random() < ALONE_SHARE
        told = None if alone else self._retelling.retell(self._facts(index), draw)
        return told or self._retelling.retell([record], draw)

    def _units(self, index: int, record: Record, retold: Told | None, draw: random.Random) -> list[str]:
        """A fact of a text with facts that nearly fit, all as records or all as bare values."""
        reading = VALUES if draw.random() < VALUES_SHARE else RECORDS
        chosen = [record, *self._near_miss(index, record, draw)]
        if reading == RECORDS:
            chosen += self._made_up(index, record, draw)
        if retold:
            chosen += [
                one for one in retold.facts if one.subject == record.subject and one.value == record.value
            ]
        return [unit for unit in (unit_text(one, reading) for one in chosen) if unit]

    def _near_miss(self, index: int, record: Record, draw: random.Random) -> list[Record]:
        """A fact of another table with the same subject, attribute or value."""
        for _ in range(MAX_TRIES):
            part = draw.choice(PARTS)
            other = draw.choice(self._near[part, getattr(record, part)])
            if other not in self._facts(index):
                return [other]
        return []

    def _made_up(self, index: int, record: Record, draw: random.Random) -> list[Record]:
        """The fact with other attributes, and with another value or the wrong way round."""
        other = draw.choice(self._near["attribute", record.attribute])
        turned = record._replace(subject=record.value, value=record.subject)
        wrong = [record._replace(attribute=draw.choice(self._attributes)) for _ in range(2)]
        wrong.append(draw.choice((record._replace(value=other.value), turned)))
        return [one for one in wrong if one not in self._facts(index)]
