"""Data as one line of text, for models to read.

`linearise` writes `Ada | born | 1815 ; …`, `linearise_by_entity` the form of Data-QuestEval:
`entity [ Ada ] , born [ 1815 ] , …`.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from factable.text.patterns import lazy_pattern
from factable.text.templates import clean_value, split_identifier
from factable.types import Record

PART_SEPARATOR, FACT_SEPARATOR = " | ", " ; "
ENTITY_FACT_SEPARATOR = " , "
_OUTER_QUOTES = lazy_pattern(r'\A"|"\Z')
_BEFORE_WORD = lazy_pattern(r"[(\[{<\"'“‘$£€¥#,;:!?*…]")
_AFTER_WORD = lazy_pattern(
    r"(?:['’][sS]|[)\]}>\"'”’,;:!?%*…]|(?<=[0-9a-z)\]\"'])\.|(?<=[A-Z][A-Z])\.)\Z",
)
_INSIDE_WORD = lazy_pattern(
    r"((?<=[0-9])[-+*^](?=[0-9-])"
    r"|(?<=[a-z])\.(?=[A-Z])"
    r"|(?<=[^\W\d_])(?:[,–—~]|-{1,3})(?=[^\W\d_])"
    r"|(?<=[^\W_])[:<>=/](?=[^\W\d_]))"
)
# Abbreviations: the full stop belongs to them.
_WITH_STOP = """
st. mr. mrs. ms. dr. jr. sr. inc. ltd. co. corp. bros. gen. gov. rep. sen. prof. rev. mt. no. vs. e.g. i.e.
etc. a.m. p.m. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.
"""
_ABBREVIATIONS = frozenset(_WITH_STOP.split())


class Position(NamedTuple):
    """The span of a subject or value in linearised data, and the index of its record."""

    start: int
    end: int
    record: int
    is_value: bool


class LinearData(NamedTuple):
    """Facts as one line, and the positions of their subjects and values."""

    text: str
    positions: tuple[Position, ...]

    def position_at(self, start: int, end: int) -> Position | None:
        """The subject or value that overlaps most with a span."""
        overlaps = [
            (min(end, position.end) - max(start, position.start), position) for position in self.positions
        ]
        overlap, best = max(overlaps, key=lambda pair: pair[0], default=(0, None))
        return best if overlap > 0 else None


def linearise(facts: Mapping[int, Record]) -> LinearData:
    """Facts as one line: `subject | attribute | value ; …`."""
    parts: list[str] = []
    positions: list[Position] = []
    length = 0

    def write(text: str) -> tuple[int, int]:
        nonlocal length
        start = length
        parts.append(text)
        length += len(text)
        return start, length

    for index, record in facts.items():
        if parts:
            write(FACT_SEPARATOR)
        if record.subject:
            positions.append(Position(*write(clean_value(record.subject)), index, False))
            write(PART_SEPARATOR)
        write(split_identifier(record.attribute) + PART_SEPARATOR)
        positions.append(Position(*write(clean_value(record.value)), index, True))
    return LinearData("".join(parts), tuple(positions))


def linearise_by_entity(facts: Mapping[int, Record]) -> LinearData:
    """Facts as one line, grouped by subject in order of first occurrence; those without a subject first."""
    groups: dict[str, list[tuple[int, str, str]]] = {"": []}
    for index, record in facts.items():
        fact = index, _attribute(record.attribute), space_out(record.value)
        groups.setdefault(space_out(record.subject), []).append(fact)
    text = ""
    positions: list[Position] = []
    for subject, group in groups.items():
        # The position of a subject belongs to the first of its facts.
        head = [("entity", subject, group[0][0], False)] if subject else []
        for name, value, index, is_value in [*head, *((name, value, at, True) for at, name, value in group)]:
            text += f"{ENTITY_FACT_SEPARATOR if text else ''}{name} [ "
            positions.append(Position(len(text), len(text) + len(value), index, is_value))
            text += f"{value} ]"
    return LinearData(text, tuple(positions))


def _attribute(name: str) -> str:
    """An attribute without accents, quotes and brackets, with underscores for spaces."""
    plain = _OUTER_QUOTES.sub("", _without_accents(name.strip()))
    joined = "_".join(plain.split())
    # From the first bracket to the last.
    opening, closing = joined.find("("), joined.rfind(")")
    return joined[:opening] + joined[closing + 1 :] if 0 <= opening < closing else joined


def space_out(value: str) -> str:
    """A subject or value without accents, quotes and underscores, and with spaces around punctuation."""
    plain = _OUTER_QUOTES.sub("", _without_accents(value.strip())).replace("_", " ")
    return " ".join(token for word in plain.split() for token in _tokens(word))


def _tokens(word: str) -> Iterator[str]:
    """A word, split from the punctuation before, inside and after it."""
    after: list[str] = []
    while len(word) > 1 and _BEFORE_WORD.match(word):
        yield word[0]
        word = word[1:]
    while word.lower() not in _ABBREVIATIONS:
        mark = _AFTER_WORD.search(word)
        if not mark or not mark.start():
            break
        after.insert(0, mark[0])
        word = word[: mark.start()]
    yield from filter(None, _INSIDE_WORD.split(word))
    yield from after


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))
