"""An example read for the ledger: its facts, where the text says their values, and the claims of the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from factable.text.sentences import sentence_spans
from factable.text.templates import Templates, facts_of, open_up, readable
from factable.text.values import Hit, Mention, ReadText, Value, find_value, read_text, read_value
from factable.text.values.words import split_words
from factable.types import Example, Record

Span = tuple[int, int]


@dataclass(frozen=True)
class Reading:
    """One example: facts by their place in the table, as records with a subject.

    A record that only names what the others are about is in `names`, and is no fact.
    """

    example: Example
    templates: Templates
    facts: dict[int, Record]
    names: dict[int, Record]
    read: ReadText
    hits: dict[int, list[Hit]]

    @classmethod
    def of(cls, example: Example, templates: Templates) -> "Reading":
        """Read an example; a record without a value says nothing."""
        records = {
            place: record for place, record in enumerate(example.table.records) if readable(record.value)
        }
        facts = {place: record for place, record in facts_of(example.table).items() if place in records}
        names = {place: record for place, record in records.items() if place not in facts}
        read = read_text(example.text)
        hits = {place: find_value(record.value, read, record.attribute) for place, record in records.items()}
        return cls(example, templates, facts, names, read, hits)

    @property
    def text(self) -> str:
        """The text itself."""
        return self.read.text

    @property
    def places(self) -> list[int]:
        """Every record that says something, in order."""
        return sorted([*self.facts, *self.names])

    def record(self, place: int) -> Record:
        """A record, with its subject where the table has one."""
        return self.facts[place] if place in self.facts else self.names[place]

    @cached_property
    def sentence_spans(self) -> list[Span]:
        """Where the sentences of the text are."""
        return sentence_spans(self.text)

    def sentence_of(self, span: Span) -> int:
        """Which sentence a span begins in."""
        starts = [start for start, _ in self.sentence_spans]
        return max((place for place, start in enumerate(starts) if start <= span[0]), default=0)

    @cached_property
    def values(self) -> dict[int, tuple[Value, ...]]:
        """Every reading of each value."""
        return {
            place: read_value(self.record(place).value, self.record(place).attribute) for place in self.places
        }

    @cached_property
    def subjects(self) -> dict[str, list[Hit]]:
        """Where the text names each subject, the title and the name of the data included."""
        about = dict.fromkeys(record.subject for record in self.facts.values())
        about |= dict.fromkeys([self.example.table.title])
        return {subject: find_value(subject, self.read) for subject in about if readable(subject)}

    @cached_property
    def mentions(self) -> dict[Span, list[Mention]]:
        """Numbers, dates and names of the text by their spans, with every reading; the longest of a place."""
        found: dict[Span, list[Mention]] = {}
        for mention in sorted(self.read.mentions, key=lambda each: (each.start, -each.end)):
            span = mention.start, mention.end
            if any(overlap(span, other) for other in found if other != span):
                continue
            found.setdefault(span, []).append(mention)
        return found

    @cached_property
    def attribute_words(self) -> dict[int, frozenset[str]]:
        """The words of each record's attribute, folded."""
        return {
            place: frozenset(word.folded for word in split_words(open_up(self.record(place).attribute)))
            for place in self.places
        }

    def value_words(self, place: int) -> frozenset[str]:
        """The words of a record's value, folded."""
        return frozenset(word.folded for word in split_words(readable(self.record(place).value)))

    @cached_property
    def data_words(self) -> frozenset[str]:
        """All words of the data and of its facts as sentences, folded."""
        parts = [*map(self.templates.sentence, self.facts.values()), self.example.table.title]
        for record in self.example.table.records:
            parts += [readable(record.subject), open_up(record.attribute), readable(record.value)]
        return frozenset(word.folded for part in parts for word in split_words(part))


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def inside(spans: Sequence[Span], within: Span) -> list[Span]:
    """The spans that begin in another one."""
    return [span for span in spans if within[0] <= span[0] < within[1]]
