"""Questions about facts and about texts, and data as a text to find answers in."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from factable.text.sentences import sentence_spans
from factable.text.templates import (
    ATTRIBUTE,
    FALSE,
    SUBJECT,
    TRUE,
    VALUE,
    Templates,
    clean_value,
    fill,
    split_identifier,
)
from factable.types import Record

# Stands for the answer in a sentence from which it was taken out.
BLANK = "____"
GENERAL = f"What is the {ATTRIBUTE} of {SUBJECT}?"
GENERAL_WITHOUT_SUBJECT = f"What is the {ATTRIBUTE}?"
OF_BOOLEAN = f"Is it true of {SUBJECT}: {ATTRIBUTE}?"
OF_BOOLEAN_WITHOUT_SUBJECT = f"Is it true: {ATTRIBUTE}?"
# A sentence that begins so says something of what the sentence before is about.
_LEANING = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|That|These|There|Both|The)\b", re.IGNORECASE)
BETWEEN_PARTS, BETWEEN_FACTS = " | ", " ; "


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions by attribute, the best first, and sentences to make others from; a general one else."""

    by_attribute: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sentences: Templates = field(default_factory=Templates)

    def ask(self, record: Record) -> str:
        """The question whose answer is the record's value."""
        return fill(self.choices(record)[0], record)

    def choices(self, record: Record) -> Sequence[str]:
        """Every question for a record, the best first."""
        asked = self.by_attribute.get(attribute_key(record.attribute), ())
        if clean_value(record.value).lower() in TRUE | FALSE:
            general = OF_BOOLEAN if record.subject else OF_BOOLEAN_WITHOUT_SUBJECT
            return (general,)
        sentences = [
            one.replace(VALUE, BLANK)
            for one in self.sentences.by_attribute.get(record.attribute, ())
            if VALUE in one
        ]
        found = [one for one in (*asked, *sentences) if record.subject or SUBJECT not in one]
        return (*found, GENERAL if record.subject else GENERAL_WITHOUT_SUBJECT)


def attribute_key(attribute: str) -> str:
    """The same for all ways of writing an attribute: birthPlace, birth_place, Birth place."""
    return split_identifier(attribute).lower()


class Position(NamedTuple):
    """Where a subject or value of a fact stands in linearised data."""

    start: int
    end: int
    record: int
    is_value: bool


class LinearData(NamedTuple):
    """Facts in one line, and where their subjects and values stand."""

    text: str
    indices: tuple[Position, ...]

    def index_at(self, start: int, end: int) -> Position | None:
        """The subject or value that a span lies in or shares most with."""
        shared = [(min(end, index.end) - max(start, index.start), index) for index in self.indices]
        most, best = max(shared, key=lambda one: one[0], default=(0, None))
        return best if most > 0 else None


def linearise(facts: Mapping[int, Record]) -> LinearData:
    """Facts as one line: `subject | attribute | value ; …`."""
    parts: list[str] = []
    indices: list[Position] = []
    length = 0

    def write(text: str) -> tuple[int, int]:
        nonlocal length
        start = length
        parts.append(text)
        length += len(text)
        return start, length

    for index, record in facts.items():
        if parts:
            write(BETWEEN_FACTS)
        if record.subject:
            indices.append(Position(*write(clean_value(record.subject)), index, False))
            write(BETWEEN_PARTS)
        write(split_identifier(record.attribute) + BETWEEN_PARTS)
        indices.append(Position(*write(clean_value(record.value)), index, True))
    return LinearData("".join(parts), tuple(indices))


def blank_out(text: str, span: tuple[int, int]) -> str:
    """The sentence of a span with a blank in its place, and the one before where it leans on that."""
    sentences = sentence_spans(text)
    inside = [number for number, (start, end) in enumerate(sentences) if start < span[1] and span[0] < end]
    first, last = (inside[0], inside[-1]) if inside else (0, len(sentences) - 1)
    if first and _LEANING.match(text, sentences[first][0]):
        first -= 1
    start, end = sentences[first][0], sentences[last][1]
    return text[start : span[0]] + BLANK + text[span[1] : end]
