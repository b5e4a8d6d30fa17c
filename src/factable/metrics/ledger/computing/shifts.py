"""A moment of the data and a span of time later: leaving at 07:25 with a delay of 35 minutes, 08:00."""

from datetime import datetime, timedelta

from factable.metrics.ledger.computing.durations import MAX_MOMENTS, moments_of
from factable.metrics.ledger.matching import Matcher
from factable.text.values import Date, Number, Time
from factable.text.values.units import unit_of

_SECONDS_A_DAY = 86400


def shifted_moment(matcher: Matcher, moment: Date | Time) -> tuple[tuple[int, ...], str] | None:
    """From which leaves a date or time follows, and how; None if no moment and span of the data give it."""
    moments = moments_of(matcher)
    spans = [
        (leaf.index, number)
        for leaf in matcher.structure.leaves
        if (number := matcher.index.number_of(leaf.index)) is not None
        and unit_of(number.unit).dimension in ("time", "calendar")
    ]
    if max(len(moments), len(spans)) > MAX_MOMENTS:
        return None
    for start, (seconds, kind) in moments.items():
        for span, number in spans:
            for sign in (1, -1):
                gap = _seconds(number)
                if kind == "year" or not gap or not _is_moment(moment, int(seconds + sign * gap), kind):
                    continue
                first, second = (matcher.structure.leaves[leaf] for leaf in (start, span))
                shown = f"{first.value} {'+' if sign > 0 else '−'} {second.label} {second.value}"
                return (start, span), shown
    return None


def _seconds(number: Number) -> int:
    unit = unit_of(number.unit)
    if unit.dimension == "time":
        return int(number.value * unit.factor)
    return int(number.value * {"week": 7, "day": 1}.get(number.unit, 0) * _SECONDS_A_DAY)


def _is_moment(said: Date | Time, seconds: int, kind: str) -> bool:
    try:
        at = datetime(1900, 1, 1) + timedelta(seconds=seconds)
    except OverflowError:
        return False
    if isinstance(said, Time):
        return kind != "day" and said.end is None and said.start == at.hour * 60 + at.minute
    if kind == "time" or not said.day:
        return False
    return (said.month, said.day) == (at.month, at.day) and said.year in (None, at.year)
