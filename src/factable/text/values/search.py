"""Where a value of the data is said in a text."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from factable.text.templates import split_identifier
from factable.text.values.compare import compare
from factable.text.values.kinds import Boolean, Listing, Mention, Name, Number, Relation, Value, best
from factable.text.values.mentions import find_mentions, read_value
from factable.text.values.names import end_of_word, is_acronym, name_of, orders
from factable.text.values.units import is_money, units_called, vaguer_unit
from factable.text.values.words import Word, split_words

_SAID = (Relation.EQUAL, Relation.COARSER, Relation.FINER)
_NOT = re.compile(
    r"(?:\bnot\b|\bno\b|\bnon-?|\bnever\b|n['’]t\b|\bwithout\b)(?:\W+\w+){0,3}\W*\Z", re.IGNORECASE
)
_WINDOW = 40
_NUMBER_NEXT = re.compile(r"\s\d")
_ASKING = re.compile(r"(?:is|has|can|are|does)\s+", re.IGNORECASE)


class Hit(NamedTuple):
    """A span of a text that says a value of the data, and how exactly."""

    span: tuple[int, int]
    relation: Relation


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text read once, to look for many values in it."""

    text: str
    mentions: tuple[Mention, ...]
    words: tuple[Word, ...]
    # All words in one line, each after a space, and where each begins: to find a run of words is one call.
    line: str
    offsets: tuple[int, ...]


def read_text(text: str) -> ReadText:
    """Read a text once, to look for many values in it."""
    words = tuple(split_words(text))
    offsets, index = [], 0
    for word in words:
        offsets.append(index)
        index += len(word.folded) + 1
    line = "".join(f" {word.folded}" for word in words) + " "
    return ReadText(text, find_mentions(text), words, line, tuple(offsets))


def find_value(value: str | Value, text: str | ReadText, attribute: str = "") -> list[Hit]:
    """Where a text says a value of the data, the most exact first; the attribute helps to read the value.

    Hits are equal, coarser or finer. A yes or no is found by the words of its attribute, and is different
    where they are denied (or not denied).
    """
    reading = read_text(text) if isinstance(text, str) else text
    values = read_value(value, attribute) if isinstance(value, str) else (value,)
    found: dict[tuple[int, int], Relation] = {}
    for one in values:
        for span, relation in _hits(one, reading, attribute):
            found[span] = best((relation, found.get(span, relation)))
    order = list(Relation)
    return sorted(
        (Hit(*item) for item in found.items()), key=lambda hit: (order.index(hit.relation), hit.span)
    )


def _hits(value: Value, reading: ReadText, attribute: str) -> list[Hit]:
    if isinstance(value, Boolean):
        return _find_boolean(value, reading, attribute)
    if isinstance(value, Name):
        return [*_find_name(value, reading), *_find_currency(value, reading)]
    if isinstance(value, Listing):
        return _find_listing(value, reading)
    compared = (((mention.start, mention.end), compare(value, mention.value)) for mention in reading.mentions)
    return [Hit(span, relation) for span, relation in compared if relation in _SAID]


def _find_name(name: Name, reading: ReadText) -> list[Hit]:
    """Where the words of a name stand, and names that are shorter or longer forms of it."""
    if not name.words:
        return []
    names = [mention for mention in reading.mentions if isinstance(mention.value, Name)]
    starts = [mention.start for mention in names]
    hits = []
    for words in orders(name):
        for span in [*_spans_of(words, reading), *_other_number(words, reading)]:
            # Names do not overlap: only those that begin last before its start and its end can hold a span.
            near = {bisect_right(starts, span[0]) - 1, bisect_left(starts, span[1]) - 1} - {-1}
            longer = any(_goes_beyond(names[index], span) for index in near)
            hits.append(Hit(span, Relation.FINER if longer else Relation.EQUAL))
    for mention in names:
        relation = compare(name, mention.value)
        if relation in _SAID and not _is_another(name, mention, reading):
            hits.append(Hit((mention.start, mention.end), relation))
    return hits


