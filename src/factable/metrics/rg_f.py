"""RG-F: precision and recall of the pairs a text says against its data.

Dhingra, Faruqui, Parikh, Chang, Das and Cohen: Handling Divergent Reference Texts when Evaluating
Table-to-Text Generation. ACL 2019.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.metric import Field
from factable.metrics.extraction import ExtractionMetric, finish_overlaps, score_overlaps
from factable.metrics.extraction_table import NO_RECORDS, against_table, explain_table
from factable.types import Example, Finding, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class RgF(ExtractionMetric):
    """F of the pairs a text says against those of its data (Dhingra et al. 2019).

    extractor  how pairs are found in a text: "values", "rotowire", "e2e", "webnlg" (trained) or a file
    matching   when two values are the same: "value" (as values), "normalised" (in words) or "exact"
    """

    name: ClassVar[str] = "rg_f"
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall")

    def score(self, examples: Sequence[Example]) -> Scores:
        """F per example, with precision and recall; an example without records is unscored."""
        overlaps = [one.overlap for one in against_table(examples, self.extractor, self.matching)]
        reasons = {place: NO_RECORDS for place, one in enumerate(overlaps) if not one.known}
        return score_overlaps(self, examples, overlaps, reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """F, precision and recall over all pairs of a corpus."""
        return finish_overlaps(totals)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """The pairs that text and data share, those that one has alone."""
        found = against_table(examples, self.extractor, self.matching)
        return tuple(explain_table(one, omissions=True) for one in found)
