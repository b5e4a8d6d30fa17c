"""Relation generation: the share of the pairs a text says that its data has.

Wiseman, Shieber and Rush: Challenges in Data-to-Document Generation. EMNLP 2017. Dhingra et al.: Handling
Divergent Reference Texts when Evaluating Table-to-Text Generation. ACL 2019.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.metric import VALUE, Field, make_scores
from factable.metrics.extraction import ExtractionMetric
from factable.metrics.extraction_table import NO_RECORDS, against_table, explain_table
from factable.types import Example, Finding, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Rg(ExtractionMetric):
    """The share of the pairs a text says that its data has (Wiseman et al. 2017).

    extractor  how pairs are found in a text: "values", "rotowire", "e2e", "webnlg" (trained) or a file
    matching   when two values are the same: "value" (as values), "normalised" (in words) or "exact"
    """

    name: ClassVar[str] = "rg"
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    parts: ClassVar[tuple[str, ...]] = ("correct", "extracted")

    def score(self, examples: Sequence[Example]) -> Scores:
        """Precision per example, 0 for a text that says no pair; an example without records is unscored."""
        found = against_table(examples, self.extractor, self.matching)
        reasons = {place: NO_RECORDS for place, one in enumerate(found) if not one.overlap.known}
        nan = float("nan")
        overlaps = [one.overlap for one in found]
        values = array("d", [one.precision if one.known else nan for one in overlaps])
        parts = {
            "correct": array("d", [float(one.shared) if one.known else nan for one in overlaps]),
            "extracted": array("d", [float(one.extracted) if one.known else nan for one in overlaps]),
        }
        stats = array("d", [float(number) for one in overlaps for number in (one.shared, one.extracted, 1)])
        return make_scores(self, examples, values, parts, reasons, stats)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Precision over all pairs of a corpus, and how many a text has."""
        shared, extracted, texts = totals
        precision = shared / extracted if extracted else 0.0
        return {VALUE: precision, "correct": shared / texts, "extracted": extracted / texts}

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """The pairs that the data has, and those that it has not."""
        found = against_table(examples, self.extractor, self.matching)
        return tuple(explain_table(one, omissions=False) for one in found)