def _find_currency(name: Name, reading: ReadText) -> list[Hit]:
    """Amounts of money in the currency that a value such as EUR names; "dollars" are less exact than USD."""
    money = [unit for unit in units_called(" ".join(name.words).upper()) if is_money(unit)]
    hits = []
    for mention in reading.mentions if money else ():
        if isinstance(mention.value, Number) and is_money(mention.value.unit):
            if mention.value.unit in money:
                hits.append(Hit((mention.start, mention.end), Relation.EQUAL))
            elif any(mention.value.unit == vaguer_unit(unit) for unit in money):
                hits.append(Hit((mention.start, mention.end), Relation.COARSER))
    return hits


def _is_another(name: Name, mention: Mention, reading: ReadText) -> bool:
    """Whether a shorter form is another thing's: "Apollo" before 12 is not Apollo 11, "Us" is not the US."""
    assert isinstance(mention.value, Name)
    said = reading.text[mention.start : mention.end]
    if is_acronym(mention.value, name) and not said.isupper():
        return True
    numbered = any(word.isdecimal() for word in name.words if word not in mention.value.words)
    return numbered and bool(_NUMBER_NEXT.match(reading.text, mention.end))


def _other_number(words: tuple[str, ...], reading: ReadText) -> list[tuple[int, int]]:
    """Where words stand with the last one in the plural, or the singular, in small letters."""
    last = words[-1]
    forms = [f"{last}s", f"{last}es", f"{last[:-1]}ies"] if last[-1] != "s" else [last[:-1], last[:-2]]
    spans = [span for form in forms if len(form) > 2 for span in _spans_of((*words[:-1], form), reading)]
    return [span for span in spans if reading.text[span[0] : span[1]].split()[-1].islower()]


def _goes_beyond(mention: Mention, span: tuple[int, int]) -> bool:
    """Whether a name in the text has words before or after a span in it."""
    overlaps = mention.start < span[1] and span[0] < mention.end
    return overlaps and (mention.start < span[0] or span[1] < mention.end)


def _spans_of(words: tuple[str, ...], reading: ReadText) -> list[tuple[int, int]]:
    """Where words stand one after the other."""
    wanted = f" {' '.join(words)} "
    spans = []
    index = reading.line.find(wanted)
    while index >= 0:
        first = bisect_left(reading.offsets, index)
        spans.append(
            (reading.words[first].start, end_of_word(reading.text, reading.words[first + len(words) - 1]))
        )
        index = reading.line.find(wanted, index + 1)
    return spans


def _find_listing(listing: Listing, reading: ReadText) -> list[Hit]:
    """One hit over all members that are said: equal if none is missing."""
    best_hits = [_best_name(member, reading) for member in listing.members]
    found = [hit for hit in best_hits if hit]
    # The last step of a place such as "Clayton, Winnebago County, Wisconsin" alone is another place.
    if not found or not (best_hits[0] or 2 * len(found) >= len(best_hits)):
        return []
    span = min(hit.span[0] for hit in found), max(hit.span[1] for hit in found)
    complete = len(found) == len(listing.members) and all(hit.relation is Relation.EQUAL for hit in found)
    return [Hit(span, Relation.EQUAL if complete else Relation.COARSER)]


def _best_name(name: Name, reading: ReadText) -> Hit | None:
    order = list(Relation)
    return min(_find_name(name, reading), key=lambda hit: (order.index(hit.relation), hit.span), default=None)


def _find_boolean(value: Boolean, reading: ReadText, attribute: str) -> list[Hit]:
    """Where the words of an attribute are said or denied."""
    words = name_of(_ASKING.sub("", split_identifier(attribute), count=1)).words
    hits = []
    for start, end in _spans_of(words, reading) if words else []:
        denied = bool(_NOT.search(reading.text[max(0, start - _WINDOW) : start]))
        hits.append(Hit((start, end), Relation.DIFFERENT if denied == value.value else Relation.EQUAL))
    return hits
