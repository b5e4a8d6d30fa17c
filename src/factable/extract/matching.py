"""The extractor without training: values of the table found in a text, and what the text says beyond."""

from collections.abc import Iterable, Iterator, Sequence

from factable.extract.protocol import Extracted
from factable.text.templates import readable
from factable.text.values import Boolean, Listing, ReadText, Relation, find_value, parse_value, read_text
from factable.types import Record, Table

Span = tuple[int, int]


class ValueExtractor:
    """Finds the records of a table by their values, and values of no record: numbers, dates and names."""

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The records that each text says; a value of no record has neither subject nor attribute."""
        return [_extract(text, table) for text, table in texts]


def _extract(text: str, table: Table) -> list[Extracted]:
    reading = read_text(text)
    found: list[Extracted] = []
    explained: list[Span] = []
    for record in table.records:
        hits = find_value(record.value, reading, record.attribute)
        explained += [span for span, _ in hits]
        if hits:
            best = hits[0]
            said = _as_said(record, text[slice(*best.span)], best.relation)
            found.append(Extracted(record._replace(value=said), best.span))
    names = {record.subject for record in table.records} | {table.title}
    for name in sorted(names - {""}):
        explained += [span for span, _ in find_value(name, reading)]
    found += _beyond(reading, explained)
    return sorted(found, key=lambda one: one.span or (0, 0))


def _as_said(record: Record, words: str, relation: Relation) -> str:
    """The value in the words of the text; yes, no and lists are not said in one piece."""
    value = parse_value(record.value, record.attribute)
    if isinstance(value, Boolean) and relation is Relation.DIFFERENT:
        return "no" if value.value else "yes"
    return readable(record.value) if isinstance(value, Boolean | Listing) else words


def _beyond(reading: ReadText, explained: Iterable[Span]) -> Iterator[Extracted]:
    """The values of the text that no value and no subject of the table explains."""
    taken = sorted(explained)
    spans = dict.fromkeys((mention.start, mention.end) for mention in reading.mentions if mention.sure)
    for start, end in spans:
        if not any(first < end and start < last for first, last in taken):
            yield Extracted(Record("", "", reading.text[start:end]), (start, end))
