"""chrF and chrF++: F of character n-grams, and of word n-grams where asked for.

Popović: chrF: character n-gram F-score for automatic MT evaluation. WMT 2015; chrF++: words helping character
n-grams. WMT 2017. Equal to sacrebleu.
"""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import metric, param
from factable.core.results import VALUE, Analysis
from factable.kernels import count_each
from factable.kernels.matches import TokenUnit
from factable.metrics.references import (
    FULL,
    MAX_ORDERS,
    Readings,
    RowMetric,
    find_unsupported,
    read_examples,
    sacrebleu_signature,
)
from factable.types import Example

Column = NDArray[np.float64]
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# What eps_smoothing puts in place of zero.
EPSILON = 1e-16


@metric
class Chrf(RowMetric):
    """F-score of character n-grams (chrF), with `word_order=2` of words, too (chrF++; Popović 2015, 2017)."""

    name = "chrf"
    bounds = (0.0, FULL)
    parts = ("precision", "recall")

    char_order: int = param(6, "the longest n-grams of characters", range=(1, MAX_ORDERS))
    word_order: int = param(0, "the longest n-grams of words, 0 for none", range=(0, MAX_ORDERS))
    beta: int = param(2, "weight of recall relative to precision", range=(0, 100))
    lowercase: bool = param(False, "ignore case")
    whitespace: bool = param(False, "count white space as characters")
    eps_smoothing: bool = param(
        False, "let orders without n-grams count as nearly zero, as Popović's chrF++.py does"
    )

    @property
    def cased(self) -> bool:
        """Unless case is ignored."""
        return not self.lowercase

    def signature_parts(self) -> list[str]:
        """The signature of sacrebleu."""
        from sacrebleu.metrics.chrf import CHRF

        original = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
        return sacrebleu_signature(original)

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """F against the best reference per example, F of the corpus from summed counts of the best ones."""
        readings = read_examples(examples, str.lower if self.lowercase else str)
        counts = self._count(readings)
        values = self.measure(counts)[VALUE]
        rows = np.zeros((len(examples), counts.shape[1]))
        sizes = np.array([len(references) for references in readings.references], dtype=np.intp)
        owners = np.repeat(np.arange(len(examples)), sizes)
        # Sorted by example and then from high to low; the first of equal references comes first.
        order = np.lexsort((-values, owners))
        starts = (np.cumsum(sizes) - sizes)[sizes > 0]
        rows[sizes > 0] = counts[order[starts]]
        return self.analyse_rows(rows, readings.reasons, lambda: find_unsupported(examples))

    def _count(self, readings: Readings) -> Column:
        """For each pair of text and reference and each order: n-grams of both and matches."""
        unspaced = str if self.whitespace else _without_spaces
        counts = _count_unit(_through(unspaced, readings), self.char_order, "characters")
        if self.word_order:
            words = _count_unit(_through(_split_punctuation, readings), self.word_order, "words")
            counts = np.hstack((counts, words))
        return counts

    def measure(self, rows: Column) -> dict[str, Column]:
        """F, precision and recall of each row; the arithmetic is sacrebleu's, step by step."""
        factor = self.beta**2
        summed, precision, recall, effective = np.zeros((4, len(rows)))
        for said, wanted, matched in rows.T.reshape(self.char_order + self.word_order, 3, len(rows)):
            order_precision = np.where(said > 0, matched / np.maximum(said, 1), EPSILON)
            order_recall = np.where(wanted > 0, matched / np.maximum(wanted, 1), EPSILON)
            summed += _f(order_precision, order_recall, factor, EPSILON)
            counts = (said > 0) & (wanted > 0)
            precision += np.where(counts, order_precision, 0)
            recall += np.where(counts, order_recall, 0)
            effective += counts
        precision /= np.maximum(effective, 1)
        recall /= np.maximum(effective, 1)
        value = _f(precision, recall, factor, 0.0)
        if self.eps_smoothing:
            value = summed / (self.char_order + self.word_order)
        return {VALUE: FULL * value, "precision": FULL * precision, "recall": FULL * recall}


def _f(precision: Column, recall: Column, factor: int, without: float) -> Column:
    """The weighted harmonic mean, and a stand-in where there is none."""
    below = factor * precision + recall
    defined = below > 0
    return np.where(defined, (1 + factor) * precision * recall / np.where(defined, below, 1), without)


def _through(change: Callable[[str], str], readings: Readings) -> Readings:
    references = [list(map(change, texts)) for texts in readings.references]
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
