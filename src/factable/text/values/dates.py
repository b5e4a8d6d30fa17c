"""Dates in a text: days, months, years, decades and centuries."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import replace

from factable.text.patterns import lazy_pattern
from factable.text.values.kinds import Date, Mention, Time

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_NTH = ("first", "second", "third", "fourth", "1st", "2nd", "3rd", "4th")
_SHORT = ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sept", "Sep", "Oct", "Nov", "Dec")
_MONTH_OF = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_OF |= {
    name.lower(): _MONTH_OF[full.lower()] for name in _SHORT for full in MONTHS if full.startswith(name)
}
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)})\.?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_ABOUT = r"(?P<about>(?:about|around|circa|approximately|roughly|c\.|ca\.)\s)?"
_ISO_TIME = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d(?:\.\d{1,9})?)?(?P<zone>Z|[+-]\d\d:?\d\d)?"
_FROM, _TO = r"(?<![\w/.–-])(?<!\d[,:])", r"(?![\w/]|[-–.,:]\d)"
# The longest first: of several patterns that match, the first that gives a valid date is used.
_WRITTEN = [
    lazy_pattern(f"{_FROM}{_ABOUT}{pattern}{_TO}", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?:T00:00:00(?:\.0+)?Z?)?",
        rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)T{_ISO_TIME}",
        rf"{_YEAR}(?P<mark>[/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)",
        rf"{_YEAR},\s{_MONTH}(?:\s{_DAY})?",
        rf"{_DAY}(?:\sof)?[\s-]{_MONTH}[,\s-]\s?{_YEAR}",
        rf"{_MONTH}[\s-](?:the\s)?{_DAY}(?:,\s?|\s|-|\sof\s|,\sin\s){_YEAR}",
        rf"{_MONTH}(?:,?\s|-|\sof\s){_YEAR}",
        rf"{_DAY}(?:\sof)?\s{_MONTH}",
        rf"{_MONTH}\s(?:the\s)?{_DAY}",
        rf"(?:Q(?P<quarter>[1-4])|H(?P<half>[12]))(?:[\s/-]?\s?{_YEAR})?",
        rf"{_YEAR}[\s/-]?(?:Q(?P<quarter>[1-4])|H(?P<half>[12]))",
        rf"(?P<nth>{'|'.join(_NTH)})\s(?P<part>quarter|half)\sof\s(?:fiscal\s(?:year\s)?)?{_YEAR}",
        r"FY\s?(?P<year>20\d\d|\d\d)",
        r"(?P<decade>[12]\d\d)0(?:s|'s|’s)",
        r"(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-]century",
        r"(?-i:(?P<year>\d{1,4})\s(?P<era>BCE|BC|AD|CE)|AD\s(?P<late>\d{1,4}))",
    )
]
# Day and month, or month and day: both if both are possible.
_NUMERIC = lazy_pattern(rf"{_FROM}(\d\d?)([./-])(\d\d?)\2([12]\d{{3}}){_TO}")
_LONE_MONTH = lazy_pattern(
    rf"(?<![^\W_])(?:(?:in|since|until|during|by|last|next|every|each)\s({'|'.join(MONTHS)})"
    rf"(?![^\W_]|,?\s\d|\sof\s\d)|[Tt]he\s({'|'.join(MONTHS)})\s(?=[a-z]{{4}}))"
)
_YEAR_ALONE = lazy_pattern(rf"{_FROM}{_ABOUT}(?P<year>1\d{{3}}|2[01]\d\d){_TO}")
_YEARS = lazy_pattern(rf"{_FROM}(1\d{{3}}|2[01]\d\d)[-–](1\d{{3}}|2[01]\d\d)(?![\w/]|[-–.,:]\d)")
# Where a date can begin, so that the patterns are tried nowhere else.
_CANDIDATE = lazy_pattern(
    rf"(?<![^\W_])(?:(?:about|around|circa|approximately|roughly|c\.|ca\.)\s)?(?:\d{{1,4}}(?!\d)|AD\s|FY\s?\d|[QH][1-4](?!\d)"
    rf"|(?:first|second|third|fourth)\s(?:quarter|half)\sof|(?:{_MONTH})(?![^\W_]))",
    re.IGNORECASE,
)


_RANGE_GAP = r"\s?(?:[-–—]|to|and|until|through)\s?"
_DAYS_OF_MONTH = lazy_pattern(
    rf"{_FROM}{_DAY}{_RANGE_GAP}(?P<last>\d{{1,2}})(?:st|nd|rd|th)?(?:\sof)?\s{_MONTH}(?:,?\s{_YEAR})?{_TO}",
    re.IGNORECASE,
)
_MONTH_DAYS = lazy_pattern(
    rf"{_FROM}{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_RANGE_GAP}(?P<last>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:(?:,\s?|\s){_YEAR})?(?![^\W_]|[/.:]\d)",
    re.IGNORECASE,
)
_GAP = lazy_pattern(_RANGE_GAP, re.IGNORECASE)


def find_dates(text: str) -> Iterator[Mention]:
    """Every date in a text; a span that may be two different days has two mentions.

    The first of two dates has the month and the year of the second if it has none: 12–15 May 2026.
    """
    last: Mention | None = None
    for mention in _find_dates(text):
        date = mention.value
        if last and isinstance(last.value, Date) and isinstance(date, Date):
            until = mention.start - last.end < 10 and _GAP.fullmatch(text, last.end, mention.start)
            if until and last.value.year is None and last.value.day and date.day:
                last = last._replace(value=replace(last.value, year=date.year))
            yield last
        elif last:
            yield last
        last = mention
    if last:
        yield last


def _find_dates(text: str) -> Iterator[Mention]:
    end = 0
    for candidate in _CANDIDATE.finditer(text):
        if candidate.start() < end:
            continue
        for mention in _dates_at(text, candidate.start()):
            end = mention.end
            yield mention
    for month in _LONE_MONTH.finditer(text):
        group = 1 if month[1] else 2
        yield Mention(Date(month=_MONTH_OF[month[group].lower()]), month.start(group), month.end(group))


def find_years(text: str, excluded: bytearray) -> Iterator[Mention]:
    """Numbers of four digits that can be years, except at characters marked in `excluded`."""
    for span in _YEARS.finditer(text):
        if not excluded[span.start()] and span[1] < span[2]:
            yield Mention(Date(int(span[1])), span.start(1), span.end(1))
            yield Mention(Date(int(span[2])), span.start(2), span.end(2))
    for match in _YEAR_ALONE.finditer(text):
        if not excluded[match.start("year")]:
            yield Mention(Date(int(match["year"]), about=bool(match["about"])), match.start(), match.end())


def _dates_at(text: str, start: int) -> list[Mention]:
    numeric = _NUMERIC.match(text, start)
    if numeric:
        first, last, year = int(numeric[1]), int(numeric[3]), int(numeric[4])
        days = {Date(year, month, day): None for day, month in ((first, last), (last, first))}
        return [Mention(date, start, numeric.end()) for date in days if _exists(date)]
    span = _DAYS_OF_MONTH.match(text, start) or _MONTH_DAYS.match(text, start)
    if span and (first_and_last := _two_days(span)):
        return first_and_last
    for pattern in _WRITTEN:
        match = pattern.match(text, start)
        date = _date(match) if match else None
        if match and date:
            return [Mention(date, start, match.end())]
    return []


def _two_days(match: re.Match[str]) -> list[Mention]:
    """The two days of "May 12–15, 2026" or "12 to 15 May 2026"; none if the second is not a later day."""
    first = _date(match)
    last = replace(first, day=int(match["last"])) if first else None
    if first is None or last is None or not (first.day or 0) < (last.day or 0) or not _exists(last):
        return []
    return [Mention(first, match.start(), match.end("day")), Mention(last, match.start("last"), match.end())]


def _date(match: re.Match[str]) -> Date | None:
    """The date of a match; None if there is no such day or the word is not a month."""
    parts = match.groupdict()
    about = bool(parts.get("about"))
    if parts.get("decade"):
        return Date(int(parts["decade"]) * 10, years=10, about=about)
    if parts.get("century"):
        return Date(int(parts["century"]) * 100 - 99, years=100, about=about)
    if {"quarter", "nth"} & parts.keys():
        return _part_of_year(parts, about=about)
    if "era" in parts:
        year = int(parts["year"] or parts["late"])
        return Date(-year if (parts["era"] or "").upper().startswith("B") else year, about=about)
    month, year_text, day = parts.get("month"), parts.get("year"), parts.get("day")
    if month is None:
        # FY24
        return Date(int(year_text or 0) + (2000 if len(year_text or "") == 2 else 0), about=about)
    # "may 5" and "march 5" are more often verbs.
    if month.lower() in ("may", "march", "mar") and month.islower() and not (year_text and day):
        return None
    number = int(month) if month.isdecimal() else _MONTH_OF[month.lower().removesuffix(".")]
    date = Date(int(year_text) if year_text else None, number, int(day) if day else None, about=about)
    return replace(date, time=_time(parts)) if _exists(date) else None


def _part_of_year(parts: dict[str, str | None], *, about: bool) -> Date | None:
    """A quarter or a half of a year."""
    year = int(parts["year"] or 0) or None
    if parts.get("nth"):
        number = _NTH.index((parts["nth"] or "").lower()) % 4
        quarter, half = (number, None) if parts["part"] == "quarter" else (None, number)
    else:
        quarter = int(parts["quarter"] or 0) - 1 if parts["quarter"] else None
        half = int(parts["half"] or 0) - 1 if parts["half"] else None
    if quarter is not None:
        return Date(year, quarter * 3 + 1, about=about, months=3)
    return Date(year, half * 6 + 1, about=about, months=6) if half is not None and half < 2 else None


def _time(parts: dict[str, str | None]) -> Time | None:
    """The time of an ISO timestamp."""
    hour, minute, zone = parts.get("hour"), parts.get("minute"), parts.get("zone")
    if hour is None or minute is None:
        return None
    return Time(int(hour) * 60 + int(minute), zone=None if zone is None else offset_minutes(zone))


def _exists(date: Date) -> bool:
    """Whether the calendar has such a day; without a year, 29 February exists."""
    if date.month is None or not 1 <= date.month <= 12:
        return date.month is None
    # A leap year, if no year is given.
    return date.day is None or 1 <= date.day <= calendar.monthrange(date.year or 2000, date.month)[1]


def offset_minutes(offset: str) -> int:
    """An offset such as Z, +02:00, +0530 or −5 in minutes."""
    if offset in ("Z", "z"):
        return 0
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    return (int(hours) * 60 + int(minutes)) * (1 if offset[0] == "+" else -1)
