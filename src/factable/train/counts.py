"""Counts which text words come with which table words, for PARENT's co-occurrence model."""

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from factable.kernels import tokenize
from factable.kernels.tokens import attribute_token
from factable.models.counts import Counts, from_pairs
from factable.types import Example, Table

# Pairs held before they are counted: 64 MB.
BUFFERED_PAIRS = 1 << 23

Run = tuple[NDArray[np.uint64], NDArray[np.uint32]]


class CountsBuilder:
    """Collects pairs in bounded buffers; memory grows with the different pairs, not with the examples."""

    def __init__(self, tokenizer: str = "words", *, buffered_pairs: int = BUFFERED_PAIRS) -> None:
        self.texts = 0
        self._tokenizer = tokenizer
        self._buffered_pairs = buffered_pairs
        self._vocabulary: dict[str, int] = {}
        self._totals = array("I")
        self._buffer: list[NDArray[np.uint64]] = []
        self._buffered = 0
        self._runs: list[Run] = []

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
        """Count the buffered pairs into a sorted run; runs of like size are merged."""
        if not self._buffer:
            return
        keys, counts = np.unique(np.concatenate(self._buffer), return_counts=True)
        run = (keys, counts.astype(np.uint32))
        self._buffer, self._buffered = [], 0
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


def _merge_all(runs: list[Run]) -> Run:
    """Sorted runs as one, counts of equal keys added."""
    if not any(len(keys) for keys, _ in runs):
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32)
    keys = np.concatenate([run[0] for run in runs])
    counts = np.concatenate([run[1] for run in runs])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.add.reduceat(counts, first).astype(np.uint32)
