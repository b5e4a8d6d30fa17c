"""An example read for the ledger: its facts, where the text says their values, and the claims of the text."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from factable.text.schema_hints import NO_HINTS, SchemaHints
from factable.text.sentences import sentence_spans
from factable.text.templates import Templates, clean_value, facts_of, split_identifier
from factable.text.values import (
    STATED,
    Date,
    Hit,
    Mention,
    Number,
    ParsedText,
    Relation,
    Value,
    find_value,
    parse_text,
    possible_values,
)
from factable.text.values.words import Word, same_word, split_words
from factable.types import Example, Record, Span, Table


@dataclass(frozen=True)
class Reading:
    """One example: facts by their place in the table, as records with a subject.

    A record that only names what the others are about is in `names`, and is no fact.
    """

    example: Example
    templates: Templates
    facts: dict[int, Record]
    names: dict[int, Record]
    read: ParsedText
    hits: dict[int, list[Hit]]

    @classmethod
    def of(cls, example: Example, templates: Templates, hints: SchemaHints = NO_HINTS) -> "Reading":
        """Read an example; a record without a value says nothing."""
        table = Table(tuple(map(hints.rename, example.table.records)), example.table.title)
        records = {index: record for index, record in enumerate(table.records) if clean_value(record.value)}
        facts = {index: record for index, record in facts_of(table).items() if index in records}
        names = {index: record for index, record in records.items() if index not in facts}
        read = parse_text(example.text)
        hits = {index: find_value(record.value, read, record.attribute) for index, record in records.items()}
        return cls(example, templates, facts, names, read, hits)

    @property
    def text(self) -> str:
        """The text itself."""
        return self.read.text

    @property
    def indices(self) -> list[int]:
        """Every record that says something, in order."""
        return sorted([*self.facts, *self.names])

    def record(self, index: int) -> Record:
        """A record, with its subject where the table has one."""
        return self.facts[index] if index in self.facts else self.names[index]

    @cached_property
    def sentence_spans(self) -> list[Span]:
        """Where the sentences of the text are."""
        return sentence_spans(self.text)

    def sentence_of(self, span: Span) -> int:
        """Which sentence a span begins in."""
        starts = [start for start, _ in self.sentence_spans]
        return max((index for index, start in enumerate(starts) if start <= span[0]), default=0)

    @cached_property
    def values(self) -> dict[int, tuple[Value, ...]]:
        """Every reading of each value."""
        return {
            index: possible_values(self.record(index).value, self.record(index).attribute)
            for index in self.indices
        }

    @cached_property
    def subjects(self) -> dict[str, list[Hit]]:
        """Where the text names each subject, the title and the name of the data included."""
        about = dict.fromkeys(record.subject for record in self.facts.values())
        about |= dict.fromkeys([self.example.table.title])
        return {subject: find_value(subject, self.read) for subject in about if clean_value(subject)}

    @cached_property
    def mentions(self) -> dict[Span, list[Mention]]:
        """Numbers, dates and names of the text by span, with all readings; the longest of any overlap."""
        by_span: dict[Span, list[Mention]] = {}
        last = (0, 0)
        # In this order only the last span that was kept can overlap with the next.
        for mention in sorted(self.read.mentions, key=lambda each: (each.start, -each.end)):
            span = mention.start, mention.end
            if span == last or span[0] >= last[1]:
                by_span.setdefault(span, []).append(mention)
                last = span
        return by_span

    @cached_property
    def supports(self) -> dict[Span, Relation | None]:
        """The best relation of each mention to the values and subjects of the data; None if there is none."""
        subjects = [hit for hits in self.subjects.values() for hit in hits]
        hits = [*(hit for hits in self.hits.values() for hit in hits), *subjects]
        with_digits = [hit for index, hits in self.hits.items() if self._has_digits(index) for hit in hits]
        # The currency of an amount is no amount.
        exact_hits = [*with_digits, *subjects]
        return {
            span: _best_support(span, exact_hits if isinstance(mentions[0].value, Number | Date) else hits)
            for span, mentions in self.mentions.items()
        }

    def _has_digits(self, index: int) -> bool:
        exact = any(isinstance(value, Number | Date) for value in self.values[index])
        return exact or any(char.isdecimal() for char in self.record(index).value)

    @cached_property
    def attribute_words(self) -> dict[int, frozenset[str]]:
        """The words of each record's attribute, folded."""
        return {
            index: frozenset(
                word.folded for word in split_words(split_identifier(self.record(index).attribute))
            )
            for index in self.indices
        }

    def value_words(self, index: int) -> frozenset[str]:
        """The words of a record's value, folded."""
        return frozenset(word.folded for word in split_words(clean_value(self.record(index).value)))

    @cached_property
    def data_words(self) -> frozenset[str]:
        """All words of the data and of its facts as sentences, folded."""
        parts = [*map(self.templates.sentence, self.facts.values()), self.example.table.title]
        for record in self.example.table.records:
            parts += [
                clean_value(record.subject),
                split_identifier(record.attribute),
                clean_value(record.value),
            ]
        return frozenset(word.folded for part in parts for word in split_words(part))

    @cached_property
    def strange_words(self) -> list[Word]:
        """The words of the text that may carry a claim and are not in the data."""
        hits = [hit.span for hits in [*self.hits.values(), *self.subjects.values()] for hit in hits]
        return [
            word
            for word in self.read.words
            if word.folded not in CONNECTING
            and not any(start <= word.start < end for start, end in hits)
            and not is_covered(word.folded, self.data_words)
        ]


