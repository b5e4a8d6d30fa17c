"""What two rankings say of one text: how well they find its table, what is left out and what is made up."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ranking.pool import REFERENCES, TABLE, Alike, IndexedPool, Units
from factable.metrics.ranking.rankers import Floats, Ranker
from factable.text.documents import decoys_of
from factable.types import Example, Finding

Indices = NDArray[np.int64]
IDEAL, FOUND = SUMMED = ("ideal", "found")
HARMONIC, ARITHMETIC = MEANS = ("harmonic", "arithmetic")
# Up to so many thresholds a pass over the scores for each is faster than sorting them.
MAX_COUNTED = 32


def average_precision(scores: Floats, relevant: Indices) -> float:
    """The mean, over the relevant places, of the precision at the rank of each."""
    mine = np.sort(scores[relevant])[::-1]
    found = np.arange(1, len(mine) + 1)
    return float(np.mean(found / (found + _irrelevant_above(scores, mine))))


def graded_precision(
    scores: Floats, relevant: Indices, relevance: NDArray[np.float64], summed: str = IDEAL
) -> float:
    """The same for relevance in degrees: precision is the sum of relevance over that of the ideal order.

    Precisions are summed at the first ranks, as many as are relevant, each weighing as much as what the ideal
    order has there; or at the ranks where something relevant was found, weighing as much as that.
    """
    mine = scores[relevant]
    order = np.lexsort((relevance, -mine))
    mine, degrees = mine[order], relevance[order]
    ranks = np.arange(1, len(mine) + 1) + _irrelevant_above(scores, mine)
    ideal = np.sort(relevance)[::-1]
    most = np.cumsum(ideal)
    if summed == FOUND:
        precision, weights = np.cumsum(degrees) / most[np.minimum(ranks, len(most)) - 1], degrees
    else:
        early = ranks <= len(ideal)
        at_rank = np.bincount(ranks[early] - 1, weights=degrees[early], minlength=len(ideal))
        precision, weights = np.cumsum(at_rank) / most, ideal
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


def _irrelevant_above(scores: Floats, mine: Floats) -> Indices:
    """How many that are not relevant score at least as much as each of the relevant ones, best first."""
    relevant = len(mine) - np.searchsorted(mine[::-1], mine, side="left")
    return _count_at_least(scores, mine) - relevant


def _count_at_least(scores: Floats, thresholds: Floats) -> Indices:
    if len(thresholds) <= MAX_COUNTED:
        return np.array([np.count_nonzero(scores >= threshold) for threshold in thresholds], dtype=np.int64)
    counts: Indices = len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")
    return counts


# Scores that are held at once: 64 MB, or 128 MB of BM25.
MAX_SCORES = 1 << 24


@dataclass(frozen=True, slots=True)
class Judgement:
    """Precision of each ranking that was made; units left out and made up, by how many rankings say so."""

    precisions: Mapping[str, float]
    omitted: Mapping[str, float]
    hallucinated: Mapping[str, float]
    units: int

    def part(self, name: str) -> float:
        """A precision, or the weight of what is left out or made up for each unit of the table."""
        if name in self.precisions:
            return self.precisions[name]
        found = self.omitted if name == "omission" else self.hallucinated
        return math.fsum(found.values()) / self.units


class Verdict(NamedTuple):
    """What one ranking says."""

    precision: float
    omitted: Units
    hallucinated: Units


# A text that says nothing finds nothing, however small the pool.
NOTHING = Verdict(0.0, frozenset(), frozenset())


class RankingOptions(NamedTuple):
    """Parameters of the metric that rankings depend on."""

    delta: float
    summed: str
    decoys: int


class Judge:
    """Ranks a pool by texts."""

    def __init__(
        self, ranker: Ranker, indexed: IndexedPool, directions: Sequence[str], *, how: RankingOptions
    ) -> None:
        self._ranker, self._indexed, self._directions, self._how = ranker, indexed, directions, how
        self._last: tuple[Units, Alike] | None = None

    def judge(self, examples: Sequence[Example], units: Sequence[Units]) -> Iterator[Judgement]:
        """One judgement for each example, given the units of its table."""
        pool = self._indexed.pool
        step = max(1, MAX_SCORES // max(1, len(pool.units) + len(pool.references)))
        for start in range(0, len(examples), step):
            some = examples[start : start + step]
            queries = self._ranker.read([example.text for example in some])
            scores = [self._indexed.index(direction).scores(queries) for direction in self._directions]
            strangers = self._strangers(some, units[start : start + step])
            for row in zip(some, units[start : start + step], strangers, queries, *scores, strict=True):
                yield self._judge(*row)

    def _strangers(self, examples: Sequence[Example], units: Sequence[Units]) -> list[list[str]]:
        """What is ranked beside the pool for each example: its own units that are not there, and decoys."""
        if TABLE not in self._directions:
            return [[]] * len(examples)
        pool = self._indexed.pool
        found = []
        for example, mine in zip(examples, units, strict=True):
            own = sorted(unit for unit in mine if unit not in pool.position_of)
            made_up = decoys_of(example.table, pool.attributes, self._how.decoys)
            foreign = (unit for unit in made_up if unit not in mine and unit not in pool.position_of)
            found.append([*own, *foreign])
        self._indexed.index(TABLE).look_ahead(chain.from_iterable(found))
        return found

    def _judge(
        self, example: Example, mine: Units, strangers: Sequence[str], query: Any, *scores: Floats
    ) -> Judgement:
        """What the rankings of one text say, given the scores of each."""
        verdicts = {}
        for direction, row in zip(self._directions, scores, strict=True):
            if not example.text.strip():
                verdicts[direction] = NOTHING._replace(omitted=mine)
            elif direction == TABLE:
                verdicts[direction] = self._rank_units(mine, strangers, query, row)
            else:
                verdicts[direction] = self._rank_references(example, mine, query, row)
        return _together(verdicts, mine)

    def _rank_units(self, mine: Units, outside: Sequence[str], query: Any, scores: Floats) -> Verdict:
        """All units by the text: its own should come first."""
        pool = self._indexed.pool
        known = sorted(unit for unit in mine if unit in pool.position_of)
        own = mine.difference(known)
        size = len(pool.units)
        if outside:
            scores = np.concatenate([scores, self._indexed.index(TABLE).scores_outside(query, outside)])
        indices = [*(pool.position_of[unit] for unit in known), *range(size, size + len(own))]
        relevant = np.array(indices, dtype=np.int64)
        best = _best_indices(scores, relevant, len(mine))
        first = {pool.units[index] if index < size else outside[index - size] for index in best}
        return Verdict(average_precision(scores, relevant), mine - first, frozenset(first - mine))

    def _rank_references(self, example: Example, mine: Units, query: Any, scores: Floats) -> Verdict:
        """All references by the text: those of like tables should come first."""
        pool = self._indexed.pool
        alike = self._alike(mine)
        own = {pool.references[index] for index in alike.indices[alike.degrees == 1.0]}
        outside = sorted(set(filter(str.strip, example.references)) - own)
        if outside:
            scores = np.concatenate([scores, self._indexed.index(REFERENCES).scores_outside(query, outside)])
            indices = np.concatenate([alike.indices, np.arange(len(pool.references), len(scores))])
            alike = Alike(indices, np.concatenate([alike.degrees, np.ones(len(outside))]))
        first = _first_index(scores, alike)
        table = mine if first >= len(pool.references) else pool.table(first)
        return Verdict(graded_precision(scores, *alike, self._how.summed), mine - table, table - mine)

    def _alike(self, mine: Units) -> Alike:
        """Texts of one item come one after the other, and ask for the same."""
        if self._last is None or self._last[0] != mine:
            self._last = mine, self._indexed.pool.alike(mine, self._how.delta)
        return self._last[1]


def _together(verdicts: Mapping[str, Verdict], units: Units) -> Judgement:
    share = 1 / len(verdicts)
    omitted: dict[str, float] = {}
    hallucinated: dict[str, float] = {}
    for verdict in verdicts.values():
        for said, found in ((omitted, verdict.omitted), (hallucinated, verdict.hallucinated)):
            for unit in found:
                said[unit] = said.get(unit, 0.0) + share
    precisions = {direction: verdict.precision for direction, verdict in verdicts.items()}
    return Judgement(precisions, omitted, hallucinated, len(units))


def _best_indices(scores: Floats, relevant: NDArray[np.int64], count: int) -> list[int]:
    """The best places; of equal ones those that are not relevant, and of these the first."""
    count = min(count, len(scores))
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    near = np.flatnonzero(scores >= threshold)
    order = np.lexsort((near, np.isin(near, relevant), -scores[near]))
    return [int(index) for index in near[order[:count]]]


def _first_index(scores: Floats, alike: Alike) -> int:
    """The best place; of equal ones the least alike, and of these the first."""
    best = np.flatnonzero(scores == scores.max())
    degrees = np.zeros(len(scores))
    degrees[alike.indices] = alike.degrees
    return int(best[np.argmin(degrees[best])])


def explain_judgement(judgement: Judgement, units: Mapping[str, Sequence[int]]) -> tuple[Finding, ...]:
    """Every record, left out or not, then what is made up."""
    findings = []
    for unit, records in units.items():
        weight = judgement.omitted.get(unit, 0.0)
        kind, note = ("omitted", _say(weight)) if weight else ("supported", "found")
        findings += [Finding(kind, record=record, score=weight or 1.0, note=note) for record in records]  # type: ignore[arg-type]
    findings.sort(key=lambda finding: finding.record or 0)
    made_up = sorted(judgement.hallucinated.items(), key=lambda found: (-found[1], found[0]))
    findings += [
        Finding("unsupported", score=weight, note=f"reads like “{unit}”: {_say(weight)}")
        for unit, weight in made_up
    ]
    return tuple(findings)


def _say(weight: float) -> str:
    return "by one of two rankings" if weight < 1 else "by every ranking"
