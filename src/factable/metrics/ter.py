"""TER: edits that turn the text into a reference, moves of words included.

Snover, Dorr, Schwartz, Micciulla and Makhoul: A Study of Translation Edit Rate with Targeted Human
Annotation. AMTA 2006. Computed by sacrebleu.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import VALUE, Field, ShardBy
from factable.core.params import require_flags
from factable.metrics.references import columns_to_scores, explain_all, read_examples, signature_pieces
from factable.types import Example, Finding, Scores

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER

FULL = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ter:
    """Edits that turn the text into the nearest reference, per word of the references (Snover et al. 2006).

    normalized      whether punctuation is separated from words and XML escapes are undone
    no_punct        whether punctuation is removed
    asian_support   whether the two above know Chinese and Japanese characters too
    case_sensitive  whether case counts
    """

    name: ClassVar[str] = "ter"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    parts: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    shard_by: ClassVar[ShardBy] = "example"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_flags(self, "normalized", "no_punct", "asian_support", "case_sensitive")

    def pieces(self) -> list[str]:
        """The signature of sacrebleu."""
        return signature_pieces(_original(self))

    def score(self, examples: Sequence[Example]) -> Scores:
        """Edits per 100 words of reference for each example, and of the corpus from sums."""
        original, plain = _original(self), _original(Ter(case_sensitive=True))
        readings = read_examples(examples, lambda text: original.tokenizer(text.rstrip()))
        rows = np.zeros((len(examples), 2))
        for index, (text, references) in enumerate(zip(readings.texts, readings.references, strict=True)):
            if references:
                # Tokenised already; without options sacrebleu leaves words as they are.
                found = plain.sentence_score(text, references)
                rows[index] = found.num_edits, found.ref_length
        edits, length = rows.T
        columns = {VALUE: FULL * (edits / np.maximum(length, 1)), "edits": edits, "reference_length": length}
        return columns_to_scores(self, examples, columns, rows, readings.reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """TER of a corpus, from all edits and the summed mean lengths of references."""
        edits, length = totals
        return {VALUE: FULL * (edits / length), "edits": edits, "reference_length": length}

    def finish_rows(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """TER of many corpora at once, from a row of sums each."""
        values: NDArray[np.float64] = FULL * (totals[:, 0] / totals[:, 1])
        return values

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text no reference has."""
        return explain_all(examples)


@cache
def _original(metric: Ter) -> "TER":
    """The metric of sacrebleu, one per process, because its tokeniser remembers what it tokenised."""
    from sacrebleu.metrics.ter import TER

    return TER(
        normalized=metric.normalized,
        no_punct=metric.no_punct,
        asian_support=metric.asian_support,
        case_sensitive=metric.case_sensitive,
    )
