"""Dates in a text: days, months, years, decades and centuries."""

import calendar
import re
from collections.abc import Iterator

from factable.text.values.kinds import Date, Mention

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

_SHORT = ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sept", "Sep", "Oct", "Nov", "Dec")
_MONTH_OF = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_OF |= {
    name.lower(): _MONTH_OF[full.lower()] for name in _SHORT for full in MONTHS if full.startswith(name)
}
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)})\.?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_ABOUT = r"(?P<about>(?:about|around|circa|approximately|roughly|c\.|ca\.)\s)?"
_FROM, _TO = r"(?<![\w/.–-])(?<!\d[,:])", r"(?![\w/]|[-–.,:]\d)"
# The longest first: of several patterns that match, the first that gives a valid date is used.
_WRITTEN = [
    re.compile(f"{_FROM}{_ABOUT}{pattern}{_TO}", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?:T00:00:00(?:\.0+)?Z?)?",
        rf"{_YEAR}(?P<mark>[/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)",
        rf"{_DAY}(?:\sof)?[\s-]{_MONTH}[,\s-]\s?{_YEAR}",
        rf"{_MONTH}[\s-](?:the\s)?{_DAY}(?:,\s?|\s|-|\sof\s|,\sin\s){_YEAR}",
        rf"{_MONTH}(?:,?\s|-|\sof\s){_YEAR}",
        rf"{_DAY}(?:\sof)?\s{_MONTH}",
        rf"{_MONTH}\s(?:the\s)?{_DAY}",
        r"(?P<decade>[12]\d\d)0(?:s|'s|’s)",
        r"(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-]century",
        r"(?-i:(?P<year>\d{1,4})\s(?P<era>BCE|BC|AD|CE)|AD\s(?P<late>\d{1,4}))",
    )
]
# Day and month, or month and day: both if both are possible.
_NUMERIC = re.compile(rf"{_FROM}(\d\d?)([./-])(\d\d?)\2([12]\d{{3}}){_TO}")
_LONE_MONTH = re.compile(
    rf"(?<![^\W_])(?:in|since|until|during|by|last|next|every|each)\s({'|'.join(MONTHS)})"
    r"(?![^\W_]|,?\s\d|\sof\s\d)"
)
_YEAR_ALONE = re.compile(rf"{_FROM}{_ABOUT}(?P<year>1\d{{3}}|2[01]\d\d){_TO}")
_YEARS = re.compile(rf"{_FROM}(1\d{{3}}|2[01]\d\d)[-–](1\d{{3}}|2[01]\d\d)(?![\w/]|[-–.,:]\d)")
# Where a date can begin, so that the patterns are tried nowhere else.
_CANDIDATE = re.compile(
    rf"(?<![^\W_])(?:(?:about|around|circa|approximately|roughly|c\.|ca\.)\s)?(?:\d{{1,4}}(?!\d)|AD\s|(?:{_MONTH})(?![^\W_]))",
    re.IGNORECASE,
)


def find_dates(text: str) -> Iterator[Mention]:
    """Every date in a text; a span that may be two different days has two mentions."""
    end = 0
    for candidate in _CANDIDATE.finditer(text):
        if candidate.start() < end:
            continue
        for mention in _dates_at(text, candidate.start()):
            end = mention.end
            yield mention
    for month in _LONE_MONTH.finditer(text):
        yield Mention(Date(month=_MONTH_OF[month[1].lower()]), month.start(1), month.end())


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
    for pattern in _WRITTEN:
        match = pattern.match(text, start)
        date = _date(match) if match else None
        if match and date:
            return [Mention(date, start, match.end())]
    return []


def _date(match: re.Match[str]) -> Date | None:
    """The date of a match; None if there is no such day or the word is not a month."""
    parts = match.groupdict()
    about = bool(parts.get("about"))
    if parts.get("decade"):
        return Date(int(parts["decade"]) * 10, years=10, about=about)
    if parts.get("century"):
        return Date(int(parts["century"]) * 100 - 99, years=100, about=about)
    if "era" in parts:
        year = int(parts["year"] or parts["late"])
        return Date(-year if (parts["era"] or "").upper().startswith("B") else year, about=about)
    month, year_text, day = parts["month"], parts.get("year"), parts.get("day")
    # "may 5" and "march 5" are more often verbs.
    if month.lower() in ("may", "march", "mar") and month.islower() and not (year_text and day):
        return None
    number = int(month) if month.isdecimal() else _MONTH_OF[month.lower().removesuffix(".")]
    date = Date(int(year_text) if year_text else None, number, int(day) if day else None, about=about)
    return date if _exists(date) else None


def _exists(date: Date) -> bool:
    """Whether the calendar has such a day; without a year, 29 February exists."""
    if date.month is None or not 1 <= date.month <= 12:
        return date.month is None
    # A leap year, if no year is given.
    return date.day is None or 1 <= date.day <= calendar.monthrange(date.year or 2000, date.month)[1]
