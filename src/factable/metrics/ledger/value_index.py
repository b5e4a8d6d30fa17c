"""The values of the data, by number, date and word: which of them a value of a text states."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from factable.structure import Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import (
    STATED,
    Date,
    Name,
    Number,
    Relation,
    Time,
    Value,
    compare_values,
    find_mentions,
    parts_of,
)
from factable.text.values.dates import MONTHS
from factable.text.values.hints import hint_of, money_around
from factable.text.values.mentions import apply_hint
from factable.text.values.names import parse_name
from factable.text.values.nations import other_words, regions_of
from factable.text.values.units import unit_of, vaguer_unit

# No number is a rounding of another that is further off than this share of it.
_SLACK = 0.15
_TINY = 1e-9
# A number without a unit is stated with one only if it is rounded by at most this share.
_ROUNDED_WITHOUT_UNIT = Fraction(2, 100)
ORDER = {relation: rank for rank, relation in enumerate(Relation)}
_POINTS = {"N": "north", "S": "south", "E": "east", "W": "west"}
# Directions as they are written out: SW is south-west, southwest or south west.
COMPASS = {code: (name,) for code, name in _POINTS.items()} | {
    f"{first}{second}": (f"{_POINTS[first]}-{_POINTS[second]}", f"{_POINTS[first]}{_POINTS[second]}")
    for first in "NS"
    for second in "EW"
}

# Days that are called by a name in every year.
HOLIDAYS = {
    (1, 1): ("New Year", "New Year's Day", "New Year's"),
    (1, 6): ("Epiphany",),
    (2, 14): ("Valentine's Day",),
    (3, 17): ("St Patrick's Day",),
    (4, 1): ("April Fools' Day",),
    (5, 1): ("May Day", "Labour Day"),
    (7, 4): ("Independence Day",),
    (10, 31): ("Halloween",),
    (11, 1): ("All Saints' Day",),
    (12, 24): ("Christmas Eve",),
    (12, 25): ("Christmas Day", "Christmas"),
    (12, 26): ("Boxing Day", "St Stephen's Day"),
    (12, 31): ("New Year's Eve",),
}


@dataclass(frozen=True, eq=False)
class ValueIndex:
    """The values of the data, by number, date and word."""

    structure: Structure

    @cached_property
    def readings(self) -> tuple[tuple[Value, ...], ...]:
        """All readings of each leaf, with units from its key and from its siblings."""
        return tuple(self._read(leaf) for leaf in self.structure.leaves)

    def _read(self, leaf: Leaf) -> tuple[Value, ...]:
        if leaf.kind in ("unknown", "flag", "prose"):
            return ()
        parent = leaf.path.rpartition(".")[0]
        beside = [(key, value) for path, key, value in self._telling[leaf.frame] if _holds(path, parent)]
        code = leaf.value.strip()
        words = dict.fromkeys((*regions_of(code), *other_words(code), *COMPASS.get(code, ())))
        readings = _readings(leaf.value, ".".join(leaf.keys), tuple(beside))
        unsigned = self._unsigned(leaf, readings)
        further = (*_further(code, readings, beside), *_of_quotient(readings))
        return (*map(parse_name, words), *readings, *unsigned, *further)

    def number_of(self, leaf: int) -> Number | None:
        """The amount that a leaf is; None if it is none, technical or a range."""
        is_value, first = self.structure.leaves[leaf].kind == "value", next(iter(self.readings[leaf]), None)
        return first if is_value and isinstance(first, Number) and first.high is None else None

    def _unsigned(self, leaf: Leaf, readings: Sequence[Value]) -> Iterator[Number]:
        """A payment of 950 for an amount of -950, where a column or a list of posts has both signs."""
        if not leaf.value.startswith("-"):
            return
        path = leaf.path.rpartition(".")[0]
        posts = [
            self.structure.leaves[index]
            for index in self.structure.frames[leaf.frame].leaves
            if path and self.structure.leaves[index].path.rpartition(".")[0] == path
        ]
        alike = [*self.structure.columns[leaf.column], *posts]
        if not all(other.value.startswith("-") for other in alike):
            for value in readings:
                if isinstance(value, Number) and unit_of(value.unit).dimension != "temperature":
                    yield replace(value, value=-value.value)

    @cached_property
    def _telling(self) -> Mapping[int, list[tuple[str, str, str]]]:
        """For each frame what tells units, scales and periods: the path of the object, key and value.

        Objects named `units` tell them of all values; their path is empty.
        """
        own: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
        everywhere: list[tuple[str, str, str]] = []
        for leaf in self.structure.leaves:
            if len(leaf.keys) > 1 and leaf.keys[-2].lower() in ("units", "unit"):
                everywhere.append(("", f"units.{leaf.keys[-1]}", leaf.value))
            elif _TELLING.search(split_identifier(leaf.keys[-1])):
                own[leaf.frame].append((leaf.path.rpartition(".")[0], leaf.keys[-1], leaf.value))
        telling = {}
        for frame in self.structure.frames:
            around = [each for outer in self.structure.ancestors(frame) for each in own[outer.index]]
            telling[frame.index] = [*around, *everywhere]
        return telling

    @cached_property
    def periods(self) -> frozenset[Value]:
        """Years, quarters and other numbers and dates that keys contain: `revenue_2024`, `{"Q3 2025": …}`."""
        keys = {key for leaf in self.structure.leaves for key in leaf.keys}
        told = {hint_of(key, {}).period for key in keys}
        told |= {
            form for key in keys if any(map(str.isdecimal, key)) for form in (key, split_identifier(key))
        }
        months: set[Value] = {Date(month=number) for number, name in enumerate(MONTHS, 1) if name in told}
        return frozenset(months) | frozenset(
            mention.value
            for text in told
            if text
            for mention in find_mentions(text)
            if is_exact(mention.value)
        )

    @cached_property
    def _numbers(self) -> tuple[list[float], list[int], list[float]]:
        """Absolute values in written and in base units, in order; their leaves; how far they may be off."""
        entries: set[tuple[float, int, float]] = set()
        for leaf, values in enumerate(self.readings):
            for value in values:
                if isinstance(value, Number):
                    places = _place(value)
                    entries |= {(abs(float(amount)), leaf, places) for amount in _amounts(value)}
        ordered = sorted(entries)
        return [each[0] for each in ordered], [each[1] for each in ordered], [each[2] for each in ordered]

    @cached_property
    def _dates(self) -> Mapping[tuple[str, int | None], set[int]]:
        dates: dict[tuple[str, int | None], set[int]] = defaultdict(set)
        for leaf, values in enumerate(self.readings):
            for value in values:
                if isinstance(value, Date):
                    dates["year", value.year].add(leaf)
                    dates["month", value.month].add(leaf)
        return dates

    @cached_property
    def _words(self) -> tuple[Mapping[str, set[int]], Mapping[str, set[int]]]:
        """Leaves by the words of names: of names without numbers, and of names with numbers in them."""
        plain: dict[str, set[int]] = defaultdict(set)
        numbered: dict[str, set[int]] = defaultdict(set)
        for leaf, values in enumerate(self.readings):
            for value in values:
                if isinstance(value, Name):
                    words = numbered if any(map(str.isdecimal, value.words)) else plain
                    for word in value.words:
                        words[word].add(leaf)
        return plain, numbered

    @cached_property
    def _kinds(self) -> Mapping[type, set[int]]:
        kinds: dict[type, set[int]] = defaultdict(set)
        for leaf, values in enumerate(self.readings):
            for value in values:
                kinds[type(value)].add(leaf)
        return kinds

    def find(self, value: Value) -> dict[int, Relation]:
        """The leaves that a value of the text states, and how exactly."""
        found = self._find(value)
        if len(parts := _parts(value)) > 1 and Relation.EQUAL not in found.values():
            # "From 7 am to 5 pm" is not stated by 17:00 alone.
            of_parts = [self._find(part) for part in parts]
            if any(of_parts) and not all(of_parts):
                return {}
        return found

    def in_other_unit(self, number: Value) -> int | None:
        """The leaf with just this number, but in another unit of its kind, the only one: 50 mm for 50 cm."""
        if not isinstance(number, Number) or not number.unit:
            return None
        unit = unit_of(number.unit)
        if unit.dimension in ("money", "time", "calendar") or number.value <= 1:
            return None
        found = [
            (leaf, value.unit)
            for leaf, values in enumerate(self.readings)
            for value in values
            if isinstance(value, Number)
            and value.value == number.value
            and value.unit != number.unit
            and unit_of(value.unit).dimension == unit.dimension
        ]
        return found[0][0] if len({other for _, other in found}) == 1 else None

    def _find(self, value: Value) -> dict[int, Relation]:
        if value not in self._known:
            self._known[value] = self._search(value)
        return self._known[value]

    @cached_property
    def _known(self) -> dict[Value, dict[int, Relation]]:
        """What was found for values before: a text says many of them again and again."""
        return {}

    def _search(self, value: Value) -> dict[int, Relation]:
        if isinstance(value, Number):
            near = self._near(value)
        elif isinstance(value, Date):
            near = self._dates.get(("year", value.year), set()) if value.year else set()
            near = near | (self._dates.get(("month", value.month), set()) if value.month else set())
        elif isinstance(value, Name):
            near = self._near_name(value)
        else:
            near = self._kinds.get(type(value), set())
        found: dict[int, Relation] = {}
        known: dict[int, Relation] = {}
        for leaf in near:
            number = self._numbered[leaf]
            if number not in known:
                relations = [
                    compare_values(reading, value)
                    for reading in self.readings[leaf]
                    if not _is_guess(reading, value)
                ]
                known[number] = min(relations, key=ORDER.__getitem__, default=Relation.INCOMPARABLE)
            if known[number] in STATED:
                found[leaf] = known[number]
        return found

    @cached_property
    def _numbered(self) -> list[int]:
        """A number for each leaf that those with the same readings share: they are compared once."""
        numbers: dict[tuple[Value, ...], int] = {}
        return [numbers.setdefault(readings, len(numbers)) for readings in self.readings]

    def _near_name(self, name: Name) -> set[int]:
        """The leaves whose names a name of the text may be: those that share words.

        Of "Edge 12" and "Edge 15" neither is short for the other: names with numbers share a number.
        """
        plain, numbered = self._words
        numbers = [word for word in name.words if word.isdecimal()]
        shared = [plain.get(word, set()) for word in name.words]
        shared += [numbered.get(word, set()) for word in numbers or name.words]
        return set().union(*shared)

    def _near(self, value: Number) -> set[int]:
        """The leaves whose numbers a number of the text may be, exactly or rounded."""
        amounts, leaves, places = self._numbers
        near: set[int] = set()
        place = _place(value)
        for amount in {abs(float(each)) for each in _amounts(value)} | (
            {abs(float(value.high))} if value.high else set()
        ):
            low = bisect_left(amounts, amount * (1 - _SLACK))
            high = bisect_right(amounts, amount * (1 + _SLACK))
            near |= {
                leaves[index]
                for index in range(low, high)
                if abs(amounts[index] - amount) <= max(place, places[index]) * amount
            }
        return near


def _parts(value: Value) -> list[Value]:
    """Both ends of a range; the day and the time of a moment."""
    if isinstance(value, Number) and value.high is not None:
        return [replace(value, high=None), replace(value, value=value.high, high=None)]
    if isinstance(value, Time) and value.end is not None:
        return [replace(value, end=None), replace(value, start=value.end, end=None)]
    if isinstance(value, Date) and value.time is not None and value.month is not None:
        return [replace(value, time=None), value.time]
    return []


def _is_guess(data: Value, said: Value) -> bool:
    """Whether a text cannot have a number from the data: more digits, or rounded without a unit."""
    if not isinstance(data, Number) or not isinstance(said, Number) or data.value == said.value:
        return False
    if data.bound or data.high is not None or said.high is not None:
        return False
    if data.unit == said.unit:
        return not said.bound and said.step < data.step
    return (
        bool(said.unit and not data.unit)
        and abs(data.value - said.value) > abs(data.value) * _ROUNDED_WITHOUT_UNIT
    )


def _place(number: Number) -> float:
    """How far a number may be off, as a share of it: by the place of its last digit; bounds, by any."""
    if number.bound or number.high is not None or not number.value or unit_of(number.unit).offset:
        return float(_SLACK)
    return min(float(_SLACK), float(number.step / abs(number.value))) + _TINY


_TELLING = lazy_pattern(r"\b(?:units?|uom|currency|scale|multiplier|period|quarter|year)\b", re.IGNORECASE)


# The same data occurs with the texts of many systems.
@lru_cache(maxsize=1 << 15)
def _readings(value: str, key: str, telling: tuple[tuple[str, str], ...]) -> tuple[Value, ...]:
    """Every reading of a value under its key, with what the keys beside it tell."""
    others = {name: text for name, text in telling if name != key}
    hint = hint_of(key, others)
    readings = apply_hint(value, hint)
    readings += tuple(each.time for each in readings if isinstance(each, Date) and each.time is not None)
    if hint.unit and any(isinstance(reading, Number) and reading.unit for reading in readings):
        return readings
    return tuple(dict.fromkeys((*readings, *parts_of(value, key.rsplit(".", 1)[-1]))))


_MONTH = lazy_pattern(r"([12]\d{3})-(0[1-9]|1[0-2])")


def _further(value: str, readings: Sequence[Value], telling: Sequence[tuple[str, str]]) -> Iterator[Value]:
    """What a value may mean besides: a month for 2026-05, 4.3 % for 0.043, $41.2 million for 41.2."""
    if month := _MONTH.fullmatch(value):
        yield Date(int(month[1]), int(month[2]))
    for reading in readings:
        if isinstance(reading, Date) and reading.month and reading.day:
            yield from map(parse_name, HOLIDAYS.get((reading.month, reading.day), ()))
    if value.capitalize() in MONTHS:
        yield Date(month=MONTHS.index(value.capitalize()) + 1)
    plain = [reading for reading in readings if isinstance(reading, Number) and not reading.unit]
    if len(plain) != 1 or len(readings) != 1 or plain[0].high is not None:
        return
    number = plain[0]
    if 0 < abs(number.value) < 1:
        yield replace(number, value=100 * number.value, step=100 * number.step, unit="percent")
    unit, scale = money_around(telling)
    if scale > 1:
        yield replace(number, value=scale * number.value, step=scale * number.step, unit=unit)


def _of_quotient(readings: Sequence[Value]) -> Iterator[Number]:
    """A rate with words between its units: "119 g of CO2 per km"."""
    for value in readings:
        if isinstance(value, Number) and " per " in value.unit:
            yield replace(value, unit=value.unit.partition(" per ")[0])


def _amounts(number: Number) -> set[Fraction]:
    unit = unit_of(number.unit)
    amounts = {number.value, number.value * unit.factor + unit.offset}
    if number.unit == "percent":
        amounts.add(number.value / 100)
    return amounts


def _holds(path: str, inner: str) -> bool:
    """Whether the object at a path is, or contains, the object at another."""
    return not path or inner == path or inner.startswith((f"{path}.", f"{path}["))


def is_exact(value: Value) -> bool:
    """Whether a value is an amount, a date or a time, and no name."""
    return isinstance(value, Number | Date | Time)


def relation_to(value: Value, said: Value) -> Relation:
    """How a value compares with what a text says in its place; "dollars" are those of the data."""
    if isinstance(value, Number) and isinstance(said, Number) and said.unit == vaguer_unit(value.unit) != "":
        said = replace(said, unit=value.unit)
    return compare_values(value, said)


def differs(value: Value, said: Value) -> bool:
    """Whether two values cannot be the same: other amounts, or units that do not fit."""
    relation = relation_to(value, said)
    if relation is Relation.INCOMPARABLE and isinstance(value, Number) and isinstance(said, Number):
        dimension = unit_of(said.unit).dimension
        if dimension in ("time", "calendar") and unit_of(value.unit).dimension not in ("time", "calendar"):
            # How long something lasts is computed more often than told in place of something else.
            return False
        return bool(value.unit and said.unit) and unit_of(value.unit).dimension != dimension
    return relation is Relation.DIFFERENT
