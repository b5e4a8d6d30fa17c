"""Numbers that a text computes from the data in words that no pattern knows: sums, differences, shares.

This only finds support. A number counts as computed if the words around it ask for an operation, and that
operation on values that the sentence speaks of gives it; wrong arithmetic is found by `derived`.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import NamedTuple

from factable.metrics.ledger.derived.operations import agrees, show
from factable.metrics.ledger.matching import Matcher
from factable.text.values import Mention, Number
from factable.text.values.units import unit_of, vaguer_unit
from factable.types import Span

# More values than these are not paired with each other.
MAX_PAIRED = 14
MAX_COLUMN = 2000
_PERCENT = "percent"

_DIFFERENCE = re.compile(
    r"\b(?:differ\w*|gap|apart|margin|by|more|less|fewer|higher|lower|above|below|exceed\w*|than|up|down|cut|"
    r"increas\w*|decreas\w*|rose|risen|rises?|fell|falls?|fallen|grew|grow\w*|drop\w*|declin\w*|climb\w*|shr[aiu]nk|"
    r"gain\w*|lost|loss|improv\w*|reduc\w*|remain\w*|left|later|earlier|after|older|younger|longer|shorter|ahead|"
    r"behind|between|outscor\w*|lasts?|took|takes?|span\w*)\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(?:totals?|totall?ing|altogether|together|combined|sum|in all|overall|whole|ready in|across|"
    r"comes? to|all)\b",
    re.IGNORECASE,
)
_MEAN = re.compile(r"\b(?:average[sd]?|mean|averaging|on average|typical(?:ly)?)\b", re.IGNORECASE)
_SHARE = re.compile(
    r"\b(?:shares?|accounts? for|of the|of all|of its|proportion|represent\w*|out of)\b", re.IGNORECASE
)
_PRODUCT = re.compile(r"\b(?:whole|nights|weeks|months|days|pieces|each)\b", re.IGNORECASE)
_RATIO = re.compile(r"\b(?:times|twice|double|triple|half|per|each|ratio)\b", re.IGNORECASE)


class Computed(NamedTuple):
    """How a number follows from the data."""

    leaves: tuple[int, ...]
    explanation: str


class _Amount(NamedTuple):
    leaf: int
    value: Fraction


def computed_number(matcher: Matcher, mention: Mention, sentence: Span) -> Computed | None:
    """How a number that the data does not have follows from it, by an operation that the words ask for."""
    number = mention.value
    if not isinstance(number, Number):
        return None
    words = matcher.parsed.text[sentence[0] : sentence[1]]
    said = frozenset(
        other.value.value
        for other in matcher.parsed.mentions
        if isinstance(other.value, Number) and sentence[0] <= other.start < sentence[1]
    )
    for column in _columns(matcher, number, mention, sentence):
        for result, leaves, explanation in _results(column, words, said, number.unit == _PERCENT):
            if agrees(number, abs(result) if number.value >= 0 else result) is True:
                return Computed(leaves, f"{explanation} = {show(result)}")
    return _of_one_object(matcher, number, words) or _count_of_rows(matcher, number)


def _of_one_object(matcher: Matcher, number: Number, words: str) -> Computed | None:
    """A ratio or product of two values of one object, whatever their units: a price per square metre."""
    asks_ratio, asks_product = bool(_RATIO.search(words)), bool(_PRODUCT.search(words))
    if not (asks_ratio or asks_product):
        return None
    for frame in matcher.structure.frames:
        amounts = [
            _Amount(leaf, value.value)
            for leaf in frame.leaves
            for value in matcher.index.readings[leaf][:1]
            if isinstance(value, Number) and value.high is None and value.value
        ]
        for first, second in permutations(amounts, 2) if len(amounts) <= MAX_PAIRED else ():
            shown = show(first.value), show(second.value)
            if asks_ratio and agrees(number, first.value / second.value) is True:
                return Computed(
                    (first.leaf, second.leaf), f"{shown[0]} / {shown[1]} = {show(first.value / second.value)}"
                )
            if asks_product and agrees(number, first.value * second.value) is True:
                return Computed(
                    (first.leaf, second.leaf), f"{shown[0]} × {shown[1]} = {show(first.value * second.value)}"
                )
    return None


def _columns(matcher: Matcher, number: Number, mention: Mention, sentence: Span) -> Iterator[list[_Amount]]:
    """The values that may take part, column by column: those the sentence speaks of, then all."""
    scope = matcher.scope(mention.start)
    named = {
        frame
        for naming in matcher.namings
        if sentence[0] <= naming.start < sentence[1]
        for frame in naming.frames
    }
    for leaves in matcher.structure.comparable:
        if not 1 < len(leaves) <= MAX_COLUMN:
            continue
        amounts = {
            leaf.index: amount
            for leaf in leaves
            if (amount := _amount(matcher, leaf.index, number)) is not None
        }
        chosen = [leaf for leaf in leaves if leaf.index in amounts]
        spoken = [leaf for leaf in chosen if leaf.frame in named or leaf.frame in scope]
        for some in (spoken, chosen):
            if len(some) > 1:
                yield [_Amount(leaf.index, amounts[leaf.index]) for leaf in some]


def _amount(matcher: Matcher, leaf: int, number: Number) -> Fraction | None:
    """The amount of a leaf in the unit of a number; percentages are computed from any amounts."""
    for value in matcher.index.readings[leaf]:
        if isinstance(value, Number) and value.high is None and not value.bound:
            if number.unit in ("", _PERCENT, vaguer_unit(value.unit)) or value.unit in ("", number.unit):
                return value.value
            own, asked = unit_of(value.unit), unit_of(number.unit)
            if own.dimension == asked.dimension != "money" and not own.offset and not asked.offset:
                return value.value * own.factor / asked.factor
    return None


def _results(
    column: Sequence[_Amount], words: str, said: frozenset[Fraction], percent: bool
) -> Iterator[tuple[Fraction, tuple[int, ...], str]]:
    """What the operations that the words ask for give."""
    leaves = tuple(amount.leaf for amount in column)
    total = sum((amount.value for amount in column), Fraction(0))
    listed = " + ".join(show(amount.value) for amount in column[:4]) + (" + …" if len(column) > 4 else "")
    is_listed = all(amount.value in said for amount in column)
    if not percent and (is_listed or _TOTAL.search(words)):
        yield total, leaves, listed
    if _MEAN.search(words):
        yield total / len(column), leaves, f"({listed}) / {len(column)}"
    if percent and _SHARE.search(words) and total:
        for amount in column:
            yield 100 * amount.value / total, (amount.leaf,), f"{show(amount.value)} / {show(total)}"
    if len(column) > MAX_PAIRED:
        return
    for first, second in combinations(column, 2):
        pair = (first.leaf, second.leaf)
        if _DIFFERENCE.search(words) and not percent:
            yield second.value - first.value, pair, f"{show(second.value)} − {show(first.value)}"
        if _DIFFERENCE.search(words) and percent:
            for before, after in ((first, second), (second, first)):
                if before.value:
                    change = 100 * (after.value / before.value - 1)
                    yield change, pair, f"{show(after.value)} / {show(before.value)} − 1"
        if _RATIO.search(words) and not percent:
            for one, other in ((first, second), (second, first)):
                if other.value:
                    yield one.value / other.value, pair, f"{show(one.value)} / {show(other.value)}"


def _count_of_rows(matcher: Matcher, number: Number) -> Computed | None:
    """A whole number that is the number of rows, members or values of a list."""
    if number.value.denominator != 1 or number.value < 2:
        return None
    for group, frames in matcher.structure.groups.items():
        if len(frames) == number.value and "[*]" in group:
            return Computed((), f"{len(frames)} in {group.replace('[*]', '') or 'the table'}")
    return None
