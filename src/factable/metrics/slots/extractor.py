"""Which slots a text fills and with which values, by the patterns of a closed domain."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factable.metrics.extraction.protocol import Extracted
from factable.metrics.slots.patterns import Patterns
from factable.text.values import Relation, find_value, read_text
from factable.types import Record, Table


class Fact(NamedTuple):
    """A slot and its value, as the patterns write it."""

    slot: str
    value: str


class Said(NamedTuple):
    """A fact that stands in `text[start:end]`."""

    fact: Fact
    start: int
    end: int


def facts_in(records: Sequence[Record], patterns: Patterns) -> dict[int, Fact]:
    """The facts of records by their places; a record without a value is none."""
    return {
        index: Fact(record.attribute, patterns.known(record.attribute, record.value) or record.value)
        for index, record in enumerate(records)
        if record.value.strip()
    }


def find_slots(text: str, records: Sequence[Record], patterns: Patterns) -> list[Said]:
    """The facts that a text says, in the order of the text.

    Values of the data that the patterns do not know are looked for as values. Among facts that the same words
    say, those of the data are taken, or else the first of the pattern file.
    """
    wanted = set(facts_in(records, patterns).values())
    found = [*_find_known(text, patterns), *_find_unknown(text, wanted, patterns)]
    return sorted(_settle(_outermost(found), wanted), key=lambda said: (said.start, said.end))


def _find_known(text: str, patterns: Patterns) -> Iterator[Said]:
    for slot, values in patterns.by_slot.items():
        for value, pattern in values.items():
            fact = Fact(slot, value)
            yield from (
                Said(fact, match.start(), match.end()) for match in pattern.finditer(text) if match[0]
            )


def _find_unknown(text: str, wanted: Iterable[Fact], patterns: Patterns) -> Iterator[Said]:
    unknown = sorted(fact for fact in wanted if fact.value not in patterns.by_slot.get(fact.slot, {}))
    reading = read_text(text) if unknown else None
    for fact in unknown:
        assert reading is not None
        for span, relation in find_value(fact.value, reading, fact.slot):
            if relation in (Relation.EQUAL, Relation.COARSER):
                yield Said(fact, *span)


def _outermost(found: Iterable[Said]) -> list[Said]:
    """Without what stands inside a longer match: "Indian" in "Raja Indian Cuisine" is no food."""
    kept: list[Said] = []
    for said in sorted(found, key=lambda said: (said.start, -said.end)):
        last = kept[-1] if kept else None
        if last is None or said.end > last.end or (said.start, said.end) == (last.start, last.end):
            kept.append(said)
    return kept


def _settle(found: Iterable[Said], wanted: set[Fact]) -> Iterator[Said]:
    """What each place says: the facts of the data, or else one."""
    indices: dict[tuple[int, int], list[Said]] = {}
    for said in found:
        indices.setdefault((said.start, said.end), []).append(said)
    for rivals in indices.values():
        right = [said for said in rivals if said.fact in wanted]
        yield from right or rivals[:1]


class SlotExtractor:
    """Finds the slots of a closed domain by a pattern file."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The slots that each text fills, each once."""
        found = []
        for text, table in texts:
            first: dict[Fact, Said] = {}
            for said in find_slots(text, table.records, self._patterns):
                first.setdefault(said.fact, said)
            found.append([_as_record(said) for said in first.values()])
        return found


def _as_record(said: Said) -> Extracted:
    return Extracted(Record("", said.fact.slot, said.fact.value), (said.start, said.end))
