"""Which slots a text fills and with which values, by the patterns of a closed domain."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factable.metrics.slots.patterns import Patterns
from factable.text.values import Relation, find_value, parse_text
from factable.types import Record, Span


class SlotValue(NamedTuple):
    """A slot and its value, as the patterns write it."""

    slot: str
    value: str


class SlotMention(NamedTuple):
    """A slot value that stands in `text[start:end]`."""

    fact: SlotValue
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.start, self.end


def facts_in(records: Sequence[Record], patterns: Patterns) -> dict[int, SlotValue]:
    """The slot values of records by their index; a record without a value has none."""
    return {
        index: SlotValue(record.attribute, patterns.known(record.attribute, record.value) or record.value)
        for index, record in enumerate(records)
        if record.value.strip()
    }


def find_slots(text: str, records: Sequence[Record], patterns: Patterns) -> list[SlotMention]:
    """The slot values that a text mentions, in the order of the text.

    Values of the data that the patterns do not know are looked for as values. Where the same words stand for
    several slot values, those of the data are taken, or else the first of the pattern file.
    """
    wanted = set(facts_in(records, patterns).values())
    mentions = [*_find_known(text, patterns), *_find_unknown(text, wanted, patterns)]
    return sorted(_resolve(_outermost(mentions), wanted), key=lambda mention: mention.span)


def _find_known(text: str, patterns: Patterns) -> Iterator[SlotMention]:
    for slot, values in patterns.by_slot.items():
        for value, pattern in values.items():
            fact = SlotValue(slot, value)
            yield from (SlotMention(fact, *match.span()) for match in pattern.finditer(text) if match[0])


def _find_unknown(text: str, wanted: Iterable[SlotValue], patterns: Patterns) -> Iterator[SlotMention]:
    unknown = sorted(fact for fact in wanted if fact.value not in patterns.by_slot.get(fact.slot, {}))
    reading = parse_text(text) if unknown else None
    for fact in unknown:
        assert reading is not None
        for span, relation in find_value(fact.value, reading, fact.slot):
            if relation in (Relation.EQUAL, Relation.COARSER):
                yield SlotMention(fact, *span)


def _outermost(mentions: Iterable[SlotMention]) -> list[SlotMention]:
    """Without what stands inside a longer match: "Indian" in "Raja Indian Cuisine" is no food."""
    kept: list[SlotMention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        last = kept[-1] if kept else None
        if last is None or mention.end > last.end or mention.span == last.span:
            kept.append(mention)
    return kept


def _resolve(mentions: Iterable[SlotMention], wanted: set[SlotValue]) -> Iterator[SlotMention]:
    """What each span stands for: the slot values of the data, or else the first one."""
    by_span: dict[Span, list[SlotMention]] = {}
    for mention in mentions:
        by_span.setdefault(mention.span, []).append(mention)
    for rivals in by_span.values():
        right = [mention for mention in rivals if mention.fact in wanted]
        yield from right or rivals[:1]
