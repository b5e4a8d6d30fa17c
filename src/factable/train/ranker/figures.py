"""How well an encoder ranks held-out texts: their facts, facts beside decoys, and like texts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ranking_precision import average_precision, graded_precision
from factable.text.units import RECORDS, decoys_of
from factable.train.ranker.corpus import Corpus, overlap
from factable.types import Table

# Held-out texts that are ranked.
MOST_HELD_OUT = 600
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
    every_so_many = -(-len(corpus.texts) // MOST_HELD_OUT)
    texts, tables = corpus.texts[::every_so_many], corpus.table_of[::every_so_many]
    attributes = sorted({fact.attribute for table in tables for fact in corpus.facts[table]})
    units = {table: corpus.units(table, (RECORDS,)) for table in tables}
    every = sorted(frozenset().union(*units.values()))
    decoys = {table: decoys_of(Table(corpus.facts[table]), attributes, DECOYS) for table in tables}
    made_up = sorted({unit for some in decoys.values() for unit in some}.difference(every))
    place_of = {unit: place for place, unit in enumerate([*every, *made_up])}
    queries = embed(texts)
    to_units, to_texts = queries @ embed([*every, *made_up]).T, queries @ queries.T
    found = []
    for row, table in enumerate(tables):
        mine = np.array(sorted(place_of[unit] for unit in units[table]))
        beside = sorted({place_of[unit] for unit in decoys[table]}.difference(range(len(every))))
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
