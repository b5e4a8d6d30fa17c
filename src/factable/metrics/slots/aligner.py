"""The aligner: which facts of its data a text mentions, by values and keywords.

Juraska, Karagiannis, Bowden and Walker: A Deep Ensemble Model with Slot Alignment for Sequence-to-Sequence
Natural Language Generation. NAACL 2018 (Slug2Slug).
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.core.metric import Field, make_scores
from factable.core.params import require
from factable.metrics.slots.patterns import Patterns, load_patterns, patterns_checksum
from factable.text.templates import clean_value, split_identifier
from factable.text.values import ReadText, Relation, find_value, read_text
from factable.text.values.words import split_words
from factable.types import Example, Finding, Record, Scores, Span

# Shorter words, but for numbers, are no keywords.
SHORTEST = 4
# Words with the same beginning of that length are forms of one word: "moderate", "moderately".
COMMON = 6


def find_record(record: Record, reading: ReadText, patterns: Patterns) -> Span | None:
    """Where a record is mentioned first, or None."""
    value = patterns.known(record.attribute, record.value)
    if value is not None:
        match = patterns.by_slot[record.attribute][value].search(reading.text)
        return match.span() if match and match[0] else None
    hits = find_value(record.value, reading, record.attribute)
    said = [hit.span for hit in hits if hit.relation is not Relation.DIFFERENT]
    return said[0] if said else None if hits else _find_keywords(record, reading)


def _find_keywords(record: Record, reading: ReadText) -> Span | None:
    """Where the first keyword of a record is, if more than half of its keywords are there."""
    words = [word.folded for word in split_words(clean_value(record.value))]
    if not words:
        words = [word.folded for word in split_words(split_identifier(record.attribute))]
    keywords = {word[:COMMON] for word in words if len(word) >= SHORTEST or word.isdecimal()}
    found: dict[str, Span] = {}
    for word in reading.words:
        found.setdefault(word.folded[:COMMON], (word.start, word.end))
    there = [found[keyword] for keyword in keywords if keyword in found]
    return min(there) if 2 * len(there) > len(keywords) else None


NO_FACTS = "no records with a value in its data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligner:
    """The share of its data's facts that a text mentions, by values and keywords (Slug2Slug).

    patterns  how texts say values: none if not given, "e2e", or a TOML file
    """

    name: ClassVar[str] = "aligner"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # It looks for no hallucinations and so finds none; the part is there to be compared with others.
    parts: ClassVar[tuple[str, ...]] = ("missing", "omission", "hallucination")
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    patterns: str = ""

    def __post_init__(self) -> None:
        """Check the parameter."""
        require(self, "patterns", isinstance(self.patterns, str), "a file name")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the patterns."""
        return {"patterns": patterns_checksum(self.patterns)} if self.patterns else {}

    def score(self, examples: Sequence[Example]) -> Scores:
        """The share of facts mentioned; an example without facts is unscored."""
        patterns = self._patterns()
        values, missing = array("d"), array("d")
        reasons = {}
        for index, example in enumerate(examples):
            spans = _align(example, patterns)
            left_out = sum(span is None for span in spans.values())
            if not spans:
                reasons[index] = NO_FACTS
            values.append(1 - left_out / len(spans) if spans else math.nan)
            missing.append(left_out if spans else math.nan)
        omission = array("d", [number if math.isnan(number) else float(number > 0) for number in missing])
        hallucination = array("d", [number if math.isnan(number) else 0.0 for number in missing])
        parts = {"missing": missing, "omission": omission, "hallucination": hallucination}
        return make_scores(self, examples, values, parts, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Where each record is mentioned, and which are not."""
        patterns = self._patterns()
        return tuple(
            tuple(
                Finding("supported" if span else "omitted", record=index, span=span)
                for index, span in _align(example, patterns).items()
            )
            for example in examples
        )

    def _patterns(self) -> Patterns:
        return load_patterns(self.patterns) if self.patterns else Patterns({})


def _align(example: Example, patterns: Patterns) -> dict[int, tuple[int, int] | None]:
    """Where each record with a value is mentioned, by its place in the table."""
    reading = read_text(example.text)
    return {
        index: find_record(record, reading, patterns)
        for index, record in enumerate(example.table.records)
        if record.value.strip()
    }
