"""NIST: matching n-grams weighted by how much information they carry.

Doddington: Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics. HLT
2002; with the constants of mteval-v13a, as in the E2E challenge.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import metric, param
from factable.core.results import VALUE, Analysis
from factable.kernels.matches import count_ngrams
from factable.metrics.references import (
    MAX_ORDERS,
    TOKENIZERS,
    TOKENS_DOC,
    Readings,
    RowMetric,
    divide,
    find_unsupported,
    read_examples,
    reader,
)
from factable.models.runtime.progress import ParallelMap
from factable.types import Example

Column = NDArray[np.float64]
Ngram = tuple[str, ...]
# A text of two thirds of the references' length gets half of its score.
BETA = -math.log(0.5) / math.log(1.5) ** 2


@metric
class Nist(RowMetric):
    """Matching n-grams weighted by the information they carry in the references (Doddington 2002)."""

    name = "nist"
    corpus = True

    tokens: str = param("13a", TOKENS_DOC, choices=TOKENIZERS)
    lowercase: bool = param(True, "ignore case")
    orders: int = param(5, "the longest n-grams counted", range=(1, MAX_ORDERS))
    compat: str = param(
        "",
        '"e2e" counts the n-grams of short texts as pymteval does, the scorer of the E2E challenge',
        choices=("", "e2e"),
    )

    @property
    def cased(self) -> bool:
        """Unless case is ignored."""
        return not self.lowercase

    @property
    def bounds(self) -> tuple[float, float]:
        """0 and up, without a highest value; pymteval's numbers may be negative."""
        return -math.inf if self.compat == "e2e" else 0.0, math.inf

    @property
    def parts(self) -> tuple[str, ...]:
        """Information per n-gram of each order, and what the length of the text does."""
        return (*(f"information_{order}" for order in range(1, self.orders + 1)), "length_penalty")

    def signature_parts(self) -> list[str]:
        """The tokenizer comes from sacrebleu."""
        from sacrebleu import __version__

        return [f"sacrebleu:version:{__version__}"]

    def collect(self, examples: Sequence[Example]) -> Counter[str]:
        """How often each reference comes, as it is read."""
        return Counter(
            reference for references in self._read(examples).references for reference in references
        )

    def merge(self, collected: Counter[str], more: Counter[str]) -> Counter[str]:
        """Sums."""
        collected.update(more)
        return collected

    def fit(self, collected: Counter[str], parallel_map: ParallelMap = map) -> Counter[Ngram]:
        """How often each n-gram comes in all references."""
        return count_ngrams_in(collected, self.orders)

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """NIST of each example and of all, with the information of n-grams in all references."""
        readings = self._read(examples)
        rows = [
            self._row(text.split(), [reference.split() for reference in references], state)
            for text, references in zip(readings.texts, readings.references, strict=True)
        ]
        return self.analyse_rows(
            np.array(rows).reshape(len(examples), 2 * self.orders + 2),
            readings.reasons,
            lambda: find_unsupported(examples),
        )

    def _read(self, examples: Sequence[Example]) -> Readings:
        return read_examples(examples, reader(self.tokens, self.lowercase))

    def _row(self, text: list[str], references: list[list[str]], counts: Counter[Ngram]) -> list[float]:
        """Information of the matches of each order, n-grams of each order, lengths of text and references."""
        # To pymteval no text is one empty word, and a short text has a negative number of long n-grams.
        strict = self.compat == "e2e"
        length = max(len(text), 1) if strict else len(text)
        gains = []
        for order in range(1, self.orders + 1):
            known: Counter[Ngram] = Counter()
            for reference in references:
                known |= count_ngrams(reference, order)
            hits = count_ngrams(text, order) & known
            gains.append(math.fsum(_information(ngram, counts) * times for ngram, times in hits.items()))
        totals = [length - order if strict else max(0, length - order) for order in range(self.orders)]
        mean_length = sum(map(len, references)) / max(len(references), 1)
        return [*gains, *totals, length, mean_length]

    def measure(self, rows: Column) -> dict[str, Column]:
        """The sum of information per n-gram over orders, times the penalty for length."""
        # With pymteval's numbers n-grams of long texts may be outweighed by those that short ones lack.
        shares = divide(rows.T[: self.orders], rows.T[self.orders : -2])
        penalty = length_penalties(divide(rows.T[-2], rows.T[-1]))
        columns = (penalty * sum(shares, np.zeros(len(rows))), *shares, penalty)
        return dict(zip((VALUE, *self.parts), columns, strict=True))


def count_ngrams_in(references: Counter[str], orders: int) -> Counter[Ngram]:
    """How often each n-gram comes in all references; the empty one comes before every word."""
    counts: Counter[Ngram] = Counter()
    for reference, times in references.items():
        words = reference.split()
        counts[()] += len(words) * times
        for order in range(1, orders + 1):
            ngrams = zip(*(words[start:] for start in range(order)), strict=False)
            if times == 1:
                counts.update(ngrams)
            else:
                for ngram in ngrams:
                    counts[ngram] += times
    return counts


def _information(ngram: Ngram, counts: Counter[Ngram]) -> float:
    """log2 of how often the beginning of an n-gram comes per time that it comes itself."""
    return math.log2(counts[ngram[:-1]] / counts[ngram])


def length_penalties(ratios: Column) -> Column:
    """1 for a text at least as long as its references, less for a shorter one."""
    positive = ratios > 0
    shortness = np.log(np.where(positive, np.minimum(ratios, 1), 1))
    return np.where(positive, np.exp(-BETA * shortness**2), 0.0)
