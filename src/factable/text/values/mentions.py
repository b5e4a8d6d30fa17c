"""The values that a text mentions, and the values that a text of the data may mean."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from factable.text.memo import cached_if_short
from factable.text.patterns import lazy_pattern
from factable.text.templates import clean_value
from factable.text.values.dates import WEEKDAYS, find_dates, find_years
from factable.text.values.hints import Hint, hint_of
from factable.text.values.joins import join_numbers
from factable.text.values.kinds import Boolean, Date, Mention, Name, NameList, Number, Time, Value
from factable.text.values.names import find_names, parse_name
from factable.text.values.numbers import find_numbers
from factable.text.values.times import clock_durations, exact_time, find_times, find_weekdays
from factable.text.values.units import unit_at, vaguer_unit


# What stands in one text is looked at by several rules and metrics, one after another.
@cached_if_short(1 << 10)
def find_mentions(text: str) -> tuple[Mention, ...]:
    """Numbers, dates, names and codes in a text, in order; an ambiguous span comes several times.

    Spans of numbers and dates do not overlap, except for years, which may be numbers, too.
    """
    text = _SPACED.sub(_joined_thousands, text)
    dates = list(find_dates(text))
    in_dates = _covered(text, dates)
    times = [mention for mention in find_times(text) if not any(in_dates[mention.start : mention.end])]
    timestamps = _timestamps(text, dates, times)
    dates += times
    numbers = list(join_numbers(text, find_numbers(text, _covered(text, dates))))
    # A number with a unit is not a year, nor is one with a comma.
    measures = [mention for mention in numbers if isinstance(mention.value, Number) and mention.value.unit]
    years = list(find_years(text, _covered(text, [*dates, *measures])))
    with_digits = [
        mention for mention in numbers if any(char.isdecimal() for char in text[mention.start : mention.end])
    ]
    in_words = {mention.start: mention.end for mention in numbers if isinstance(mention.value, Number)}
    names = [
        mention
        for mention in find_names(text, _covered(text, [*dates, *_no_codes(with_digits)]))
        if mention.end > in_words.get(mention.start, 0)
    ]
    weekdays, names = _weekdays_or_names(list(find_weekdays(text)), names)
    inside = _covered(text, names)
    numbers = [
        mention for mention in numbers if not (isinstance(mention.value, Name) and inside[mention.start])
    ]
    found = [*dates, *timestamps, *weekdays, *numbers, *years, *names]
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


_JOINS_TIME = frozenset((" ", ", ", " at ", " on ", ", at ", " from ", ", from "))


def _timestamps(text: str, dates: Iterable[Mention], times: Iterable[Mention]) -> list[Mention]:
    """A date and a time of day beside it, as one."""
    joined = []
    times = [mention for mention in times if isinstance(mention.value, Time)]
    for first, second in pairwise(sorted([*dates, *times], key=lambda mention: (mention.start, mention.end))):
        date, time = (
            (first.value, second.value) if isinstance(first.value, Date) else (second.value, first.value)
        )
        if not isinstance(date, Date) or not isinstance(time, Time) or date.day is None or date.time:
            continue
        if (
            second.start - first.end <= max(map(len, _JOINS_TIME))
            and text[first.end : second.start] in _JOINS_TIME
        ):
            joined.append(Mention(replace(date, time=time), first.start, second.end))
    return joined


def _weekdays_or_names(weekdays: list[Mention], names: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Weekdays, unless part of a longer name such as "Monday Night Football", and the other names."""
    by_name = {(name.start, name.end): name for name in names}
    starts = [name.start for name in names]
    kept, dropped = [], set()
    for days in weekdays:
        near = names[max(0, bisect_left(starts, days.start) - 1) : bisect_left(starts, days.end)]
        near = [name for name in near if name.end > days.start]
        if all(days.start <= name.start and name.end <= days.end for name in near):
            kept.append(days)
            dropped |= {(name.start, name.end) for name in near}
    return kept, [name for span, name in by_name.items() if span not in dropped]


# Thousands separated by plain spaces: 1 500 000, or 12 500 before a unit.
_SPACED = lazy_pattern(r"(?<![\w.,+])[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d{1,2})?(?![\d\w]|[.,]\d|\s\d)")


def _joined_thousands(match: re.Match[str]) -> str:
    """The number with spaces that no longer separate words; spans of the text stay as they are."""
    alone = (match.start(), match.end()) == (0, len(match.string))
    if alone or match[0].count(" ") > 1 or unit_at(match.string, match.end())[0]:
        return match[0].replace(" ", "\u00a0")
    return match[0]


def _no_codes(mentions: Iterable[Mention]) -> list[Mention]:
    """Without codes such as C-17, which may be part of a name."""
    return [mention for mention in mentions if isinstance(mention.value, Number)]


