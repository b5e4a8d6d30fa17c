"""The aligner: which facts of its data a text mentions, by values and keywords.

Juraska, Karagiannis, Bowden and Walker: A Deep Ensemble Model with Slot Alignment for Sequence-to-Sequence
Natural Language Generation. NAACL 2018 (Slug2Slug).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis, Findings
from factable.metrics.slots.patterns import Patterns, load_patterns, patterns_checksum
from factable.metrics.tables import NO_FACTS, columns_of
from factable.text.templates import clean_value, split_identifier
from factable.text.values import ParsedText, Relation, find_value, parse_text
from factable.text.values.words import split_words
from factable.types import Example, Finding, Record, Span

# Shorter words, but for numbers, are no keywords.
MIN_KEYWORD = 4
# Words that share a prefix of this length are forms of one word: "moderate", "moderately".
PREFIX = 6


def find_record(record: Record, reading: ParsedText, patterns: Patterns) -> Span | None:
    """Where a record is mentioned first, or None."""
    value = patterns.known(record.attribute, record.value)
    if value is not None:
        match = patterns.by_slot[record.attribute][value].search(reading.text)
        return match.span() if match and match[0] else None
    hits = find_value(record.value, reading, record.attribute)
    spans = [hit.span for hit in hits if hit.relation is not Relation.DIFFERENT]
    return spans[0] if spans else None if hits else _find_keywords(record, reading)


def _find_keywords(record: Record, reading: ParsedText) -> Span | None:
    """Where the first keyword of a record is, if more than half of its keywords are there."""
    words = [word.folded for word in split_words(clean_value(record.value))]
    if not words:
        words = [word.folded for word in split_words(split_identifier(record.attribute))]
    keywords = {word[:PREFIX] for word in words if len(word) >= MIN_KEYWORD or word.isdecimal()}
    first_spans: dict[str, Span] = {}
    for word in reading.words:
        first_spans.setdefault(word.folded[:PREFIX], (word.start, word.end))
    spans = [first_spans[keyword] for keyword in keywords if keyword in first_spans]
    return min(spans) if 2 * len(spans) > len(keywords) else None


@metric
class Aligner(Metric):
    """The share of its data's facts that a text mentions, by values and keywords (Slug2Slug)."""

    name = "aligner"
    # It does not look for hallucinations; the part is there for comparison with other metrics.
    parts = ("missing", "omission", "hallucination")

    patterns: str = param(
        "", 'how texts state values: "e2e" or a TOML file; without one, by the rules for values', file=True
    )

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the patterns."""
        return {"patterns": patterns_checksum(self.patterns)} if self.patterns else {}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """The share of facts mentioned; where each record is mentioned, and which are not."""
        patterns = load_patterns(self.patterns) if self.patterns else Patterns({})
        mentions = [_find_mentions(example, patterns) for example in examples]
        scored = [each if each.spans else None for each in mentions]
        values, parts, reasons = columns_of(scored, self.parts, NO_FACTS)
        return Analysis(values, parts, reasons, find=lambda: [each.findings for each in mentions])


class _Mentions(NamedTuple):
    """Where each record with a value is mentioned, by its index; None for one that is not."""

    spans: Mapping[int, Span | None]

    @property
    def missing(self) -> int:
        return sum(span is None for span in self.spans.values())

    @property
    def value(self) -> float:
        return 1 - self.missing / len(self.spans)

    @property
    def omission(self) -> bool:
        return self.missing > 0

    @property
    def hallucination(self) -> bool:
        return False

    @property
    def findings(self) -> Findings:
        return tuple(
            Finding("supported" if span else "omitted", record=index, span=span)
            for index, span in self.spans.items()
        )


def _find_mentions(example: Example, patterns: Patterns) -> _Mentions:
    reading = parse_text(example.text)
    return _Mentions(
        {
            index: find_record(record, reading, patterns)
            for index, record in enumerate(example.table.records)
            if record.value.strip()
        }
    )
