"""How a value in a text compares with a value in the data."""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from factable.text.values.kinds import Boolean, Date, Name, NameList, Number, Relation, Time, Value, Weekdays
from factable.text.values.names import compare_names
from factable.text.values.units import is_money, unit_of, vaguer_unit

# A number that is further off is not a rounding, however few digits it has: 600,000 is not a million.
_MAX_ROUNDING = Fraction(1, 10)
# Measures that are rounded to whole numbers however small: 0.4 °C is 0 °C.
_ROUNDED_TO_ONES = ("temperature", "speed", "percent")


def compare_values(data: Value, text: Value) -> Relation:
    """The relation of a value in a text to one in the data; with swapped arguments, the flipped one."""
    if isinstance(data, Number) and isinstance(text, Number):
        return _compare_numbers(data, text)
    if isinstance(data, Date) and isinstance(text, Date):
        return _compare_dates(data, text)
    if isinstance(data, Date | Time) and isinstance(text, Date | Time):
        return _compare_times_of(data, text)
    if isinstance(data, Weekdays) and isinstance(text, Weekdays):
        return _compare_weekdays(data, text)
    if isinstance(data, Name) and isinstance(text, Name):
        return compare_names(data, text)
    if isinstance(data, Boolean) and isinstance(text, Boolean):
        return Relation.EQUAL if data == text else Relation.DIFFERENT
    if isinstance(data, NameList) or isinstance(text, NameList):
        return _compare_listings(data, text)
    return Relation.INCOMPARABLE


class _Interval(NamedTuple):
    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def holds(self, other: "_Interval") -> bool:
        """Whether another interval lies in this one."""
        starts = (self.low, self.low_open) <= (other.low, other.low_open)
        return starts and (other.high, not other.high_open) <= (self.high, not self.high_open)


# Beside a long table the same few numbers are compared again and again.
@lru_cache(maxsize=1 << 14)
def _compare_numbers(data: Number, text: Number) -> Relation:
    if data.unit == text.unit or unit_of(data.unit).dimension == unit_of(text.unit).dimension != "money":
        return _compare_amounts(_in_base(data), _in_base(text))
    numbers = _compare_amounts(data, text)
    if numbers in (Relation.DIFFERENT, Relation.INCOMPARABLE):
        return Relation.INCOMPARABLE
    if _says_less(text.unit, data.unit):
        return Relation.COARSER if numbers is Relation.EQUAL else numbers
    if _says_less(data.unit, text.unit):
        return Relation.FINER if numbers is Relation.EQUAL else numbers
    # The same amount in another currency; another amount may have been converted.
    other_currency = is_money(data.unit) and is_money(text.unit)
    return Relation.DIFFERENT if other_currency else Relation.INCOMPARABLE


def _says_less(unit: str, other: str) -> bool:
    """Whether a unit is less specific than the other; a rank is not an amount without unit."""
    return vaguer_unit(other) == unit != "" or (not unit and other != "ordinal")


def _in_base(number: Number) -> Number:
    """The number in the base unit of its dimension."""
    unit = unit_of(number.unit)
    high = None if number.high is None else number.high * unit.factor + unit.offset
    value = number.value * unit.factor + unit.offset
    return Number(value, unit.dimension, number.step * unit.factor, number.bound, high)


def _compare_amounts(data: Number, text: Number) -> Relation:
    """The relation of two numbers in the same unit."""
    if (data.value, data.bound, data.high) == (text.value, text.bound, text.high):
        return Relation.EQUAL
    if _is_exact(data) and _is_exact(text) and _are_far_apart(data.value, text.value):
        return Relation.DIFFERENT
    text_rounds = _covers(text).holds(_stated(data))
    data_rounds = _covers(data).holds(_stated(text))
    if text_rounds and data_rounds and _is_exact(data) == _is_exact(text):
        # In different units: equal to the last digit of both.
        return Relation.EQUAL
    if text_rounds and (not data_rounds or _is_exact(data)):
        return Relation.COARSER
    if data_rounds:
        return Relation.FINER
    return Relation.INCOMPARABLE if _true_but_vague(data, text) else Relation.DIFFERENT


def _are_far_apart(first: Fraction, second: Fraction) -> bool:
    """Whether neither can be a rounding of the other: most pairs, and quickly told by their integers."""
    ours, theirs = first.numerator * second.denominator, second.numerator * first.denominator
    # A tenth of the larger one is the most that rounding changes, or one half.
    most = max(abs(ours), abs(theirs)) + 10 * first.denominator * second.denominator
    return 10 * abs(ours - theirs) > most


