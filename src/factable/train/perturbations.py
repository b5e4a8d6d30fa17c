"""Faults put into faithful texts, or into their data, one at a time, with what is wrong and where."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from factable.text.sentences import sentence_spans
from factable.text.templates import clean_value
from factable.text.values import Boolean, Date, Number, Relation, compare_values, find_value, parse_value
from factable.train.corruptions import change_number, negate
from factable.types import Example, Record, Span, Table

ORIGINAL = "original"
# How a second text is appended to a first one.
LINKS = (" ", " ", "; ", ", while ")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """An example with at most one fault: the facts that the text does not state, and the wrong words."""

    kind: str
    example: Example
    unstated: frozenset[int] = frozenset()
    span: Span | None = None


class StatedValue(NamedTuple):
    """The index of a record, and the span of its value in a text."""

    record: int
    span: Span


class FaithfulCorpus:
    """Examples whose references are faithful, and what faults can be made with: other values and texts."""

    def __init__(self, examples: Sequence[Example], seed: int) -> None:
        self.examples = [example for example in examples if example.references]
        self.draw = random.Random(seed)  # noqa: S311
        self.values: dict[str, list[str]] = defaultdict(list)
        self.texts: dict[frozenset[Record], list[str]] = defaultdict(list)
        self.attributes: dict[str, set[str]] = defaultdict(set)
        self._with_attribute: dict[str, list[Example]] = defaultdict(list)
        for example in self.examples:
            self.texts[frozenset(example.table.records)].extend(example.references)
            for record in example.table.records:
                self._with_attribute[record.attribute].append(example)
                self.values[record.attribute].append(record.value)
                self.attributes[value_type(record)].add(record.attribute)

    def faithful(self) -> Iterator[Perturbed]:
        """A reference of each example as its text, also joined with that of another example."""
        for example in self.examples:
            faithful = replace(example, text=self.draw.choice(example.references), references=())
            yield Perturbed(ORIGINAL, faithful)
            joined = self._join(faithful)
            if joined:
                yield Perturbed(ORIGINAL, joined)

    def _join(self, example: Example) -> Example | None:
        """Two examples as one: both have an attribute, for different subjects and with different values."""
        record = self.draw.choice(example.table.records)
        other = self.draw.choice(self._with_attribute[record.attribute])
        if not record.subject or _names_in(example) & _names_in(other):
            return None
        text, more = example.text.rstrip(), self.draw.choice(other.references)
        link = self.draw.choice(LINKS)
        joined = f"{text if link == ' ' else text.rstrip('.')}{link}{more}"
        table = Table((*example.table.records, *other.table.records), example.table.title)
        return replace(example, item=f"{example.item} + {other.item}", text=joined, table=table)

    def stated_once(self, example: Example, *, with_digits: bool = False) -> StatedValue | None:
        """One of the records whose value the text states exactly and once."""
        stated = find_stated_once(example, with_digits=with_digits)
        return self.draw.choice(stated) if stated else None


def find_stated_once(example: Example, *, with_digits: bool = False) -> list[StatedValue]:
    """The records whose value the text states exactly and once, and that no other record shares."""
    stated = []
    for index, record in enumerate(example.table.records):
        spans = _exact_spans(record.value, example.text, record.attribute)
        shared = sum(clean_value(record.value) in map(clean_value, other) for other in example.table.records)
        digits = any(example.text[start:end].strip("-")[:1].isdigit() for start, end in spans)
        if len(spans) == 1 and shared == 1 and (digits or not with_digits):
            stated.append(StatedValue(index, spans[0]))
    return stated


def value_type(record: Record) -> str:
    """The type of a record's value: Number, Date, Boolean or Name."""
    value = parse_value(record.value, record.attribute)
    return type(value).__name__ if isinstance(value, Number | Date | Boolean) else "Name"


def _names_in(example: Example) -> set[str]:
    return {name for record in example.table.records for name in (record.subject, record.value)}


