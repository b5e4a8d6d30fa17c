"""Content ordering: how far a text says its pairs in the order of a reference.

Wiseman, Shieber and Rush: Challenges in Data-to-Document Generation. EMNLP 2017.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.metric import Field, make_scores
from factable.metrics.extraction import ExtractionMetric, show
from factable.metrics.extraction_references import NO_REFERENCES, PairsOf, order_agreement, pairs_of
from factable.types import Example, Finding, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Co(ExtractionMetric):
    """Whether a text says its pairs in the order of a reference (Wiseman et al. 2017).

    extractor  how pairs are found in texts, as in rg: "values", "e2e" and others
    matching   when two values are the same: "value" (as values), "normalised" (in words) or "exact"
    """

    name: ClassVar[str] = "co"
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    parts: ClassVar[tuple[str, ...]] = ()

    def score(self, examples: Sequence[Example]) -> Scores:
        """The best agreement with a reference; without references an example is unscored."""
        found = pairs_of(examples, self.extractor)
        values = array("d", [self._value(one) for one in found])
        reasons = {place: NO_REFERENCES for place, value in enumerate(values) if math.isnan(value)}
        return make_scores(self, examples, values, {}, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """The pairs of each text in their order, which is what is compared."""
        return tuple(
            tuple(Finding("supported", span=span, note=show(record)) for record, span in one.said)
            if one.references
            else ()
            for one in pairs_of(examples, self.extractor)
        )

    def _value(self, found: PairsOf) -> float:
        agreements = [order_agreement(found.said, one, self.matching) for one in found.references]
        return max(agreements, default=math.nan)
