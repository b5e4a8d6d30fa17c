"""Whether a text mentions a record at all: by a pattern, by its value, or by most of its keywords."""

from factable.models.patterns import Patterns
from factable.text.templates import open_up, readable
from factable.text.values import ReadText, Relation, find_value
from factable.text.values.words import split_words
from factable.types import Record

Span = tuple[int, int]
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
    words = [word.folded for word in split_words(readable(record.value))]
    if not words:
        words = [word.folded for word in split_words(open_up(record.attribute))]
    keywords = {word[:COMMON] for word in words if len(word) >= SHORTEST or word.isdecimal()}
    found: dict[str, Span] = {}
    for word in reading.words:
        found.setdefault(word.folded[:COMMON], (word.start, word.end))
    there = [found[keyword] for keyword in keywords if keyword in found]
    return min(there) if 2 * len(there) > len(keywords) else None
