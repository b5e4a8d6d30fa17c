"""How well a text finds its own facts and references in a pool, what it leaves out and what it makes up."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.results import Findings
from factable.metrics.ranking.pool import IndexedPool, Indices, SimilarReferences, UnitSet
from factable.metrics.ranking.rankers import FIND_REFERENCES, FIND_TABLE, Floats
from factable.text.documents import make_decoys
from factable.types import Example, Finding, Kind

IDEAL, FOUND = SUMMED = ("ideal", "found")
HARMONIC, ARITHMETIC = MEANS = ("harmonic", "arithmetic")
# Up to this many thresholds, a pass over the scores for each is faster than sorting the scores.
MAX_COUNTED = 32


def average_precision(scores: Floats, relevant: Indices) -> float:
    """The mean, over the relevant indices, of the precision at the rank of each."""
    return _mean_precision_at(np.sort(ranks_of(scores, relevant)))


def _mean_precision_at(ranks: Indices) -> float:
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


def ranks_of(scores: Floats, relevant: Indices) -> Indices:
    """The rank of each relevant index, from 1; of equal scores, those that are not relevant come first."""
    order = np.argsort(-scores[relevant], kind="stable")
    ranks = np.empty(len(relevant), dtype=np.int64)
    above = _irrelevant_above(scores, scores[relevant][order])
    ranks[order] = np.arange(1, len(relevant) + 1) + above
    return ranks


def graded_precision(
    scores: Floats, relevant: Indices, relevance: NDArray[np.float64], summed: str = IDEAL
) -> float:
    """The same for relevance in degrees: precision is the sum of relevance over that of the ideal order.

    Precisions are summed at the first ranks, as many as are relevant, each weighing as much as what the ideal
    order has there; or at the ranks where something relevant was found, weighing as much as that.
    """
    relevant_scores = scores[relevant]
    order = np.lexsort((relevance, -relevant_scores))
    relevant_scores, degrees = relevant_scores[order], relevance[order]
    ranks = np.arange(1, len(relevant_scores) + 1) + _irrelevant_above(scores, relevant_scores)
    ideal = np.sort(relevance)[::-1]
    ideal_sums = np.cumsum(ideal)
    if summed == FOUND:
        precision, weights = np.cumsum(degrees) / ideal_sums[np.minimum(ranks, len(ideal_sums)) - 1], degrees
    else:
        early = ranks <= len(ideal)
        at_rank = np.bincount(ranks[early] - 1, weights=degrees[early], minlength=len(ideal))
        precision, weights = np.cumsum(at_rank) / ideal_sums, ideal
    # Sums in another order differ in their last digit; an ideal ranking has a precision of exactly 1.
    return min(1.0, float(np.sum(np.minimum(precision, 1.0) * weights) / np.sum(weights)))


def mean_precision(precisions: Collection[float], mean: str = HARMONIC) -> float:
    """The mean of the precisions of some rankings; the harmonic one is 0 where any of them is."""
    if mean == ARITHMETIC:
        return math.fsum(precisions) / len(precisions)
    # Reciprocals are added only of what is above 0; those of equal precisions must give that precision back.
    if min(precisions) == max(precisions) or not min(precisions):
        return min(precisions)
    return len(precisions) / math.fsum(1 / precision for precision in precisions)


def _irrelevant_above(scores: Floats, relevant_scores: Floats) -> Indices:
    """How many that are not relevant score at least as much as each of the relevant ones, best first."""
    relevant = len(relevant_scores) - np.searchsorted(relevant_scores[::-1], relevant_scores, side="left")
    return _count_at_least(scores, relevant_scores) - relevant


def _count_at_least(scores: Floats, thresholds: Floats) -> Indices:
    if len(thresholds) <= MAX_COUNTED:
        return np.array([np.count_nonzero(scores >= threshold) for threshold in thresholds], dtype=np.int64)
    counts: Indices = len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")
    return counts


# Scores that are held at once: 64 MB, or 128 MB of BM25.
MAX_SCORES = 1 << 24


class RankingOptions(NamedTuple):
    """Parameters of the metric that rankings depend on; `training` are the units that can be made up."""

    delta: float
    summed: str
    decoys: int
    training: UnitSet | None = None


class DirectionResult(NamedTuple):
    """What one ranking says of a text; the rank of each own unit or reference, of so many in all."""

    precision: float
    omitted: UnitSet
    hallucinated: UnitSet
    ranks: Mapping[str, int]
    size: int


@dataclass(frozen=True, slots=True)
class RankingResult:
    """Precision of each ranking of a text; units left out or made up, by the share of rankings saying so."""

    precisions: Mapping[str, float]
    omitted: Mapping[str, float]
    hallucinated: Mapping[str, float]
    units: int
    directions: Mapping[str, DirectionResult]

    @classmethod
    def of(cls, directions: Mapping[str, DirectionResult], units: UnitSet) -> "RankingResult":
        """The result of all rankings together."""
        results = directions.values()
        return cls(
            {direction: result.precision for direction, result in directions.items()},
            _shares([result.omitted for result in results]),
            _shares([result.hallucinated for result in results]),
            len(units),
            directions,
        )

    def part(self, name: str) -> float:
        """A precision, or the weight of what is left out or made up for each unit of the table."""
        if name in self.precisions:
            return self.precisions[name]
        weights = self.omitted if name == "omission" else self.hallucinated
        return math.fsum(weights.values()) / self.units

    def findings(self, units: Mapping[str, Sequence[int]]) -> Findings:
        """Every record with its rank, left out or not, then what is made up, then the ranks of references.

        `units` leads to the records of each.
        """
        findings = []
        of_table = self.directions.get(FIND_TABLE)
        for unit, records in units.items():
            weight = self.omitted.get(unit, 0.0)
            kind: Kind = "omitted" if weight else "supported"
            note = _rankings(weight) if weight else "found"
            if of_table and unit in of_table.ranks:
                note += f"; rank {of_table.ranks[unit]:,} of {of_table.size:,}"
            findings += [Finding(kind, record=record, score=weight or 1.0, note=note) for record in records]
        findings.sort(key=lambda finding: finding.record or 0)
        made_up = sorted(self.hallucinated.items(), key=lambda item: (-item[1], item[0]))
        findings += [
            Finding("unsupported", score=weight, note=f"reads like “{unit}”: {_rankings(weight)}")
            for unit, weight in made_up
        ]
        return (*findings, *self._about_references())

    def _about_references(self) -> list[Finding]:
        """The rank of each own reference, the best first."""
        found = self.directions.get(FIND_REFERENCES)
        ranks = sorted(found.ranks.items(), key=lambda item: item[1]) if found else []
        return [
            Finding("supported", score=1 / rank, note=f"reference “{text}”: rank {rank:,} of {found.size:,}")
            for text, rank in ranks
            if found
        ]


def _shares(sets: Sequence[UnitSet]) -> dict[str, float]:
    """The share of the sets that each unit is in."""
    shares: dict[str, float] = {}
    for units in sets:
        for unit in units:
            shares[unit] = shares.get(unit, 0.0) + 1 / len(sets)
    return shares


def _rankings(weight: float) -> str:
    return "by one of two rankings" if weight < 1 else "by every ranking"


class RankingEvaluator:
    """Ranks a pool by texts, and says how well each text finds its own."""

    def __init__(self, indexed: IndexedPool, directions: Sequence[str], options: RankingOptions) -> None:
        self._indexed, self._directions, self._options = indexed, directions, options
        self._last_similar: tuple[UnitSet, SimilarReferences] | None = None

    def evaluate(self, examples: Sequence[Example], units: Sequence[UnitSet]) -> Iterator[RankingResult]:
        """One result for each example, given the units of its table."""
        pool = self._indexed.pool
        step = max(1, MAX_SCORES // max(1, len(pool.units) + len(pool.references)))
        for start in range(0, len(examples), step):
            batch, batch_units = examples[start : start + step], units[start : start + step]
            queries = self._indexed.read([example.text for example in batch], self._directions)
            scores = [
                self._indexed.index(direction).scores(read)
                for direction, read in zip(self._directions, queries, strict=True)
            ]
            outside = self._units_outside(batch, batch_units)
            rankings = zip(
                *(zip(*pair, strict=True) for pair in zip(queries, scores, strict=True)), strict=True
            )
            for row in zip(batch, batch_units, outside, rankings, strict=True):
                yield self._evaluate(*row)

    def _units_outside(self, examples: Sequence[Example], units: Sequence[UnitSet]) -> list[list[str]]:
        """What is ranked beside the pool for each example: own units that the pool lacks, then decoys."""
        if FIND_TABLE not in self._directions:
            return [[]] * len(examples)
        pool = self._indexed.pool
        outside = []
        for example, own in zip(examples, units, strict=True):
            lacking = sorted(unit for unit in own if unit not in pool.index_of)
            decoys = make_decoys(example.table, pool.attributes, self._options.decoys)
            foreign = (unit for unit in decoys if unit not in own and unit not in pool.index_of)
            outside.append([*lacking, *foreign])
        self._indexed.index(FIND_TABLE).prepare_outside(chain.from_iterable(outside))
        return outside

    def _evaluate(
        self, example: Example, own: UnitSet, outside: Sequence[str], rankings: Sequence[tuple[Any, Floats]]
    ) -> RankingResult:
        """The result for one text, given its query and the scores in each ranking."""
        results = {}
        for direction, (query, row) in zip(self._directions, rankings, strict=True):
            if not example.text.strip():
                # A text that says nothing finds nothing, however small the pool.
                results[direction] = DirectionResult(0.0, own, frozenset(), {}, 0)
            elif direction == FIND_TABLE:
                results[direction] = self._rank_units(own, outside, query, row)
            else:
                results[direction] = self._rank_references(example, own, query, row)
        return RankingResult.of(results, own)

    def _rank_units(
        self, own: UnitSet, outside: Sequence[str], query: Any, scores: Floats
    ) -> DirectionResult:
        """All units by the text: its own should come first."""
        pool = self._indexed.pool
        size = len(pool.units)
        if outside:
            scores = np.concatenate([scores, self._indexed.index(FIND_TABLE).scores_outside(query, outside)])
        known = sorted(pool.index_of[unit] for unit in own if unit in pool.index_of)
        relevant = np.array([*known, *range(size, size + len(own) - len(known))], dtype=np.int64)
        best = _best_indices(scores, relevant, len(own))

        def unit(index: int) -> str:
            return pool.units[index] if index < size else outside[index - size]

        first = frozenset(map(unit, best))
        ranks = ranks_of(scores, relevant)
        return DirectionResult(
            _mean_precision_at(np.sort(ranks)),
            own - first,
            self._made_up(first, own),
            dict(zip(map(unit, relevant.tolist()), ranks.tolist(), strict=True)),
            len(scores),
        )

    def _made_up(self, found: UnitSet, own: UnitSet) -> UnitSet:
        """What is found and not the table's; where a training set is named, only what that has."""
        made_up = found - own
        return made_up if self._options.training is None else made_up & self._options.training

    def _rank_references(self, example: Example, own: UnitSet, query: Any, scores: Floats) -> DirectionResult:
        """All references by the text: those of similar tables should come first."""
        pool = self._indexed.pool
        similar = self._similar_references(own)
        known = {pool.references[index] for index in similar.indices[similar.degrees == 1.0]}
        outside = sorted(set(filter(str.strip, example.references)) - known)
        if outside:
            index = self._indexed.index(FIND_REFERENCES)
            scores = np.concatenate([scores, index.scores_outside(query, outside)])
            indices = np.concatenate([similar.indices, np.arange(len(pool.references), len(scores))])
            similar = SimilarReferences(indices, np.concatenate([similar.degrees, np.ones(len(outside))]))
        first = _first_index(scores, similar)
        table = own if first >= len(pool.references) else pool.table(first)
        precision = graded_precision(scores, *similar, self._options.summed)
        equal = similar.indices[similar.degrees == 1.0]
        size = len(pool.references)
        texts = (pool.references[index] if index < size else outside[index - size] for index in equal)
        ranks = dict(zip(texts, ranks_of(scores, equal).tolist(), strict=True))
        return DirectionResult(precision, own - table, self._made_up(table, own), ranks, len(scores))

    def _similar_references(self, units: UnitSet) -> SimilarReferences:
        """Texts of one item come one after the other, with the same units: looked up once."""
        if self._last_similar is None or self._last_similar[0] != units:
            similar = self._indexed.pool.similar_references(units, self._options.delta)
            self._last_similar = units, similar
        return self._last_similar[1]


def _best_indices(scores: Floats, relevant: Indices, count: int) -> list[int]:
    """The indices of the best scores; of equal ones those that are not relevant, and of these the first."""
    count = min(count, len(scores))
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    near = np.flatnonzero(scores >= threshold)
    order = np.lexsort((near, np.isin(near, relevant), -scores[near]))
    return [int(index) for index in near[order[:count]]]


def _first_index(scores: Floats, similar: SimilarReferences) -> int:
    """The index of the best score; of equal ones the least similar, and of these the first."""
    best = np.flatnonzero(scores == scores.max())
    degrees = np.zeros(len(scores))
    degrees[similar.indices] = similar.degrees
    return int(best[np.argmin(degrees[best])])
