"""The trainable ranking metric: whether a text finds its own table and references among all.

Garneau and Lamontagne: Trainable Ranking Models to Evaluate the Semantic Accuracy of Data-to-Text Neural
Generator. Eval4NLP 2021.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.core.metric import Field, ShardBy, make_scores
from factable.core.params import is_number, require, require_choice, require_whole
from factable.metrics.ranking.judgement import (
    HARMONIC,
    IDEAL,
    MEANS,
    SUMMED,
    Judge,
    Judgement,
    RankingOptions,
    explain_judgement,
    mean_precision,
)
from factable.metrics.ranking.pool import (
    REFERENCES,
    TABLE,
    Collected,
    IndexedPool,
    collect,
    index_pool,
    load_pool,
    pool_checksum,
)
from factable.metrics.ranking.rankers import BM25, make_ranker, ranker_identity
from factable.models.runtime.progress import ParallelMap
from factable.text.documents import READINGS, RECORDS, units_of
from factable.types import Example, Finding, Scores

MAX_DECOYS = 50
AUTO = "auto"
# Those of "auto", and the rankers that were not taught to tell such facts from right ones.
TAUGHT_DECOYS = 10
UNTAUGHT = (BM25, "embed")
BOTH = "both"
DIRECTIONS = (BOTH, TABLE, REFERENCES)
NO_UNITS = "no records with a value in its data"
NO_REFERENCES = 'no references, which direction="table" does without'


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How well a text finds its facts and references among all others (Garneau and Lamontagne 2021).

    ranker     "trained" and "embed", which are embedded, "bm25", or a folder made by `factable train ranker`
    rank       what of a table is ranked: "records" as short texts, or bare "values"
    direction  what is found by the text: "both", its "table" or its "references"
    mean       of both: "harmonic", which is near the weaker one, or "arithmetic"
    delta      references count as relevant whose table is the same by more than this, from 0 to 1
    summed     the ranks of references at which precision is summed: "ideal" (the first) or "found"
    decoys     so many made-up facts, with another attribute, are ranked beside each fact of the table;
               "auto": 10 for records, by an encoder that was trained to rank
    pool       a converted data set to rank; without one, that of the examples scored
    """

    name: ClassVar[str] = "ranking"
    version: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    slow: ClassVar[bool] = True

    ranker: str = "trained"
    rank: str = "records"
    direction: str = BOTH
    mean: str = HARMONIC
    delta: float = 0.0
    summed: str = IDEAL
    decoys: int | str = AUTO
    pool: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "rank", READINGS)
        require_choice(self, "direction", DIRECTIONS)
        require_choice(self, "mean", MEANS)
        require_choice(self, "summed", SUMMED)
        if self.decoys != AUTO:
            require_whole(self, "decoys", 0, MAX_DECOYS)
            possible = not self.decoys or self._ranks_records
            require(self, "decoys", possible, '"auto" or 0 unless rank is "records" and the table is ranked')
        require(self, "ranker", isinstance(self.ranker, str) and self.ranker != "", "a text")
        require(self, "pool", isinstance(self.pool, str), "a file name")
        fits = is_number(self.delta, 0, 1) and self.delta < 1
        require(self, "delta", fits, "a number from 0 up to 1, which no table is above")

    @property
    def parts(self) -> tuple[str, ...]:
        """The average precision of each ranking; omissions and hallucinations for each fact of the table."""
        return (*self._directions, "omission", "hallucination")

    @property
    def needs(self) -> frozenset[Field]:
        """References, where they are ranked."""
        return frozenset({"table"}) if self.direction == TABLE else frozenset({"table", "references"})

    @property
    def shard_by(self) -> ShardBy:
        """Without a pool of its own, the examples scored are the pool."""
        return "example" if self.pool else "corpus"

    @property
    def _directions(self) -> tuple[str, ...]:
        return (TABLE, REFERENCES) if self.direction == BOTH else (self.direction,)

    @property
    def _ranks_records(self) -> bool:
        return self.rank == RECORDS and self.direction != REFERENCES

    @property
    def _decoys(self) -> int:
        """How many made-up facts each fact has beside it."""
        if isinstance(self.decoys, int):
            return self.decoys
        return TAUGHT_DECOYS if self._ranks_records and self.ranker not in UNTAUGHT else 0

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the ranker's model and of the pool."""
        checksums = {"ranker": ranker_identity(self.ranker)}
        if self.pool:
            checksums["pool"] = pool_checksum(self.pool)
        return {name: checksum for name, checksum in checksums.items() if checksum}

    def survey(self, examples: Sequence[Example]) -> Collected:
        """What the examples have to rank."""
        return collect(examples, self.rank)

    def add(self, survey: Collected, more: Collected) -> Collected:
        """All of it."""
        survey.add(more)
        return survey

    def learn(self, survey: Collected, parallel_map: ParallelMap = map) -> IndexedPool:
        """All that is ranked, ready for it."""
        return self._made_ready(index_pool(survey, self.ranker), parallel_map)

    def load_state(self, parallel_map: ParallelMap = map) -> IndexedPool:
        """The same of a pool of its own."""
        pool = load_pool(self.pool, self.rank, self.ranker, ranker_identity(self.ranker))
        return self._made_ready(pool, parallel_map)

    def _made_ready(self, pool: IndexedPool, parallel_map: ParallelMap) -> IndexedPool:
        for direction in self._directions:
            pool.index(direction, parallel_map)
        return pool

    def score(self, examples: Sequence[Example], known: IndexedPool | None = None) -> Scores:
        """One value per example, NaN for one without facts or, where they are ranked, without references."""
        reasons = self._unscored(examples)
        judgements = self._judge(examples, reasons, known)
        values, parts = array("d"), {part: array("d") for part in self.parts}
        for judgement in judgements:
            values.append(self._value(judgement) if judgement else math.nan)
            for part, column in parts.items():
                column.append(judgement.part(part) if judgement else math.nan)
        return make_scores(self, examples, values, parts, reasons)

    def _value(self, judgement: Judgement) -> float:
        return mean_precision(judgement.precisions.values(), self.mean)

    def explain(
        self, examples: Sequence[Example], known: IndexedPool | None = None
    ) -> tuple[tuple[Finding, ...], ...]:
        """Each record, found or left out, and facts of other tables that were found instead."""
        judgements = self._judge(examples, self._unscored(examples), known)
        return tuple(
            explain_judgement(judgement, units_of(example.table, self.rank)) if judgement else ()
            for example, judgement in zip(examples, judgements, strict=True)
        )

    def _unscored(self, examples: Sequence[Example]) -> dict[int, str]:
        """Why examples cannot be scored, by their place."""
        reasons = {}
        for index, example in enumerate(examples):
            if not units_of(example.table, self.rank):
                reasons[index] = NO_UNITS
            elif self.direction != TABLE and not any(map(str.strip, example.references)):
                reasons[index] = NO_REFERENCES
        return reasons

    def _judge(
        self, examples: Sequence[Example], reasons: Mapping[int, str], known: IndexedPool | None
    ) -> list[Judgement | None]:
        """What the rankings say of each example; nothing of those that cannot be scored."""
        found: list[Judgement | None] = [None] * len(examples)
        units = {
            index: frozenset(units_of(example.table, self.rank))
            for index, example in enumerate(examples)
            if index not in reasons
        }
        if not units:
            return found
        if known is None:
            known = self.load_state() if self.pool else self.learn(self.survey(examples))
        how = RankingOptions(self.delta, self.summed, self._decoys)
        judge = Judge(make_ranker(self.ranker), known, self._directions, how=how)
        # Texts about the same table one after the other: what is alike is looked up once.
        indices = sorted(units, key=lambda index: sorted(units[index]))
        chosen = judge.judge([examples[index] for index in indices], [units[index] for index in indices])
        for index, judgement in zip(indices, chosen, strict=True):
            found[index] = judgement
        return found
