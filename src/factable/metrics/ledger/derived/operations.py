"""Arithmetic on cells, each with a line that shows how it was computed."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from factable.metrics.ledger.derived.columns import Cell
from factable.text.values import Date, Number
from factable.text.values.units import unit_of

# So many terms are written out; longer sums are shortened.
_MAX_TERMS = 5
_NEAR = Fraction(2, 100)
_ABOUT = Fraction(5, 100)


class Result(NamedTuple):
    """A computed number, how it came about, and the leaves that took part."""

    value: Fraction
    explanation: str
    leaves: tuple[int, ...]
    unit: str = ""


def show(value: Fraction) -> str:
    """A number in digits, with at most two decimals unless it is small."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = 2 if abs(value) >= 1 else 4
    return f"{float(value):.{digits}f}".rstrip("0").rstrip(".")


def number_of(cell: Cell) -> Fraction:
    """The number of a cell that has one."""
    assert cell.number is not None
    return cell.number


def _leaves(cells: Sequence[Cell]) -> tuple[int, ...]:
    return tuple(cell.leaf for cell in cells)


def _terms(cells: Sequence[Cell]) -> str:
    shown = [show(number_of(cell)) for cell in cells]
    if len(shown) > _MAX_TERMS:
        shown = [*shown[:2], "…", shown[-1]]
    return " + ".join(shown)


def total(cells: Sequence[Cell]) -> Result:
    """The sum of cells."""
    value = sum((number_of(cell) for cell in cells), Fraction(0))
    return Result(value, f"{_terms(cells)} = {show(value)}", _leaves(cells))


def mean(cells: Sequence[Cell]) -> Result:
    """The mean of cells."""
    value = sum((number_of(cell) for cell in cells), Fraction(0)) / len(cells)
    return Result(value, f"({_terms(cells)}) / {len(cells)} = {show(value)}", _leaves(cells))


def difference(first: Cell, second: Cell) -> Result:
    """How much two cells differ, without sign."""
    low, high = sorted((first, second), key=number_of)
    value = number_of(high) - number_of(low)
    if first.day is not None and second.day is not None:
        return Result(value, f"{low.text} to {high.text}: {show(value)} days", _leaves((first, second)))
    text = f"{show(number_of(high))} − {show(number_of(low))} = {show(value)}"
    return Result(value, text, _leaves((first, second)))


def ratio(first: Cell, second: Cell) -> Result | None:
    """How many times the second the first is."""
    if not second.number:
        return None
    value = number_of(first) / number_of(second)
    text = f"{show(number_of(first))} / {show(number_of(second))} = {show(value)}"
    return Result(value, text, _leaves((first, second)))


def change(before: Cell, after: Cell) -> Result | None:
    """The change in percent."""
    if not before.number:
        return None
    value = (number_of(after) / number_of(before) - 1) * 100
    text = f"{show(number_of(after))} / {show(number_of(before))} − 1 = {show(value)} %"
    return Result(value, text, _leaves((before, after)), "percent")


def share(part: Sequence[Cell], whole: Sequence[Cell]) -> Result | None:
    """The share of some cells in all, in percent."""
    everything = sum((number_of(cell) for cell in whole), Fraction(0))
    some = sum((number_of(cell) for cell in part), Fraction(0))
    if not everything:
        return None
    value = some / everything * 100
    return Result(value, f"{show(some)} / {show(everything)} = {show(value)} %", _leaves(whole), "percent")


def whole_years(start: Date, end: Date) -> set[int]:
    """The years from one date to another; two values where the day is not known."""
    assert start.year is not None
    assert end.year is not None
    years = end.year - start.year
    if start.month is None or end.month is None:
        return {years - 1, years}
    if start.month == end.month and (start.day is None or end.day is None):
        return {years - 1, years}
    before = (end.month, end.day or 0) < (start.month, start.day or 0)
    return {years - 1 if before else years}


def converted(number: Number, unit: str) -> Number:
    """A number in another unit of its kind: 18.7 ounces in grams; as it is if that is not possible."""
    if not number.unit or not unit or number.unit == unit:
        return number
    own, other = unit_of(number.unit), unit_of(unit)
    if own.dimension != other.dimension or own.dimension == "money" or own.offset != other.offset:
        return number
    factor = own.factor / other.factor
    high = None if number.high is None else number.high * factor
    return replace(number, value=number.value * factor, step=number.step * factor, high=high, unit=unit)


def agrees(number: Number, value: Fraction, *, loose: bool = False) -> bool | None:
    """Whether a number in a text says a computed value; None if it is near, but not right."""
    if number.high is not None:
        inside = number.value - number.step / 2 <= value <= number.high + number.step / 2
        return inside or (None if number.value * (1 - _NEAR) <= value <= number.high * (1 + _NEAR) else False)
    said, real = abs(number.value), abs(value)
    gap = abs(said - real)
    near = gap <= max(number.step, said * _NEAR)
    if number.bound in ("over", "at least"):
        if real > said or (number.bound == "at least" and real == said):
            # "Over 50" is no word for 260.
            return True if real < 2 * said or number.bound == "at least" else None
        return None if near and real != said else False
    if number.bound in ("under", "at most"):
        if real < said or (number.bound == "at most" and real == said):
            # "Nearly 300" is no word for 100.
            return True if real * 2 > said or number.bound == "at most" else None
        return None if near and real != said else False
    if number.bound == "about" or loose:
        place = Fraction(_last_place(said))
        if gap <= max(number.step / 2, place / 2) or (gap <= said * _NEAR and said < 1000 * place):
            return True
        return None if gap <= max(number.step, place, said * _ABOUT) else False
    if gap <= number.step / 2 and (number.step < 1 or gap == 0 or value.denominator != 1 or number.step > 1):
        return True
    return None if gap < number.step or _is_rounding(said, real) else False


def _last_place(value: Fraction) -> int:
    """The place value of the last digit of a whole number that is not zero: 100 for 1500."""
    place = 1
    while value and value.denominator == 1 and value % (place * 10) == 0:
        place *= 10
    return place


def _is_rounding(said: Fraction, real: Fraction) -> bool:
    """Whether a number that ends in zeros is another rounded or cut off at its last digit."""
    place = _last_place(said)
    gap = real - said
    return place > 1 and abs(gap) <= said * _NEAR and (abs(gap) * 2 <= place or 0 <= gap < place)
