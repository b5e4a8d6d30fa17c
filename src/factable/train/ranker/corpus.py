"""What a ranker learns from: texts of a corpus with the facts they tell."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factable.text.templates import facts_of
from factable.text.units import READINGS, RECORDS, unit_text
from factable.types import Example, Record


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts, the number of each one's table, and the facts of each table."""

    texts: Sequence[str]
    table_of: Sequence[int]
    facts: Sequence[tuple[Record, ...]]

    def units(self, table: int, readings: Sequence[str] = READINGS) -> frozenset[str]:
        """All units of a table."""
        return units_told(self.facts[table], readings)


def units_told(facts: Iterable[Record], readings: Sequence[str] = READINGS) -> frozenset[str]:
    """All units of some facts."""
    return frozenset({unit_text(fact, reading) for fact in facts for reading in readings} - {""})


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
