"""TER: edits that turn the text into a reference, moves of words included.

Snover, Dorr, Schwartz, Micciulla and Makhoul: A Study of Translation Edit Rate with Targeted Human
Annotation. AMTA 2006. With the limits and the tokenizer of sacrebleu.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import metric, param
from factable.core.results import VALUE, Analysis
from factable.kernels import count_edits
from factable.metrics.references import (
    FULL,
    RowMetric,
    divide,
    find_unsupported,
    read_examples,
    sacrebleu_signature,
)
from factable.types import Example

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER


@metric
class Ter(RowMetric):
    """Edits that turn the text into the nearest reference, per word of reference (Snover et al. 2006)."""

    name = "ter"
    higher_is_better = False
    bounds = (0.0, float("inf"))
    parts = ("edits", "reference_length")

    normalized: bool = param(False, "separate punctuation from words and undo XML escapes")
    no_punct: bool = param(False, "remove punctuation")
    asian_support: bool = param(False, "let normalized and no_punct know Chinese and Japanese characters too")
    case_sensitive: bool = param(False, "let case count")

    @property
    def cased(self) -> bool:
        """Unless case is ignored."""
        return self.case_sensitive

    def signature_parts(self) -> list[str]:
        """The signature of sacrebleu."""
        return sacrebleu_signature(_original(self))

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """Edits per 100 words of reference for each example, and of the corpus from sums."""
        tokenize = _original(self).tokenizer
        readings = read_examples(examples, lambda text: tokenize(text.rstrip()))
        counts = count_edits(readings.texts, readings.references)
        rows = np.array(counts, dtype=np.float64).reshape(len(examples), 2)
        rows[:, 1] /= [max(1, len(references)) for references in readings.references]
        return self.analyse_rows(rows, readings.reasons, lambda: find_unsupported(examples))

    def measure(self, rows: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Edits per 100 words of reference."""
        edits, length = rows.T
        return {VALUE: FULL * divide(edits, length), "edits": edits, "reference_length": length}


@cache
def _original(metric: Ter) -> "TER":
    """The metric of sacrebleu, one per process, because its tokenizer remembers what it tokenized."""
    from sacrebleu.metrics.ter import TER

    return TER(
        normalized=metric.normalized,
        no_punct=metric.no_punct,
        asian_support=metric.asian_support,
        case_sensitive=metric.case_sensitive,
    )