def _is_exact(number: Number) -> bool:
    return not number.bound and number.high is None


def _rounding(number: Number) -> Fraction:
    most = abs(number.value) * _MAX_ROUNDING
    if number.unit in _ROUNDED_TO_ONES:
        most = max(most, Fraction(1, 2))
    return min(number.step / 2, most)


def _stated(number: Number) -> _Interval:
    """The values that a number allows."""
    value, rounding = number.value, _rounding(number)
    match number.bound:
        case "over" | "at least":
            return _Interval(value, value + number.step, number.bound == "over", True)
        case "under" | "at most":
            return _Interval(value - number.step, value, True, number.bound == "under")
        case "about":
            return _Interval(value - rounding, (number.high or value) + rounding)
    return _Interval(value, value if number.high is None else number.high)


def _covers(number: Number) -> _Interval:
    """The values that a number can be a rounding of."""
    rounding = _rounding(number)
    if not _is_exact(number):
        return _stated(number)
    return _Interval(number.value - rounding, number.value + rounding)


def _true_but_vague(data: Number, text: Number) -> bool:
    """Whether a number keeps a bound, but is so far from it that the bound hardly refers to it."""
    for bound, other in ((data, text), (text, data)):
        exact = other.value if not other.bound else None
        if exact is not None and bound.bound in ("over", "at least") and exact > bound.value:
            return True
        if exact is not None and bound.bound in ("under", "at most") and exact < bound.value:
            return True
    return False


def _compare_dates(data: Date, text: Date) -> Relation:
    if data == text:
        return Relation.EQUAL
    if data.years > 1 or text.years > 1:
        return _compare_periods(data, text)
    pairs = [(data.year, text.year), (data.month, text.month), (data.day, text.day)]
    both = [(in_data, in_text) for in_data, in_text in pairs if in_data is not None and in_text is not None]
    relations = [_compare_months(data, text), *_both_times(data.time, text.time)]
    relations += [
        Relation.DIFFERENT for in_data, in_text in (pairs[0], pairs[2]) if _differ(in_data, in_text)
    ]
    if Relation.DIFFERENT in relations or Relation.INCOMPARABLE in relations:
        return Relation.DIFFERENT if Relation.DIFFERENT in relations else Relation.INCOMPARABLE
    pairs = [pairs[0], pairs[2]]
    coarser = Relation.COARSER in relations or any(
        in_text is None and in_data is not None for in_data, in_text in pairs
    )
    finer = Relation.FINER in relations or any(
        in_data is None and in_text is not None for in_data, in_text in pairs
    )
    # An estimate says less than the same date without "about".
    coarser, finer = coarser or (text.about and not data.about), finer or (data.about and not text.about)
    if not both or (coarser and finer):
        return Relation.INCOMPARABLE
    return Relation.COARSER if coarser else Relation.FINER if finer else Relation.EQUAL


def _differ(in_data: int | None, in_text: int | None) -> bool:
    return in_data is not None and in_text is not None and in_data != in_text


def _compare_months(data: Date, text: Date) -> Relation:
    """The relation of the months of two dates; a quarter holds three of them."""
    if data.month is None or text.month is None:
        same = data.month == text.month
        return Relation.EQUAL if same else Relation.COARSER if text.month is None else Relation.FINER
    first, last = max(data.month, text.month), min(data.month + data.months, text.month + text.months)
    if first >= last:
        return Relation.DIFFERENT
    if data.months == text.months:
        return Relation.EQUAL if data.month == text.month else Relation.INCOMPARABLE
    if last - first == min(data.months, text.months):
        return Relation.COARSER if text.months > data.months else Relation.FINER
    return Relation.INCOMPARABLE


def _both_times(data: Time | None, text: Time | None) -> list[Relation]:
    if data is None or text is None:
        return [Relation.EQUAL if data is text else Relation.COARSER if text is None else Relation.FINER]
    return [_compare_times(data, text)]


def _compare_times_of(data: Date | Time, text: Date | Time) -> Relation:
    """The relation of a date with a time of day to a time of day without a date."""
    if isinstance(data, Time) and isinstance(text, Time):
        return _compare_times(data, text)
    if isinstance(text, Date):
        return _compare_times_of(text, data).flipped
    if isinstance(data, Time) or data.time is None:
        return Relation.INCOMPARABLE
    times = _compare_times(data.time, text)
    if times in (Relation.EQUAL, Relation.COARSER):
        return Relation.COARSER
    return Relation.DIFFERENT if times is Relation.DIFFERENT else Relation.INCOMPARABLE


