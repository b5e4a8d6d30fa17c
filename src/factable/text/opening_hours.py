"""Opening hours in words: weekdays and times of day in a sentence or a value, and what they say together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from factable.text.patterns import lazy_pattern
from factable.text.polarity import reported_from
from factable.text.templates import split_identifier
from factable.types import Span

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HoursKind = Literal[
    "open", "closed", "range", "opens", "closes", "around the clock", "longer", "shorter", "varies", "count"
]


class Interval(NamedTuple):
    """From when to when something is open, in minutes after midnight; the end may be on the next day."""

    start: int
    end: int


_DAY = (
    r"(?<!\w)(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?s?(?!\w|['’]s)"
    r"(?:(?<!day)(?<!days)\.)?"
)
_TO = r"[^\S\n]*(?:-|–|—|to|through|thru|until|till)[^\S\n]*"
_A_WEEK = r"days (?:a|per|of the) week"
_DAYS = lazy_pattern(
    rf"(?:between\s+)?(?P<first>{_DAY}){_TO}(?P<last>{_DAY})|"
    rf"between\s+(?P<from>{_DAY})\s+and\s+(?P<till>{_DAY})|(?P<one>{_DAY})|"
    r"\b(?:(?P<all>daily|every single day|(?:every ?|each |all )days?(?: of the week)?|all week(?: long)?|"
    rf"(?:all )?(?:seven|7) {_A_WEEK})|(?P<six>(?:six|6) {_A_WEEK})|(?P<five>(?:five|5) {_A_WEEK})|"
    r"(?P<weekdays>weekdays?|during the week)|(?P<weekend>weekends?)|"
    r"(?P<rest>(?:the )?(?:rest|remainder) of the week|"
    r"(?:all |the |on )*(?:other|remaining) days(?: of the week)?))\b",
    re.IGNORECASE,
)
# Spaces inside a time, bounded: several that are not, one after the other, are slow.
_CLOCK = (
    r"(?:\d{1,2}(?:[:.]\d{1,2})?\s{0,9}(?:[ap]\.\s?m\.?|[ap]m\b)?|noon|midnight)"
    r"(?:\s{1,9}(?:noon|midnight|in the (?:morning|evening|afternoon)))?"
)
_RANGE = lazy_pattern(
    rf"(?:\b(?:from|between)\s+)?(?<![\w:.$-])(?P<start>{_CLOCK})\s{{0,9}}(?:-|–|—|to|until|till|through|and)\s{{0,9}}"
    rf"(?P<end>{_CLOCK})(?![\w%$:/]|\.\d)",
    re.IGNORECASE,
)
_UNTIL = lazy_pattern(
    r"\b(?:until|till|open to|(?<=\()to|clos(?:es?|ing)(?: (?:its|their) doors)?(?: at)?|up to)\s+"
    rf"(?:as late as )?(?P<end>{_CLOCK})(?![\w%$])",
    re.IGNORECASE,
)
_FROM = lazy_pattern(
    r"\b(?:opens? (?:its |their )?(?:doors )?(?:\w+ )?at|opening at|starting (?:at|from)|beginning at|from)"
    rf"\s+(?P<start>{_CLOCK})(?![\w%$])",
    re.IGNORECASE,
)
# "closing at 10 pm on weekdays and 11 pm on Saturdays": the second is a time of the same kind.
_BARE = lazy_pattern(
    r"(?:\band|\bbut|,|\()\s*(?:at\s+)?(?P<time>\d{1,2}(?:[:.]\d{1,2})?\s*[ap]\.?\s?m\b\.?)"
    r"(?=\s+(?:on|mon|tue|wed|thu|fri|sat|sun|week))",
    re.IGNORECASE,
)
_CLOSED = lazy_pattern(
    r"\b(?:closed|not open|isn['’]t open|does not (?:open|operate))\b"
    r"(?! for (?:lunch|dinner|breakfast|brunch))",
    re.IGNORECASE,
)
AROUND_THE_CLOCK = lazy_pattern(r"\b(?:24/7|24 hours(?: a day)?|around the clock|24-hours?)\b", re.IGNORECASE)
_EXCEPT = lazy_pattern(
    r"\b(?:except(?: for)?|excluding|but not|other than|apart from)(?: on)?\s*\Z", re.IGNORECASE
)
_TIME = lazy_pattern(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{1,2}))?\s*(?P<half>[ap])?", re.IGNORECASE)
_TOPIC = lazy_pattern(
    r"\b(?:open(?:s|ed|ing)?|clos(?:e|es|ed|ing)|hours?|operat(?:es?|ing|ion|ional)|business days|daily|24/7|"
    r"schedule|availab\w+ from|runs? from)\b",
    re.IGNORECASE,
)
# Hours of something else than the whole.
_OTHER_TOPIC = lazy_pattern(
    r"\b(?:happy hours?|visited|arrived|ordered|wait(?:ed|ing)?|kitchen|rush hours?|peak hours?|within|"
    r"\d+ hours? (?:before|in advance|wait|late)|(?:brunch|breakfast) (?:is|from)|check-?in|delivery)\b",
    re.IGNORECASE,
)
_MOSTLY = lazy_pattern(
    r"\b(?:most(?:ly)?|generally|typically|usually|normally|primarily|with (?:some|slight)|approximately)\b",
    re.IGNORECASE,
)
# Times of several days together: "closing between 4 and 8", "from 9 or 10".
_SPREAD = lazy_pattern(
    r"\b(?:var(?:y|ies|ying)|rang(?:e|es|ing)|until|till|clos(?:es?|ing)|open(?:s|ing))\b[^.;]{0,30}\Z",
    re.IGNORECASE,
)
_VARYING = lazy_pattern(r"\b(?:var(?:y|ies|ying)|rang(?:e|es|ing))\b[^.;]{0,30}\Z", re.IGNORECASE)
_OR_SO = lazy_pattern(r"\s+(?:or|and)\s+(?:later|earlier|\d)", re.IGNORECASE)
_PART_OF_DAY = lazy_pattern(r"\s+(?:morning|afternoon|evening|night|lunch|dinner)", re.IGNORECASE)
_LONGER = lazy_pattern(
    r"\b(?:(?P<longer>extended|longer|later)|(?P<shorter>shorter|reduced)) (?:\w+ )?hours "
    r"(?:on |during |for )?(?:the )?\Z",
    re.IGNORECASE,
)
_VARIES = lazy_pattern(
    r"\b(?:(?:varying|different|varied) (?:\w+ ){0,2}hours|hours (?:that )?(?:vary|varying|differ))\b",
    re.IGNORECASE,
)
DAY_MINUTES = 24 * 60
_HALF_DAY = 12 * 60


@dataclass(frozen=True)
class HoursClaim:
    """Something said of the hours of some days; without days, of all that there are.

    `is_spread` tells that the times are those of several days together ("closing between 4 and 8"),
    `is_loose` that there may be exceptions ("typically").
    """

    kind: HoursKind
    days: tuple[int, ...]
    span: Span
    starts: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()
    ranges: frozenset[Interval] = frozenset()
    is_spread: bool = False
    is_loose: bool = False
    count: int = 0


def days_of_key(key: str) -> tuple[int, ...]:
    """The days that a key names: `Monday`, `Mon-Fri`, `weekends`; none if it is another key."""
    words = split_identifier(key).strip()
    match = _DAYS.fullmatch(words) or _DAYS.fullmatch(key.strip()) or _DAYS.fullmatch("-".join(words.split()))
    return _days_of(match) if match else ()


def _days_of(match: re.Match[str]) -> tuple[int, ...]:
    first = match["first"] or match["from"]
    if first:
        start, stop = _day(first), _day(match["last"] or match["till"])
        return tuple((start + step) % 7 for step in range((stop - start) % 7 + 1))
    if match["one"]:
        return (_day(match["one"]),)
    if match["weekdays"]:
        return tuple(range(5))
    if match["weekend"]:
        return 5, 6
    return tuple(range(7)) if match["all"] else ()


def _day(name: str) -> int:
    return next(index for index, day in enumerate(DAYS) if day[:3].lower() == name[:3].lower())


def parse_hours(value: str) -> tuple[tuple[Interval, ...], ...] | None:
    """All readings of a value such as "11:0-14:0, 17:0-21:0"; no intervals if closed, None if no hours."""
    if AROUND_THE_CLOCK.search(value):
        return ((Interval(0, DAY_MINUTES),),)
    if re.fullmatch(r"\W*(?:closed|off|none|no)\W*", value, re.IGNORECASE):
        return ((),)
    matches = list(_RANGE.finditer(value))
    if not matches or re.search(r"\d|[a-z]{5,}", _RANGE.sub("", value), re.IGNORECASE):
        return None
    if len(matches) == 1:
        return tuple((reading,) for reading in _readings(matches[0]))
    return (tuple(_readings(match)[0] for match in matches),)


def _minutes(said: str) -> tuple[int, bool]:
    """A time of day in minutes, and whether it is clear which half of the day is meant."""
    lower = said.lower()
    if "midnight" in lower:
        return DAY_MINUTES, True
    if "noon" in lower and "afternoon" not in lower:
        return _HALF_DAY, True
    match = _TIME.match(lower)
    assert match is not None
    minutes = int(match["hour"]) * 60 + int(match["minute"] or 0)
    half = match["half"] or (
        "p" if re.search("evening|afternoon", lower) else "a" if "morning" in lower else None
    )
    if half:
        if match["hour"] == "12":
            minutes -= _HALF_DAY
        return minutes + (_HALF_DAY if half == "p" and minutes < _HALF_DAY else 0), True
    # "17:00" and "09:00" can only be read in one way, "5" and "9:30" in two.
    return minutes, int(match["hour"]) > 12 or match["hour"].startswith("0")


def _readings(match: re.Match[str]) -> list[Interval]:
    """All that a range of times can mean: "5 to 9" is in the morning or in the evening."""
    start, start_clear = _minutes(match["start"])
    end, end_clear = _minutes(match["end"])
    if max(start, end) >= 13 * 60 and not re.search(r"\d\s*[ap]\.?\s?m", match[0], re.IGNORECASE):
        start_clear = end_clear = True
    starts = [start] if start_clear else [start, (start + _HALF_DAY) % DAY_MINUTES]
    ends = [end] if end_clear else [end, (end + _HALF_DAY) % DAY_MINUTES]
    return [
        Interval(first, last + DAY_MINUTES if last < first else last) for first in starts for last in ends
    ]


_MarkKind = Literal["days", "closed", "around the clock", "range", "opens", "closes"]


class _Mark(NamedTuple):
    """A piece of a sentence about hours: days, or a time, or "closed"."""

    kind: _MarkKind
    start: int
    end: int
    match: re.Match[str]


_OPENS_OR_CLOSES = lazy_pattern(r"\b(?:clos|until|till|open|start)", re.IGNORECASE)


_PATTERNS: Mapping[_MarkKind, re.Pattern[str]] = {
    "around the clock": AROUND_THE_CLOCK,
    "days": _DAYS,
    "range": _RANGE,
    "closes": _UNTIL,
    "opens": _FROM,
    "closed": _CLOSED,
}


def _marks(text: str, sentence: Span) -> list[_Mark]:
    marks: list[_Mark] = []

    def is_free(match: re.Match[str]) -> bool:
        return not any(mark.start < match.end() and match.start() < mark.end for mark in marks)

    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(text, *sentence):
            if is_free(match) and (kind not in ("range", "closes", "opens") or _is_time(match)):
                marks.append(_Mark(kind, match.start(), match.end(), match))
    for match in _BARE.finditer(text, *sentence):
        told = _OPENS_OR_CLOSES.findall(text, sentence[0], match.start())
        has_times = any(mark.end <= match.start() and mark.kind in ("closes", "opens") for mark in marks)
        if has_times and is_free(match):
            is_closing = bool(told) and told[-1].lower() in ("clos", "until", "till")
            kind = "closes" if is_closing else "opens"
            marks.append(_Mark(kind, match.start("time"), match.end(), match))
    return sorted(marks, key=lambda mark: mark.start)


def _is_time(match: re.Match[str]) -> bool:
    """Whether numbers are times of day: one has am or pm, or minutes, or "open" is right before them."""
    said = match[0].lower()
    if any(int(hour) > 24 for hour in re.findall(r"(?<![:.\d])\d+", said)):
        return False
    if re.search(r"\d\s*[ap]\.?\s?m|\d:\d|noon|midnight", said):
        return True
    return bool(_BEFORE_HOURS.search(match.string[max(0, match.start() - 40) : match.start()]))


_BEFORE_HOURS = lazy_pattern(r"\b(?:open|opens|hours|daily|operates)\b[^.]{0,20}\Z", re.IGNORECASE)


class _Group(NamedTuple):
    """Days that are told of together."""

    days: tuple[int, ...]
    start: int
    end: int
    number: int = 0
    is_exception: bool = False


_LISTING = lazy_pattern(r"(?:,|&|/|and|or|on|[^\S\n])*", re.IGNORECASE)


def hours_claims(text: str, sentence: Span) -> Iterator[HoursClaim]:
    """What a sentence says of hours: each time with the days that it goes with, and days alone as open."""
    said = text[slice(*sentence)]
    if not _TOPIC.search(said) or _OTHER_TOPIC.search(said):
        return
    is_loose = bool(_MOSTLY.search(said))
    sentence = sentence[0], reported_from(text, sentence)
    items = _group_days(text, _marks(text, sentence))
    used: set[int] = set()
    found: list[HoursClaim] = []
    for index, item in enumerate(items):
        if isinstance(item, _Group):
            continue
        partner = _partner(text, items, index, used)
        if partner is not None:
            used.add(partner)
        group = items[partner] if partner is not None else None
        assert group is None or isinstance(group, _Group)
        claim = _claim(item, group, text)
        if claim is not None:
            found.append(claim)
    for index, item in enumerate(items):
        if isinstance(item, _Group) and index not in used:
            claim = _claim_of_days(text, sentence, item)
            if claim is not None:
                found.append(claim)
    varies = _VARIES.search(text, *sentence)
    if varies:
        found.append(HoursClaim("varies", (), varies.span()))
    # What is said of single days goes before what is said of all: "daily from 9 to 5, until 3 on Sundays".
    for claim in found:
        narrower = {
            day
            for other in found
            if len(other.days) < len(claim.days) and other.kind != "open"
            for day in other.days
        }
        days = tuple(day for day in claim.days if day not in narrower) if claim.kind != "open" else claim.days
        if days or not claim.days:
            yield replace(claim, days=days, is_loose=is_loose)


def _claim_of_days(text: str, sentence: Span, group: _Group) -> HoursClaim | None:
    """What is said of days without a time: that they are days of opening, or have longer hours."""
    before = text[sentence[0] : group.start]
    span = group.start, group.end
    if group.number:
        return HoursClaim("count", (), span, count=group.number)
    compared = _LONGER.search(before)
    if compared and group.days:
        return HoursClaim(
            "longer" if compared["longer"] else "shorter",
            group.days,
            (sentence[0] + compared.start(), group.end),
        )
    if group.days and _OPENING.search(before) and not _HOURS_OF.search(before) and not _EXCEPT.search(before):
        return HoursClaim("open", group.days, span)
    return None


def _group_days(text: str, marks: Sequence[_Mark]) -> list[_Group | _Mark]:
    """Marks, with days that stand in a list joined, and exceptions taken out."""
    items: list[_Group | _Mark] = []
    seen: set[int] = set()
    for mark in marks:
        if mark.kind != "days":
            items.append(mark)
            continue
        # Of mornings and evenings the data says nothing by itself.
        days = () if _PART_OF_DAY.match(text, mark.end) else _days_of(mark.match)
        if mark.match["six"] or mark.match["five"]:
            items.append(_Group((), mark.start, mark.end, 6 if mark.match["six"] else 5))
            continue
        if mark.match["rest"]:
            days = tuple(day for day in range(7) if day not in seen)
        last = items[-1] if items else None
        if isinstance(last, _Group):
            gap = text[last.end : mark.start]
            if _EXCEPT.search(gap):
                kept = tuple(day for day in last.days if day not in days)
                items[-1] = _Group(kept, last.start, mark.end)
                items.append(_Group(days, mark.start, mark.end, is_exception=True))
                seen |= set(days)
                continue
            if _LISTING.fullmatch(gap):
                items[-1] = _Group(tuple(dict.fromkeys([*last.days, *days])), last.start, mark.end)
                seen |= set(days)
                continue
        elif last is not None and _EXCEPT.search(text[last.end : mark.start]):
            _take_out(items, days)
            items.append(_Group(days, mark.start, mark.end, is_exception=True))
            continue
        seen |= set(days)
        items.append(_Group(days, mark.start, mark.end))
    return items


def _take_out(items: list[_Group | _Mark], days: Sequence[int]) -> None:
    """Take exceptions out of the days told before."""
    for index, item in enumerate(items):
        if isinstance(item, _Group):
            items[index] = item._replace(days=tuple(day for day in item.days if day not in days))


_TIGHT = lazy_pattern(r"[^\S\n]*(?:on|from|every|for|each|\()?[^\S\n]*(?:the\s+)?", re.IGNORECASE)


def _is_tight(text: str, end: int, group: _Group | _Mark) -> bool:
    """Whether days stand right after a time; in brackets, alone: not as in "9 to 5 (Friday until 4)"."""
    gap = text[end : group.start]
    return bool(_TIGHT.fullmatch(gap)) and ("(" not in gap or text[group.end : group.end + 1] == ")")


def _is_aside(text: str, items: Sequence[_Group | _Mark], index: int) -> bool:
    """Whether the days before a time are exceptions to it: "daily except Mondays from 9 to 5"."""
    group, item = items[index - 1], items[index]
    if not isinstance(group, _Group) or not group.is_exception:
        return False
    return not re.match(r"\W*(?:when|where|which|closed)\b", text[group.end : item.end], re.IGNORECASE)


_TIGHT_BEFORE = lazy_pattern(r"[^\S\n]*[,:(]*[^\S\n]*(?:from|at|until|between)?\s*", re.IGNORECASE)


def _partner(text: str, items: Sequence[_Group | _Mark], index: int, used: set[int]) -> int | None:
    """The days that a time goes with: those right after it, or those before it."""
    item = items[index]
    after = index + 1 if index + 1 < len(items) and isinstance(items[index + 1], _Group) else None
    before = index - 1 if index and isinstance(items[index - 1], _Group) else None
    if before is not None and _is_aside(text, items, index):
        before = before - 1 if before and isinstance(items[before - 1], _Group) else None
    if after is not None and _is_tight(text, item.end, items[after]):
        is_tight_before = before is not None and _TIGHT_BEFORE.fullmatch(text[items[before].end : item.start])
        is_last = after + 1 == len(items) or isinstance(items[after + 1], _Group)
        if before is None or before in used or is_last or not is_tight_before or not _is_day_first(items):
            return after
    if before is not None:
        # "Monday from 11 to 2 and 5 to 9": both are of the same days.
        return before
    if index and not isinstance(items[index - 1], _Group):
        pairs = [place for place in range(index) if isinstance(items[place], _Group)]
        if pairs and not after:
            return pairs[-1]
    # Days that follow at a distance belong to a time that has none before it.
    return None if any(isinstance(each, _Group) for each in items[:index]) else after


def _is_day_first(items: Sequence[_Group | _Mark]) -> bool:
    first = items[0]
    return isinstance(first, _Group) and len(first.days) < 7


def _claim(mark: _Mark, group: _Group | None, text: str) -> HoursClaim | None:
    if group is not None and not group.days:
        return None
    days = group.days if group else ()
    span = (min(mark.start, group.start), max(mark.end, group.end)) if group else (mark.start, mark.end)
    before = text[max(0, mark.start - 60) : mark.start]
    is_varying = bool(_VARYING.search(before))
    is_spread = bool(_SPREAD.search(before))
    if mark.kind == "closed":
        return HoursClaim("closed", days, span) if days else None
    if mark.kind == "around the clock":
        return HoursClaim("around the clock", days, span)
    if mark.kind == "range":
        is_spread = is_varying if mark.match[0].lower().startswith("from") else is_spread
        return HoursClaim("range", days, span, ranges=frozenset(_readings(mark.match)), is_spread=is_spread)
    name = "time" if "time" in mark.match.re.groupindex else "start" if mark.kind == "opens" else "end"
    minutes, is_clear = _minutes(mark.match[name])
    times = frozenset([minutes] if is_clear else [minutes, minutes + _HALF_DAY])
    is_spread = is_varying or bool(_OR_SO.match(text, mark.end))
    if mark.kind == "opens":
        # "varying from 6 PM on Sundays to 8 PM on Fridays" is no time of opening.
        if is_varying:
            return None
        return HoursClaim("opens", days, span, starts=times, is_spread=is_spread)
    return HoursClaim("closes", days, span, ends=times, is_spread=is_spread)


_OPENING = lazy_pattern(
    r"\b(?:open|opens|operates?|operating|operation|operational|hours (?:are|run))\b[^;.()]{0,30}\Z",
    re.IGNORECASE,
)
_HOURS_OF = lazy_pattern(r"\bhours (?:on |for |during )?(?:the )?\Z", re.IGNORECASE)
