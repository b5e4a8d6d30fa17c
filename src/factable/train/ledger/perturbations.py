"""Faults put into faithful texts, or into their data, one at a time, with what is wrong and where."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from factable.text.sentences import sentence_spans
from factable.text.templates import readable
from factable.text.values import Date, Number, Relation, compare, find_value, parse_value
from factable.train.nli.corruptions import change_number
from factable.types import Example, Record, Table

Span = tuple[int, int]
ORIGINAL = "original"
# The text leaves a fact out; says another value; says another number; says a fact that the data does not
# have; ends with a sentence about something else; the data has another attribute for what the text says.
KINDS = ("omit", "swap", "digit", "add", "foreign", "attribute")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """An example with one fault; `record` is the fact the text does not say, `span` what it should not say.

    `said` is the record that was taken out of the data, where the text still says it.
    """

    kind: str
    example: Example
    record: int | None = None
    span: Span | None = None
    said: Record | None = None


class Perturber:
    """Makes faults with what a corpus of faithful texts knows: values by attribute, and texts of fewer facts."""

    def __init__(self, examples: Sequence[Example], seed: int) -> None:
        self._examples = examples
        self._draw = random.Random(seed)
        self._values: dict[str, list[str]] = defaultdict(list)
        self._texts: dict[frozenset[Record], list[str]] = defaultdict(list)
        self._attributes: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            self._texts[frozenset(example.table.records)].extend(example.references)
            for record in example.table.records:
                self._values[record.attribute].append(record.value)
                self._attributes[_kind_of(record)].add(record.attribute)

    def faithful(self) -> Iterator[Perturbed]:
        """One reference of each example as a text without fault."""
        for example in self._examples:
            text = self._draw.choice(example.references)
            yield Perturbed(ORIGINAL, replace(example, text=text, references=()))

    def perturb(self, example: Example, kind: str) -> Perturbed | None:
        """The example with a fault of one kind; None where it cannot be put in."""
        made: Perturbed | None = getattr(self, f"_{kind}")(example)
        return made

    def _omit(self, example: Example) -> Perturbed | None:
        """The text of another example that has all facts but one, or one more fact in the data."""
        records = example.table.records
        places = list(range(len(records)))
        self._draw.shuffle(places)
        for place in places:
            rest = frozenset(record for at, record in enumerate(records) if at != place)
            texts = self._texts.get(rest) if len(rest) == len(records) - 1 else None
            if texts:
                return Perturbed("omit", replace(example, text=self._draw.choice(texts)), record=place)
        return self._add_record(example)

    def _add_record(self, example: Example) -> Perturbed | None:
        """A fact of another example, said of a subject of this one, in the data only."""
        records = example.table.records
        other = self._draw.choice(self._draw.choice(self._examples).table.records)
        known = {record.attribute for record in records}
        if other.attribute in known or find_value(other.value, example.text, other.attribute):
            return None
        place = self._draw.randrange(len(records) + 1)
        added = other._replace(subject=self._draw.choice(records).subject)
        table = Table((*records[:place], added, *records[place:]), example.table.title)
        return Perturbed("omit", replace(example, table=table), record=place)

    def _swap(self, example: Example) -> Perturbed | None:
        """Another value of the same attribute in place of one that the text says."""
        found = self._said_once(example)
        if found is None:
            return None
        place, span = found
        record = example.table.records[place]
        ours = {readable(other.value).lower() for other in example.table.records}
        ours |= {readable(other.subject).lower() for other in example.table.records}
        others = [
            readable(value)
            for value in dict.fromkeys(self._values[record.attribute])
            if readable(value).lower() not in ours and _differ(record, value)
        ]
        if not others:
            return None
        return self._put(example, "swap", place, span, self._draw.choice(others))

    def _digit(self, example: Example) -> Perturbed | None:
        """A number that the text says with one digit changed."""
        found = self._said_once(example, with_digits=True)
        if found is None:
            return None
        place, span = found
        changed = change_number(example.text[slice(*span)], self._draw)
        if not changed or find_value(example.table.records[place].value, changed):
            return None
        return self._put(example, "digit", place, span, changed)

    def _add(self, example: Example) -> Perturbed | None:
        """One fact taken out of the data; it has to be one that the text says in so many words."""
        found = self._said_once(example)
        if found is None or len(example.table.records) < 2:
            return None
        place, span = found
        record = example.table.records[place]
        rest = tuple(other for at, other in enumerate(example.table.records) if at != place)
        if any(
            find_value(part, example.text[slice(*span)])
            for other in rest
            for part in (other.subject, other.value)
        ):
            return None
        table = Table(rest, example.table.title)
        return Perturbed("add", replace(example, table=table), span=span, said=record)

    def _foreign(self, example: Example) -> Perturbed | None:
        """A sentence of another example at the end."""
        other = self._draw.choice(self._examples)
        ours = set(example.table.records)
        if ours & set(other.table.records):
            return None
        text = self._draw.choice(other.references)
        start, end = self._draw.choice(sentence_spans(text) or [(0, 0)])
        whole = f"{example.text.rstrip()} {text[start:end]}"
        return Perturbed(
            "foreign", replace(example, text=whole), span=(len(whole) - (end - start), len(whole))
        )

    def _attribute(self, example: Example) -> Perturbed | None:
        """Another attribute, of values of the same kind, for one fact of the data."""
        place = self._draw.randrange(len(example.table.records))
        record = example.table.records[place]
        others = sorted(
            self._attributes[_kind_of(record)] - {other.attribute for other in example.table.records}
        )
        if not others:
            return None
        changed = record._replace(attribute=self._draw.choice(others))
        records = (*example.table.records[:place], changed, *example.table.records[place + 1 :])
        table = Table(records, example.table.title)
        hits = find_value(record.value, example.text, record.attribute)
        span = hits[0].span if hits else None
        return Perturbed("attribute", replace(example, table=table), record=place, span=span)

    def _said_once(self, example: Example, *, with_digits: bool = False) -> tuple[int, Span] | None:
        """A record whose value the text says exactly and once, and which no other record shares."""
        choices = []
        for place, record in enumerate(example.table.records):
            hits = [
                hit.span
                for hit in find_value(record.value, example.text, record.attribute)
                if hit.relation is Relation.EQUAL
            ]
            shared = sum(readable(record.value) in map(readable, other) for other in example.table.records)
            digits = any(example.text[start:end].strip("-")[:1].isdigit() for start, end in hits)
            if len(hits) == 1 and shared == 1 and (digits or not with_digits):
                choices.append((place, hits[0]))
        return self._draw.choice(choices) if choices else None

    def _put(self, example: Example, kind: str, place: int, span: Span, value: str) -> Perturbed:
        text = example.text[: span[0]] + value + example.text[span[1] :]
        return Perturbed(
            kind, replace(example, text=text), record=place, span=(span[0], span[0] + len(value))
        )


def _kind_of(record: Record) -> str:
    value = parse_value(record.value, record.attribute)
    return type(value).__name__ if isinstance(value, Number | Date) else "Name"


def _differ(record: Record, value: str) -> bool:
    """Whether another value of the same attribute is really another."""
    relation = compare(parse_value(record.value, record.attribute), parse_value(value, record.attribute))
    return relation in (Relation.DIFFERENT, Relation.INCOMPARABLE)
