"""Numbers in a text with all that belongs to them: sign, direction, currency, unit, bound, range."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from heapq import merge
from itertools import groupby, product
from typing import NamedTuple

from factable.text.values.kinds import Bound, Mention, Number
from factable.text.values.names import name_of
from factable.text.values.numbers import (
    Numeral,
    fraction_signs,
    numeral_in,
    numerals_in_words,
    tokens_with_digits,
    with_scale,
)
from factable.text.values.units import CURRENCY_BEFORE, out_of, unit_at, unit_of, units_called

_BOUNDS: dict[Bound, str] = {
    "about": r"about|around|approximately|approx\.?|roughly|circa|ca?\.|some|close\sto|~|≈",
    "over": r"over|more\sthan|above|exceeding|greater\sthan|higher\sthan|>",
    "under": r"under|less\sthan|below|fewer\sthan|lower\sthan|nearly|almost|just\sunder|<",
    "at least": r"at\sleast|no\sless\sthan|not\sless\sthan|a\sminimum\sof|≥",
    "at most": r"at\smost|up\sto|no\smore\sthan|not\smore\sthan|a\smaximum\sof|≤",
}
_FALLS = (
    r"(?:fell|falls?|fallen|falling|dropp?(?:s|ed|ing)?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|shrank|shrunk|sank|"
    r"slid|slipped|plunged|plummeted|reduc(?:e[sd]?|ing)|down|lowered)(?:\sby)?\s|"
    r"(?:fall|drop|decline|decrease|reduction|loss|dip|slump|cut)\sof\s"
)
_BOUND = "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in _BOUNDS.items())
# Searched in a few words before a number, so the pattern may begin with anything and is still fast.
_BEFORE = re.compile(
    rf"(?:(?<![^\W_])(?P<falls>{_FALLS}))?"
    rf"(?:(?<![^\W_])(?:{_BOUND})\s?)?"
    rf"(?:(?<![^\W_])(?P<minus>minus|negative)\s|(?<![\w)%])(?<!\d\s)(?P<sign>[-−–+]))?"
    rf"(?:(?<![^\W_])(?P<currency>(?-i:{CURRENCY_BEFORE}))\s?)?(?P<inner>[-−])?\Z",
    re.IGNORECASE,
)
_WINDOW = 48
_TURNED: dict[Bound, Bound] = {"over": "under", "under": "over", "at least": "at most", "at most": "at least"}
_AFTER = re.compile(
    r"[\s-](?:(?P<falls>drop|decline|decrease|reduction|fall|loss|dip|slump|lower|fewer|less|below\szero)"
    r"|or\s(?P<more>more|above|higher)|or\s(?P<fewer>less|fewer|below|lower))(?![^\W_])",
    re.IGNORECASE,
)
_LONG_NUMBERS = re.compile(r"\d{4,}[-–]\d{4,}")
_RATING = re.compile(r"(\d{1,3})/(5|10|100)")


class _Context(NamedTuple):
    start: int
    negative: bool
    falls: bool
    bound: Bound
    currency: str


def find_numbers(text: str, taken: bytearray) -> Iterator[Mention]:
    """Every number in a text with its unit, and as names what is written with digits and is no number.

    Places marked in `taken` (those of dates) are left alone.
    """
    words: Iterator[Numeral | re.Match[str]] = numerals_in_words(text)
    index = 0
    for found in merge(words, fraction_signs(text), tokens_with_digits(text), key=_start):
        if _start(found) < index or taken[_start(found)]:
            continue
        if isinstance(found, Numeral):
            mentions = _quantities(text, found, index)
        else:
            mentions = _read_token(text, found, index)
        for mention in mentions:
            index = max(index, mention.end)
            yield mention


def _start(found: Numeral | re.Match[str]) -> int:
    return found.start if isinstance(found, Numeral) else found.start()


def _read_token(text: str, token: re.Match[str], after: int) -> list[Mention]:
    """The readings of a token with digits: a quantity, a rating, a code."""
    code = Mention(name_of(token[0]), token.start(), token.end())
    rating = _RATING.fullmatch(token[0])
    if rating and int(rating[1]) <= int(rating[2]):
        score = Number(Fraction(int(rating[1])), out_of(rating[2]))
        return [Mention(score, token.start(), token.end()), code]
    numeral = numeral_in(text, token)
    if numeral is None:
        return [code]
    found = _quantities(text, numeral, after)
    rest = text[numeral.end : token.end()]
    measured = [mention for mention in found if mention.end > numeral.end]
    whole = [mention for mention in measured if mention.end >= token.end() or _goes_on(text, mention.end)]
    if numeral.high is not None and not rest and not any(_unit(mention) for mention in found):
        # Without a unit 2-3 may be a range and a score; 1046-8188 is a code.
        return [code] if _LONG_NUMBERS.fullmatch(token[0]) else [*found, code]
    if not rest or rest in ("'s", "’s"):
        return found
    return (found if _goes_on(text, numeral.end) else whole) or [code]


def _goes_on(text: str, index: int) -> bool:
    """Whether a small word follows after a hyphen, as in 12-page and 5-km-long."""
    return text[index] == "-" and text[index + 1].islower()


def _unit(mention: Mention) -> str:
    return mention.value.unit if isinstance(mention.value, Number) else ""


def _quantities(text: str, numeral: Numeral, after: int) -> list[Mention]:
    """Every reading of a numeral with its unit; what comes before `after` belongs to something else."""
    if numeral.ordinal:
        return [Mention(Number(numeral.value, "ordinal"), numeral.start, numeral.end)]
    contexts = _before(text, numeral.start, after)
    readings = with_scale(text, numeral)
    if contexts[0].currency:
        # Money comes in millions, not in metres.
        readings = readings[-1:]
    found = []
    for before, reading in product(contexts, readings):
        called = units_called(before.currency)
        names, end = (called, reading.end) if called else unit_at(text, reading.end)
        found += [_mention(text, reading, name, end, before) for name in names or ("",)]
    furthest = max(mention.end for mention in found)
    return [mention for mention in found if mention.end == furthest]


def _before(text: str, start: int, after: int) -> list[_Context]:
    """What the words before a numeral say about it."""
    found = _BEFORE.search(text, max(after, start - _WINDOW), start)
    assert found
    bound: Bound = next((name for name in _BOUNDS if found[name.replace(" ", "_")]), "")
    signs = [found["minus"], found["sign"] if found["sign"] != "+" else "", found["inner"]]
    currency = found["currency"] or ""
    context = _Context(found.start(), any(signs), bool(found["falls"]), bound, currency)
    # "Over 3 floors" may be more than three, and just three.
    index = bound and found[bound.replace(" ", "_")].lower() in ("over", "above", "under", "below")
    return [context, context._replace(bound="")] if index else [context]


def _mention(text: str, numeral: Numeral, unit: str, end: int, before: _Context) -> Mention:
    """A numeral with its unit and what stands before and after."""
    after = _AFTER.match(text, end)
    bound, falls = before.bound, before.falls
    if after:
        # Words such as "loss" tell a direction after a change only: "4% less", not "20 pounds less".
        tells = bool(after["falls"]) and (
            unit in ("percent", "percentage point") or after["falls"][0] in "bB"
        )
        falls = falls or tells
        bound = "at least" if after["more"] else "at most" if after["fewer"] else bound
        end = after.end() if tells or not after["falls"] else end
    if falls:
        # Who falls by more than 4 ends below -4.
        bound = _TURNED.get(bound, bound)
    value, high = numeral.value, numeral.high
    if before.negative or falls:
        value, high = -value if high is None else -high, None if high is None else -value
    step = max(numeral.step, _zeros(value)) if bound else numeral.step
    return Mention(Number(value, unit, step, bound, high), before.start, end)


def _zeros(value: Fraction) -> Fraction:
    """The place of the last digit that is no zero: 100 for 1500."""
    step = 1
    while value and value.denominator == 1 and value % (step * 10) == 0:
        step *= 10
    return Fraction(step)


_PARTS = ("length", "mass", "time", "calendar")
_GAPS_OF_PARTS = (" ", ", ", " and ", ", and ")
_BETWEEN = re.compile(r"(?<![^\W_])(between|from)\s\Z", re.IGNORECASE)
_JOIN_WINDOW = 9


def join_numbers(text: str, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The mentions, with the parts of one amount and the ends of one range as one; all readings are tried."""
    last: list[Mention] = []
    for _, readings in groupby(mentions, key=lambda mention: mention.start):
        group = list(readings)
        joined = [whole for a in last for b in group if (whole := _join(text, a, b))]
        if joined:
            last = joined
        else:
            yield from last
            last = group
    yield from last


