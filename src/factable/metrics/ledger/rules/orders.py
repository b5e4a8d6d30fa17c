"""Which of two values came first: "rose from 212 to 265", where 212 is the later one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Number
from factable.text.values.dates import MONTHS
from factable.text.values.hints import hint_of
from factable.types import Span

_EARLY_WORDS = (
    "start started begin before previous prior old initial opening last prev first baseline original"
)
_LATE_WORDS = "end ended after current new final closing now latest this today revised"
_EARLY, _LATE = frozenset(_EARLY_WORDS.split()), frozenset(_LATE_WORDS.split())
_FROM = lazy_pattern(r"\bfrom\s(?:[\w’']+\s){0,3}\Z", re.IGNORECASE)
_TO = lazy_pattern(r"(?:\s[\w’']+){0,4}?\sto\s(?:[\w’']+\s){0,2}\Z", re.IGNORECASE)
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_QUARTER = lazy_pattern(r"Q([1-4])")
_LONGEST = 40


def orders(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every "from A to B" of values of one object whose keys put B before A."""
    numbers = [
        (mention, leaves) for mention, leaves in matcher.found if isinstance(mention.value, Number) and leaves
    ]
    found: list[Checked] = []
    text = matcher.parsed.text
    sentences = Spans(sentence_spans)
    for (first, starts), (second, ends) in pairwise(numbers):
        is_inside = sentences.contain((first.start, second.end))
        before = text[max(0, first.start - _LONGEST) : first.start]
        if not is_inside or not _FROM.search(before) or not _TO.fullmatch(text, first.end, second.start):
            continue
        pairs = list(_pairs(matcher, starts, ends))
        if pairs and all(_rank(one) > _rank(other) for one, other in pairs):
            one, other = pairs[0]
            note = f"{other.label}: {other.value}, then {one.label}: {one.value}"
            found.append(Checked((first.start, second.end), "contradicted", (one.index, other.index), note))
    return found


def _pairs(matcher: Matcher, starts: Iterable[int], ends: Iterable[int]) -> Iterator[tuple[Leaf, Leaf]]:
    """Values of one object whose keys tell which came first."""
    leaves = matcher.structure.leaves
    for start in starts:
        for end in ends:
            one, other = leaves[start], leaves[end]
            if one.frame == other.frame and one.column != other.column and _rank(one) and _rank(other):
                yield one, other


def _rank(leaf: Leaf) -> tuple[int, ...]:
    """What puts a value in time: a year, quarter or month of its keys, or words such as "start" and "end"."""
    keys = " ".join(leaf.keys)
    period = hint_of(leaf.keys[-1], {}).period
    if year := _YEAR.search(period):
        quarter = _QUARTER.search(period)
        months = [number for number, month in enumerate(MONTHS, 1) if month in period]
        return (1, int(year[0]), int(quarter[1]) if quarter else 0, *months[:1])
    words = set(split_identifier(keys).lower().split())
    is_early, is_late = bool(words & _EARLY), bool(words & _LATE)
    return (0, int(is_late)) if is_early != is_late else ()
