"""Where a text states a value of the data."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from factable.text.memo import cached_if_short
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.compare import compare_values
from factable.text.values.hints import MONEY_WORDS, hint_of
from factable.text.values.kinds import (
    STATED,
    Boolean,
    Mention,
    Name,
    NameList,
    Number,
    Relation,
    Value,
    best_relation,
)
from factable.text.values.mentions import find_mentions, possible_values
from factable.text.values.names import end_of_word, is_acronym, parse_name, word_orders
from factable.text.values.units import is_money, units_named, vaguer_unit
from factable.text.values.words import Word, same_word, split_words
from factable.types import Span

_EXACTNESS = {relation: rank for rank, relation in enumerate(Relation)}
_NOT = lazy_pattern(
    r"(?:\bnot\b|\bno\b|\bnon-?|\bnever\b|n['’]t\b|\bwithout\b|\black(?:s|ing)?\b|\bcannot\b)(?:\W+\w+){0,3}\W*\Z",
    re.IGNORECASE,
)
# "Valet parking is not available", "WiFi: no"
_NOT_AFTER = lazy_pattern(
    r"(?:\s\w+){0,2}?\s(?:(?:is|are|was|were|does|do|has|have)(?:\snot|\snever|n['’]t)|unavailable|disabled|prohibited)\b"
    r"|\**:\**\s?(?:no|none|not|false|unavailable)\b|\**:\**\s?[✗✘❌]",
    re.IGNORECASE,
)
_WINDOW = 40
_NUMBER_NEXT = lazy_pattern(r"\s\d")
_QUESTION_VERB = lazy_pattern(r"(?:is|has|can|are|does)\s+", re.IGNORECASE)


class Hit(NamedTuple):
    """A span of a text that states a value of the data, and how exactly."""

    span: Span
    relation: Relation


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text prepared for searching many values in it."""

    text: str
    mentions: tuple[Mention, ...]
    words: tuple[Word, ...]
    # All words in one string, each after a space, and where each begins: makes a run of words one search.
    line: str
    offsets: tuple[int, ...]


# A text, or an answer of a model, is compared with many values in a row.
@cached_if_short(1 << 8)
def parse_text(text: str) -> ParsedText:
    """Prepare a text for searching many values in it."""
    words = tuple(split_words(text))
    offsets, offset = [], 0
    for word in words:
        offsets.append(offset)
        offset += len(word.folded) + 1
    line = "".join(f" {word.folded}" for word in words) + " "
    return ParsedText(text, find_mentions(text), words, line, tuple(offsets))


def find_value(
    value: str | Value | tuple[Value, ...], text: str | ParsedText, attribute: str = ""
) -> list[Hit]:
    """Where a text states a value of the data, the most exact first; the attribute helps to parse the value.

    Several values are readings of one, such as those of `apply_hint`.

    Hits are equal, coarser or finer. A yes or no is found by the words of its attribute, and is "different"
    if they are denied (or not denied).
    """
    parsed = parse_text(text) if isinstance(text, str) else text
    if isinstance(value, str):
        value = possible_values(value, attribute)
    values = value if isinstance(value, tuple) else (value,)
    relations: dict[Span, Relation] = {}
    for candidate in values:
        for span, relation in _hits(candidate, parsed, attribute):
            relations[span] = best_relation((relation, relations.get(span, relation)))
    return sorted(map(Hit._make, relations.items()), key=_by_exactness)


def _by_exactness(hit: Hit) -> tuple[int, Span]:
    return _EXACTNESS[hit.relation], hit.span


def _hits(value: Value, parsed: ParsedText, attribute: str) -> list[Hit]:
    if isinstance(value, Boolean):
        return _find_boolean(value, parsed, attribute)
    if isinstance(value, Name):
        return [*_find_name(value, parsed), *_find_currency(value, parsed)]
    if isinstance(value, NameList):
        return _find_listing(value, parsed)
    compared = (
        ((mention.start, mention.end), compare_values(value, mention.value)) for mention in parsed.mentions
    )
    hits = [Hit(span, relation) for span, relation in compared if relation in STATED]
    if isinstance(value, Number) and value.value == 0 and not value.bound and value.high is None:
        hits += _find_zero(value.unit, parsed, attribute)
    return hits


def _find_name(name: Name, parsed: ParsedText) -> list[Hit]:
    """Where a text has the words of a name, or a shorter or longer form of it."""
    if not name.words:
        return []
    names = [mention for mention in parsed.mentions if isinstance(mention.value, Name)]
    starts = [mention.start for mention in names]
    hits = []
    for words in word_orders(name):
        for span in [*_spans_of(words, parsed), *_other_grammatical_number(words, parsed)]:
            # Names do not overlap: only the last ones that begin before its start or end can contain a span.
            near = {bisect_right(starts, span[0]) - 1, bisect_left(starts, span[1]) - 1} - {-1}
            longer = any(_goes_beyond(names[index], span) for index in near)
            hits.append(Hit(span, Relation.FINER if longer else Relation.EQUAL))
    for mention in names:
        relation = compare_values(name, mention.value)
        if relation in STATED and not _is_another(name, mention, parsed):
            hits.append(Hit((mention.start, mention.end), relation))
    return hits


def _find_currency(name: Name, parsed: ParsedText) -> list[Hit]:
    """Amounts of money in a currency such as EUR; "dollars" is less exact than USD."""
    money = [unit for unit in units_named(" ".join(name.words).upper()) if is_money(unit)]
    hits = []
    for mention in parsed.mentions if money else ():
        if isinstance(mention.value, Number) and is_money(mention.value.unit):
            if mention.value.unit in money:
                hits.append(Hit((mention.start, mention.end), Relation.EQUAL))
            elif any(mention.value.unit == vaguer_unit(unit) for unit in money):
                hits.append(Hit((mention.start, mention.end), Relation.COARSER))
    return hits


