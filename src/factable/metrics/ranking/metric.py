"""The trainable ranking metric: whether a text finds its own table and references among all.

Garneau and Lamontagne: Trainable Ranking Models to Evaluate the Semantic Accuracy of Data-to-Text Neural
Generator. Eval4NLP 2021.
"""

import math
from array import array
from collections.abc import Container, Mapping, Sequence
from typing import Any

from factable.core.metric import REFERENCES, TABLE, Field, Metric, metric, param
from factable.core.results import Analysis, Findings
from factable.metrics.ranking.evaluator import (
    ARITHMETIC,
    HARMONIC,
    IDEAL,
    MEANS,
    SUMMED,
    RankingEvaluator,
    RankingOptions,
    RankingResult,
    mean_precision,
)
from factable.metrics.ranking.pool import (
    IndexedPool,
    PoolContents,
    collect_contents,
    index_pool,
    load_pool,
    load_units,
    pool_checksum,
)
from factable.metrics.ranking.rankers import BM25, FIND_REFERENCES, FIND_TABLE, ranker_identity
from factable.metrics.tables import NO_FACTS
from factable.models.runtime.progress import ParallelMap
from factable.text.documents import DOCUMENT_KINDS, RECORDS, VALUES, TableDocuments, table_documents
from factable.types import Example

MAX_DECOYS = 50
AUTO = "auto"
# The number for "auto", and the rankers that were not trained to tell decoys from facts.
TRAINED_DECOYS = 10
UNTRAINED = (BM25, "embed")
BOTH = "both"
# What is ranked, and the mean, by default and in the paper.
RANK_OF = {"": RECORDS, "paper": VALUES}
MEAN_OF = {"": HARMONIC, "paper": ARITHMETIC}
NOTHING_TO_RANK = 'no references, which direction="table" does without'


