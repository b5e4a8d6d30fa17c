"""BLEU: n-grams of the text that a reference has, with a penalty for short texts.

Papineni, Roukos, Ward and Zhu: BLEU: a Method for Automatic Evaluation of Machine Translation. ACL 2002.
Equal to sacrebleu (Post: A Call for Clarity in Reporting BLEU Scores. WMT 2018).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import metric, param
from factable.core.results import VALUE, Analysis
from factable.kernels import count_clipped
from factable.metrics.references import (
    FULL,
    MAX_ORDERS,
    TOKENIZERS,
    TOKENS_DOC,
    Readings,
    RowMetric,
    find_unsupported,
    read_examples,
    reader,
    sacrebleu_signature,
)
from factable.models.runtime.progress import ParallelMap
from factable.types import Example

Column = NDArray[np.float64]
SMOOTHINGS = ("exp", "floor", "add-k", "none")
# What sacrebleu's smoothing methods put in place of zero matches, or add to matches and n-grams.
FLOOR, ADDED = 0.1, 1.0
# pymteval's stand-ins for zero matches, for no n-grams, and for the length of no text at all.
E2E_HITS, E2E_TOTAL, E2E_LENGTH = 1e-15, 1e-9, 1e-5
# Defaults for each program that `compat` reproduces; "" is factable's own.
LOWERCASE_OF = {"": False, "webnlg2020": False, "e2e": True}
SMOOTHING_OF = {"": "exp", "webnlg2020": "none", "e2e": "none"}


@metric
class Bleu(RowMetric):
    """N-grams of the text that a reference has, with a penalty for short texts (Papineni et al. 2002)."""

    name = "bleu"

    tokens: str = param("13a", TOKENS_DOC, choices=TOKENIZERS)
    lowercase: bool = param(
        None, "ignore case; follows from compat if not given", follows=("compat", LOWERCASE_OF)
    )
    orders: int = param(4, "the longest n-grams counted", range=(1, MAX_ORDERS))
    smoothing: str = param(
        "",
        "how orders without a match are smoothed; follows from compat if not given",
        choices=SMOOTHINGS,
        follows=("compat", SMOOTHING_OF),
    )
    compat: str = param(
        "", "reproduce the scorer of a challenge, WebNLG 2020 or E2E, quirks included", choices=SMOOTHING_OF
    )

    @property
    def cased(self) -> bool:
        """Unless case is ignored."""
        return not self.lowercase

    def check(self) -> None:
        """The scorers of the challenges have no smoothing."""
        if self.compat and self.smoothing != "none":
            raise self.bad("smoothing", f"none with compat={self.compat!r}, which has no smoothing")

    @property
    def bounds(self) -> tuple[float, float]:
        """0 to 100; E2E's sentence BLEU of a text of three words or less is huge."""
        return 0.0, float("inf") if self.compat == "e2e" else FULL

    @property
    def parts(self) -> tuple[str, ...]:
        """Precision of each order, and what the length of the text does."""
        return part_names(self.orders)

    @property
    def corpus(self) -> bool:
        """The WebNLG scorer pads references up to the largest number in the data."""
        return self.compat == "webnlg2020"

    def signature_parts(self) -> list[str]:
        """The signature of sacrebleu."""
        from sacrebleu.metrics.bleu import BLEU

        original = BLEU(
            lowercase=self.lowercase,
            tokenize=self.tokens,
            smooth_method=self.smoothing,
            max_ngram_order=self.orders,
        )
        return sacrebleu_signature(original)

    def collect(self, examples: Sequence[Example]) -> int:
        """The largest number of references."""
        return max((len(example.references) for example in examples), default=0)

    def merge(self, collected: int, more: int) -> int:
        """The larger one."""
        return max(collected, more)

    def fit(self, collected: int, parallel_map: ParallelMap = map) -> int:
        """The largest number of references."""
        return collected

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """Sentence BLEU per example, BLEU of the corpus from summed counts; words that no reference has."""
        readings = self.read(examples)
        if self.corpus:
            _pad(readings.references, state)
        rows = self.count(readings.texts, readings.references)
        return self.analyse_rows(rows, readings.reasons, lambda: find_unsupported(examples))

    def read(self, examples: Sequence[Example]) -> Readings:
        """Texts and references, tokenized."""
        return read_examples(examples, reader(self.tokens, self.lowercase))

    def count(self, texts: Sequence[str], references: Sequence[Sequence[str]]) -> Column:
        """A row per text: matches and n-grams of each order, and lengths of text and closest reference."""
        counts = np.asarray(count_clipped(texts, references, self.orders, "words"), dtype=np.float64)
        counts = counts.reshape(-1, 2 + self.orders)
        length, closest, hits = counts[:, :1], counts[:, 1:2], counts[:, 2:]
        if self.compat == "e2e":
            # To pymteval no text is one empty word, and short texts have negative numbers of n-grams.
            length = np.maximum(length, 1)
        totals = length - np.arange(self.orders)
        return np.hstack((hits, totals if self.compat == "e2e" else np.maximum(totals, 0), length, closest))

    def measure(self, rows: Column) -> dict[str, Column]:
        """Sentence BLEU and its parts."""
        if self.compat == "e2e":
            return e2e_columns(rows, self.orders, 1.0)
        return sentence_columns(rows, self.orders, self.smoothing)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """BLEU of a corpus and its parts, from column sums of the statistics."""
        if self.compat == "e2e":
            return e2e_corpus(totals, self.orders)
        return corpus_bleu(totals, self.orders, self.smoothing)

    def finish_rows(self, totals: Column) -> Column:
        """BLEU of many corpora at once, from a row of sums each."""
        if self.compat == "e2e":
            return e2e_columns(totals, self.orders, 0.0)[VALUE]
        value = sentence_columns(totals, self.orders, self.smoothing)[VALUE]
        # As sentences, but 0 where an order has no n-grams; add-k gives some to every order but the first.
        checked = 1 if self.smoothing == "add-k" else self.orders
        return np.where((totals[:, self.orders : self.orders + checked] > 0).all(axis=1), value, 0.0)


