"""Opening hours of the data, by weekday, against what a text says of them.

`{"hours": {"Monday": "11:0-21:0", "Tuesday": "Closed"}}` and "open on Mondays from 11 AM to 9 PM".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Leaf, Structure
from factable.text.opening_hours import (
    AROUND_THE_CLOCK,
    DAY_MINUTES,
    DAYS,
    HoursClaim,
    Interval,
    days_of_key,
    hours_claims,
    parse_hours,
)
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.types import Span


class HoursStatement(NamedTuple):
    """What a text says of opening hours: on which days (0 is Monday), and whether the data says so.

    `leaves` are the leaves of the data that it is about, `note` has their hours.
    """

    leaves: tuple[int, ...]
    span: Span
    days: tuple[int, ...]
    says: str
    state: ClaimState
    note: str


def hours_statements(structure: Structure, text: str, sentence_spans: Sequence[Span]) -> list[HoursStatement]:
    """What the text says of opening hours, sentence by sentence."""
    schedules = _schedules(structure)
    if len(schedules) != 1:
        return []
    schedule = schedules[0]
    claims = [claim for sentence in sentence_spans for claim in hours_claims(text, sentence)]
    statements = [schedule.judge(claim) for claim in claims if not _is_told(structure, schedule, claim)]
    return [statement for statement in statements if statement is not None]


def _is_told(structure: Structure, schedule: "_Schedule", claim: HoursClaim) -> bool:
    """Whether free text in the data, and nothing else in it, says that it is open around the clock."""
    if schedule.unknown is None or claim.kind != "around the clock":
        return False
    return any(leaf.kind == "prose" and AROUND_THE_CLOCK.search(leaf.value) for leaf in structure.leaves)


@dataclass(frozen=True)
class _Schedule:
    """The hours of each day: an empty tuple if closed, None if they are not known or can be read in two ways.

    Each day has all readings of its hours: "5-9" may be in the morning or in the evening.
    """

    leaves: Mapping[int, Leaf]
    hours: Mapping[int, tuple[tuple[Interval, ...], ...] | None]
    unknown: Leaf | None = None

    def judge(self, claim: HoursClaim) -> HoursStatement | None:
        """Whether the hours of the data are as claimed; None if that cannot be told."""
        if self.unknown is not None:
            if claim.kind == "varies":
                return None
            unknown, note = (self.unknown.index,), "hours: not known"
            return HoursStatement(unknown, claim.span, claim.days, claim.kind, "unsupported", note)
        days = claim.days or tuple(self.hours)
        is_right, wrong = self._check(claim, days)
        if is_right is None:
            return None
        leaves = tuple(self.leaves[day].index for day in days if day in self.leaves)
        note = "" if is_right else "; ".join(map(self._note, wrong or days))
        state: ClaimState = "supported" if is_right else "contradicted"
        return HoursStatement(leaves, claim.span, tuple(days), claim.kind, state, note)

    def _check(self, claim: HoursClaim, days: Sequence[int]) -> tuple[bool | None, list[int]]:
        """Whether a claim is right, and the days for which it is not."""
        if claim.kind in ("longer", "shorter", "varies", "count"):
            return self._check_whole(claim, days), []
        answers = {day: self._is_right(claim, day) for day in days}
        known = [answer for answer in answers.values() if answer is not None]
        wrong = [day for day, answer in answers.items() if answer is False]
        if not known:
            return None, wrong
        if claim.is_spread and self._is_spread(claim):
            return True, wrong
        if claim.days and not claim.is_spread:
            return not wrong or (claim.is_loose and 2 * len(wrong) < len(known)), wrong
        return any(known), wrong

    def _check_whole(self, claim: HoursClaim, days: Sequence[int]) -> bool | None:
        if any(hours is None for hours in self.hours.values()):
            return None
        lengths = {day: _length(readings[0]) for day, readings in self.hours.items() if readings}
        if claim.kind == "count":
            return len([length for length in lengths.values() if length]) == claim.count
        if claim.kind == "varies":
            return len(set(self.hours.values())) > 1 or len(self.hours) < len(DAYS)
        inside = [lengths.get(day, 0) for day in days]
        outside = [length for day, length in lengths.items() if day not in days and length]
        if not outside:
            return None
        return max(inside) > min(outside) if claim.kind == "longer" else min(inside) < max(outside)

    def _is_spread(self, claim: HoursClaim) -> bool:
        """Whether two times are the first and the last of some: "closing between 4 and 8"."""
        intervals = [
            interval for readings in self.hours.values() for reading in readings or () for interval in reading
        ]
        starts = {interval.start % DAY_MINUTES for interval in intervals}
        ends = {interval.end % DAY_MINUTES for interval in intervals}
        return any(
            said.start % DAY_MINUTES in first and said.end % DAY_MINUTES in last
            for said in claim.ranges
            for first, last in ((starts, ends), (starts, starts), (ends, ends))
        )

    def _note(self, day: int) -> str:
        return f"{DAYS[day]}: {self.leaves[day].value if day in self.leaves else 'not listed'}"

    def _is_right(self, claim: HoursClaim, day: int) -> bool | None:
        if any(_is_whole_day([said]) for said in claim.ranges):
            return None
        readings = self.hours.get(day, ((),))
        if readings is None:
            return None
        return any(_fits(claim, reading) for reading in readings)


def _fits(claim: HoursClaim, hours: Sequence[Interval]) -> bool:
    """Whether the hours of one day are as claimed."""
    if claim.kind == "closed":
        return not hours
    if not hours or claim.kind == "open":
        return bool(hours)
    whole = Interval(hours[0].start, hours[-1].end)
    if claim.kind == "around the clock":
        return whole.end - whole.start >= DAY_MINUTES - 1
    if claim.kind == "opens":
        return any(_same_time(start, interval.start) for start in claim.starts for interval in hours)
    if claim.kind == "closes":
        return any(_same_time(end, interval.end) for end in claim.ends for interval in hours)
    return any(
        _same_time(said.start, interval.start) and _same_time(said.end, interval.end)
        for said in claim.ranges
        for interval in (*hours, whole)
    )


def _length(hours: Sequence[Interval]) -> int:
    return sum(end - start for start, end in hours)


def _same_time(first: int, second: int) -> bool:
    return first % DAY_MINUTES == second % DAY_MINUTES


def _schedules(structure: Structure) -> list[_Schedule]:
    """The hours in the data, by frame and by the object that they are in."""
    groups: dict[tuple[int, tuple[str, ...]], dict[int, Leaf]] = {}
    for leaf in structure.leaves:
        for day in days_of_key(leaf.keys[-1]):
            groups.setdefault((leaf.frame, leaf.keys[:-1]), {})[day] = leaf
    schedules = []
    for leaves in groups.values():
        hours = _read_hours(leaves)
        if hours is not None:
            schedules.append(_Schedule(leaves, hours))
    unknown = [leaf for leaf in structure.leaves if leaf.kind == "unknown" and _is_hours_key(leaf.keys[-1])]
    if not schedules and len(unknown) == 1:
        schedules.append(_Schedule({}, {}, unknown[0]))
    return schedules


_FULL_CLOCK = lazy_pattern(r"(?<![:.\d])(?:1[3-9]|2[0-4]|0\d)\b|\d\s*[ap]\.?m", re.IGNORECASE)


def _read_hours(leaves: Mapping[int, Leaf]) -> dict[int, tuple[tuple[Interval, ...], ...] | None] | None:
    """The hours of each day in all readings; None if a value is no hours."""
    hours: dict[int, tuple[tuple[Interval, ...], ...] | None] = {}
    values = {day: leaf.value for day, leaf in leaves.items() if leaf.kind != "unknown"}
    # In a week without any hour after noon, "11:30-2:30" is on a clock of twelve hours.
    is_half_clock = not any(_FULL_CLOCK.search(value) for value in values.values())
    for day, leaf in leaves.items():
        if leaf.kind == "unknown":
            hours[day] = None
            continue
        readings = parse_hours(leaf.value)
        if readings is None:
            return None
        hours[day] = readings if is_half_clock else readings[:1]
    doubtful = [day for day, readings in hours.items() if readings and _is_whole_day(readings[0])]
    if 2 * len(doubtful) < len(hours):
        # Among days with other hours, "0:00-0:00" is how a closed day is written.
        hours |= {day: ((),) for day in doubtful if not AROUND_THE_CLOCK.search(leaves[day].value)}
    else:
        hours |= {day: None for day in doubtful if not AROUND_THE_CLOCK.search(leaves[day].value)}
    return hours


def _is_whole_day(hours: Sequence[Interval]) -> bool:
    return len(hours) == 1 and hours[0].start % DAY_MINUTES == hours[0].end % DAY_MINUTES == 0


def _is_hours_key(key: str) -> bool:
    words = split_identifier(key).lower().split()
    return words[-1:] == ["hours"] and words[:-1] in ([], ["opening"], ["business"], ["open"], ["working"])
