"""Parts of one amount, and ends of one range, as one number: 5 feet 11 inches, between 3 and 4 days."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from factable.text.patterns import lazy_pattern
from factable.text.values.kinds import Mention, Number
from factable.text.values.units import unit_of

_SPLIT_DIMENSIONS = ("length", "mass", "time", "calendar")
_PART_GAPS = (" ", ", ", " and ", ", and ")
_BETWEEN = lazy_pattern(r"(?<![^\W_])(between|from|by)\s\Z", re.IGNORECASE)
_JOIN_WINDOW = 9
_ENDS_IN_PART = lazy_pattern(r"(?<![^\W_])(?:half|(?:third|quarter|fifth|eighth|tenth)s?)\Z", re.IGNORECASE)


def join_numbers(text: str, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The mentions, with the parts of one amount and the ends of one range joined; all meanings are tried."""
    last: list[Mention] = []
    for _, same_start in groupby(mentions, key=lambda mention: mention.start):
        group = list(same_start)
        joined = [mention for a in last for b in group if (mention := _join(text, a, b))]
        if joined:
            last = joined
        else:
            yield from last
            last = group
    yield from last


def _join(text: str, first: Mention, second: Mention) -> Mention | None:
    """Two mentions as one if they are parts of an amount or ends of a range, else None."""
    a, b = first.value, second.value
    if not isinstance(a, Number) or not isinstance(b, Number) or a.high is not None or b.high is not None:
        return None
    gap = text[first.end : second.start] if second.start - first.end < 8 else ""
    if b.bound:
        return None
    if gap in _PART_GAPS and _is_part(a, b):
        ratio = unit_of(a.unit).factor / unit_of(b.unit).factor
        amount = Number(a.value * ratio + b.value, b.unit, b.step, a.bound)
        return Mention(amount, first.start, second.end)
    before = _BETWEEN.search(text[max(0, first.start - _JOIN_WINDOW) : first.start])
    opening = before[1].lower() if before else ""
    is_range = (gap, opening) == (" and ", "between") or (gap in (" to ", " - ", " – ") and opening == "")
    if b.value >= 1 and _ENDS_IN_PART.search(text, first.start, first.end):
        # "Fell by a fifth to 212"
        return None
    if is_range and a.unit in ("", b.unit) and a.value < b.value and b.unit != "ordinal":
        # "2 to 3 million" is in millions on both sides.
        scale = b.step if b.step > 1 and a.step == 1 and a.value < b.step else 1
        joined = Number(a.value * scale, b.unit, min(a.step * scale, b.step), a.bound, b.value)
        return Mention(joined, first.start, second.end)
    return None


def _is_part(first: Number, second: Number) -> bool:
    """Whether an amount continues in a smaller unit of the same kind, as minutes after hours."""
    large, small = unit_of(first.unit), unit_of(second.unit)
    if large.dimension != small.dimension or large.dimension not in _SPLIT_DIMENSIONS or second.value < 0:
        return False
    return large.factor > second.value * small.factor and large.factor > small.factor and first.step >= 1
