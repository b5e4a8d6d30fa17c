"""Relation generation: the share of the pairs a text says that its data has.

Wiseman, Shieber and Rush: Challenges in Data-to-Document Generation. EMNLP 2017. Dhingra et al.: Handling
Divergent Reference Texts when Evaluating Table-to-Text Generation. ACL 2019.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.core.metric import VALUE, Field, make_scores
from factable.metrics.extraction.pairs import (
    NO_RECORDS,
    NO_REFERENCES,
    ExtractionMetric,
    Overlap,
    PairsOf,
    against_table,
    agree,
    explain_table,
    finish_overlaps,
    order_agreement,
    pair_up,
    pairs_of,
    score_overlaps,
    show,
)
from factable.types import Example, Finding, Record, Scores


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
        reasons = {index: NO_RECORDS for index, one in enumerate(found) if not one.overlap.known}
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
        reasons = {index: NO_RECORDS for index, one in enumerate(overlaps) if not one.known}
        return score_overlaps(self, examples, overlaps, reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """F, precision and recall over all pairs of a corpus."""
        return finish_overlaps(totals)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """The pairs that text and data share, those that one has alone."""
        found = against_table(examples, self.extractor, self.matching)
        return tuple(explain_table(one, omissions=True) for one in found)


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
        reasons = {index: NO_REFERENCES for index, one in enumerate(found) if not one.references}
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
        best = max(range(len(overlaps)), key=lambda index: (overlaps[index].f, -index))
        return best, overlaps[best]

    def _explain(self, example: Example, found: PairsOf) -> tuple[Finding, ...]:
        reference = [one.record for one in found.references[self._best(found)[0]]]
        pairs = pair_up(reference, found.said, self.matching)
        findings = [
            Finding(
                "supported" if index in pairs else "unsupported",
                record=self._index(example, record),
                span=span,
                note=show(record),
            )
            for index, (record, span) in enumerate(found.said)
        ]
        left = [record for index, record in enumerate(reference) if index not in set(pairs.values())]
        omitted = (Finding("omitted", record=self._index(example, one), note=show(one)) for one in left)
        return (*findings, *omitted)

    def _index(self, example: Example, said: Record) -> int | None:
        """The record of the table that a pair is, if any."""
        records = enumerate(example.table.records)
        return next((index for index, record in records if agree(record, said, self.matching)), None)


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
        reasons = {index: NO_REFERENCES for index, value in enumerate(values) if math.isnan(value)}
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