def _exact_spans(value: str, text: str, attribute: str = "") -> list[Span]:
    return [hit.span for hit in find_value(value, text, attribute) if hit.relation is Relation.EQUAL]


def _first_span(record: Record, text: str) -> Span | None:
    hits = find_value(record.value, text, record.attribute)
    return hits[0].span if hits else None


def _differs(record: Record, value: str) -> bool:
    """Whether another value of the same attribute really differs."""
    relation = compare_values(
        parse_value(record.value, record.attribute), parse_value(value, record.attribute)
    )
    return relation in (Relation.DIFFERENT, Relation.INCOMPARABLE)


def _replace_record(example: Example, index: int, *records: Record) -> Example:
    """The example with other records (or none) in place of one."""
    old = example.table.records
    return replace(example, table=Table((*old[:index], *records, *old[index + 1 :]), example.table.title))


def _replace_value(example: Example, kind: str, stated: StatedValue, value: str) -> Perturbed:
    """The example with another value in its text."""
    start, end = stated.span
    text = example.text[:start] + value + example.text[end:]
    return Perturbed(
        kind,
        replace(example, text=text),
        unstated=frozenset([stated.record]),
        span=(start, start + len(value)),
    )


# The kinds of faults; each function gives None where it cannot put its fault into an example.


def omit(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text leaves a fact out: it is that of an example with one fact less, or the data has one more."""
    records = example.table.records
    indices = list(range(len(records)))
    corpus.draw.shuffle(indices)
    for index in indices:
        rest = frozenset(record for number, record in enumerate(records) if number != index)
        texts = corpus.texts.get(rest) if len(rest) == len(records) - 1 else None
        if texts:
            text = corpus.draw.choice(texts)
            return Perturbed("omit", replace(example, text=text), unstated=frozenset([index]))
    return _add_record(corpus, example)


def _add_record(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """A fact of another example, about a subject of this one, is added to the data."""
    records = example.table.records
    other = corpus.draw.choice(corpus.draw.choice(corpus.examples).table.records)
    known = {record.attribute for record in records}
    if other.attribute in known or find_value(other.value, example.text, other.attribute):
        return None
    index = corpus.draw.randrange(len(records) + 1)
    added = other._replace(subject=corpus.draw.choice(records).subject)
    table = Table((*records[:index], added, *records[index:]), example.table.title)
    return Perturbed("omit", replace(example, table=table), unstated=frozenset([index]))


def swap(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text states another value of the same attribute."""
    stated = corpus.stated_once(example)
    if stated is None:
        return None
    record = example.table.records[stated.record]
    own = {clean_value(name).lower() for name in _names_in(example)}
    others = [
        clean_value(value)
        for value in dict.fromkeys(corpus.values[record.attribute])
        if clean_value(value).lower() not in own and _differs(record, value)
    ]
    return _replace_value(example, "swap", stated, corpus.draw.choice(others)) if others else None


def digit(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text states a number with a changed digit."""
    stated = corpus.stated_once(example, with_digits=True)
    if stated is None:
        return None
    changed = change_number(example.text[slice(*stated.span)], corpus.draw)
    if not changed or find_value(example.table.records[stated.record].value, changed):
        return None
    return _replace_value(example, "digit", stated, changed)


def add(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text states a fact that the data does not have: it is removed, if its value is stated verbatim."""
    stated = corpus.stated_once(example)
    if stated is None or len(example.table.records) < 2:
        return None
    without = _replace_record(example, stated.record)
    words = example.text[slice(*stated.span)]
    if any(
        find_value(name, words) for record in without.table.records for name in (record.subject, record.value)
    ):
        return None
    return Perturbed("add", without, span=stated.span)


def foreign(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text ends with a sentence of another example."""
    other = corpus.draw.choice(corpus.examples)
    if set(example.table.records) & set(other.table.records):
        return None
    reference = corpus.draw.choice(other.references)
    start, end = corpus.draw.choice(sentence_spans(reference) or [(0, 0)])
    text = f"{example.text.rstrip()} {reference[start:end]}"
    return Perturbed("foreign", replace(example, text=text), span=(len(text) - (end - start), len(text)))


def attribute(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The data has another attribute, of values of the same type, for what the text states."""
    index = corpus.draw.randrange(len(example.table.records))
    record = example.table.records[index]
    own = {other.attribute for other in example.table.records}
    others = sorted(corpus.attributes[value_type(record)] - own)
    if not others:
        return None
    changed = record._replace(attribute=corpus.draw.choice(others))
    return Perturbed(
        "attribute",
        _replace_record(example, index, changed),
        unstated=frozenset([index]),
        span=_first_span(record, example.text),
    )


def exchange(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """Two values of one type are exchanged."""
    records = example.table.records
    stated = find_stated_once(example)
    types = {value.record: value_type(records[value.record]) for value in stated}
    pairs = [
        (records[first.record], records[second.record], first, second)
        for first in stated
        for second in stated
        if first.span[1] <= second.span[0] and types[first.record] == types[second.record] != "Boolean"
    ]
    # Values of one attribute for two subjects are the hardest to tell apart; of one subject, no fault.
    same = [pair for pair in pairs if pair[0].attribute == pair[1].attribute]
    hardest = [pair for pair in same if pair[0].subject != pair[1].subject]
    chosen = hardest or [pair for pair in pairs if pair not in same]
    if not chosen:
        return None
    _, _, first, second = corpus.draw.choice(chosen)
    (start, end), (begin, stop), text = first.span, second.span, example.text
    changed = text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]
    return Perturbed(
        "exchange",
        replace(example, text=changed),
        unstated=frozenset([first.record, second.record]),
        span=(start, start + stop - begin),
    )


def subject(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """The text is about another subject than all facts."""
    subjects = {record.subject for record in example.table.records}
    own = subjects.pop()
    spans = _exact_spans(own, example.text)
    other = corpus.draw.choice(corpus.draw.choice(corpus.examples).table.records).subject
    if subjects or not own or len(spans) != 1 or find_value(other, example.text) or not other:
        return None
    ((start, end),) = spans
    name = clean_value(other)
    text = example.text[:start] + name + example.text[end:]
    unstated = frozenset(range(len(example.table.records)))
    return Perturbed(
        "subject", replace(example, text=text), unstated=unstated, span=(start, start + len(name))
    )


def deny(corpus: FaithfulCorpus, example: Example) -> Perturbed | None:
    """Yes becomes no in the data, or the only fact of a text is negated."""
    records = example.table.records
    opposite = {"yes": "no", "no": "yes"}
    for index, record in enumerate(records):
        if record.value in opposite:
            changed = record._replace(value=opposite[record.value])
            return Perturbed(
                "deny",
                _replace_record(example, index, changed),
                unstated=frozenset([index]),
                span=_first_span(record, example.text),
            )
    text = negate(example.text, corpus.draw) if len(records) == 1 else None
    if text is None:
        return None
    return Perturbed("deny", replace(example, text=text), unstated=frozenset([0]), span=(0, len(text)))


FAULTS: Mapping[str, Callable[[FaithfulCorpus, Example], Perturbed | None]] = {
    "omit": omit,
    "swap": swap,
    "digit": digit,
    "add": add,
    "foreign": foreign,
    "attribute": attribute,
    "exchange": exchange,
    "subject": subject,
    "deny": deny,
}


def make_faults(
    examples: Sequence[Example], seed: int, *, max_per_text: int = len(FAULTS)
) -> list[Perturbed]:
    """Each text unchanged, and with up to `max_per_text` faults, one at a time and of different kinds."""
    corpus = FaithfulCorpus(examples, seed)
    draw = random.Random(seed)  # noqa: S311
    made = []
    for faithful in corpus.faithful():
        faults = [fault(corpus, faithful.example) for fault in FAULTS.values()]
        possible = [fault for fault in faults if fault is not None]
        made += [faithful, *draw.sample(possible, min(max_per_text, len(possible)))]
    return made
