"""Ages and durations between two dates of one object, and weekdays of dates."""

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.clauses import Derived
from factable.metrics.ledger.derived.columns import Cell, read_cell
from factable.metrics.ledger.derived.operations import number_of, whole_years
from factable.structure import Frame, Structure
from factable.text.patterns import lazy_pattern
from factable.text.values import Date, Mention, Number
from factable.text.values.words import fold
from factable.types import Span

_WEEKDAY = lazy_pattern(rf"\b({'|'.join(calendar.day_name)})\b(?:\s\(|,?\s(?:the\s|on\s)?|,\s)?\Z")
_WEEKDAY_AFTER = lazy_pattern(rf"\A(?:,\s(?:a\s|on\sa\s)?|\s\()({'|'.join(calendar.day_name)})\b")
_AGE = lazy_pattern(r"\b(?:aged?|at the age of|age of)\s(?:of\s)?\Z")
_LASTED = lazy_pattern(
    r"\b(?:after|lasted|lasting|for|duration of|period of|within|took|over|in)\s(?:about |a |an )?\Z"
)
_LATER = lazy_pattern(r"\A\s(?:later|after|before|apart|earlier)\b")
_MAX_DATES = 8


def check_times(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """Weekdays beside dates, ages and durations in one sentence."""
    yield from _weekdays(structure, text, mentions)
    yield from _weekday_of_the_day(structure, text, sentence, mentions)
    for mention in mentions:
        number = mention.value
        if isinstance(number, Number) and number.high is None and not number.bound:
            before = text[max(sentence[0], mention.start - 40) : mention.start]
            after = text[mention.end : sentence[1]]
            if _AGE.search(before.lower()) and number.unit in ("", "year"):
                yield from _age(structure, text, sentence, mention, number)
            elif number.unit in ("year", "day", "week") and (
                _LASTED.search(before.lower()) or _LATER.match(after)
            ):
                yield from _duration(structure, text, sentence, mention, number)


_DAYS: "WeakKeyDictionary[Structure, dict[Date, int]]" = WeakKeyDictionary()


def _days_of(structure: Structure) -> dict[Date, int]:
    """Every day in the data, with the leaf that has it."""
    found = _DAYS.get(structure)
    if found is None:
        cells = (
            read_cell(leaf.index, leaf.value, "date")
            for leaf in structure.leaves
            if leaf.kind == "value"
            and 5 < len(leaf.value) < 30
            and any(char.isdecimal() for char in leaf.value)
        )
        found = {cell.day: cell.leaf for cell in cells if cell.day is not None and cell.day.day}
        _DAYS[structure] = found
    return found


def _weekdays(structure: Structure, text: str, mentions: Sequence[Mention]) -> Iterator[Derived]:
    for mention in mentions:
        day = mention.value
        if not isinstance(day, Date) or not day.month or not day.day:
            continue
        days = _days_of(structure)
        known = [real for real in days if (real.month, real.day) == (day.month, day.day) and real.year]
        known = [real for real in known if day.year in (None, real.year)]
        found = _WEEKDAY.search(text[max(0, mention.start - 20) : mention.start])
        start = max(0, mention.start - 20) if found else mention.end
        found = found or _WEEKDAY_AFTER.match(text[mention.end : mention.end + 20])
        if not found or len(known) != 1:
            continue
        real = known[0]
        assert real.year
        assert real.month
        assert real.day
        name = calendar.day_name[date(real.year, real.month, real.day).weekday()]
        span = start + found.start(1), start + found.end(1)
        told = f"{real.year}-{real.month:02}-{real.day:02} is a {name}"
        is_right = fold(name) == fold(found[1])
        yield Derived(
            span,
            "supported" if is_right else "contradicted",
            told,
            (days[real],),
            "" if is_right else name,
            None,
            "weekday",
        )


_ALONE = lazy_pattern(
    rf"\b(?<!next )(?<!last )(?<!every )(?<!each )({'|'.join(calendar.day_name)})\b"
    r"(?!\s?(?:to|through|until|[-–]))(?!\s(?:before|after))"
)
# What comes next, or came before, is on another day.
_OTHER_DAYS = lazy_pattern(
    r"\b(?:will|next|upcoming|again|await|head|remains?|on deck|looks? to|travels?|previous(?:ly)?|earlier|"
    r"since|hosts?(?= the)|visits?|play on)\b",
    re.IGNORECASE,
)
_ANY_WEEKDAY = lazy_pattern(rf"\b(?:{'|'.join(name[:3] for name in calendar.day_name)})", re.IGNORECASE)
# A date in a title, such as 02_03_17: it may be written in either order.
_SHORT_DATE = lazy_pattern(r"\b(\d\d)[\s_/.-](\d\d)[\s_/.-]((?:20)?\d\d)\b")


class _Day(NamedTuple):
    """The only day that the data has: the dates it may be, and the leaf; None if the title has it."""

    dates: tuple[date, ...]
    leaf: int | None


_ONLY_DAY: "WeakKeyDictionary[Structure, _Day | None]" = WeakKeyDictionary()


def _only_day(structure: Structure) -> _Day | None:
    """The day that data about one day has; none where the data itself has weekdays."""
    if structure not in _ONLY_DAY:
        _ONLY_DAY[structure] = _find_only_day(structure)
    return _ONLY_DAY[structure]


def _find_only_day(structure: Structure) -> _Day | None:
    if any(_ANY_WEEKDAY.match(leaf.value) or _ANY_WEEKDAY.match(leaf.keys[-1]) for leaf in structure.leaves):
        return None
    days = {day: leaf for day, leaf in _days_of(structure).items() if day.year and day.month and day.day}
    if days:
        (day, leaf), *others = days.items()
        assert day.year
        assert day.month
        assert day.day
        return None if others else _Day((date(day.year, day.month, day.day),), leaf)
    short = _SHORT_DATE.findall(structure.title)
    if len(short) != 1:
        return None
    first, second, year = (int(part) for part in short[0])
    year += 2000 if year < 100 else 0
    dates = [_date(year, month, day) for month, day in ((first, second), (second, first))]
    known = tuple(dict.fromkeys(one for one in dates if one is not None))
    return _Day(known, None) if known else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _weekday_of_the_day(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """Weekdays that stand alone in a text about one day; no other day is known."""
    if _OTHER_DAYS.search(text, *sentence):
        return
    named = list(_ALONE.finditer(text, *sentence))
    day = _only_day(structure) if named else None
    if day is None or any(isinstance(mention.value, Date) and mention.value.day for mention in mentions):
        return
    names = [calendar.day_name[each.weekday()] for each in day.dates]
    told = " or ".join(f"{each} is a {name}" for each, name in zip(day.dates, names, strict=True))
    for match in named:
        leaves = () if day.leaf is None else (day.leaf,)
        is_right = match[1] in names
        state: Literal["supported", "contradicted"] = "supported" if is_right else "contradicted"
        right = "" if is_right else " or ".join(names)
        yield Derived(match.span(1), state, told, leaves, right, None, "weekday")


def _dated(structure: Structure, frame: Frame) -> list[tuple[str, Cell]]:
    """The dates of an object with the names of their keys."""
    found = []
    for index in frame.leaves:
        leaf = structure.leaves[index]
        if leaf.kind == "value" and any(char.isdecimal() for char in leaf.value):
            cell = read_cell(leaf.index, leaf.value, leaf.label)
            if cell.day is not None and cell.day.year is not None:
                found.append((leaf.label.lower(), cell))
    return found[:_MAX_DATES]


def _frames(structure: Structure, text: str, sentence: Span) -> list[Frame]:
    """The objects that a sentence is about: those whose name it has, or the only one."""
    words = fold(text[slice(*sentence)])
    named = [frame for frame in structure.frames if frame.name and fold(frame.name) in words]
    with_dates = [frame for frame in named if len(_dated(structure, frame)) > 1]
    if with_dates:
        return with_dates
    roots = [frame for frame in structure.frames if frame.parent is None]
    return roots if len(roots) == 1 else []


def _age(
    structure: Structure, text: str, sentence: Span, mention: Mention, number: Number
) -> Iterator[Derived]:
    """The age at death."""
    if not re.search(r"\b(?:died|death|passed away|killed)\b", text[slice(*sentence)].lower()):
        return
    frames = _frames(structure, text, sentence)
    if len(frames) != 1:
        return
    dated = _dated(structure, frames[0])
    born = [cell for label, cell in dated if re.search(r"\b(?:born|birth)", label)]
    died = [cell for label, cell in dated if re.search(r"\b(?:died|death)", label)]
    if len(born) == 1 and len(died) == 1:
        yield from _years(born[0], died[0], mention, number, "age")


def _years(first: Cell, second: Cell, mention: Mention, number: Number, operation: str) -> Iterator[Derived]:
    assert first.day
    assert second.day
    years = whole_years(first.day, second.day)
    right = " or ".join(map(str, sorted(years)))
    told = f"{first.text} to {second.text}: {right} years"
    is_right = number.value in years
    state = "supported" if is_right else "contradicted"
    span = mention.start, mention.end
    yield Derived(span, state, told, (first.leaf, second.leaf), "" if is_right else right, span, operation)  # type: ignore[arg-type]


def _duration(
    structure: Structure, text: str, sentence: Span, mention: Mention, number: Number
) -> Iterator[Derived]:
    """The time between two dates of one object; only ever supported: which dates are meant is a guess."""
    for frame in _frames(structure, text, sentence):
        dated = sorted((cell for _, cell in _dated(structure, frame)), key=number_of)
        for index, first in enumerate(dated):
            for second in dated[index + 1 :]:
                assert first.day
                assert second.day
                days = number_of(second) - number_of(first)
                told = f"{first.text} to {second.text}: {int(days)} days"
                span = mention.start, mention.end
                if number.unit == "year":
                    if (
                        first.day.year
                        and second.day.year
                        and number.value in whole_years(first.day, second.day)
                    ):
                        told = f"{first.text} to {second.text}: {number.value} years"
                        yield Derived(
                            span, "supported", told, (first.leaf, second.leaf), "", span, "duration"
                        )
                        return
                elif (
                    first.day.day
                    and second.day.day
                    and int(days) == number.value * (7 if number.unit == "week" else 1)
                ):
                    yield Derived(span, "supported", told, (first.leaf, second.leaf), "", span, "duration")
                    return
