"""Amounts of the data that a number of a text may be computed from, and what is computed."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from factable.text.values.units import unit_of


class Amount(NamedTuple):
    """A value, or a total of values, that may take part."""

    value: Fraction
    leaves: tuple[int, ...]
    shown: str
    dimension: str = ""


class Result(NamedTuple):
    """What is computed, from which leaves, and how."""

    value: Fraction
    leaves: tuple[int, ...]
    explanation: str


def total_of(amounts: Sequence[Amount]) -> Amount:
    """The sum of amounts."""
    shown = " + ".join(amount.shown for amount in amounts[:4]) + (" + …" if len(amounts) > 4 else "")
    leaves = tuple(leaf for amount in amounts for leaf in amount.leaves)
    whole = sum((amount.value for amount in amounts), Fraction(0))
    return Amount(whole, leaves, shown, amounts[0].dimension)


def quotients_of(pairs: Iterable[tuple[Amount, Amount]], times: int = 1) -> list[Result]:
    """The first of two amounts divided by the second, times a factor such as 100."""
    return [
        Result(times * one.value / other.value, one.leaves + other.leaves, f"{one.shown} / {other.shown}")
        for one, other in pairs
        if other.value
    ]


def gaps_of(pairs: Iterable[tuple[Amount, Amount]]) -> Iterator[Result]:
    """What the first of two amounts has more than the second."""
    for one, other in pairs:
        if one.value > other.value:
            shown = f"{one.shown} − {other.shown}"
            yield Result(one.value - other.value, one.leaves + other.leaves, shown)


def dimension_of(unit: str) -> str:
    """What a unit measures; points and stars are counted like things without a unit."""
    if unit == "percentage point":
        return "percent"
    return "" if unit in ("point", "star") or unit.startswith("out of ") else unit_of(unit).dimension
