"""Amounts of the data that a number of a text may be computed from, and what is computed."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple


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
