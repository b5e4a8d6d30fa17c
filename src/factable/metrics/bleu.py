"""BLEU: n-grams of the text that a reference has, with a penalty for short texts.

Papineni, Roukos, Ward and Zhu: BLEU: a Method for Automatic Evaluation of Machine Translation. ACL 2002.
Equal to sacrebleu (Post: A Call for Clarity in Reporting BLEU Scores. WMT 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import VALUE, Field, ShardBy
from factable.core.params import require, require_choice, require_flags, require_whole
from factable.kernels import count_clipped
from factable.metrics.references import (
    TOKENIZERS,
    Readings,
    columns_to_scores,
    explain_all,
    read_examples,
    reader,
    signature_pieces,
)
from factable.models.runtime.progress import ParallelMap
from factable.types import Example, Finding, Scores

Column = NDArray[np.float64]
SMOOTHINGS = ("exp", "floor", "add-k", "none")
# What sacrebleu's smoothing methods put in place of zero matches, or add to matches and n-grams.
FLOOR, ADDED = 0.1, 1.0
# The scale of values and precisions.
FULL = 100.0
# pymteval's stand-ins for zero matches, for no n-grams, and for the length of no text at all.
E2E_HITS, E2E_TOTAL, E2E_LENGTH = 1e-15, 1e-9, 1e-5


def part_names(orders: int) -> tuple[str, ...]:
    """The parts of BLEU."""
    return (*(f"precision_{order}" for order in range(1, orders + 1)), "brevity_penalty", "length_ratio")


def bleu_rows(texts: Sequence[str], references: Sequence[Sequence[str]], orders: int) -> Column:
    """The statistics of tokenised texts, a row each."""
    counts = np.asarray(count_clipped(texts, references, orders, "words"), dtype=np.float64)
    counts = counts.reshape(-1, 2 + orders)
    length = counts[:, :1]
    totals = np.maximum(length - np.arange(orders), 0)
    return np.hstack((counts[:, 2:], totals, counts[:, :2]))


def sentence_columns(rows: Column, orders: int, smoothing: str) -> dict[str, Column]:
    """Value and parts of each row by itself, as sacrebleu's sentence BLEU with effective order."""
    matched = rows[:, :orders].any(axis=1)
    penalty, ratio = _lengths(rows)
    doubled: Column = np.ones(len(rows))
    going = matched.copy()
    logs, effective = np.zeros(len(rows)), np.zeros(len(rows))
    precisions = []
    for order in range(orders):
        hits, total = rows[:, order], rows[:, orders + order]
        if smoothing == "add-k" and order > 0:
            hits, total = hits + ADDED, total + ADDED
        going &= total > 0
        doubled = np.where(going & (hits == 0), 2 * doubled, doubled)
        instead = {"exp": 1 / doubled, "floor": np.full(len(rows), FLOOR)}.get(smoothing, np.zeros(len(rows)))
        precision = FULL * np.where(hits > 0, hits, instead) / np.maximum(total, 1)
        precision = np.where(going, precision, 0.0)
        logs += np.where(going & (precision == 0), -np.inf, np.log(np.where(precision > 0, precision, 1.0)))
        effective += going
        precisions.append(precision)
    value = penalty * np.exp(logs / np.maximum(effective, 1))
    value = np.where(matched, np.minimum(value, FULL), 0.0)
    return _name_columns(value, precisions, penalty, ratio)


def corpus_bleu(totals: Sequence[float], orders: int, smoothing: str) -> dict[str, float]:
    """Value and parts from summed statistics, by sacrebleu without effective order."""
    from sacrebleu.metrics.bleu import BLEU

    whole = list(map(round, totals))
    found = BLEU.compute_bleu(
        whole[:orders],
        whole[orders : 2 * orders],
        whole[-2],
        whole[-1],
        smooth_method=smoothing,
        max_ngram_order=orders,
    )
    # Rounding may take sacrebleu a hair above 100.
    parts = (min(found.score, FULL), *found.precisions, found.bp, found.ratio)
    return dict(zip((VALUE, *part_names(orders)), map(float, parts), strict=True))


def corpus_values(rows: Column, orders: int, smoothing: str) -> Column:
    """What `corpus_bleu` gives for each row: as sentences, but 0 where an order has no n-grams."""
    value = sentence_columns(rows, orders, smoothing)[VALUE]
    # Smoothing by addition gives n-grams to every order but the first.
    checked = 1 if smoothing == "add-k" else orders
    return np.where((rows[:, orders : orders + checked] > 0).all(axis=1), value, 0.0)


def e2e_rows(rows: Column, orders: int) -> Column:
    """The statistics as pymteval counts: no text is one empty word, and short ones have negative numbers."""
    length = np.maximum(rows[:, -2:-1], 1)
    return np.hstack((rows[:, :orders], length - np.arange(orders), length, rows[:, -1:]))