def _is_another(name: Name, mention: Mention, parsed: ParsedText) -> bool:
    """Whether a shorter form means something else: "Apollo 12" is not Apollo 11, "Us" is not the US."""
    assert isinstance(mention.value, Name)
    written = parsed.text[mention.start : mention.end]
    if is_acronym(mention.value, name) and not written.isupper():
        return True
    numbered = any(word.isdecimal() for word in name.words if word not in mention.value.words)
    return numbered and bool(_NUMBER_NEXT.match(parsed.text, mention.end))


def _other_grammatical_number(words: tuple[str, ...], parsed: ParsedText) -> list[Span]:
    """Where the words occur with the last one in the plural, or the singular, in lower case."""
    last = words[-1]
    forms = [f"{last}s", f"{last}es", f"{last[:-1]}ies"] if last[-1] != "s" else [last[:-1], last[:-2]]
    spans = [span for form in forms if len(form) > 2 for span in _spans_of((*words[:-1], form), parsed)]
    return [span for span in spans if parsed.text[span[0] : span[1]].split()[-1].islower()]


def _goes_beyond(mention: Mention, span: Span) -> bool:
    """Whether a name in the text extends beyond a span in it."""
    overlaps = mention.start < span[1] and span[0] < mention.end
    return overlaps and (mention.start < span[0] or span[1] < mention.end)


def _spans_of(words: tuple[str, ...], parsed: ParsedText) -> list[Span]:
    """Where the words occur one after the other."""
    phrase = f" {' '.join(words)} "
    spans = []
    index = parsed.line.find(phrase)
    while index >= 0:
        first = bisect_left(parsed.offsets, index)
        spans.append(
            (parsed.words[first].start, end_of_word(parsed.text, parsed.words[first + len(words) - 1]))
        )
        index = parsed.line.find(phrase, index + 1)
    return spans


def _find_listing(listing: NameList, parsed: ParsedText) -> list[Hit]:
    """One hit that spans all members in the text: equal if none is missing."""
    best_hits = [_best_name(member, parsed) for member in listing.members]
    hits = [hit for hit in best_hits if hit]
    # "Wisconsin" alone is not "Clayton, Winnebago County, Wisconsin".
    if not hits or not (best_hits[0] or 2 * len(hits) >= len(best_hits)):
        return []
    span = min(hit.span[0] for hit in hits), max(hit.span[1] for hit in hits)
    complete = len(hits) == len(listing.members) and all(hit.relation is Relation.EQUAL for hit in hits)
    return [Hit(span, Relation.EQUAL if complete else Relation.COARSER)]


def _best_name(name: Name, parsed: ParsedText) -> Hit | None:
    return min(_find_name(name, parsed), key=_by_exactness, default=None)


def _find_boolean(value: Boolean, parsed: ParsedText, attribute: str) -> list[Hit]:
    """Where the words of an attribute occur, affirmed or denied."""
    words = parse_name(_QUESTION_VERB.sub("", split_identifier(attribute), count=1)).words
    hits = []
    for start, end in _spans_of(words, parsed) if words else []:
        before = _NOT.search(parsed.text[max(0, start - _WINDOW) : start])
        denied = bool(before or _NOT_AFTER.match(parsed.text, end))
        hits.append(Hit((start, end), Relation.DIFFERENT if denied == value.value else Relation.EQUAL))
    return hits


_FREE = lazy_pattern(
    r"(?<![\w-])(?:free(?:\sof\scharge)?(?![\w-]|\s(?:of|from|to|kick|throw|agent|time|trial|market|will|speech)\b)"
    r"|(?:at\s)?no\s(?:extra\s|additional\s)?(?:cost|charge)|without\scharge|complimentary|gratis|costs?\snothing)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_NONE = lazy_pattern(r"(?<![^\W_])(?:no|without|zero|nil|not\s(?:a|any))(?=\s)", re.IGNORECASE)
_BETWEEN = frozenset(("any", "a", "an", "the", "additional", "extra", "such", "more", "single", "further"))
_MAX_BETWEEN = 3
_COUNTING = frozenset(("number", "of", "count", "total", "num", "amount", "is", "has"))


def _find_zero(unit: str, parsed: ParsedText, attribute: str) -> list[Hit]:
    """Where a text says that something is free, or that there is no such thing: "no setup fee"."""
    hint = hint_of(attribute, {})
    names = {word.folded for word in split_words(hint.words)} - _COUNTING
    hits = []
    if is_money(unit) or names & MONEY_WORDS:
        hits += [Hit(match.span(), Relation.EQUAL) for match in _FREE.finditer(parsed.text)]
    starts = [word.start for word in parsed.words] if names else []
    for denial in _NONE.finditer(parsed.text) if names else ():
        first = bisect_left(starts, denial.end())
        end = _end_of_none(parsed, first, denial.end(), names)
        if end is not None:
            hits.append(Hit((denial.start(), end), Relation.EQUAL))
    return hits


def _end_of_none(parsed: ParsedText, first: int, start: int, names: set[str]) -> int | None:
    """Where the words of an attribute end that follow on a "no"; None if other words do."""
    end = None
    for word in parsed.words[first : first + _MAX_BETWEEN + len(names)]:
        if not parsed.text[start : word.start].isspace():
            break
        if any(same_word(word.folded, name) for name in names):
            end = word.end
        elif end is not None or not (word.folded in _BETWEEN or word.folded.endswith("ing")):
            break
        start = word.end
    return end
