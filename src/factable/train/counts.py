"""Counts which text words go with which table words, for PARENT's co-occurrence model.

Units of work are counted in any process and come back in input order; adding their counts in that order
numbers the words as if one process had counted all examples.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.engine.engines import check_engine, map_units
from factable.engine.plan import AnyUnit, read_unit
from factable.engine.sources import check_files, iter_units
from factable.errors import Fault
from factable.io.faults import Faults
from factable.io.read import gc_paused
from factable.kernels import tokenize
from factable.kernels.tokens import attribute_token
from factable.metrics.parent.counts import Counts, from_pairs
from factable.types import Example, Table

# Pairs in memory before they are counted: 64 MB.
BUFFERED_PAIRS = 1 << 23

# Sorted keys of pairs (row << 32 | column), and how often each occurs.
PairCounts = tuple[NDArray[np.uint64], NDArray[np.uint32]]


class PartialCounts(NamedTuple):
    """The counts of some examples; words are numbered in order of appearance."""

    examples: int
    texts: int
    words: list[str]
    totals: NDArray[np.uint32]
    pairs: PairCounts
    faults: list[Fault]


def count_files(
    files: Sequence[str],
    tokenizer: str,
    *,
    jobs: int | None = None,
    engine: str = "local",
    advance: Callable[[int], None],
) -> "CountsBuilder":
    """The counts of all examples, the same with any engine; `advance` gets the number of examples counted."""
    check_engine(engine, jobs)
    check_files(files)
    builder, faults = CountsBuilder(tokenizer), Faults()
    work = partial(_count_unit, tokenizer)
    units = iter_units(files, need_text=False)
    with closing(map_units(work, units, jobs=jobs, engine=engine)) as parts:
        for part in parts:
            faults.add(*part.faults)
            builder.merge(part)
            advance(part.examples)
    faults.check()
    return builder


@gc_paused
def _count_unit(tokenizer: str, unit: AnyUnit) -> PartialCounts:
    batch = read_unit(unit, need_text=False)
    builder = CountsBuilder(tokenizer)
    for example in batch.examples:
        builder.add(example)
    return builder.partial(len(batch.examples), batch.faults)


class CountsBuilder:
    """Counts pairs in bounded buffers; memory grows with the number of different pairs, not of examples."""

    def __init__(self, tokenizer: str = "words", *, buffered_pairs: int = BUFFERED_PAIRS) -> None:
        self.texts = 0
        self._tokenizer = tokenizer
        self._buffered_pairs = buffered_pairs
        self._vocabulary: dict[str, int] = {}
        self._totals = array("I")
        self._buffer: list[NDArray[np.uint64]] = []
        self._buffered = 0
        self._runs: list[PairCounts] = []

    def add(self, example: Example) -> None:
        """Count the table with each of its references, or with the text where there are none."""
        rows = self._number(_table_tokens(example.table, self._tokenizer))
        for text in example.references or (example.text,):
            words = dict.fromkeys(tokenize(text, self._tokenizer))
            if not words:
                continue
            self.texts += 1
            columns = self._number(words)
            for row in rows.tolist():
                self._totals[row] += 1
            pairs = ((rows << np.uint64(32))[:, None] | columns[None, :]).ravel()
            self._buffer.append(pairs)
            self._buffered += len(pairs)
            if self._buffered >= self._buffered_pairs:
                self._flush()

    def merge(self, part: PartialCounts) -> None:
        """Add the counts of another builder."""
        self.texts += part.texts
        numbers = self._number(part.words)
        np.frombuffer(self._totals, dtype=np.uint32)[numbers] += part.totals
        rows, columns = part.pairs[0] >> np.uint64(32), part.pairs[0] & np.uint64(0xFFFFFFFF)
        keys = numbers[rows] << np.uint64(32) | numbers[columns]
        order = np.argsort(keys)
        self._add_run((keys[order], part.pairs[1][order]))

    def partial(self, examples: int, faults: list[Fault]) -> PartialCounts:
        """The counts so far, to be merged by another builder."""
        self._flush()
        totals = np.array(self._totals, dtype=np.uint32)
        return PartialCounts(
            examples, self.texts, list(self._vocabulary), totals, _merge_all(self._runs), faults
        )

    def finish(self) -> Counts:
        """The counts of everything added."""
        self._flush()
        keys, pairs = _merge_all(self._runs)
        return from_pairs(
            self._vocabulary, np.array(self._totals, dtype=np.uint32), keys, pairs, self._tokenizer
        )

    def _number(self, tokens: Iterable[str]) -> NDArray[np.uint64]:
        vocabulary = self._vocabulary
        numbers = [vocabulary.setdefault(token, len(vocabulary)) for token in tokens]
        self._totals.extend([0] * (len(vocabulary) - len(self._totals)))
        return np.array(numbers, dtype=np.uint64)

    def _flush(self) -> None:
        """Count the buffered pairs into a sorted run."""
        if not self._buffer:
            return
        keys, counts = np.unique(np.concatenate(self._buffer), return_counts=True)
        self._buffer, self._buffered = [], 0
        self._add_run((keys, counts.astype(np.uint32)))

    def _add_run(self, run: PairCounts) -> None:
        """Add a sorted run; runs of similar size are merged."""
        while self._runs and len(self._runs[-1][0]) <= 2 * len(run[0]):
            run = _merge_all([self._runs.pop(), run])
        self._runs.append(run)


def _table_tokens(table: Table, tokenizer: str) -> dict[str, None]:
    """The different tokens of subjects and values, and each attribute as one token, in order."""
    tokens: dict[str, None] = {}
    for record in table.records:
        tokens.update(dict.fromkeys(tokenize(record.subject, tokenizer)))
        tokens.update(dict.fromkeys(tokenize(record.value, tokenizer)))
        tokens[attribute_token(record.attribute, tokenizer)] = None
    tokens.update(dict.fromkeys(tokenize(table.title, tokenizer)))
    tokens.pop("", None)
    return tokens


def _merge_all(runs: list[PairCounts]) -> PairCounts:
    """Sorted runs merged into one, with the counts of equal keys added."""
    if not any(len(keys) for keys, _ in runs):
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32)
    keys = np.concatenate([run[0] for run in runs])
    counts = np.concatenate([run[1] for run in runs])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.add.reduceat(counts, first).astype(np.uint32)
