"""How a value in a text stands to a value in the data."""

from fractions import Fraction
from typing import NamedTuple

from factable.text.values.kinds import Boolean, Date, Listing, Name, Number, Relation, Value
from factable.text.values.names import compare_names
from factable.text.values.units import unit_of, vaguer_unit

# However few digits are said, what is further off is no rounding: 600,000 is not a million.
_FURTHEST_OFF = Fraction(1, 10)


def compare(data: Value, text: Value) -> Relation:
    """What a value in a text is to one in the data; `compare(a, b)` is `compare(b, a).flipped`."""
    if isinstance(data, Number) and isinstance(text, Number):
        return _compare_numbers(data, text)
    if isinstance(data, Date) and isinstance(text, Date):
        return _compare_dates(data, text)
    if isinstance(data, Name) and isinstance(text, Name):
        return compare_names(data, text)
    if isinstance(data, Boolean) and isinstance(text, Boolean):
        return Relation.EQUAL if data == text else Relation.DIFFERENT
    if isinstance(data, Listing) or isinstance(text, Listing):
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
    return Relation.INCOMPARABLE


def _says_less(unit: str, other: str) -> bool:
    """Whether a unit leaves open what the other says; a rank is no amount without a unit."""
    return vaguer_unit(other) == unit != "" or (not unit and other != "ordinal")


def _in_base(number: Number) -> Number:
    """The number in the base unit of its dimension."""
    unit = unit_of(number.unit)
    high = None if number.high is None else number.high * unit.factor + unit.offset
    value = number.value * unit.factor + unit.offset
    return Number(value, unit.dimension, number.step * unit.factor, number.bound, high)


def _compare_amounts(data: Number, text: Number) -> Relation:
    """How two numbers in one unit stand to each other."""
    if (data.value, data.bound, data.high) == (text.value, text.bound, text.high):
        return Relation.EQUAL
    text_rounds = _covers(text).holds(_said(data))
    data_rounds = _covers(data).holds(_said(text))
    if text_rounds and data_rounds and _is_exact(data) == _is_exact(text):
        # In different units: the same to the last digit of both.
        return Relation.EQUAL
    if text_rounds and (not data_rounds or _is_exact(data)):
        return Relation.COARSER
    if data_rounds:
        return Relation.FINER
    return Relation.INCOMPARABLE if _true_but_vague(data, text) else Relation.DIFFERENT


def _is_exact(number: Number) -> bool:
    return not number.bound and number.high is None


def _rounding(number: Number) -> Fraction:
    return min(number.step / 2, abs(number.value) * _FURTHEST_OFF)


def _said(number: Number) -> _Interval:
    """The values that a number leaves open."""
    value, off = number.value, _rounding(number)
    match number.bound:
        case "over" | "at least":
            return _Interval(value, value + number.step, number.bound == "over", True)
        case "under" | "at most":
            return _Interval(value - number.step, value, True, number.bound == "under")
        case "about":
            return _Interval(value - off, (number.high or value) + off)
    return _Interval(value, value if number.high is None else number.high)


def _covers(number: Number) -> _Interval:
    """The values that a number can be a rounding of."""
    off = _rounding(number)
    return _Interval(number.value - off, number.value + off) if _is_exact(number) else _said(number)


def _true_but_vague(data: Number, text: Number) -> bool:
    """Whether a bound is kept, but so far from the number that it hardly speaks of it."""
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
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    if any(ours != theirs for ours, theirs in both):
        return Relation.DIFFERENT
    less = any(theirs is None and ours is not None for ours, theirs in pairs)
    more = any(ours is None and theirs is not None for ours, theirs in pairs)
    # A guess says less than the same without "about".
    less, more = less or (text.about and not data.about), more or (data.about and not text.about)
    if not both or (less and more):
        return Relation.INCOMPARABLE
    return Relation.COARSER if less else Relation.FINER


def _compare_periods(data: Date, text: Date) -> Relation:
    """How dates stand to each other of which one at least is a decade or a century."""
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
    """How lists stand to each other; a single name is a list of one."""
    ours, theirs = _members(data), _members(text)
    if not ours or not theirs:
        return Relation.INCOMPARABLE
    said = [any(compare_names(name, other) is Relation.EQUAL for other in theirs) for name in ours]
    known = [any(compare_names(name, other) is Relation.EQUAL for name in ours) for other in theirs]
    if all(known):
        return Relation.EQUAL if all(said) else Relation.COARSER
    return Relation.FINER if all(said) else Relation.DIFFERENT


def _members(value: Value) -> tuple[Name, ...]:
    if isinstance(value, Listing):
        return value.members
    return (value,) if isinstance(value, Name) else ()