@metric
class Ranking(Metric):
    """How well a text finds its facts and references among all others (Garneau and Lamontagne 2021)."""

    name = "ranking"
    version = 2
    slow = True

    ranker: str = param(
        "trained",
        '"trained" and "embed", which are embedded, "bm25", or a folder made by `factable train ranker`',
        example="bm25",
    )
    rank: str = param(
        "",
        'what of a table is ranked: "records" as short texts, or bare "values"; follows from compat if not '
        "given",
        choices=DOCUMENT_KINDS,
        follows=("compat", RANK_OF),
    )
    direction: str = param(
        BOTH,
        'what the text must find: its "table", its "references", or "both"',
        choices=(BOTH, FIND_TABLE, FIND_REFERENCES),
    )
    mean: str = param(
        "",
        'mean of both rankings: "harmonic", which is near the weaker one, or "arithmetic"; follows from '
        "compat if not given",
        choices=MEANS,
        follows=("compat", MEAN_OF),
    )
    delta: float = param(
        0.0,
        "references count as relevant if their table is more similar than this (intersection over union, "
        "below 1)",
        range=(0.0, 1.0),
    )
    summed: str = param(
        IDEAL,
        'the ranks of references at which precision is summed: "ideal" (the first ones) or "found"',
        choices=SUMMED,
    )
    decoys: int | str = param(
        AUTO,
        "number of made-up facts, with another attribute, that are added for each fact of the table; "
        '"auto": 10 for records, by an encoder that was trained to rank',
        choices=(AUTO,),
        range=(0, MAX_DECOYS),
    )
    pool: str = param(
        "",
        "a converted data set whose facts and references are ranked; default: those of the examples scored",
        file=True,
    )
    training: str = param(
        "",
        "a converted data set that the systems learnt from: only its facts count as made up; default: any",
        file=True,
    )
    compat: str = param(
        "", '"paper": bare values, the arithmetic mean and no decoys, as in the paper', choices=RANK_OF
    )

    def check(self) -> None:
        """Refuse what does not go together."""
        if not self.ranker:
            raise self.bad("ranker", "a name or a folder")
        if self.delta == 1:
            raise self.bad("delta", "below 1, which no table is above")
        if self.decoys not in (AUTO, 0) and self.compat:
            raise self.bad("decoys", '"auto" or 0 with compat="paper", which has none')
        if self.decoys not in (AUTO, 0) and not self._ranks_records:
            raise self.bad("decoys", '"auto" or 0 unless rank is "records" and the table is ranked')

    @property
    def parts(self) -> tuple[str, ...]:
        """The average precision of each ranking; omissions and hallucinations for each fact of the table."""
        return (*self._directions, "omission", "hallucination")

    @property
    def needs(self) -> frozenset[Field]:
        """References, where they are ranked."""
        return TABLE if self.direction == FIND_TABLE else TABLE | REFERENCES

    @property
    def corpus(self) -> bool:
        """Without a pool of its own, the examples scored are the pool."""
        return not self.pool

    @property
    def _directions(self) -> tuple[str, ...]:
        return (FIND_TABLE, FIND_REFERENCES) if self.direction == BOTH else (self.direction,)

    @property
    def _ranks_records(self) -> bool:
        return self.rank == RECORDS and self.direction != FIND_REFERENCES

    @property
    def _decoys(self) -> int:
        """How many made-up facts each fact has beside it."""
        if isinstance(self.decoys, int):
            return self.decoys
        trained = self._ranks_records and self.ranker not in UNTRAINED and not self.compat
        return TRAINED_DECOYS if trained else 0

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the ranker's model and of the pool."""
        checksums = {"ranker": ranker_identity(self.ranker)}
        if self.pool:
            checksums["pool"] = pool_checksum(self.pool)
        if self.training:
            checksums["training"] = pool_checksum(self.training)
        return {name: checksum for name, checksum in checksums.items() if checksum}

    def collect(self, examples: Sequence[Example]) -> PoolContents:
        """What the examples have to rank."""
        return collect_contents(examples, self.rank)

    def merge(self, collected: PoolContents, more: PoolContents) -> PoolContents:
        """All of it."""
        collected.add(more)
        return collected

    def fit(self, collected: PoolContents, parallel_map: ParallelMap = map) -> IndexedPool:
        """The pool of the examples, indexed."""
        return self._indexed(index_pool(collected, self.ranker), parallel_map)

    def load_state(self, parallel_map: ParallelMap = map) -> IndexedPool:
        """The pool of a data set, indexed."""
        pool = load_pool(self.pool, self.rank, self.ranker, ranker_identity(self.ranker))
        return self._indexed(pool, parallel_map)

    def _indexed(self, pool: IndexedPool, parallel_map: ParallelMap) -> IndexedPool:
        for direction in self._directions:
            pool.index(direction, parallel_map)
        return pool

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """Precision of the rankings; each record, found or not, and facts of other tables found instead."""
        units = [table_documents(example.table, self.rank) for example in examples]
        reasons = self._unscored(examples, units)
        results = self._evaluate(examples, units, reasons, state)
        values = [
            mean_precision(each.precisions.values(), self.mean) if each else math.nan for each in results
        ]
        parts = {
            part: array("d", [each.part(part) if each else math.nan for each in results])
            for part in self.parts
        }

        def find() -> list[Findings]:
            pairs = zip(results, units, strict=True)
            return [result.findings(of_table) if result else () for result, of_table in pairs]

        return Analysis(array("d", values), parts, reasons, find=find)

    def _unscored(self, examples: Sequence[Example], units: Sequence[TableDocuments]) -> dict[int, str]:
        """Why examples cannot be scored, by their index."""
        reasons = {}
        for index, example in enumerate(examples):
            if not units[index]:
                reasons[index] = NO_FACTS
            elif self.direction != FIND_TABLE and not any(map(str.strip, example.references)):
                reasons[index] = NOTHING_TO_RANK
        return reasons

    def _evaluate(
        self,
        examples: Sequence[Example],
        units: Sequence[TableDocuments],
        skipped: Container[int],
        pool: IndexedPool,
    ) -> list[RankingResult | None]:
        """The result of each example; None for those that are skipped."""
        training = load_units(self.training, self.rank) if self.training else None
        options = RankingOptions(self.delta, self.summed, self._decoys, training)
        evaluator = RankingEvaluator(pool, self._directions, options)
        # Texts about the same table one after the other: similar references are looked up once.
        order = sorted(
            (index for index in range(len(examples)) if index not in skipped),
            key=lambda index: sorted(units[index]),
        )
        scored = evaluator.evaluate(
            [examples[index] for index in order], [frozenset(units[index]) for index in order]
        )
        results: list[RankingResult | None] = [None] * len(examples)
        for index, result in zip(order, scored, strict=True):
            results[index] = result
        return results