def e2e_columns(rows: Column, orders: int, added: float) -> dict[str, Column]:
    """Value and parts of each row as pymteval computes them, with a number added to matches and n-grams."""
    length, closest = rows[:, -2], rows[:, -1]
    instead = np.where(length > 0, length, E2E_LENGTH)
    penalty = np.where(length <= closest, np.exp(np.minimum(1 - closest / instead, 0)), 1.0)
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


COMPATS = ("", "webnlg2020", "e2e")
MAX_ORDERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Bleu:
    """N-grams of the text that a reference has, with a penalty for short texts (Papineni et al. 2002).

    tokens     sacrebleu's tokeniser: "13a", "intl", "char", "zh" or "none" for text that is tokenised already
    lowercase  whether case is ignored: True or False; follows from compat if not given
    orders     the longest n-grams counted
    smoothing  for orders without a match: "exp", "floor", "add-k" or "none"; follows from compat if not given
    compat     "webnlg2020" or "e2e" reproduce the scorers of those challenges, quirks included
    """

    name: ClassVar[str] = "bleu"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})

    tokens: str = "13a"
    lowercase: bool | None = None
    orders: int = 4
    smoothing: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "compat", COMPATS)
        if self.lowercase is None:
            object.__setattr__(self, "lowercase", self.compat == "e2e")
        if self.smoothing == "":
            object.__setattr__(self, "smoothing", "none" if self.compat else "exp")
        require_choice(self, "tokens", TOKENIZERS)
        require_flags(self, "lowercase")
        require_whole(self, "orders", 1, MAX_ORDERS)
        require_choice(self, "smoothing", SMOOTHINGS)
        unsmoothed = not self.compat or self.smoothing == "none"
        require(self, "smoothing", unsmoothed, f"none with compat={self.compat!r}, which has no smoothing")

    @property
    def bounds(self) -> tuple[float, float]:
        """0 to 100; E2E's sentence BLEU of a text of three words or less is huge."""
        return (0.0, float("inf") if self.compat == "e2e" else 100.0)

    @property
    def parts(self) -> tuple[str, ...]:
        """Precision of each order, and what the length of the text does."""
        return part_names(self.orders)

    @property
    def shard_by(self) -> ShardBy:
        """The WebNLG scorer pads references up to the largest number in the data."""
        return "corpus" if self.compat == "webnlg2020" else "example"

    def pieces(self) -> list[str]:
        """The signature of sacrebleu."""
        from sacrebleu.metrics.bleu import BLEU

        metric = BLEU(
            lowercase=bool(self.lowercase),
            tokenize=self.tokens,
            smooth_method=self.smoothing,
            max_ngram_order=self.orders,
        )
        return signature_pieces(metric)

    def survey(self, examples: Sequence[Example]) -> int:
        """The largest number of references."""
        return max((len(example.references) for example in examples), default=0)

    def add(self, survey: int, more: int) -> int:
        """The larger one."""
        return max(survey, more)

    def learn(self, survey: int, _spread: ParallelMap = map) -> int:
        """The largest number of references."""
        return survey

    def score(self, examples: Sequence[Example], known: int | None = None) -> Scores:
        """Sentence BLEU per example, BLEU of the corpus from summed counts; no references, no value."""
        readings = self.read(examples)
        if self.compat == "webnlg2020":
            _pad(readings.references, self.survey(examples) if known is None else known)
        rows = self.count(readings.texts, readings.references)
        return columns_to_scores(self, examples, self.measure(rows), rows, readings.reasons)

    def read(self, examples: Sequence[Example]) -> Readings:
        """Texts and references, tokenised."""
        return read_examples(examples, reader(self.tokens, bool(self.lowercase)))

    def count(self, texts: Sequence[str], references: Sequence[Sequence[str]]) -> Column:
        """The statistics of tokenised texts, a row each."""
        rows = bleu_rows(texts, references, self.orders)
        return e2e_rows(rows, self.orders) if self.compat == "e2e" else rows

    def measure(self, rows: Column) -> dict[str, Column]:
        """Value and parts of each row by itself."""
        if self.compat == "e2e":
            return e2e_columns(rows, self.orders, 1.0)
        return sentence_columns(rows, self.orders, self.smoothing)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """BLEU of a corpus and its parts from column sums of the statistics."""
        if self.compat == "e2e":
            return e2e_corpus(totals, self.orders)
        return corpus_bleu(totals, self.orders, self.smoothing)

    def finish_rows(self, totals: Column) -> Column:
        """BLEU of many corpora at once, from a row of sums each."""
        if self.compat == "e2e":
            return e2e_columns(totals, self.orders, 0.0)[VALUE]
        return corpus_values(totals, self.orders, self.smoothing)

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text no reference has."""
        return explain_all(examples)


def _pad(references: list[list[str]], most: int) -> None:
    """Add an empty reference where the scorer has some; only its length matters, not how many there are."""
    for mine in references:
        if len(mine) < most:
            mine.append("")