_HALF_DAY = 12 * 60
_ABOUT_MINUTES = 15


def _compare_times(data: Time, text: Time) -> Relation:
    if data == text:
        return Relation.EQUAL
    if data.zone is not None and text.zone is not None and data.zone != text.zone:
        text = _in_zone(text, data.zone)
    if (data.end is None) != (text.end is None):
        single, ends = (text, data) if text.end is None else (data, text)
        if not any(
            _clock_distance(single, ends, single.start, end) == 0 for end in (ends.start, ends.end or 0)
        ):
            return Relation.INCOMPARABLE
        return Relation.COARSER if single is text else Relation.FINER
    distance = _clock_distance(data, text, data.start, text.start)
    distance = max(distance, _clock_distance(data, text, data.end or 0, text.end or 0))
    if distance > (_ABOUT_MINUTES if data.about or text.about else 0):
        return Relation.DIFFERENT if (data.zone is None) == (text.zone is None) else Relation.INCOMPARABLE
    # On the face of the clock 2:30 is 14:30, but says less.
    shifted = (data.start, data.end) != (text.start, text.end) and not (data.about or text.about)
    return _by_detail(
        [
            (data.about, text.about),
            (shifted and data.vague, shifted and text.vague),
            (data.zone is None, text.zone is None),
        ]
    )


def _by_detail(missing: list[tuple[bool, bool]]) -> Relation:
    """The relation of two values that agree, by what the data and what the text leave out."""
    coarser = any(in_text and not in_data for in_data, in_text in missing)
    finer = any(in_data and not in_text for in_data, in_text in missing)
    if coarser and finer:
        return Relation.INCOMPARABLE
    return Relation.COARSER if coarser else Relation.FINER if finer else Relation.EQUAL


def _in_zone(time: Time, zone: int) -> Time:
    shift = zone - (time.zone or 0)
    end = None if time.end is None else (time.end + shift) % (2 * _HALF_DAY) or 2 * _HALF_DAY
    return Time((time.start + shift) % (2 * _HALF_DAY), end, zone, time.about, time.vague)


def _clock_distance(data: Time, text: Time, first: int, second: int) -> int:
    """The minutes between two times; on the face of a clock if one of them may be twelve hours later."""
    circle = _HALF_DAY if data.vague or text.vague else 2 * _HALF_DAY
    distance = (first - second) % circle
    return min(distance, circle - distance)


def _compare_weekdays(data: Weekdays, text: Weekdays) -> Relation:
    if data == text:
        return Relation.EQUAL
    if len(data.days) == 1 and data.days[0] in text.days:
        return Relation.FINER
    if len(text.days) == 1 and text.days[0] in data.days:
        return Relation.COARSER
    return Relation.DIFFERENT


def _compare_periods(data: Date, text: Date) -> Relation:
    """The relation of two dates of which at least one is a decade or a century."""
    if data.year is None or text.year is None:
        return Relation.INCOMPARABLE
    first, last = max(data.year, text.year), min(data.year + data.years, text.year + text.years)
    if first >= last:
        return Relation.DIFFERENT
    if data.years == text.years and data.year == text.year:
        return Relation.COARSER if text.about else Relation.FINER
    if last - first == data.years:
        return Relation.COARSER
    return Relation.FINER if last - first == text.years else Relation.INCOMPARABLE


def _compare_listings(data: Value, text: Value) -> Relation:
    """The relation of two lists; a single name is a list of one."""
    in_data, in_text = _members(data), _members(text)
    if not in_data or not in_text:
        return Relation.INCOMPARABLE
    mentioned = [any(compare_names(name, other) is Relation.EQUAL for other in in_text) for name in in_data]
    supported = [any(compare_names(name, other) is Relation.EQUAL for name in in_data) for other in in_text]
    if all(supported):
        return Relation.EQUAL if all(mentioned) else Relation.COARSER
    return Relation.FINER if all(mentioned) else Relation.DIFFERENT


def _members(value: Value) -> tuple[Name, ...]:
    if isinstance(value, NameList):
        return value.members
    return (value,) if isinstance(value, Name) else ()