def _join(text: str, first: Mention, second: Mention) -> Mention | None:
    """Two mentions as one, if they are parts of an amount or ends of a range."""
    a, b = first.value, second.value
    if not isinstance(a, Number) or not isinstance(b, Number) or a.high is not None or b.high is not None:
        return None
    gap = text[first.end : second.start] if second.start - first.end < 8 else ""
    if b.bound:
        return None
    if gap in _GAPS_OF_PARTS and _is_part(a, b):
        ratio = unit_of(a.unit).factor / unit_of(b.unit).factor
        whole = Number(a.value * ratio + b.value, b.unit, b.step, a.bound)
        return Mention(whole, first.start, second.end)
    before = _BETWEEN.search(text[max(0, first.start - _JOIN_WINDOW) : first.start])
    opening = before[1].lower() if before else ""
    is_range = (gap, opening) == (" and ", "between") or (gap in (" to ", " - ", " – ") and opening == "")
    if is_range and a.unit in ("", b.unit) and a.value < b.value and b.unit != "ordinal":
        # "2 to 3 million" is in millions on both sides.
        scale = b.step if b.step > 1 and a.step == 1 and a.value < b.step else 1
        whole = Number(a.value * scale, b.unit, min(a.step * scale, b.step), a.bound, b.value)
        return Mention(whole, first.start, second.end)
    return None


def _is_part(whole: Number, part: Number) -> bool:
    """Whether a number goes on with a smaller unit of the same kind, as minutes after hours."""
    large, small = unit_of(whole.unit), unit_of(part.unit)
    if large.dimension != small.dimension or large.dimension not in _PARTS or part.value < 0:
        return False
    return large.factor > part.value * small.factor and large.factor > small.factor and whole.step >= 1
