"""NIST: matching n-grams weighted by how much information they carry.

Doddington: Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics. HLT
2002; with the constants of mteval-v13a, as in the E2E challenge.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import VALUE, Field, ShardBy
from factable.core.params import require_choice, require_flags, require_whole
from factable.kernels.matches import count_ngrams
from factable.metrics.references import (
    TOKENIZERS,
    Readings,
    columns_to_scores,
    explain_all,
    read_examples,
    reader,
)
from factable.models.runtime.progress import ParallelMap
from factable.types import Example, Finding, Scores

Column = NDArray[np.float64]
Ngram = tuple[str, ...]
MAX_ORDERS = 20
# A text of two thirds of the references' length gets half of its score.
BETA = -math.log(0.5) / math.log(1.5) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Nist:
    """Matching n-grams weighted by the information they carry in the references (Doddington 2002).

    tokens     sacrebleu's tokeniser: "13a", "intl", "char", "zh" or "none" for text that is tokenised already
    lowercase  whether case is ignored: True or False
    orders     the longest n-grams counted
    compat     "e2e" counts the n-grams of short texts as the E2E challenge's pymteval does
    """

    name: ClassVar[str] = "nist"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    shard_by: ClassVar[ShardBy] = "corpus"

    tokens: str = "13a"
    lowercase: bool = True
    orders: int = 5
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "tokens", TOKENIZERS)
        require_flags(self, "lowercase")
        require_whole(self, "orders", 1, MAX_ORDERS)
        require_choice(self, "compat", ("", "e2e"))

    @property
    def bounds(self) -> tuple[float, float]:
        """0 and up, without a highest value; pymteval's numbers may be negative."""
        return (-math.inf if self.compat == "e2e" else 0.0, math.inf)

    @property
    def parts(self) -> tuple[str, ...]:
        """Information per n-gram of each order, and what the length of the text does."""
        return (*(f"information_{order}" for order in range(1, self.orders + 1)), "length_penalty")

    def pieces(self) -> list[str]:
        """The tokeniser comes from sacrebleu."""
        from sacrebleu import __version__

        return [f"sacrebleu:version:{__version__}"]

    def survey(self, examples: Sequence[Example]) -> Counter[str]:
        """How often each reference comes, as it is read."""
        return _references_in(self._read(examples))

    def add(self, survey: Counter[str], more: Counter[str]) -> Counter[str]:
        """Sums."""
        survey.update(more)
        return survey

    def learn(self, survey: Counter[str], _spread: ParallelMap = map) -> Counter[Ngram]:
        """How often each n-gram comes in all references."""
        return count_ngrams_in(survey, self.orders)

    def _read(self, examples: Sequence[Example]) -> Readings:
        return read_examples(examples, reader(self.tokens, self.lowercase))

    def score(self, examples: Sequence[Example], known: Counter[Ngram] | None = None) -> Scores:
        """NIST of each example and of all; information is that in the references of all examples."""
        readings = self._read(examples)
        counts = self.learn(_references_in(readings)) if known is None else known
        rows = np.array(
            [
                self._row(text.split(), [reference.split() for reference in references], counts)
                for text, references in zip(readings.texts, readings.references, strict=True)
            ]
        ).reshape(len(examples), 2 * self.orders + 2)
        return columns_to_scores(self, examples, self._measure(rows), rows, readings.reasons)

    def _row(self, text: list[str], references: list[list[str]], counts: Counter[Ngram]) -> list[float]:
        """Information of the matches of each order, n-grams of each order, lengths of text and references."""
        # To pymteval no text is one empty word, and a short text has a negative number of long n-grams.
        strict = self.compat == "e2e"
        length = max(len(text), 1) if strict else len(text)
        gains = []
        for order in range(1, self.orders + 1):
            most: Counter[Ngram] = Counter()
            for reference in references:
                most |= count_ngrams(reference, order)
            hits = count_ngrams(text, order) & most
            gains.append(math.fsum(_information(ngram, counts) * times for ngram, times in hits.items()))
        totals = [length - order if strict else max(0, length - order) for order in range(self.orders)]
        mean_length = sum(map(len, references)) / max(len(references), 1)
        return [*gains, *totals, length, mean_length]

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """NIST of a corpus and its parts from column sums of the statistics."""
        columns = self._measure(np.array([totals], dtype=np.float64))
        return {name: float(column[0]) for name, column in columns.items()}

    def finish_rows(self, totals: Column) -> Column:
        """NIST of many corpora at once, from a row of sums each."""
        return self._measure(totals)[VALUE]

    def _measure(self, rows: Column) -> dict[str, Column]:
        """Value and parts of each row by itself."""
        gains, ngrams = rows.T[: self.orders], rows.T[self.orders : -2]
        # With pymteval's numbers n-grams of long texts may be outweighed by those that short ones lack.
        shares = np.divide(gains, ngrams, out=np.zeros_like(gains), where=ngrams != 0)
        length, mean_length = rows.T[-2:]
        penalty = length_penalties(
            np.divide(length, mean_length, out=np.zeros_like(length), where=mean_length != 0)
        )
        columns = (penalty * sum(shares, np.zeros(len(rows))), *shares, penalty)
        return dict(zip((VALUE, *self.parts), columns, strict=True))

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text no reference has."""
        return explain_all(examples)


def _references_in(readings: Readings) -> Counter[str]:
    return Counter(reference for references in readings.references for reference in references)


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
    some = ratios > 0
    shortness = np.log(np.where(some, np.minimum(ratios, 1), 1))
    return np.where(some, np.exp(-BETA * shortness**2), 0.0)
