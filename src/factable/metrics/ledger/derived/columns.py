"""Rows and columns in data of any shape: lists of objects, maps of numbers, keys with years."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.wording import GENERIC, stems_of
from factable.structure import Frame, Leaf, Structure, label_of
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.templates import split_identifier
from factable.text.values import Date, Number, possible_values
from factable.text.values.dates import MONTHS
from factable.text.values.hints import hint_of
from factable.text.values.units import unit_of

ColumnKind = Literal["number", "date", "rank", "name"]
Units = tuple[tuple[str, str], ...]

# More sets of rows than this are not looked at; the largest come first.
MAX_SETS = 24
_MIN_SHARE = 0.6
_DISTINCT = 0.9
_FOOTNOTE = lazy_pattern(r"\[[^\]]{1,20}\]|[†‡*]")
_PLAIN = lazy_pattern(r"[+−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_CLOCK = lazy_pattern(r"(?:(\d+):)?(\d{1,2}):(\d\d(?:\.\d+)?)")
_LAP = lazy_pattern(r"(\+)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*['′m])?\s*(?:(\d+(?:\.\d+)?)\s*(?:\"|″|''|s))?")
_STAMP = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?.*")
_UNIT_KEY = lazy_pattern(r"(.*?)\s?(?:units?|currency)")
_PARENTHESES = lazy_pattern(r"\s*\([^()]*\)\s*")
_WHEN = lazy_pattern(
    r"\b(?:dates?|years?|seasons?|since|joined|left|founded|established|born|died|birth|death|opened|built|completed|"
    r"released|elected|started|ended|begin|end|debut|premiered|aired|introduced|closed|launched|signed|created|"
    r"formed|installed|inaugurated|appointed|from|until|to|period|construction)\b",
    re.IGNORECASE,
)
_RANK = lazy_pattern(
    r"\b(?:rank|ranking|pos|position|place|placing|no|seed|standing|order|pick|overall|bib|grid|#)\b|\A#\Z",
    re.IGNORECASE,
)
_MOMENT = lazy_pattern(
    r"\b(?:start\w*|begin\w*|ends?|opens?|closes?|opening|closing|depart\w*|arriv\w*|arr|dep|at|from|until|check|kick\w*|"
    r"set time|sunrise|sunset|due|time of day|scheduled)\b",
    re.IGNORECASE,
)
_TOTAL = lazy_pattern(
    r"(?:grand |sub)?totals?|sum|overall|average|mean|all|combined|altogether|"
    r"(?:total|sum|average)s?\b.*|.*\btotals?",
    re.IGNORECASE,
)
_PERIOD = lazy_pattern(
    rf"(?:\bq[1-4]\s)?(?<!\d)(?:(?:1[89]|20)\d\d)(?!\d)(?:\sq[1-4]\b)?|\bq[1-4]\b|\b(?:{'|'.join(MONTHS)})\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
# Periods that stand alone in a column: no years, which are read as dates.
_SERIES_PERIOD = lazy_pattern(
    rf"q[1-4](?:[\s/-]*\d{{4}})?|\d{{4}}[\s/-]*q[1-4]|(?:{'|'.join(MONTHS)})(?:\s\d{{4}})?", re.IGNORECASE
)
_PERIOD_ORDER = {month.lower(): number for number, month in enumerate(MONTHS, 1)} | {
    name: number for number, name in enumerate(["mon", "tues", "wednes", "thurs", "fri", "satur", "sun"], 1)
}
_TITLES = frozenset(
    ["title", "name", "indicator", "metric", "measure", "variable", "unit", "label", "caption", "subject"]
)


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One value of a column; `number` orders it: an amount, seconds, or days of the calendar."""

    leaf: int
    text: str
    number: Fraction | None = None
    unit: str = ""
    day: Date | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """Values of one kind, by the number of their row."""

    label: str
    words: frozenset[str]
    kind: ColumnKind
    cells: dict[int, Cell]
    # A column whose key says nothing is named by a title beside it.
    extra_words: frozenset[str] = frozenset()

    @cached_property
    def unit(self) -> str:
        """The unit that most of its values have."""
        units = [cell.unit for cell in self.cells.values() if cell.unit]
        return Counter(units).most_common(1)[0][0] if units else ""

    @cached_property
    def ranks(self) -> Mapping[int, int]:
        """The rank of each row that has a number, from the lowest; equal numbers have the same rank."""
        numbers = {row: cell.number for row, cell in self.cells.items() if cell.number is not None}
        rank_of = {number: rank for rank, number in enumerate(sorted(set(numbers.values())))}
        return {row: rank_of[number] for row, number in numbers.items()}

    @cached_property
    def texts(self) -> frozenset[str]:
        """The different texts of its cells, in lower case."""
        return frozenset(cell.text.lower() for cell in self.cells.values())

    @property
    def is_ordered(self) -> bool:
        """Whether its values can be compared: amounts, dates."""
        return self.kind != "name"


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row: a frame of the data, or a key of a map."""

    number: int
    name: str
    frame: int | None = None
    is_total: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with the same columns; `nouns` are stems of what a row is called, `subject` what all are about."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    nouns: frozenset[str] = frozenset()
    subject: str = ""
    is_map: bool = False
    names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    # The words of the key that the rows are under: room, type.
    label: tuple[str, ...] = ()

    @cached_property
    def members(self) -> tuple[Row, ...]:
        """The rows without those of totals."""
        return tuple(row for row in self.rows if not row.is_total)

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Words that most names of rows contain: university, awards."""
        counts = Counter(word for row in self.members for word in set(stems_of(row.name)))
        return frozenset(word for word, count in counts.items() if 2 * count >= max(4, len(self.members)))

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of the rows without those of totals."""
        return frozenset(row.number for row in self.members)

    @cached_property
    def order(self) -> Column | None:
        """The column of dates, years or periods by which rows follow one another."""
        for column in self.columns:
            cells = [column.cells[row.number] for row in self.members if row.number in column.cells]
            is_complete = len(cells) == len(self.members) > 1
            dated = is_complete and all(cell.day is not None for cell in cells)
            if column.kind == "date" and dated and len({cell.number for cell in cells}) == len(cells):
                return column
        return next((column for column in self.columns if self._counts_up(column)), None)

    def _counts_up(self, column: Column) -> bool:
        """Whether a column numbers the rows in order: season 1, 2, 3."""
        numbers = [column.cells[row.number].number for row in self.members if row.number in column.cells]
        is_complete = len(numbers) == len(self.members) > 1 and None not in numbers
        return is_complete and bool(column.words & _STEPS) and numbers == sorted(set(numbers))  # type: ignore[type-var]


_STEPS = frozenset(["season", "week", "month", "round", "stage", "lap", "matchday", "generation", "episode"])
_CACHE: "WeakKeyDictionary[Structure, tuple[Rows, ...]]" = WeakKeyDictionary()


def rows_of(structure: Structure) -> tuple[Rows, ...]:
    """Every set of rows in the data, computed once."""
    found = _CACHE.get(structure)
    if found is None:
        found = _CACHE[structure] = _Reader(structure).read()
    return found


def read_cell(leaf: int, value: str, label: str, units: Units = ()) -> Cell:
    """A value as text and, if it is an amount or a date, as a number that orders it.

    `units` are what an object of units beside the values says: ("units.temp", "°C").
    """
    text = re.sub(r"\s+([,;.])", r"\1", _FOOTNOTE.sub("", value)).strip()
    if _PLAIN.fullmatch(text):
        number = Fraction(text.replace(",", "").replace("−", "-"))
        if number.denominator == 1 and 1000 <= number < 2200 and len(text) == 4 and _WHEN.search(label):
            return Cell(leaf, text, Fraction(date(int(number), 1, 1).toordinal()), "", Date(int(number)))
        unit, scale = _unit_of_label(label, units)
        return Cell(leaf, text, number * scale, unit)
    return _read_stamp(leaf, text) or _read_duration(leaf, text) or _read_value(leaf, text, label)


@lru_cache(maxsize=4096)
def _unit_of_label(label: str, units: Units) -> tuple[str, int]:
    """The unit and scale that a key names, or the units beside it: price_eur, sales_eur_million."""
    hint = hint_of(label, dict(units))
    return hint.unit, hint.scale


def _read_stamp(leaf: int, text: str) -> Cell | None:
    stamp = _STAMP.fullmatch(text)
    if stamp is None:
        return None
    try:
        moment = datetime(*(int(part or 0) for part in stamp.groups()))  # type: ignore[arg-type]
    except ValueError:
        return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    day = Date(moment.year, moment.month, moment.day)
    return Cell(leaf, text, moment.toordinal() + Fraction(seconds, 86400), "", day)


def _read_duration(leaf: int, text: str) -> Cell | None:
    clock = _CLOCK.fullmatch(text.lstrip("+ "))
    if clock:
        seconds = int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + Fraction(clock[3])
        return Cell(leaf, text, seconds, "+time" if text.startswith("+") else "time")
    lap = _LAP.fullmatch(text)
    if lap and any(lap.groups()[1:]) and any(mark in text for mark in "h'\"′″+"):
        seconds = int(lap[2] or 0) * 3600 + int(lap[3] or 0) * 60 + Fraction(lap[4] or 0)
        return Cell(leaf, text, seconds, "+time" if lap[1] else "time")
    return None


def _read_value(leaf: int, text: str, label: str) -> Cell:
    for part in dict.fromkeys((text, _PARENTHESES.sub(" ", text).strip())):
        if not any(char.isdecimal() for char in part) or len(part) > 40:
            continue
        value = possible_values(part, label)[0]
        if isinstance(value, Number) and value.high is None and value.unit != "ordinal":
            return Cell(leaf, text, value.value, value.unit)
        if isinstance(value, Number) and value.unit == "ordinal":
            return Cell(leaf, text, value.value)
        if isinstance(value, Date) and (value.year is None or 0 < value.year < 9999):
            day = date(value.year or 2000, value.month or 1, value.day or 1)
            return Cell(leaf, text, Fraction(day.toordinal()), "", value)
    return Cell(leaf, text)


def _make_column(label: str, cells: dict[int, Cell], titles: frozenset[str] = frozenset()) -> Column:
    """A column of the kind that most of its values have; the others have no number."""
    label = label.replace("%", " percent").strip()
    said = hint_of(label, {}).words or label
    words = frozenset(word for word in stems_of(said) if word not in GENERIC) or frozenset(stems_of(said))
    if len(cells) > 1 and all(_SERIES_PERIOD.fullmatch(cell.text) for cell in cells.values()):
        periods = {row: _period_cell(cell.text, cell.leaf) for row, cell in cells.items()}
        return Column(label, words, "date", periods)
    ordered = [cell for cell in cells.values() if cell.number is not None]
    days = [cell for cell in ordered if cell.day is not None]
    kind: ColumnKind = "name"
    if cells and len(ordered) >= _MIN_SHARE * len(cells):
        kind = "date" if 2 * len(days) > len(ordered) else "number"
        cells = {
            number: cell if (cell.day is not None) == (kind == "date") else Cell(cell.leaf, cell.text)
            for number, cell in _in_one_unit(_absolute(cells)).items()
        }
        if kind == "number" and _MOMENT.search(label) and all(_is_clock(cell.text) for cell in ordered):
            kind = "date"
        if kind == "number" and (_RANK.search(label) or _is_numbering(cells)):
            kind = "rank"
    extra = titles if words <= GENERIC else frozenset()
    return Column(label, words, kind, cells, extra)


def _is_clock(text: str) -> bool:
    return bool(re.fullmatch(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?", text))


def _is_numbering(cells: dict[int, Cell]) -> bool:
    """Whether values only number the rows: 1, 2, 3."""
    numbers = [cell.number for cell in cells.values() if cell.number is not None]
    return len(numbers) > 2 and all(b == a + 1 for a, b in itertools.pairwise(numbers))


def _absolute(cells: dict[int, Cell]) -> dict[int, Cell]:
    """Times such as "+ 58 s" after a first one are added to it."""
    first = next((cell for cell in cells.values() if cell.unit == "time"), None)
    if first is None or first.number is None or not any(cell.unit == "+time" for cell in cells.values()):
        return cells
    return {
        number: Cell(cell.leaf, cell.text, cell.number + first.number, "time")
        if cell.unit == "+time" and cell.number is not None
        else cell
        for number, cell in cells.items()
    }


def _in_one_unit(cells: dict[int, Cell]) -> dict[int, Cell]:
    """Amounts in different units of one kind, such as g and kg, in the base unit."""
    units = {cell.unit for cell in cells.values() if cell.unit}
    if (
        len(units) < 2
        or len({unit_of(unit).dimension for unit in units}) > 1
        or unit_of(next(iter(units))).dimension == "money"
    ):
        return cells
    base = min(units, key=lambda name: (abs(unit_of(name).factor - 1), name))
    return {
        number: Cell(
            cell.leaf,
            cell.text,
            (cell.number * unit_of(cell.unit).factor + unit_of(cell.unit).offset - unit_of(base).offset)
            / unit_of(base).factor,
            base,
        )
        if cell.unit and cell.number is not None
        else cell
        for number, cell in cells.items()
    }


@lru_cache(maxsize=4096)
def _label(keys: tuple[str, ...]) -> str:
    return label_of(keys)


class _Reader:
    """Finds the sets of rows of a structure, in one pass over its leaves for each shape."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.titles = frozenset(
            word
            for leaf in structure.leaves
            if leaf.kind in ("value", "prose")
            and stem(leaf.keys[-1]) in _TITLES
            and structure.frames[leaf.frame].parent is None
            for word in stems_of(leaf.value)[:12]
        ) | frozenset(stems_of(structure.title))
        self.owners = [self._owner(frame) for frame in structure.frames]

        self.units: Units = tuple(
            (leaf.path, leaf.value)
            for leaf in structure.leaves
            if "[" not in leaf.path and leaf.path.lower().startswith("units.")
        )

    def _cell(self, leaf: Leaf, label: str) -> Cell:
        return read_cell(leaf.index, leaf.value, label, self.units)

    def read(self) -> tuple[Rows, ...]:
        """All sets of rows, the largest first."""
        sets = [*self._groups(), *self._periods(), *self._maps(), *self._lists()]
        sets.sort(key=lambda rows: -len(rows.rows) * len(rows.columns))
        return tuple(sets[:MAX_SETS])

    def _owner(self, frame: Frame) -> tuple[Frame, tuple[str, ...]]:
        """The row that a frame belongs to, and the words by which the row calls it."""
        words: tuple[str, ...] = ()
        while frame.parent is not None and not frame.group.endswith(("[*]", ".*")):
            words = (frame.label, *words)
            frame = self.structure.frames[frame.parent]
        return frame, words

    def _leaves(self, *, units: bool = False) -> Iterable[tuple[Leaf, Frame, tuple[str, ...]]]:
        for leaf in self.structure.leaves:
            is_value = leaf.kind in ("value", "flag") or (leaf.kind == "prose" and len(leaf.value) < 200)
            is_unit = leaf.kind == "technical" and _UNIT_KEY.fullmatch(
                split_identifier(leaf.keys[-1]).lower()
            )
            if is_value or (units and is_unit):
                owner, words = self.owners[leaf.frame]
                yield leaf, owner, (*words, *leaf.keys)

    def _groups(self) -> Iterable[Rows]:
        """Members of lists, rows of tables, objects of one shape."""
        found: dict[str, dict[tuple[str, ...], dict[int, Cell]]] = defaultdict(lambda: defaultdict(dict))
        numbers: dict[str, dict[int, int]] = defaultdict(dict)
        for frame in self.structure.frames:
            if frame.group.endswith("*") or frame.group.endswith("[*]"):
                numbers[frame.group].setdefault(frame.index, len(numbers[frame.group]))
        for leaf, owner, keys in self._leaves(units=True):
            if owner.index in numbers.get(owner.group, ()):
                number = numbers[owner.group][owner.index]
                # The first of several values of one key.
                found[owner.group][keys].setdefault(number, self._cell(leaf, _label(keys)))
        for group, columns in found.items():
            frames = [self.structure.frames[index] for index in numbers[group]]
            if len(frames) > 1:
                yield self._rows(frames, columns)

    def _rows(self, frames: Sequence[Frame], columns: dict[tuple[str, ...], dict[int, Cell]]) -> Rows:
        columns = _with_units(columns)
        made = tuple(_make_column(_label(keys), cells, self.titles) for keys, cells in columns.items())
        naming = _naming_column(made, len(frames))
        series = _series_of(made, naming, frames[0].label)
        if series is not None and naming is not None:
            made = tuple(series if column.kind == "number" else column for column in made)
        rows = []
        for number, frame in enumerate(frames):
            cell = naming.cells.get(number) if naming else None
            name = _short_name(cell.text) if cell else frame.name
            is_total = any(
                column.kind == "name"
                and number in column.cells
                and _TOTAL.fullmatch(column.cells[number].text)
                for column in made
            )
            rows.append(Row(number, name or frame.name, frame.index, bool(is_total)))
        nouns = set() if series is not None else set(stems_of(frames[0].label)[-1:])
        nouns |= set(naming.words) if naming else set()
        # Dates are found by their meaning.
        is_dated = naming is not None and naming.kind == "date"
        names = {
            row.number: (frames[row.number].name,) for row in rows if frames[row.number].name and not is_dated
        }
        return Rows(tuple(rows), made, frozenset(nouns), names=names, label=tuple(stems_of(frames[0].label)))

    def _periods(self) -> Iterable[Rows]:
        """Keys with years, quarters, months or weekdays: revenue_2024, revenue_2025."""
        found: dict[tuple[int, bool], dict[str, dict[str, Leaf]]] = defaultdict(lambda: defaultdict(dict))
        for leaf, owner, keys in self._leaves():
            label = " ".join(split_identifier(key) for key in keys)
            period = _PERIOD.search(label)
            if period:
                rest = _label(
                    (label[: period.start()].strip(" _-") + " " + label[period.end() :].strip(" _-"),)
                )
                # Years and parts of years are two series.
                is_year = period[0].isdecimal()
                found[owner.index, is_year][rest.strip()].setdefault(period[0], leaf)
        for (frame, _), by_label in found.items():
            periods = sorted({period for leaves in by_label.values() for period in leaves}, key=_period_rank)
            columns = []
            for label, leaves in by_label.items():
                cells = {periods.index(period): self._cell(leaf, label) for period, leaf in leaves.items()}
                if len(cells) > 1:
                    columns.append(_make_column(label, cells, self.titles))
            if len(periods) > 1 and any(column.kind == "number" for column in columns):
                time = Column(
                    "period",
                    frozenset(("period", "year")),
                    "date",
                    {
                        number: _period_cell(period, self._any_leaf(by_label, period))
                        for number, period in enumerate(periods)
                    },
                )
                rows = tuple(Row(number, period, frame) for number, period in enumerate(periods))
                many = len(self.structure.groups.get(self.structure.frames[frame].group, ())) > 1
                subject = self.structure.frames[frame].name if many else ""
                yield Rows(rows, (time, *columns), frozenset(("year", "period")), subject, is_map=True)

    @staticmethod
    def _any_leaf(by_label: dict[str, dict[str, Leaf]], period: str) -> int:
        return next(leaves[period].index for leaves in by_label.values() if period in leaves)

    def _maps(self) -> Iterable[Rows]:
        """Objects of numbers: goals {home: 2, away: 0}."""
        found: dict[tuple[int, tuple[str, ...]], dict[str, Leaf]] = defaultdict(dict)
        for leaf, owner, keys in self._leaves():
            if len(keys) > 1 and not owner.group.endswith("[*]") and not _PERIOD.search(keys[-1]):
                found[owner.index, keys[:-1]].setdefault(keys[-1], leaf)
        aliases = self._aliases()
        for (frame, keys), leaves in found.items():
            label = _label(keys)
            cells = {number: self._cell(leaf, label) for number, leaf in enumerate(leaves.values())}
            if len(cells) < 2 or any(cell.number is None for cell in cells.values()):
                continue
            key_names = [split_identifier(key).lower() for key in leaves]
            rows = tuple(Row(number, aliases.get(name, name), frame) for number, name in enumerate(key_names))
            names = {
                number: tuple(dict.fromkeys((aliases.get(name, name), name)))
                for number, name in enumerate(key_names)
            }
            column = _make_column(label, cells)
            yield Rows(rows, (column,), frozenset(), is_map=True, names=names)

    def _aliases(self) -> dict[str, str]:
        """Names of objects by the key that they are under: home is Rovers."""
        aliases: dict[str, str] = {}
        for frame in self.structure.frames:
            key = re.split(r"[.\[]", frame.path)[-1]
            if frame.name and key and not key.endswith("]"):
                words = split_identifier(key).lower().split()
                aliases.setdefault(" ".join(words), frame.name)
                aliases.setdefault(words[0], frame.name)
        return aliases

    def _lists(self) -> Iterable[Rows]:
        """Lists of plain values of the same length: {"time": [...], "temperature": [...]}."""
        found: dict[int, dict[tuple[str, ...], list[Leaf]]] = defaultdict(lambda: defaultdict(list))
        for leaf, owner, keys in self._leaves():
            if leaf.path.endswith("]"):
                found[owner.index][keys].append(leaf)
        for frame, lists in found.items():
            by_length: dict[int, list[tuple[tuple[str, ...], list[Leaf]]]] = defaultdict(list)
            for keys, leaves in lists.items():
                by_length[len(leaves)].append((keys, leaves))
            for length, same in by_length.items():
                if length < 2:
                    continue
                columns = tuple(
                    _make_column(
                        _label(keys),
                        {number: self._cell(leaf, _label(keys)) for number, leaf in enumerate(leaves)},
                    )
                    for keys, leaves in same
                )
                naming = next((column for column in columns if column.kind in ("date", "name")), columns[0])
                rows = tuple(Row(number, naming.cells[number].text, frame) for number in range(length))
                yield Rows(rows, columns, naming.words)


