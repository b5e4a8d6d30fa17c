"""Metrics over pairs that are extracted from texts: rg and rg_f beside the data, cs and co beside references.

Wiseman, Shieber and Rush: Challenges in Data-to-Document Generation. EMNLP 2017. Dhingra et al.: Handling
Divergent Reference Texts when Evaluating Table-to-Text Generation. ACL 2019.
"""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence

from factable.core.metric import REFERENCES, Metric, metric, param
from factable.core.results import VALUE, Analysis, Findings
from factable.metrics.extraction.extractors import extractor_checksum
from factable.metrics.extraction.pairs import (
    AS_VALUES,
    MATCHINGS,
    Overlap,
    PairComparison,
    TextPairs,
    agree,
    compare_pairs,
    compare_with_tables,
    describe_pair,
    order_agreement,
    pairs_with_references,
)
from factable.metrics.references import NO_REFERENCES
from factable.metrics.tables import NO_FACTS, columns_of
from factable.types import Example, Finding, Record


@metric
class ExtractionMetric(Metric):
    """What metrics over extracted pairs share."""

    extractor: str = param(
        "values",
        'how pairs are found in a text: "values", "rotowire", "e2e", "webnlg" (trained), a TOML file of '
        "patterns, or a file made by `factable train extractor`",
        example="webnlg",
    )
    matching: str = param(
        AS_VALUES,
        'when two values are the same: by "value" (1,000 is 1000), "normalised" words or "exact" spelling',
        choices=MATCHINGS,
    )

    def check(self) -> None:
        """Refuse an empty name."""
        if not self.extractor:
            raise self.bad("extractor", "a name or a file name")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the extractor's file, where it has one."""
        checksum = extractor_checksum(self.extractor)
        return {"extractor": checksum} if checksum else {}


@metric
class Rg(ExtractionMetric):
    """Share of the facts a text states that its data has (Wiseman et al. 2017)."""

    name = "rg"
    parts = ("correct", "extracted")
    additive = True

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """Precision, 0 for a text that says no pair; the pairs that the data has, and those that it lacks."""
        comparisons = compare_with_tables(examples, self.extractor, self.matching)
        overlaps = [comparison.overlap for comparison in comparisons]
        values, columns, reasons = columns_of(
            _if_known(overlaps), ("shared", "extracted"), NO_FACTS, value="precision"
        )
        parts = dict(zip(self.parts, columns.values(), strict=True))
        stats = array("d", [count for each in overlaps for count in (each.shared, each.extracted, 1)])
        return Analysis(values, parts, reasons, stats, find=lambda: list(map(_explain_said, comparisons)))

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Precision over all pairs of a corpus, and how many a text has."""
        shared, extracted, texts = totals
        precision = shared / extracted if extracted else 0.0
        return {VALUE: precision, "correct": shared / texts, "extracted": extracted / texts}


@metric
class PairF(ExtractionMetric):
    """F over pairs; that of a corpus comes from sums of counts."""

    parts = ("precision", "recall")
    additive = True

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """F, precision and recall over all pairs of a corpus."""
        overlap = Overlap(*map(int, totals))
        return {VALUE: overlap.f, "precision": overlap.precision, "recall": overlap.recall}


def _analyse_overlaps(
    overlaps: Sequence[Overlap | None], reason: str, find: Callable[[], list[Findings]]
) -> Analysis:
    values, parts, reasons = columns_of(overlaps, PairF.parts, reason, value="f")
    stats = array("d", [count for overlap in overlaps for count in overlap or (0, 0, 0)])
    return Analysis(values, parts, reasons, stats, find)


def _if_known(overlaps: Sequence[Overlap]) -> list[Overlap | None]:
    return [overlap if overlap.known else None for overlap in overlaps]


def _explain_said(comparison: PairComparison) -> Findings:
    """The pairs that text and table share, and those of the text alone."""
    if not comparison.known:
        return ()
    return tuple(
        Finding(
            "supported" if index in comparison.matches else "unsupported",
            record=comparison.matches.get(index),
            span=span,
            note=describe_pair(record),
        )
        for index, (record, span) in enumerate(comparison.said)
    )


@metric
class RgF(PairF):
    """F-score of the facts a text states against those of its data (Dhingra et al. 2019)."""

    name = "rg_f"

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """F, precision and recall; the pairs that text and data share, and those that one has alone."""
        comparisons = compare_with_tables(examples, self.extractor, self.matching)
        overlaps = _if_known([comparison.overlap for comparison in comparisons])
        return _analyse_overlaps(overlaps, NO_FACTS, lambda: list(map(_explain_both, comparisons)))


def _explain_both(comparison: PairComparison) -> Findings:
    """The pairs that text and table share, those of the text alone, and those of the table alone."""
    omitted = (
        Finding("omitted", record=index, note=describe_pair(comparison.known[index]))
        for index in comparison.unmatched
    )
    return (*_explain_said(comparison), *omitted)


@metric
class Cs(PairF):
    """F-score of the facts a text states against those its references state (Wiseman et al. 2017)."""

    name = "cs"
    needs = REFERENCES

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """F against the best reference; the pairs that both share, and those that one has alone."""
        pairs = pairs_with_references(examples, self.extractor)
        comparisons = [self._compare_with_best(each) for each in pairs]
        overlaps = [comparison and comparison.overlap for comparison in comparisons]
        return _analyse_overlaps(
            overlaps, NO_REFERENCES, lambda: list(map(self._explain, examples, comparisons))
        )

    def _compare_with_best(self, pairs: TextPairs) -> PairComparison | None:
        """The comparison with the reference that gives the highest F, the first of equals."""
        comparisons = [
            compare_pairs(dict(enumerate(pair.record for pair in reference)), pairs.said, self.matching)
            for reference in pairs.references
        ]
        return max(comparisons, key=lambda comparison: comparison.overlap.f, default=None)

    def _explain(self, example: Example, comparison: PairComparison | None) -> Findings:
        if comparison is None:
            return ()
        findings = [
            Finding(
                "supported" if index in comparison.matches else "unsupported",
                record=self._index(example, record),
                span=span,
                note=describe_pair(record),
            )
            for index, (record, span) in enumerate(comparison.said)
        ]
        omitted = [comparison.known[index] for index in comparison.unmatched]
        findings += [
            Finding("omitted", record=self._index(example, record), note=describe_pair(record))
            for record in omitted
        ]
        return tuple(findings)

    def _index(self, example: Example, pair: Record) -> int | None:
        """The record of the table that a pair is, if any."""
        records = enumerate(example.table.records)
        return next((index for index, record in records if agree(record, pair, self.matching)), None)


@metric
class Co(ExtractionMetric):
    """Whether a text states its facts in the order of a reference (Wiseman et al. 2017)."""

    name = "co"
    needs = REFERENCES

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """The best agreement with a reference; the pairs of the text in their order."""
        pairs = pairs_with_references(examples, self.extractor)
        values = array("d", [self._value(each) for each in pairs])
        reasons = {index: NO_REFERENCES for index, value in enumerate(values) if math.isnan(value)}
        return Analysis(values, {}, reasons, find=lambda: list(map(_explain_order, pairs)))

    def _value(self, pairs: TextPairs) -> float:
        agreements = [order_agreement(pairs.said, each, self.matching) for each in pairs.references]
        return max(agreements, default=math.nan)


def _explain_order(pairs: TextPairs) -> Findings:
    if not pairs.references:
        return ()
    return tuple(Finding("supported", span=span, note=describe_pair(record)) for record, span in pairs.said)
