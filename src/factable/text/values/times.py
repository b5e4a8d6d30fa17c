"""Times of day, weekdays and durations in a text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from factable.text.patterns import lazy_pattern
from factable.text.values.dates import WEEKDAYS, offset_minutes
from factable.text.values.kinds import Mention, Number, Time, Weekdays

_HOURS = 60
_HALF_DAY = 12 * _HOURS
_DAY = 24 * _HOURS
# Minutes east of Greenwich. Zones that have summer time only by context (ET, PT) are not listed.
_ZONES = {"UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180}
_ZONES |= {
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
}
_ZONES |= {"IST": 330, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660}
_OFFSET = r"[+−-]\d{1,2}(?::?\d\d)?"
_ZONE = (
    rf"(?:\s?(?P<zone>(?-i:(?:UTC|GMT){_OFFSET}|{'|'.join(_ZONES)}))(?![^\W_])"
    r"|(?P<offset>[+-]\d\d:?\d\d)(?!\d))"
)
_ABOUT = (
    r"(?P<about>(?:about|around|approximately|roughly|nearly|almost|(?:shortly|just)\s(?:after|before))\s)?"
)
_FROM, _TO = r"(?<![^\W_])(?<![\d:][.,:/-])(?<!\d[–'’])(?<![$€£#])", r"(?![^\W_]|:\d|[.,]\d|/\d|['’][^\W_])"
_UNTIL = r"(?:\s?[-–—]\s?|\s(?P<until>to|until|till|through|and)\s)"


def _clock(number: int) -> str:
    """A time of day as a part of a pattern: 14:30, 2:30 pm, 9 AM, 2.30 pm, noon."""
    half = rf"\s?(?P<half{number}>[ap](?:\.\s?m\.?|m))(?![^\W_])"
    return (
        rf"(?:(?P<hour{number}>\d{{1,2}})(?::(?P<minute{number}>\d{{1,2}})(?::(?P<second{number}>\d\d)(?:\.\d{{1,9}})?)?"
        rf"|\.(?P<pointed{number}>\d\d)(?=\s?[ap]\.?m))?(?:{half})?|(?P<word{number}>noon|midday|midnight))"
    )


_RANGE = lazy_pattern(rf"{_FROM}{_ABOUT}{_clock(1)}{_UNTIL}{_clock(2)}{_ZONE}?{_TO}", re.IGNORECASE)
_SINGLE = lazy_pattern(rf"{_FROM}{_ABOUT}{_clock(1)}(?P<sharp>\so['’]clock)?{_ZONE}?{_TO}", re.IGNORECASE)
_ALL_DAY = lazy_pattern(
    r"(?<![^\W_])(?:24\shours(?=\sa\sday)|(?<=open\s)24\shours|around\sthe\sclock|24/7)", re.IGNORECASE
)
_BETWEEN = lazy_pattern(r"(?<![^\W_])between\s\Z", re.IGNORECASE)
_OPEN = lazy_pattern(r"(?<![^\W_])(?:open|opens|hours|daily)\b[^.\d]{0,20}\Z", re.IGNORECASE)
_TOOK = lazy_pattern(
    r"(?<![^\W_])(?:in|of|took|takes|lasts|lasted|ran|clocked|runtime|duration)\s\Z", re.IGNORECASE
)
_LOOK_BEHIND = 32
_COMPACT = lazy_pattern(rf"{_FROM}(\d{{1,3}})\s?h\s?([0-5]?\d)\s?(?:m|min)?(?![^\W_]|[.:]\d)", re.IGNORECASE)
_ISO_DURATION = lazy_pattern(
    r"(?<![^\W_])P(?=T?\d)(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})(?:\.\d{1,9})?S)?)?(?![^\W_])"
)


_HOUR_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_HOURS_SPOKEN = {word: number for number, word in enumerate(_HOUR_WORDS.split(), 1)}
_HOURS_SPOKEN |= {"noon": 12, "midday": 12, "midnight": 24}
_MINUTES_SPOKEN = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
# Half past six, a quarter to eight in the evening, seven in the morning. "Ten to five" may be a range.
_SPOKEN = lazy_pattern(
    rf"{_FROM}{_ABOUT}(?:(?:a\s)?(?:(?P<past>half|quarter|five|ten|twenty(?:-five)?)(?:\sminutes)?\s(?:past|after)|"
    rf"(?P<to>quarter|(?:five|ten|twenty(?:-five)?)(?=\sminutes))(?:\sminutes)?\sto)\s)?"
    rf"(?P<hour>{'|'.join(_HOURS_SPOKEN)}|1[0-2]|[1-9])(?P<minute>:[0-5]\d)?"
    r"(?:\s(?:in\sthe|this)\s(?P<part>morning|afternoon|evening)|\sat\s(?P<night>night)|\s?(?P<half>[ap])\.?m)?"
    r"(?![^\W_]|[.,:]\d)",
    re.IGNORECASE,
)
_EARLY = 6


_RACE = lazy_pattern(rf"{_FROM}(?:(\d{{1,2}}):)?(\d{{1,3}}):([0-5]\d)\.(\d{{1,3}})(?![^\W_]|[.:]\d)")


def find_times(text: str) -> Iterator[Mention]:
    """Every time of day, range of times, and duration such as 1:45:30, 2h30 and PT90M; none overlap."""
    taken = bytearray(len(text))
    finders = (
        (_ALL_DAY, _all_day),
        (_ISO_DURATION, _iso_duration),
        (_COMPACT, _compact),
        (_RACE, _race),
        (_SPOKEN, _spoken),
    )
    for pattern, read in (*finders, (_RANGE, _range), (_SINGLE, _single)):
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            for value in read(match):
                taken[match.start() : match.end()] = b"\x01" * len(match[0])
                yield Mention(value, match.start(), match.end())


def _all_day(_match: re.Match[str]) -> list[Time | Number]:
    return [Time(0, _DAY)]


def _iso_duration(match: re.Match[str]) -> list[Time | Number]:
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return [_duration((days * 24 + hours) * _HOURS + minutes, seconds if match[4] else None)]


def _compact(match: re.Match[str]) -> list[Time | Number]:
    return [_duration(int(match[1]) * _HOURS + int(match[2]), None)]


def _race(match: re.Match[str]) -> list[Time | Number]:
    """A time with decimals, as in 5:36.42 and 1:02:36.4."""
    seconds = (int(match[1] or 0) * 60 + int(match[2])) * 60 + int(match[3])
    step = Fraction(1, 10 ** len(match[4]))
    return [Number(seconds + int(match[4]) * step, "second", step)]


def _spoken(match: re.Match[str]) -> list[Time | Number]:
    """A time as one says it; nothing for a number without minutes in words and part of the day."""
    beside, day = match["past"] or match["to"], match["part"] or match["night"]
    if not beside and not day:
        return []
    word = match["hour"].lower()
    hour = _HOURS_SPOKEN.get(word) or int(word)
    is_vague = not day and not match["half"] and word not in ("noon", "midday", "midnight")
    hour = hour % 12 if word not in ("noon", "midday") else 12
    is_late = (day or match["half"] or "").lower() in ("afternoon", "evening", "p") or (
        bool(match["night"]) and hour >= _EARLY
    )
    minutes = (hour + 12 * is_late) * _HOURS + int((match["minute"] or ":0")[1:])
    if beside:
        minutes += _MINUTES_SPOKEN[beside.lower()] * (1 if match["past"] else -1)
    return [Time(minutes % _DAY, None, None, bool(match["about"]), is_vague)]


def _duration(minutes: int, seconds: int | None) -> Number:
    if seconds is None:
        return Number(Fraction(minutes), "minute")
    return Number(Fraction(minutes * 60 + seconds), "second")


def _range(match: re.Match[str]) -> list[Time | Number]:
    first, second = _minutes(match, 1), _minutes(match, 2)
    opening = match.string[max(0, match.start() - _LOOK_BEHIND) : match.start()]
    between = bool(_BETWEEN.search(opening))
    if first is None or second is None or between != ((match["until"] or "").lower() == "and"):
        return []
    halves = [bool(match["half1"] or match["word1"]), bool(match["half2"] or match["word2"])]
    clocks = [bool(match["minute1"]), bool(match["minute2"])]
    if not any(halves) and not all(clocks) and not _OPEN.search(opening):
        return []
    if halves == [False, True] and first < _HALF_DAY + _HOURS:
        # "11 to 9 pm" begins in the morning, "2 to 5 pm" in the afternoon, "10 to 2 am" in the evening.
        earlier = first % _HALF_DAY
        later = earlier + _HALF_DAY
        first = later if later < second or second <= earlier else earlier
    if halves == [True, False] and second <= first and second < _HALF_DAY:
        second += _HALF_DAY
    vague = not any(halves) and _is_vague(match, 1) and _is_vague(match, 2)
    return [Time(first % _DAY, second % _DAY or _DAY, _zone(match), bool(match["about"]), vague)]


def _single(match: re.Match[str]) -> list[Time | Number]:
    minutes = _minutes(match, 1)
    minute, half = match["minute1"], match["half1"] or match["word1"]
    named = half or match["sharp"] or (minute and len(minute) == 2)
    if minutes is None or not named:
        return []
    time = Time(minutes % _DAY, None, _zone(match), bool(match["about"]), not half and _is_vague(match, 1))
    if half or match["sharp"] or time.zone is not None:
        return [time]
    if match["second1"]:
        return [_duration(minutes, int(match["second1"])), time]
    took = _TOOK.search(match.string, max(0, match.start() - _LOOK_BEHIND), match.start())
    return [time, *clock_durations(minutes)] if took else [time]


def clock_durations(minutes: int) -> list[Number]:
    """What 1:25 may be as a duration: 85 minutes, or 85 seconds."""
    return [Number(Fraction(minutes), "minute"), Number(Fraction(minutes), "second")]


def _minutes(match: re.Match[str], number: int) -> int | None:
    """The minutes after midnight of a time in a match; None if there is no such time."""
    word, half = match[f"word{number}"], (match[f"half{number}"] or "")[:1].lower()
    if word:
        return 0 if word.lower() == "midnight" else _HALF_DAY
    hour = int(match[f"hour{number}"])
    minute = int(match[f"minute{number}"] or match[f"pointed{number}"] or 0)
    if hour > 24 or minute > 59 or (half and hour == 0) or (hour == 24 and minute):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour * _HOURS + minute


def _is_vague(match: re.Match[str], number: int) -> bool:
    """Whether a time may be twelve hours later: 2:30, but not 02:30."""
    hour = match[f"hour{number}"] or "0"
    return hour[0] != "0" and int(hour) <= 12


def _zone(match: re.Match[str]) -> int | None:
    named, offset = match["zone"], match["offset"]
    if named in _ZONES:
        return _ZONES[named]
    return offset_minutes(offset or named[3:]) if offset or named else None


def exact_time(time: Time) -> Time:
    """A time of the data, which is not twelve hours later."""
    return replace(time, vague=False)


_SHORT_DAYS = ("Mon", "Tues?", "Wed", "Thu(?:rs?)?", "Fri", "Sat", "Sun")
_WEEKDAY = rf"(?:(?:{'|'.join(WEEKDAYS)})s?|(?:{'|'.join(_SHORT_DAYS)})\b\.?)"
_TWO_LETTERS = f"(?:{'|'.join(day[:2] for day in WEEKDAYS)})"
_DAYS = lazy_pattern(
    rf"(?<![^\W_])(?:{_WEEKDAY}"
    rf"(?:(?:\s?[-–—&/]\s?|\s(?:to|through|thru|until)\s|, and |,\s?|\sand\s){_WEEKDAY})*"
    rf"|{_TWO_LETTERS}(?:[-–,]{_TWO_LETTERS})+"
    r"|[Ww]eekdays?|[Ww]eekends?|[Ee]very\sday|[Ss]even\sdays\sa\sweek)(?![^\W_])"
)
_ONE_DAY = lazy_pattern(f"{_WEEKDAY}|{_TWO_LETTERS}")
_TO_DAY = lazy_pattern(r"\s?[-–—]\s?|\s(?:to|through|thru|until)\s")
_HOURS_NEXT = lazy_pattern(r":?\s\d")


def find_weekdays(text: str) -> Iterator[Mention]:
    """Weekdays and sets of them: Mondays, Mon–Fri, Tuesday and Thursday, weekends."""
    for match in _DAYS.finditer(text):
        days = _days(match[0])
        short = _ONE_DAY.fullmatch(match[0]) and len(match[0]) < 6
        # "Sun" and "Sat" alone are other words.
        if not short or len(match[0]) == len(text) or _HOURS_NEXT.match(text, match.end()):
            yield Mention(Weekdays(days), match.start(), match.end())


def _days(written: str) -> tuple[int, ...]:
    """The numbers of the weekdays, from 0 for Monday."""
    if written[1:].startswith("eekday"):
        return (0, 1, 2, 3, 4)
    if written[1:].startswith("eekend"):
        return (5, 6)
    if written[0] in "eE" or written[1:].startswith("even"):
        return tuple(range(7))
    return _listed_days(written)


def _listed_days(written: str) -> tuple[int, ...]:
    days: set[int] = set()
    last, end = -1, 0
    for match in _ONE_DAY.finditer(written):
        day = next(index for index, name in enumerate(WEEKDAYS) if name.startswith(match[0][:2]))
        if last >= 0 and _TO_DAY.fullmatch(written, end, match.start()):
            days |= {(last + step) % 7 for step in range((day - last) % 7 + 1)}
        days.add(day)
        last, end = day, match.end()
    return tuple(sorted(days))
