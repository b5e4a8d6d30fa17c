"""Questions about facts and about texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from factable.text.patterns import lazy_pattern
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
from factable.types import Record, Span

# Replaces the answer in a sentence.
BLANK = "____"
GENERAL = f"What is the {ATTRIBUTE} of {SUBJECT}?"
GENERAL_WITHOUT_SUBJECT = f"What is the {ATTRIBUTE}?"
OF_BOOLEAN = f"Is it true of {SUBJECT}: {ATTRIBUTE}?"
OF_BOOLEAN_WITHOUT_SUBJECT = f"Is it true: {ATTRIBUTE}?"
# A sentence that begins like this refers to the one before.
_REFERS_BACK = lazy_pattern(
    r"(?:It|Its|He|His|She|Her|They|Their|This|That|These|There|Both|The)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions by attribute, the best first; sentences to make others from; and a general question."""

    by_attribute: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sentences: Templates = field(default_factory=Templates)

    def ask(self, record: Record) -> str:
        """The question whose answer is the record's value."""
        return fill(self.choices(record)[0], record)

    def choices(self, record: Record) -> Sequence[str]:
        """Every question for a record, the best first."""
        if clean_value(record.value).lower() in TRUE | FALSE:
            general = OF_BOOLEAN if record.subject else OF_BOOLEAN_WITHOUT_SUBJECT
            return (general,)
        templates = self.sentences.by_attribute.get(record.attribute, ())
        questions = [
            *self.by_attribute.get(attribute_key(record.attribute), ()),
            *(template.replace(VALUE, BLANK) for template in templates if VALUE in template),
        ]
        usable = [question for question in questions if record.subject or SUBJECT not in question]
        return (*usable, GENERAL if record.subject else GENERAL_WITHOUT_SUBJECT)


def attribute_key(attribute: str) -> str:
    """A key that is the same for birthPlace, birth_place and Birth place."""
    return split_identifier(attribute).lower()


def blank_out(text: str, span: Span) -> str:
    """The sentence of a span, with a blank for it, after the sentence that it refers back to, if any."""
    sentences = sentence_spans(text)
    inside = [number for number, (start, end) in enumerate(sentences) if start < span[1] and span[0] < end]
    first, last = (inside[0], inside[-1]) if inside else (0, len(sentences) - 1)
    if first and _REFERS_BACK.match(text, sentences[first][0]):
        first -= 1
    start, end = sentences[first][0], sentences[last][1]
    return text[start : span[0]] + BLANK + text[span[1] : end]
