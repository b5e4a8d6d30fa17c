"""Faults put into faithful texts, or into their data, one at a time, with what is wrong and where."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from factable.text.sentences import sentence_spans
from factable.text.templates import clean_value
from factable.text.values import Boolean, Date, Number, Relation, compare, find_value, parse_value
from factable.train.nli.corruptions import change_number, negate
from factable.types import Example, Record, Span, Table

ORIGINAL = "original"
# The text leaves a fact out; says another value; says another number; says a fact that the data does not
# have; ends with a sentence about something else; the data has another attribute for what the text says.
# Or two values stand in each other's place; the text is about somebody else; yes is no.
KINDS = ("omit", "swap", "digit", "add", "foreign", "attribute", "exchange", "subject", "deny")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """An example with one fault: the facts that the text does not say, and what it should not say."""

    kind: str
    example: Example
    unsaid: frozenset[int] = frozenset()
    span: Span | None = None


class Perturber:
    """Makes faults with what a corpus of faithful texts knows: other values, texts of fewer facts."""

    def __init__(self, examples: Sequence[Example], seed: int) -> None:
        self._examples = examples
        self._draw = random.Random(seed)  # noqa: S311
        self._values: dict[str, list[str]] = defaultdict(list)
        self._texts: dict[frozenset[Record], list[str]] = defaultdict(list)
        self._with_attribute: dict[str, list[Example]] = defaultdict(list)
        self._attributes: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            self._texts[frozenset(example.table.records)].extend(example.references)
            for record in example.table.records:
                self._with_attribute[record.attribute].append(example)
                self._values[record.attribute].append(record.value)
                self._attributes[_kind_of(record)].add(record.attribute)

    def faithful(self) -> Iterator[Perturbed]:
        """One reference of each example as a text without fault."""
        for example in self._examples:
            text = self._draw.choice(example.references)
            plain = replace(example, text=text, references=())
            yield Perturbed(ORIGINAL, plain)
            joined = self._join(plain)
            if joined:
                yield Perturbed(ORIGINAL, joined)

    def _join(self, example: Example) -> Example | None:
        """Two examples as one, where both have an attribute, for other subjects and with other values."""
        record = self._draw.choice(example.table.records)
        others = self._with_attribute[record.attribute]
        other = self._draw.choice(others)
        ours = {part for each in example.table.records for part in (each.subject, each.value)}
        theirs = {part for each in other.table.records for part in (each.subject, each.value)}
        if not record.subject or ours & theirs:
            return None
        text, more = example.text.rstrip(), self._draw.choice(other.references)
        link = self._draw.choice((" ", " ", "; ", ", while "))
        both = f"{text if link == ' ' else text.rstrip('.')}{link}{more}"
        table = Table((*example.table.records, *other.table.records), example.table.title)
        return replace(example, item=f"{example.item} + {other.item}", text=both, table=table)

    def perturb(self, example: Example, kind: str) -> Perturbed | None:
        """The example with a fault of one kind; None where it cannot be put in."""
        made: Perturbed | None = getattr(self, f"_{kind}")(example)
        return made

    def _omit(self, example: Example) -> Perturbed | None:
        """The text of another example that has all facts but one, or one more fact in the data."""
        records = example.table.records
        indices = list(range(len(records)))
        self._draw.shuffle(indices)
        for index in indices:
            rest = frozenset(record for at, record in enumerate(records) if at != index)
            texts = self._texts.get(rest) if len(rest) == len(records) - 1 else None
            if texts:
                return Perturbed(
                    "omit", replace(example, text=self._draw.choice(texts)), unsaid=frozenset([index])
                )
        return self._add_record(example)

    def _add_record(self, example: Example) -> Perturbed | None:
        """A fact of another example, said of a subject of this one, in the data only."""
        records = example.table.records
        other = self._draw.choice(self._draw.choice(self._examples).table.records)
        known = {record.attribute for record in records}
        if other.attribute in known or find_value(other.value, example.text, other.attribute):
            return None
        index = self._draw.randrange(len(records) + 1)
        added = other._replace(subject=self._draw.choice(records).subject)
        table = Table((*records[:index], added, *records[index:]), example.table.title)
        return Perturbed("omit", replace(example, table=table), unsaid=frozenset([index]))

    def _swap(self, example: Example) -> Perturbed | None:
        """Another value of the same attribute in place of one that the text says."""
        found = self._said_once(example)
        if found is None:
            return None
        index, span = found
        record = example.table.records[index]
        ours = {clean_value(other.value).lower() for other in example.table.records}
        ours |= {clean_value(other.subject).lower() for other in example.table.records}
        others = [
            clean_value(value)
            for value in dict.fromkeys(self._values[record.attribute])
            if clean_value(value).lower() not in ours and _differ(record, value)
        ]
        if not others:
            return None
        return self._put(example, "swap", index, span, self._draw.choice(others))

    def _digit(self, example: Example) -> Perturbed | None:
        """A number that the text says with one digit changed."""
        found = self._said_once(example, with_digits=True)
        if found is None:
            return None
        index, span = found
        changed = change_number(example.text[slice(*span)], self._draw)
        if not changed or find_value(example.table.records[index].value, changed):
            return None
        return self._put(example, "digit", index, span, changed)

    def _add(self, example: Example) -> Perturbed | None:
        """One fact taken out of the data; it has to be one that the text says in so many words."""
        found = self._said_once(example)
        if found is None or len(example.table.records) < 2:
            return None
        index, span = found
        rest = tuple(other for at, other in enumerate(example.table.records) if at != index)
        if any(
            find_value(part, example.text[slice(*span)])
            for other in rest
            for part in (other.subject, other.value)
        ):
            return None
        table = Table(rest, example.table.title)
        return Perturbed("add", replace(example, table=table), span=span)

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
        index = self._draw.randrange(len(example.table.records))
        record = example.table.records[index]
        others = sorted(
            self._attributes[_kind_of(record)] - {other.attribute for other in example.table.records}
        )
        if not others:
            return None
        changed = record._replace(attribute=self._draw.choice(others))
        records = (*example.table.records[:index], changed, *example.table.records[index + 1 :])
        table = Table(records, example.table.title)
        hits = find_value(record.value, example.text, record.attribute)
        span = hits[0].span if hits else None
        return Perturbed("attribute", replace(example, table=table), unsaid=frozenset([index]), span=span)

    def _exchange(self, example: Example) -> Perturbed | None:
        """Two values of one kind in each other's place."""
        said = self._all_said_once(example)
        kinds = {index: _kind_of(example.table.records[index]) for index, _ in said}
        pairs = [
            (one, other)
            for one in said
            for other in said
            if one[1][1] <= other[1][0] and kinds[one[0]] == kinds[other[0]] != "Boolean"
        ]
        if not pairs:
            return None
        # Values of one attribute, said of two subjects, are the hardest to tell apart.
        records = example.table.records
        alike = [pair for pair in pairs if records[pair[0][0]].attribute == records[pair[1][0]].attribute]
        pairs = [pair for pair in alike if records[pair[0][0]].subject != records[pair[1][0]].subject] or [
            pair for pair in pairs if pair not in alike
        ]
        if not pairs:
            return None
        (first, (start, end)), (second, (begin, stop)) = self._draw.choice(pairs)
        text = example.text
        changed = text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]
        return Perturbed(
            "exchange",
            replace(example, text=changed),
            unsaid=frozenset([first, second]),
            span=(start, start + stop - begin),
        )

    def _subject(self, example: Example) -> Perturbed | None:
        """Another subject in place of the one that all facts are about."""
        subjects = {record.subject for record in example.table.records}
        subject = subjects.pop()
        found = [hit.span for hit in find_value(subject, example.text) if hit.relation is Relation.EQUAL]
        other = self._draw.choice(self._draw.choice(self._examples).table.records).subject
        if subjects or not subject or len(found) != 1 or find_value(other, example.text) or not other:
            return None
        ((start, end),) = found
        text = example.text[:start] + clean_value(other) + example.text[end:]
        every = frozenset(range(len(example.table.records)))
        span = start, start + len(clean_value(other))
        return Perturbed("subject", replace(example, text=text), unsaid=every, span=span)

    def _deny(self, example: Example) -> Perturbed | None:
        """A yes of the data turned into no, or the only fact of a text denied."""
        records = example.table.records
        flipped = {"yes": "no", "no": "yes"}
        for index, record in enumerate(records):
            if record.value in flipped:
                changed = record._replace(value=flipped[record.value])
                table = Table((*records[:index], changed, *records[index + 1 :]), example.table.title)
                hits = find_value(record.value, example.text, record.attribute)
                span = hits[0].span if hits else None
                return Perturbed("deny", replace(example, table=table), unsaid=frozenset([index]), span=span)
        text = negate(example.text, self._draw) if len(records) == 1 else None
        if text is None:
            return None
        whole = 0, len(text)
        return Perturbed("deny", replace(example, text=text), unsaid=frozenset([0]), span=whole)

    def _said_once(self, example: Example, *, with_digits: bool = False) -> tuple[int, Span] | None:
        """One of the records whose value the text says exactly and once."""
        choices = self._all_said_once(example, with_digits=with_digits)
        return self._draw.choice(choices) if choices else None

    def _all_said_once(self, example: Example, *, with_digits: bool = False) -> list[tuple[int, Span]]:
        """The records whose value the text says exactly and once, and which no other record shares."""
        choices = []
        for index, record in enumerate(example.table.records):
            hits = [
                hit.span
                for hit in find_value(record.value, example.text, record.attribute)
                if hit.relation is Relation.EQUAL
            ]
            shared = sum(
                clean_value(record.value) in map(clean_value, other) for other in example.table.records
            )
            digits = any(example.text[start:end].strip("-")[:1].isdigit() for start, end in hits)
            if len(hits) == 1 and shared == 1 and (digits or not with_digits):
                choices.append((index, hits[0]))
        return choices

    def _put(self, example: Example, kind: str, index: int, span: Span, value: str) -> Perturbed:
        text = example.text[: span[0]] + value + example.text[span[1] :]
        return Perturbed(
            kind, replace(example, text=text), unsaid=frozenset([index]), span=(span[0], span[0] + len(value))
        )


def _kind_of(record: Record) -> str:
    value = parse_value(record.value, record.attribute)
    return type(value).__name__ if isinstance(value, Number | Date | Boolean) else "Name"


def _differ(record: Record, value: str) -> bool:
    """Whether another value of the same attribute is really another."""
    relation = compare(parse_value(record.value, record.attribute), parse_value(value, record.attribute))
    return relation in (Relation.DIFFERENT, Relation.INCOMPARABLE)