def _series_of(columns: Sequence[Column], naming: Column | None, label: str) -> Column | None:
    """The only amounts of a series: `visitors: [{"year": 2019, "value": 12}, …]` are visitors."""
    amounts = [column for column in columns if column.kind == "number"]
    if len(amounts) != 1 or naming is None or naming.kind != "date" or not amounts[0].words <= GENERIC:
        return None
    words = frozenset(stems_of(hint_of(label, {}).words or label)) - GENERIC
    return replace(amounts[0], label=label, words=words) if words else None


def _with_units(columns: dict[tuple[str, ...], dict[int, Cell]]) -> dict[tuple[str, ...], dict[int, Cell]]:
    """Columns without those that only give the unit of another: `rain` and `rain_unit`."""
    found = dict(columns)
    for keys, units in columns.items():
        base = _UNIT_KEY.fullmatch(split_identifier(keys[-1]).lower())
        if base is None or any(cell.number is not None for cell in units.values()):
            continue
        measured = [
            other
            for other in columns
            if other != keys
            and other[:-1] == keys[:-1]
            and (split_identifier(other[-1]).lower() == base[1] if base[1] else len(keys) > 1)
        ]
        for other in measured:
            found[other] = {
                row: read_cell(cell.leaf, f"{cell.text} {units[row].text}", "")
                if cell.number is not None and not cell.unit and row in units
                else cell
                for row, cell in columns[other].items()
            }
        if measured:
            del found[keys]
    return found


