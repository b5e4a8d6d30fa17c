"""What a value can be, where a text says one, and how two values stand to each other."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Literal, NamedTuple

Bound = Literal["", "about", "over", "under", "at least", "at most"]


class Relation(Enum):
    """What a value in a text is to a value in the data."""

    EQUAL = "equal"
    COARSER = "coarser"
    FINER = "finer"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"

    @property
    def flipped(self) -> "Relation":
        """The same seen from the other side."""
        return {Relation.COARSER: Relation.FINER, Relation.FINER: Relation.COARSER}.get(self, self)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a unit, exact; `step` is the place of its last digit said, `high` the end of a range."""

    value: Fraction
    unit: str = ""
    step: Fraction = Fraction(1)
    bound: Bound = ""
    high: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Date:
    """A day, month or year, whatever of it is known; `years` is 10 for a decade and 100 for a century."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    years: int = 1
    about: bool = False


@dataclass(frozen=True, slots=True)
class Boolean:
    """Yes or no."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """Words without case, accents and quotes; `comma` is how many of them come before the first comma."""

    words: tuple[str, ...]
    comma: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """Several names in one value, in any order."""

    members: tuple[Name, ...]


Value = Number | Date | Boolean | Name | Listing


class Mention(NamedTuple):
    """A value said in `text[start:end]`; a span that can be read in two ways has two mentions.

    `sure` is false for a single word at the start of a sentence, where the capital may be no name's.
    """

    value: Value
    start: int
    end: int
    sure: bool = True


def best(relations: Iterable[Relation]) -> Relation:
    """The first of the relations in the order of the enumeration; incomparable if there is none."""
    order = list(Relation)
    return min(relations, key=order.index, default=Relation.INCOMPARABLE)
