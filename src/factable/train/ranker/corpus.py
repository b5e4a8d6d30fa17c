"""What a ranker learns from: texts of a corpus with the facts they tell."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ranking.evaluator import average_precision, graded_precision
from factable.text.documents import READINGS, RECORDS, decoys_of, unit_text
from factable.text.templates import facts_of
from factable.types import Example, Record, Table


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
    kept = [index for index, table in enumerate(corpus.table_of) if table in tables]
    return Corpus(
        [corpus.texts[index] for index in kept],
        [numbers[corpus.table_of[index]] for index in kept],
        [corpus.facts[table] for table in numbers],
    )


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """How far two tables are the same: intersection over union."""
    return len(first & second) / (len(first | second) or 1)


# Held-out texts that are ranked.
MAX_HELD_OUT = 600
# Decoys for each fact.
DECOYS = 5
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Figures(NamedTuple):
    """Mean average precision of the rankings on held-out texts."""

    table: float
    with_decoys: float
    references: float

    def __str__(self) -> str:
        """In words."""
        return (
            f"held-out mAP of the table {self.table:.4f}, with decoys {self.with_decoys:.4f}, "
            f"of references {self.references:.4f}"
        )


def measure(embed: Embed, corpus: Corpus) -> Figures:
    """Rank all facts and all other texts of a corpus by each of its texts (some of a large one)."""
    every_so_many = -(-len(corpus.texts) // MAX_HELD_OUT)
    texts, tables = corpus.texts[::every_so_many], corpus.table_of[::every_so_many]
    attributes = sorted({fact.attribute for table in tables for fact in corpus.facts[table]})
    units = {table: corpus.units(table, (RECORDS,)) for table in tables}
    every = sorted(frozenset().union(*units.values()))
    decoys = {table: decoys_of(Table(corpus.facts[table]), attributes, DECOYS) for table in tables}
    made_up = sorted({unit for some in decoys.values() for unit in some}.difference(every))
    position_of = {unit: index for index, unit in enumerate([*every, *made_up])}
    queries = embed(texts)
    to_units, to_texts = queries @ embed([*every, *made_up]).T, queries @ queries.T
    found = []
    for row, table in enumerate(tables):
        mine = np.array(sorted(position_of[unit] for unit in units[table]))
        beside = sorted({position_of[unit] for unit in decoys[table]}.difference(range(len(every))))
        scores = to_units[row, : len(every)]
        with_decoys = np.concatenate([scores, to_units[row, beside]])
        alike = np.array([overlap(units[table], units[other]) for other in tables])
        like_texts = _rank_texts(row, to_texts[row].copy(), alike)
        found.append((average_precision(scores, mine), average_precision(with_decoys, mine), like_texts))
    return Figures(*map(float, np.nanmean(found, axis=0)))


def _rank_texts(row: int, scores: NDArray[np.float32], alike: NDArray[np.float64]) -> float:
    """Other texts by a text, which is not looked for by itself; NaN if none is like it."""
    scores[row], alike[row] = -np.inf, 0.0
    relevant = np.flatnonzero(alike)
    return graded_precision(scores, relevant, alike[relevant]) if len(relevant) else np.nan