def _naming_column(columns: Sequence[Column], rows: int) -> Column | None:
    """The column that names its rows: of words that differ, else the first that differs, else the first."""

    def differs(column: Column, share: float) -> bool:
        return len({cell.text for cell in column.cells.values()}) >= share * rows

    named = [column for column in columns if column.kind == "name"]
    first = (
        columns[0] if columns and columns[0].kind != "name" and not _RANK.search(columns[0].label) else None
    )
    sure = next((column for column in named if differs(column, _DISTINCT)), None)
    if sure is not None:
        return sure
    day = next((column for column in columns if column.kind == "date" and differs(column, _DISTINCT)), None)
    if first is not None and first.kind == "rank" and differs(first, _DISTINCT):
        return first
    if day is not None:
        return day
    if first is not None and differs(first, _DISTINCT):
        return first
    return next((column for column in named if differs(column, _MIN_SHARE)), columns[0] if columns else None)


def _short_name(text: str) -> str:
    return _PARENTHESES.sub(" ", text).strip() or text


def _period_rank(period: str) -> tuple[int, int, str]:
    """Year, then quarter, month or weekday."""
    lower = period.lower()
    year = re.search(r"\d{4}", lower)
    quarter = re.search(r"q([1-4])", lower)
    part = int(quarter[1]) if quarter else _PERIOD_ORDER.get(lower.removesuffix("day"), _month_of(lower))
    return int(year[0]) if year else 0, part, lower


def _month_of(period: str) -> int:
    return _PERIOD_ORDER.get(re.sub(r"\W*\d{4}\W*", "", period), 0)


def _period_cell(period: str, leaf: int) -> Cell:
    year, part, lower = _period_rank(period)
    month = _month_of(lower)
    day = Date(year or None, month or None)
    if re.search(r"q[1-4]", lower):
        day = Date(year or None, 3 * part - 2, months=3)
    if year:
        return Cell(leaf, period, date(year, 1, 1).toordinal() + Fraction(part * 91), "", day)
    return Cell(leaf, period, Fraction(part), "", day)
