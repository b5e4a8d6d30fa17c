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
from factable.kernels import count_occurrences, sum_information
from factable.kernels.frequencies import Frequencies
from factable.kernels.words import WordOptions
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

    def fit(self, collected: Counter[str], parallel_map: ParallelMap = map) -> Frequencies:
        """How often each n-gram comes in all references."""
        return count_occurrences(collected, WordOptions("whitespace-cased"), self.orders)

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """NIST of each example and of all, with the information of n-grams in all references."""
        readings = self._read(examples)
        counts = np.array(sum_information(readings.texts, readings.references, state))
        gains, lengths, reference_words = np.split(counts.reshape(-1, self.orders + 2), [-2, -1], axis=1)
        # To pymteval no text is one empty word, and a short text has a negative number of long n-grams.
        strict = self.compat == "e2e"
        lengths = np.maximum(lengths, 1) if strict else lengths
        totals = lengths - np.arange(self.orders)
        if not strict:
            totals = np.maximum(totals, 0)
        references = [max(1, len(group)) for group in readings.references]
        rows = np.hstack([gains, totals, lengths, reference_words / np.reshape(references, (-1, 1))])
        return self.analyse_rows(rows, readings.reasons, lambda: find_unsupported(examples))

    def _read(self, examples: Sequence[Example]) -> Readings:
        return read_examples(examples, reader(self.tokens, self.lowercase))

    def measure(self, rows: Column) -> dict[str, Column]:
        """The sum of information per n-gram over orders, times the penalty for length."""
        # With pymteval's numbers n-grams of long texts may be outweighed by those that short ones lack.
        shares = divide(rows.T[: self.orders], rows.T[self.orders : -2])
        penalty = length_penalties(divide(rows.T[-2], rows.T[-1]))
        columns = (penalty * sum(shares, np.zeros(len(rows))), *shares, penalty)
        return dict(zip((VALUE, *self.parts), columns, strict=True))


def length_penalties(ratios: Column) -> Column:
    """1 for a text at least as long as its references, less for a shorter one."""
    positive = ratios > 0
    shortness = np.log(np.where(positive, np.minimum(ratios, 1), 1))
    return np.where(positive, np.exp(-BETA * shortness**2), 0.0)
