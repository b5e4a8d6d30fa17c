"""Content selection: the pairs a text says against those that its references say.

Wiseman, Shieber and Rush: Challenges in Data-to-Document Generation. EMNLP 2017. Dhingra et al.: Handling
Divergent Reference Texts when Evaluating Table-to-Text Generation. ACL 2019.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.metric import Field
from factable.metrics.extraction import (
    ExtractionMetric,
    Overlap,
    agree,
    finish_overlaps,
    pair_up,
    score_overlaps,
    show,
)
from factable.metrics.extraction_references import NO_REFERENCES, PairsOf, pairs_of
from factable.types import Example, Finding, Record, Scores

NOTHING = Overlap(0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cs(ExtractionMetric):
    """F of the pairs a text says against those its references say (Wiseman et al. 2017).

    extractor  how pairs are found in texts, as in rg: "values", "e2e" and others
    matching   when two values are the same: "value" (as values), "normalised" (in words) or "exact"
    """

    name: ClassVar[str] = "cs"
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall")

    def score(self, examples: Sequence[Example]) -> Scores:
        """F per example against the reference that gives the best; without references it is unscored."""
        found = pairs_of(examples, self.extractor)
        overlaps = [self._best(one)[1] if one.references else NOTHING for one in found]
        reasons = {place: NO_REFERENCES for place, one in enumerate(found) if not one.references}
        return score_overlaps(self, examples, overlaps, reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """F, precision and recall over all pairs of a corpus."""
        return finish_overlaps(totals)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """The pairs that text and best reference share, and those that one has alone."""
        found = pairs_of(examples, self.extractor)
        return tuple(
            self._explain(example, one) if one.references else ()
            for example, one in zip(examples, found, strict=True)
        )

    def _best(self, found: PairsOf) -> tuple[int, Overlap]:
        """The reference with the highest F, the first of equals."""
        overlaps = []
        for reference in found.references:
            known = [one.record for one in reference]
            shared = len(pair_up(known, found.said, self.matching))
            overlaps.append(Overlap(shared, len(found.said), len(known)))
        best = max(range(len(overlaps)), key=lambda place: (overlaps[place].f, -place))
        return best, overlaps[best]

    def _explain(self, example: Example, found: PairsOf) -> tuple[Finding, ...]:
        reference = [one.record for one in found.references[self._best(found)[0]]]
        pairs = pair_up(reference, found.said, self.matching)
        findings = [
            Finding(
                "supported" if place in pairs else "unsupported",
                record=self._place(example, record),
                span=span,
                note=show(record),
            )
            for place, (record, span) in enumerate(found.said)
        ]
        left = [record for place, record in enumerate(reference) if place not in set(pairs.values())]
        omitted = (Finding("omitted", record=self._place(example, one), note=show(one)) for one in left)
        return (*findings, *omitted)

    def _place(self, example: Example, said: Record) -> int | None:
        """The record of the table that a pair is, if any."""
        records = enumerate(example.table.records)
        return next((place for place, record in records if agree(record, said, self.matching)), None)