def _best_support(span: Span, hits: Sequence[Hit]) -> Relation | None:
    relations = []
    for hit in hits:
        if says(hit, span):
            covers = hit.span[0] <= span[0] and span[1] <= hit.span[1]
            relations.append(hit.relation if covers else Relation.FINER)
    return min(relations, key=list(Relation).index, default=None)


def says(hit: Hit, span: Span) -> bool:
    """Whether a span has words that say a value."""
    return hit.relation in STATED and overlaps(hit.span, span)


def overlaps(span: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return span[0] < other[1] and other[0] < span[1]


class Spans:
    """Spans in which it is quickly found whether one of them overlaps another span."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        # The furthest end up to each span.
        self._ends = list(accumulate((end for _, end in ordered), max))

    def overlap(self, span: Span) -> bool:
        """Whether one of them shares a character with a span."""
        number = bisect_left(self._starts, span[1])
        return number > 0 and self._ends[number - 1] > span[0]

    def contain(self, span: Span) -> bool:
        """Whether one of them, none of which overlaps another, has a span inside."""
        number = bisect_right(self._starts, span[0])
        return number > 0 and span[1] <= self._ends[number - 1]


def inside(spans: Sequence[Span], within: Span) -> list[Span]:
    """The spans that begin in another one."""
    return [span for span in spans if within[0] <= span[0] < within[1]]


_CONNECTING = """
a an the this that these those it its he his him she her hers they their them there then we our us you your i
my me in on at as and but or nor so if of by for from to with into onto over under about after before during
since until while when where which who whose whom what how why because although though however also too both
each every all some any several one ones is are was were be been being has have had having do does did done
can could will would shall should may might must here now yet still such other another same like between
among within through throughout along across than located situated found known named called considered said
made make makes part includes include including included comes come came well just quite very more most
respectively currently people place thing something offers offer offering provides provide providing serves
serve serving served gets get got goes go gone takes take took uses use used using lies lie etc per via out up
off down only even either neither not no plus whereas whilst
"""
CONNECTING = frozenset(_CONNECTING.split())
_MAX_CONNECTING_BETWEEN = 2


def is_covered(word: str, words: frozenset[str]) -> bool:
    """Whether a word of the text is a word of the data, in some form."""
    return word in words or any(same_word(word, other) for other in words)


def content_words(reading: Reading, span: Span) -> list[Word]:
    """The words in a span that may carry a claim."""
    return [
        word
        for word in reading.read.words
        if span[0] <= word.start < span[1] and word.folded not in CONNECTING
    ]


def uncovered_words(reading: Reading, span: Span) -> list[Word]:
    """The words in a span that may carry a claim and are not in the data."""
    return [word for word in reading.strange_words if span[0] <= word.start < span[1]]


def word_runs(reading: Reading, words: list[Word]) -> Iterator[Span]:
    """Words that stand together, or with a few connecting words between them, as spans."""
    order = {word.start: index for index, word in enumerate(reading.read.words)}
    start, last = None, None
    for word in words:
        if last is not None and start is not None:
            between = reading.read.words[order[last.start] + 1 : order[word.start]]
            gap = reading.text[last.end : word.start]
            joined = len(between) <= _MAX_CONNECTING_BETWEEN and all(
                each.folded in CONNECTING for each in between
            )
            if joined and not any(mark in gap for mark in ".;!?,:()"):
                last = word
                continue
            yield start.start, last.end
        start = last = word
    if start is not None and last is not None:
        yield start.start, last.end
