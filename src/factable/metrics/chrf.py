"""chrF and chrF++: F of character n-grams, and of word n-grams where asked for.

Popović: chrF: character n-gram F-score for automatic MT evaluation. WMT 2015; chrF++: words helping character
n-grams. WMT 2017. Equal to sacrebleu.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import VALUE, Field, ShardBy
from factable.core.params import require_flags, require_whole
from factable.kernels import count_each
from factable.kernels.matches import TokenUnit
from factable.metrics.references import (
    Readings,
    columns_to_scores,
    explain_all,
    read_examples,
    signature_pieces,
)
from factable.types import Example, Finding, Scores

Column = NDArray[np.float64]
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
MAX_ORDERS = 20
MAX_BETA = 100
# What eps_smoothing puts in place of zero.
EPSILON = 1e-16
FULL = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chrf:
    """F of character n-grams (chrF), with `word_order=2` also of words (chrF++; Popović 2015, 2017).

    char_order     the longest n-grams of characters
    word_order     the longest n-grams of words, 0 for none
    beta           how many times recall counts as much as precision
    lowercase      whether case is ignored: True or False
    whitespace     whether white space counts as characters
    eps_smoothing  whether orders without n-grams count too, as nearly zero, as in Popović's chrF++.py
    """

    name: ClassVar[str] = "chrf"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, FULL)
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall")
    shard_by: ClassVar[ShardBy] = "example"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_whole(self, "char_order", 1, MAX_ORDERS)
        require_whole(self, "word_order", 0, MAX_ORDERS)
        require_whole(self, "beta", 0, MAX_BETA)
        require_flags(self, "lowercase", "whitespace", "eps_smoothing")

    def pieces(self) -> list[str]:
        """The signature of sacrebleu."""
        from sacrebleu.metrics.chrf import CHRF

        metric = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
        return signature_pieces(metric)

    def score(self, examples: Sequence[Example]) -> Scores:
        """F against the best reference per example, F of the corpus from summed counts of the best ones."""
        readings = read_examples(examples, str.lower if self.lowercase else str)
        counts = self._count(readings)
        values = self._measure(counts)[VALUE]
        rows = np.zeros((len(examples), counts.shape[1]))
        sizes = np.array([len(mine) for mine in readings.references], dtype=np.intp)
        owners = np.repeat(np.arange(len(examples)), sizes)
        # Sorted by example and then from high to low; the first of equal references comes first.
        order = np.lexsort((-values, owners))
        starts = (np.cumsum(sizes) - sizes)[sizes > 0]
        rows[sizes > 0] = counts[order[starts]]
        return columns_to_scores(self, examples, self._measure(rows), rows, readings.reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """F of a corpus, its precision and recall from column sums of the statistics."""
        columns = self._measure(np.array([totals], dtype=np.float64))
        return {name: float(column[0]) for name, column in columns.items()}

    def finish_rows(self, totals: Column) -> Column:
        """F of many corpora at once, from a row of sums each."""
        return self._measure(totals)[VALUE]

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text no reference has."""
        return explain_all(examples)

    def _count(self, readings: Readings) -> Column:
        """For each pair of text and reference and each order: n-grams of both and matches."""
        unspaced = str if self.whitespace else _without_spaces
        found = _count_unit(_through(unspaced, readings), self.char_order, "characters")
        if self.word_order:
            words = _count_unit(_through(_split_punctuation, readings), self.word_order, "words")
            found = np.hstack((found, words))
        return found

    def _measure(self, rows: Column) -> dict[str, Column]:
        """Value, precision and recall of each row by itself; the arithmetic is sacrebleu's, step by step."""
        factor = self.beta**2
        summed, precision, recall, effective = np.zeros((4, len(rows)))
        for said, wanted, matched in rows.T.reshape(self.char_order + self.word_order, 3, len(rows)):
            here = np.where(said > 0, matched / np.maximum(said, 1), EPSILON)
            there = np.where(wanted > 0, matched / np.maximum(wanted, 1), EPSILON)
            below = factor * here + there
            some = below > 0
            summed += np.where(some, (1 + factor) * here * there / np.where(some, below, 1), EPSILON)
            counts = (said > 0) & (wanted > 0)
            precision += np.where(counts, here, 0)
            recall += np.where(counts, there, 0)
            effective += counts
        precision /= np.maximum(effective, 1)
        recall /= np.maximum(effective, 1)
        below = factor * precision + recall
        value = np.where(below > 0, (1 + factor) * precision * recall / np.where(below > 0, below, 1), 0)
        if self.eps_smoothing:
            value = summed / (self.char_order + self.word_order)
        return {VALUE: FULL * value, "precision": FULL * precision, "recall": FULL * recall}


def _through(change: Callable[[str], str], readings: Readings) -> Readings:
    references = [list(map(change, mine)) for mine in readings.references]
    return readings._replace(texts=list(map(change, readings.texts)), references=references)


def _count_unit(readings: Readings, orders: int, unit: TokenUnit) -> Column:
    """For each pair and order: n-grams of the text, of the reference, and matches."""
    counted = count_each(readings.texts, readings.references, orders, unit)
    counts = np.asarray(counted, dtype=np.float64).reshape(-1, 2 + orders)
    shorter = np.arange(orders)
    wanted = np.maximum(counts[:, 1:2] - shorter, 0)
    # As in sacrebleu: n-grams of the text do not count where the reference is too short to have any.
    said = np.where(wanted > 0, np.maximum(counts[:, :1] - shorter, 0), 0)
    return np.stack((said, wanted, counts[:, 2:]), axis=2).reshape(len(counts), 3 * orders)


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _split_punctuation(text: str) -> str:
    """Words with one punctuation mark cut off at the end, or else at the beginning."""
    return " ".join(chain.from_iterable(map(_cut_word, text.split())))


def _cut_word(word: str) -> tuple[str, ...]:
    if len(word) > 1:
        if word[-1] in PUNCTUATION:
            return word[:-1], word[-1]
        if word[0] in PUNCTUATION:
            return word[0], word[1:]
    return (word,)
