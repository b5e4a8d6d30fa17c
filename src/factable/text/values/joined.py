"""Numbers that belong together: 1 hour and 25 minutes, between 20 and 25 km."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from factable.text.values.kinds import Mention, Number
from factable.text.values.units import unit_of

_PARTS = ("length", "mass", "time", "calendar")
_GAPS_OF_PARTS = (" ", ", ", " and ", ", and ")
_BETWEEN = re.compile(r"(?<![^\W_])(between|from)\s\Z", re.IGNORECASE)
_WINDOW = 9


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
    before = _BETWEEN.search(text[max(0, first.start - _WINDOW) : first.start])
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
