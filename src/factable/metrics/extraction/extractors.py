"""Extractors by name."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.metrics.extraction.box_scores import BoxScoreExtractor
from factable.metrics.extraction.pointer import PointerExtractor
from factable.metrics.extraction.protocol import Extracted, Extractor
from factable.metrics.slots.mentions import SlotMention, SlotValue, find_slots
from factable.metrics.slots.patterns import SHIPPED, Patterns, load_patterns, patterns_checksum
from factable.models.runtime.arrays import read_tensors
from factable.models.runtime.manifest import read_shipped
from factable.text.templates import clean_value
from factable.text.values import Boolean, NameList, ParsedText, Relation, find_value, parse_text, parse_value
from factable.types import Record, Span, Table


class SlotExtractor:
    """Finds the slots of a closed domain by a pattern file."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The slots that each text fills, each once."""
        return [self._extract(text, table) for text, table in texts]

    def _extract(self, text: str, table: Table) -> list[Extracted]:
        first: dict[SlotValue, SlotMention] = {}
        for mention in find_slots(text, table.records, self._patterns):
            first.setdefault(mention.fact, mention)
        return [Extracted(Record("", *fact), mention.span) for fact, mention in first.items()]


class ValueExtractor:
    """Finds the records of a table by their values, and values of no record: numbers, dates and names."""

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The records that each text says; a value of no record has neither subject nor attribute."""
        return [_extract(text, table) for text, table in texts]


def _extract(text: str, table: Table) -> list[Extracted]:
    reading = parse_text(text)
    records: list[Extracted] = []
    explained: list[Span] = []
    for record in table.records:
        hits = find_value(record.value, reading, record.attribute)
        explained += [span for span, _ in hits]
        if hits:
            best = hits[0]
            value = _as_said(record, text[slice(*best.span)], best.relation)
            records.append(Extracted(record._replace(value=value), best.span))
    names = {record.subject for record in table.records} | {table.title}
    for name in sorted(names - {""}):
        explained += [span for span, _ in find_value(name, reading)]
    records += _unexplained(reading, explained)
    return sorted(records, key=lambda record: record.span or (0, 0))


def _as_said(record: Record, words: str, relation: Relation) -> str:
    """The value in the words of the text; yes, no and lists are not said in one piece."""
    value = parse_value(record.value, record.attribute)
    if isinstance(value, Boolean) and relation is Relation.DIFFERENT:
        return "no" if value.value else "yes"
    return clean_value(record.value) if isinstance(value, Boolean | NameList) else words


def _unexplained(reading: ParsedText, explained: Iterable[Span]) -> Iterator[Extracted]:
    """The values of the text that no value and no subject of the table explains."""
    taken = sorted(explained)
    spans = dict.fromkeys((mention.start, mention.end) for mention in reading.mentions if mention.sure)
    for start, end in spans:
        if not any(first < end and start < last for first, last in taken):
            yield Extracted(Record("", "", reading.text[start:end]), (start, end))


VALUES, ROTOWIRE, WEBNLG = "values", "rotowire", "webnlg"
FORMAT, VOCABULARY = "factable extractor 1", "vocabulary"
# What an extractor learned to write: the records that a text states, or its whole table, as in the paper.
TARGET = "target"
STATED, TABLE = "stated", "table"
PATTERN_FILE = ".toml"


def load_extractor(name: str) -> Extractor:
    """The extractor of that name, or of a pattern file, or of a file made by `factable train extractor`."""
    if name == VALUES:
        return ValueExtractor()
    if name == ROTOWIRE:
        return BoxScoreExtractor(load_patterns(ROTOWIRE))
    if _has_patterns(name):
        return SlotExtractor(load_patterns(name))
    return _trained(name, _content(name))


def extractor_checksum(name: str) -> str:
    """A checksum of the file behind an extractor; empty where there is none."""
    if name == VALUES:
        return ""
    return patterns_checksum(name) if _has_patterns(name) else hashlib.sha256(_content(name)).hexdigest()


def _has_patterns(name: str) -> bool:
    return name in SHIPPED or name.endswith(PATTERN_FILE)


def _content(name: str) -> bytes:
    if name == WEBNLG:
        return read_shipped(f"data/extractor/{WEBNLG}.safetensors")
    return read_whole(name)


@lru_cache(maxsize=8)
def _trained(name: str, content: bytes) -> PointerExtractor:
    remedy = "make the file with: factable train extractor TRAIN.jsonl OUT.safetensors"
    try:
        weights, metadata = read_tensors(content)
        if metadata.get("format") != FORMAT:
            raise ValueError(f"format {metadata.get('format')!r}")
        vocabulary = orjson.loads(metadata[VOCABULARY])
        extractor = PointerExtractor(weights, vocabulary, length_penalty=metadata.get(TARGET) != TABLE)
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise ValueError("numbers that are not finite")
        # Arrays that are missing, or do not fit together, show at the first text.
        with np.errstate(all="ignore"):
            extractor.write("a text")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError([Fault(name, None, f"no trained extractor ({error})", remedy)]) from None
    return extractor