def part_names(orders: int) -> tuple[str, ...]:
    """The parts of BLEU."""
    return (*(f"precision_{order}" for order in range(1, orders + 1)), "brevity_penalty", "length_ratio")


def sentence_columns(rows: Column, orders: int, smoothing: str) -> dict[str, Column]:
    """Value and parts of each row by itself, as sacrebleu's sentence BLEU with effective order."""
    matched = rows[:, :orders].any(axis=1)
    penalty, ratio = _lengths(rows)
    doubled: Column = np.ones(len(rows))
    # Whether a row has n-grams of all orders so far.
    counts = matched.copy()
    logs, effective = np.zeros(len(rows)), np.zeros(len(rows))
    precisions = []
    for order in range(orders):
        hits, total = rows[:, order], rows[:, orders + order]
        if smoothing == "add-k" and order > 0:
            hits, total = hits + ADDED, total + ADDED
        counts &= total > 0
        doubled = np.where(counts & (hits == 0), 2 * doubled, doubled)
        smoothed = {"exp": 1 / doubled, "floor": np.full(len(rows), FLOOR)}.get(
            smoothing, np.zeros(len(rows))
        )
        precision = FULL * np.where(hits > 0, hits, smoothed) / np.maximum(total, 1)
        precision = np.where(counts, precision, 0.0)
        logs += np.where(counts & (precision == 0), -np.inf, np.log(np.where(precision > 0, precision, 1.0)))
        effective += counts
        precisions.append(precision)
    value = penalty * np.exp(logs / np.maximum(effective, 1))
    value = np.where(matched, np.minimum(value, FULL), 0.0)
    return _name_columns(value, precisions, penalty, ratio)


def corpus_bleu(totals: Sequence[float], orders: int, smoothing: str) -> dict[str, float]:
    """Value and parts from summed statistics, by sacrebleu without effective order."""
    from sacrebleu.metrics.bleu import BLEU

    counts = list(map(round, totals))
    bleu = BLEU.compute_bleu(
        counts[:orders],
        counts[orders : 2 * orders],
        counts[-2],
        counts[-1],
        smooth_method=smoothing,
        max_ngram_order=orders,
    )
    # Rounding may take sacrebleu a hair above 100.
    parts = (min(bleu.score, FULL), *bleu.precisions, bleu.bp, bleu.ratio)
    return dict(zip((VALUE, *part_names(orders)), map(float, parts), strict=True))


def e2e_columns(rows: Column, orders: int, added: float) -> dict[str, Column]:
    """Value and parts of each row as pymteval computes them, with a number added to matches and n-grams."""
    length, closest = rows[:, -2], rows[:, -1]
    divisor = np.where(length > 0, length, E2E_LENGTH)
    penalty = np.where(length <= closest, np.exp(np.minimum(1 - closest / divisor, 0)), 1.0)
    precisions = []
    logs = np.zeros(len(rows))
    for order in range(orders):
        hits = np.maximum(rows[:, order] + added, E2E_HITS)
        total = np.maximum(rows[:, orders + order] + added, E2E_TOTAL)
        precisions.append(FULL * (hits / total))
        logs += np.log(hits / total)
    value = FULL * penalty * np.exp(logs / orders)
    return _name_columns(value, precisions, penalty, _lengths(rows)[1])


def e2e_corpus(totals: Sequence[float], orders: int) -> dict[str, float]:
    """Value and parts from summed statistics, as pymteval's BLEU without smoothing."""
    columns = e2e_columns(np.array([totals], dtype=np.float64), orders, 0.0)
    return {name: float(column[0]) for name, column in columns.items()}


def _lengths(rows: Column) -> tuple[Column, Column]:
    """Brevity penalty, and length of the text over that of the closest reference."""
    length, closest = rows[:, -2], rows[:, -1]
    penalty = np.where(length < closest, np.exp(1 - closest / np.maximum(length, 1)), 1.0)
    penalty = np.where((length == 0) & (closest > 0), 0.0, penalty)
    return penalty, np.where(closest > 0, length / np.maximum(closest, 1), 0.0)


def _name_columns(
    value: Column, precisions: Sequence[Column], penalty: Column, ratio: Column
) -> dict[str, Column]:
    names = (VALUE, *part_names(len(precisions)))
    return dict(zip(names, (value, *precisions, penalty, ratio), strict=True))


def _pad(references: list[list[str]], number: int) -> None:
    """Add an empty reference where the scorer has some; only its length matters, not how many there are."""
    for texts in references:
        if len(texts) < number:
            texts.append("")
