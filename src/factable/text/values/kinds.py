"""The kinds of values, mentions of values in a text, and relations between values."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Literal, NamedTuple

from factable.text.values.units import HUNDREDTH

Bound = Literal["", "about", "over", "under", "at least", "at most"]


class Relation(Enum):
    """How a value in a text compares with a value in the data."""

    EQUAL = "equal"
    COARSER = "coarser"
    FINER = "finer"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"

    @property
    def flipped(self) -> "Relation":
        """The relation of the data to the text."""
        return {Relation.COARSER: Relation.FINER, Relation.FINER: Relation.COARSER}.get(self, self)


# A value in a text states one of the data if it is one of these to it.
STATED = (Relation.EQUAL, Relation.COARSER, Relation.FINER)


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number in a unit; `step` is the place value of its last digit, `high` the end of a range."""

    value: Fraction
    unit: str = ""
    step: Fraction = Fraction(1)
    bound: Bound = ""
    high: Fraction | None = None

    def __hash__(self) -> int:
        # Hashing all fractions would take longer than most comparisons that are remembered by number.
        return hash((self.value.numerator, self.value.denominator, self.unit, self.bound))


def in_whole_currency(number: Number) -> Number:
    """A number of hundredths as one of whole units: 35 cents are 0.35 dollars or euros."""
    if not number.unit.startswith(HUNDREDTH):
        return number
    high = None if number.high is None else number.high / 100
    unit = number.unit.removeprefix(HUNDREDTH)
    return Number(number.value / 100, unit, number.step / 100, number.bound, high)


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day or a range of them, in minutes after midnight.

    `zone` is in minutes east of Greenwich. A `vague` time may be twelve hours later.
    """

    start: int
    end: int | None = None
    zone: int | None = None
    about: bool = False
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as far as it is known.

    `years` is 10 for a decade and 100 for a century; `months` is 3 for a quarter and 6 for half a year.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    years: int = 1
    about: bool = False
    months: int = 1
    time: Time | None = None


@dataclass(frozen=True, slots=True)
class Weekdays:
    """One or more days of the week, from 0 for Monday, in order."""

    days: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Boolean:
    """Yes or no."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """Words without case, accents and quotes; `comma` is the number of words before the first comma."""

    words: tuple[str, ...]
    comma: int = 0


@dataclass(frozen=True, slots=True)
class NameList:
    """Several names in one value, in any order."""

    members: tuple[Name, ...]


Value = Number | Date | Time | Weekdays | Boolean | Name | NameList


class Mention(NamedTuple):
    """A value in `text[start:end]`; an ambiguous span has several mentions.

    `sure` is false for a single capitalised word at the start of a sentence, which may be no name.
    """

    value: Value
    start: int
    end: int
    sure: bool = True


def best_relation(relations: Iterable[Relation]) -> Relation:
    """The first of the relations in the order of the enumeration; incomparable if there are none."""
    order = list(Relation)
    return min(relations, key=order.index, default=Relation.INCOMPARABLE)
