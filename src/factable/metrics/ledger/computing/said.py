"""What follows from numbers that a sentence gives itself: "£2,500, after costs of £640", "19 °C (66 °F)"."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations

from factable.metrics.ledger.computing.amounts import Result
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Matcher
from factable.text.patterns import lazy_pattern
from factable.text.values import STATED, Mention, Number, Time, compare_values
from factable.text.values.units import unit_of
from factable.types import Span

# How many of the numbers before one are added, and how many are multiplied with each other.
_MAX_SAID = 14
_FEW_SAID = 3
_MINUTES_A_DAY = 1440
# A number in brackets converts one that ends at most this many characters before.
_NEAR = 45
_IN_OTHER_UNIT = lazy_pattern(r"\s?\(|\s?/\s?|,?\sor\s|,\s", re.IGNORECASE)


def results_said(
    matcher: Matcher, mention: Mention, number: Number, sentence: Span, *, is_sure: bool
) -> Iterator[Result]:
    """Conversions, times between times and, if chance can hardly give the number, results of two others."""
    yield from _converted(matcher, mention, number)
    yield from _between_times(matcher, number, sentence)
    before = [
        each.value
        for each in matcher.mentions_in((sentence[0], mention.start))
        if is_sure and isinstance(each.value, Number)
    ]
    alike = [each.value for each in before if each.unit == number.unit]
    for one, other in permutations(dict.fromkeys(alike[-_MAX_SAID:]), 2):
        if one > other > 0:
            yield Result(one - other, (), f"{show(one)} − {show(other)}")
            yield Result(one + other, (), f"{show(one)} + {show(other)}")
    for first, second in permutations(before[-_FEW_SAID:] if number.unit != "percent" else (), 2):
        # "24,610 people on 138.5 km², 178 per km²"
        if first.value > second.value > 1 and first.high is None and second.high is None:
            shown = show(first.value), show(second.value)
            yield Result(first.value * second.value, (), " × ".join(shown))
            yield Result(first.value / second.value, (), " / ".join(shown))


def _between_times(matcher: Matcher, number: Number, sentence: Span) -> Iterator[Result]:
    """The time between two times of day."""
    unit = unit_of(number.unit)
    if unit.dimension != "time":
        return
    values = [each.value for each in matcher.mentions_in(sentence)]
    times = [value for value in values if isinstance(value, Time) and value.end is None]
    for start, end in combinations(times[:_MAX_SAID], 2):
        gap = (end.start - start.start) % _MINUTES_A_DAY
        yield Result(Fraction(60 * gap) / unit.factor, (), f"{gap} minutes")


def _converted(matcher: Matcher, mention: Mention, number: Number) -> Iterator[Result]:
    """Numbers right before this one, in its unit."""
    for each in matcher.mentions_in((mention.start - _NEAR, mention.start)):
        other = each.value
        gap = matcher.parsed.text[each.end : mention.start]
        if not isinstance(other, Number) or not other.unit or not _IN_OTHER_UNIT.fullmatch(gap):
            continue
        if other.unit != number.unit and compare_values(other, number) in STATED:
            yield Result(number.value, (), f"{show(other.value)} {other.unit}")
