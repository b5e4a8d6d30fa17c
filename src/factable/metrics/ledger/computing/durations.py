"""The time between two moments of the data: a start and an end, two dates of a column."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from factable.metrics.ledger.matching import Matcher
from factable.structure import Leaf
from factable.text.values import Date, Time

# More moments than these are not paired with each other.
MAX_MOMENTS = 14
_TIME_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "night": 86400}
_CALENDAR_UNITS = {"month": Fraction(2629746), "year": Fraction(31556952)}


class Moment(NamedTuple):
    """A date, a year, a time of day, or a date and time, in seconds."""

    seconds: Fraction
    kind: str


class Duration(NamedTuple):
    """A time in the unit asked for, the leaves that it lies between, and how it is computed."""

    value: Fraction
    leaves: tuple[int, ...]
    explanation: str


def durations(matcher: Matcher, unit: str) -> Iterator[tuple[int | None, list[Duration]]]:
    """The times between moments of one object, each with its frame, then of one column.

    Nothing for what is no unit of time.
    """
    seconds = Fraction(_TIME_UNITS.get(unit, 0)) or _CALENDAR_UNITS.get(unit)
    if not seconds:
        return
    known = moments_of(matcher)
    for frame, leaves in _groups(matcher, known):
        moments = [(leaf, known[leaf.index]) for leaf in leaves if leaf.index in known]
        if 1 < len(moments) <= MAX_MOMENTS:
            yield (
                frame,
                [
                    Duration(value, (first.index, second.index), f"{second.value} − {first.value}")
                    for (first, start), (second, end) in combinations(moments, 2)
                    for value in _between(start, end, seconds)
                ],
            )


def _groups(matcher: Matcher, known: Mapping[int, Moment]) -> Iterator[tuple[int | None, Sequence[Leaf]]]:
    """Leaves whose moments may be compared: those of one frame, with those of the whole, or of one column."""
    structure = matcher.structure
    of_frame: dict[int, list[Leaf]] = defaultdict(list)
    for leaf in structure.leaves:
        if leaf.index in known:
            of_frame[leaf.frame].append(leaf)
    whole = [frame.index for frame in structure.frames if frame.parent is None and frame.path == ""]
    around = [leaf for frame in whole for leaf in of_frame[frame]]
    for frame in structure.frames:
        own = of_frame[frame.index]
        yield frame.index, own
        if own and around and frame.index not in whole:
            # A tide against the sunset of its day.
            yield frame.index, [*around, *own]
    yield from ((None, leaves) for leaves in structure.columns.values())


def moments_of(matcher: Matcher) -> dict[int, Moment]:
    """The leaves that are moments."""
    moments = {}
    for leaf in matcher.structure.leaves:
        moment = _moment_of(leaf.value, matcher.index.readings[leaf.index])
        if moment is not None:
            moments[leaf.index] = moment
    return moments


def _moment_of(text: str, readings: Sequence[object]) -> Moment | None:
    if (len(text) > 15 and "T" in text) or " " in text.strip():
        try:
            parsed = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        except ValueError:
            parsed = None
        if parsed is not None:
            offset = parsed.utcoffset()
            base = (
                parsed.replace(tzinfo=None) - datetime(1900, 1, 1) - (offset or datetime.min - datetime.min)
            )
            return Moment(Fraction(int(base.total_seconds())), "both")
    for value in readings:
        if isinstance(value, Date) and value.year and value.month and value.day and value.time is None:
            day = datetime(value.year, value.month, value.day) - datetime(1900, 1, 1)
            return Moment(Fraction(day.days * 86400), "day")
        if isinstance(value, Date) and value.year and not value.month and value.years == 1:
            return Moment(value.year * _CALENDAR_UNITS["year"], "year")
        if isinstance(value, Time) and value.end is None:
            return Moment(Fraction(value.start * 60), "time")
    return None


def _between(start: Moment, end: Moment, unit: Fraction) -> Iterator[Fraction]:
    """The time between two moments of one kind, in a unit; times of day may be of two days."""
    if start.kind != end.kind:
        return
    gap = abs(end.seconds - start.seconds)
    value = gap / unit
    if unit in _CALENDAR_UNITS.values():
        # Months differ in length.
        near = round(value)
        value = Fraction(near) if near and abs(value - near) * unit <= 3 * 86400 else value
    yield value
    if start.kind == "day" and unit == _TIME_UNITS["day"]:
        # A fair from the 15th to the 18th lasts four days.
        yield value + 1
    if start.kind == "time" and end.seconds < start.seconds:
        yield (86400 - gap) / unit
