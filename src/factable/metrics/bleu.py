"""BLEU: n-grams of the text that a reference has, with a penalty for short texts.

Papineni, Roukos, Ward and Zhu: BLEU: a Method for Automatic Evaluation of Machine Translation. ACL 2002.
Equal to sacrebleu (Post: A Call for Clarity in Reporting BLEU Scores. WMT 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from factable.metric import VALUE, Field, ShardBy
from factable.metrics.against_references import Readings, columns_to_scores, read_examples
from factable.metrics.bleu_arithmetic import (
    SMOOTHINGS,
    Column,
    bleu_rows,
    corpus_bleu,
    corpus_values,
    e2e_columns,
    e2e_corpus,
    e2e_rows,
    part_names,
    sentence_columns,
)
from factable.metrics.parameters import require, require_choice, require_flags, require_whole
from factable.metrics.reference_findings import explain_all
from factable.metrics.sacrebleu_parts import TOKENIZERS, reader, signature_pieces
from factable.models.spread import Spread
from factable.types import Example, Finding, Scores

COMPATS = ("", "webnlg2020", "e2e")
MOST_ORDERS = 20


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
        require_whole(self, "orders", 1, MOST_ORDERS)
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

    def learn(self, survey: int, _spread: Spread = map) -> int:
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