def _covered(text: str, mentions: Iterable[Mention]) -> bytearray:
    """A 1 for each character that belongs to a mention."""
    covered = bytearray(len(text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
    return covered


_BOOLEANS = dict.fromkeys(("yes", "true", "enabled", "✓", "✔", "✅"), True)
_BOOLEANS |= dict.fromkeys(("no", "false", "disabled", "✗", "✘", "❌"), False)
_WHEN = lazy_pattern(
    r"\b(?:date|dates|year|years of|season|born|died|birth|death|established|founded|opened|completed|aired|"
    r"built|since|released|selected|added|inaugurated|started|ended|begun|first flown|retired)\b",
    re.IGNORECASE,
)
_RANK = lazy_pattern(r"\b(?:rank|ranking|position|standing|seed|minute|round|lap|edition)\b", re.IGNORECASE)
_FALL = lazy_pattern(r"\b(?:drop|decline|decrease|reduction|fall|loss)\b", re.IGNORECASE)
# What a price is for: €9.99/month
_PER = lazy_pattern(r"(?<=\w)\s?(?:/|per\s)\s?[a-z]+\Z", re.IGNORECASE)
_SEPARATOR = lazy_pattern(r"\s*[;|]\s*|\s*,\s+(?:and\s+)?")
_AND_OTHERS = lazy_pattern(r"(?:and\s)?(?:others|more|etc\.?|so on)", re.IGNORECASE)
_AND = lazy_pattern(r"\s+and\s+")
# Each member is looked for in the whole text; what has more is read as one name.
_MAX_MEMBERS = 100


def parse_value(text: str, attribute: str = "") -> Value:
    """The likeliest value of a text in the data; the attribute may give a unit or mark a year."""
    return possible_values(text, attribute)[0]


# The same data occurs with the texts of many systems.
@cached_if_short(1 << 14)
def possible_values(text: str, attribute: str = "") -> tuple[Value, ...]:
    """Every value that a text in the data may mean, the likeliest first."""
    return apply_hint(text, hint_of(attribute, {}))


@cached_if_short(1 << 14)
def apply_hint(value: str, hint: Hint) -> tuple[Value, ...]:
    """Every value that a text in the data may mean under a hint, the likeliest first."""
    plain = clean_value(value)
    if plain.lower() in _BOOLEANS:
        return (Boolean(_BOOLEANS[plain.lower()]),)
    parts = _unit_in_parentheses(value.strip())
    measured = _numbers_and_dates(" ".join(parts)) if parts else []
    if parts and not measured:
        measured = [reading for part in parts for reading in _numbers_and_dates(part)]
    # `plain` has lost the special spaces that separate thousands.
    values = measured or _numbers_and_dates(plain) or _numbers_and_dates(value.strip())
    values = values or _numbers_and_dates(_PER.sub("", plain))
    values = [reading for each in values for reading in _with_hint(each, hint)]
    values = [*_clock_readings(plain, hint), *values]
    if _WHEN.search(hint.words):
        values = [*(_as_year(each) for each in values if _is_year(each)), *values]
        values.sort(key=lambda each: not isinstance(each, Date))
    if values and any(char.isdecimal() for char in plain):
        return tuple(dict.fromkeys(values))
    members = _members(plain)
    listing = [NameList(members)] if members else []
    return (*dict.fromkeys(values), *listing, parse_name(plain))


def _unit_in_parentheses(value: str) -> tuple[str, str] | None:
    """The two parts of "52.0"(minutes) or 41.9 (kilometres)."""
    amount, opening, rest = value.partition("(")
    unit, closing, beyond = rest.partition(")")
    amount = amount.rstrip().removeprefix('"').removesuffix('"')
    if not (opening and closing and unit) or beyond or set('()"') & {*amount} or "(" in unit:
        return None
    return (amount.strip(), unit.strip()) if any(map(str.isdecimal, amount)) else None


_ISO_RANGE = lazy_pattern(r"(?<=\d)/(?=\d{4}-\d\d)")
_PIECE = lazy_pattern(r"[^,;|()\[\]\n]+")


@cached_if_short(1 << 14)
def parts_of(value: str, attribute: str = "") -> tuple[Value, ...]:
    """Every value that a text in the data contains, beginning with those it may be as a whole.

    "50 MP, f/1.8 (wide)" contains 50 megapixels, the code f/1.8 and the name "wide".
    """
    whole = possible_values(value, attribute)
    plain = _ISO_RANGE.sub(" / ", " ".join(value.replace("_", " ").split()))
    numbers = [mention.value for mention in find_mentions(plain) if not isinstance(mention.value, Name)]
    numbers = [exact_time(part) if isinstance(part, Time) else part for part in numbers]
    names = [parse_name(piece) for piece in _PIECE.findall(plain) if any(map(str.isalpha, piece))]
    return tuple(dict.fromkeys([*whole, *numbers, *(name for name in names if name.words)]))


def _numbers_and_dates(text: str) -> list[Value]:
    """The numbers and dates that span a whole text."""
    mentions = [mention for mention in find_mentions(text) if (mention.start, mention.end) == (0, len(text))]
    values = [mention.value for mention in mentions if not isinstance(mention.value, Name)]
    values = [exact_time(value) if isinstance(value, Time) else value for value in values]
    return sorted(values, key=lambda value: not isinstance(value, Number))


_CLOCK = lazy_pattern(r"(\d{1,3}):(\d{1,2})")
_BARE_HOURS = lazy_pattern(r"(\d{1,2})\s?[-–]\s?(\d{1,2})")
_YEAR_AND_MONTH = lazy_pattern(r"([12]\d{3})-(0[1-9]|1[0-2])")
_MONTHLY = lazy_pattern(r"\b(?:month|period)\b", re.IGNORECASE)
_OPENING = lazy_pattern(r"\b(?:hours|open|opening|schedule)\b", re.IGNORECASE)
_LASTING = lazy_pattern(
    r"\b(?:duration|runtime|length|lap|pace|split|elapsed|(?:finish|race|total|cook|prep)\w* time)\b", re.I
)


def _clock_readings(plain: str, hint: Hint) -> list[Value]:
    """Hours such as 11-21 and 17:0 under a weekday or "opening hours", durations such as 1:25, months."""
    hours, clock = _BARE_HOURS.fullmatch(plain), _CLOCK.fullmatch(plain)
    opening = _OPENING.search(hint.words) or hint.period in WEEKDAYS
    if hours and opening and max(int(hours[1]), int(hours[2])) <= 24:
        return [Time(int(hours[1]) * 60, int(hours[2]) * 60 or 24 * 60)]
    month = _YEAR_AND_MONTH.fullmatch(plain)
    if month and (_WHEN.search(hint.words) or _MONTHLY.search(hint.words)):
        return [Date(int(month[1]), int(month[2]))]
    if clock and opening and int(clock[1]) < 24 and len(clock[2]) == 1:
        return [Time(int(clock[1]) * 60 + int(clock[2]))]
    if clock and _LASTING.search(hint.words) and len(clock[2]) == 2:
        return list(clock_durations(int(clock[1]) * 60 + int(clock[2])))
    return []


def _is_year(value: Value) -> bool:
    """Whether a value is a number without unit that can be a year, as in 1950.0."""
    exact = isinstance(value, Number) and not (value.unit or value.bound or value.high is not None)
    return exact and isinstance(value, Number) and value.value.denominator == 1 and 1000 <= value.value < 2200


def _as_year(value: Value) -> Date:
    assert isinstance(value, Number)
    return Date(int(value.value))


def _with_hint(value: Value, hint: Hint) -> list[Value]:
    """A value with the unit, scale, rank or direction that its attribute gives."""
    measured = bool(hint.unit) or hint.scale > 1
    if not isinstance(value, Number):
        is_year = isinstance(value, Date) and value == Date(value.year)
        return [] if measured and is_year and hint.unit != "year" else [value]
    if vaguer_unit(hint.unit) == value.unit != "":
        return [replace(value, unit=hint.unit)]
    if not value.unit:
        if _RANK.search(hint.words):
            return [replace(value, unit="ordinal"), value]
        if measured or hint.ratio:
            return _measured(value, hint)
    if _FALL.search(hint.words) and value.value > 0 and value.high is None:
        # "decrease: 4%" may be written as "fell by 4%" or as "a decrease of some 4%".
        return [replace(value, value=-value.value), value]
    return [value]


def _measured(number: Number, hint: Hint) -> list[Value]:
    """A number without a unit as its attribute measures it."""
    percent = replace(_times(number, 100), unit="percent")
    if hint.unit == "percent":
        # A share in percent may be given as a fraction, too: fg_pct 0.48.
        is_share = hint.ratio and 0 < abs(number.value) < 1
        return [replace(number, unit="percent"), *([percent] if is_share else [])]
    if hint.ratio:
        return [percent, number] if abs(number.value) <= 1 else [number]
    amount = replace(_times(number, hint.scale), unit=hint.unit)
    # A table in millions may be quoted with its digits alone; "€412" is not €412 million, though.
    return (
        [amount] if hint.scale == 1 else [amount, replace(number, unit=f"{hint.scale} {hint.unit}".strip())]
    )


def _times(number: Number, factor: int) -> Number:
    high = None if number.high is None else number.high * factor
    return replace(number, value=number.value * factor, step=number.step * factor, high=high)


def _members(text: str) -> tuple[Name, ...]:
    """The members of a list: at least three if separated by commas, else two, separated by ; or |."""
    parts = [part for part in _SEPARATOR.split(text) if part]
    if parts and ("," in text) and ";" not in text and "|" not in text:
        parts[-1:] = _AND.split(parts[-1]) if len(parts) > 1 else parts[-1:]
        if len(parts) < 3:
            return ()
    parts = [part for part in parts if not _AND_OTHERS.fullmatch(part)]
    return tuple(map(parse_name, parts)) if 1 < len(parts) <= _MAX_MEMBERS else ()
