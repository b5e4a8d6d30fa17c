"""Judgements by people (preferences, annotations) from JSON lines, a JSON list or CSV."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple, TypeVar

from factable.errors import DataError, Fault, did_you_mean
from factable.io.delimited import check_width, find_column, read_cells
from factable.io.examples import FIELDS
from factable.io.faults import Faults, Malformed, RowKind, fault_at, kind_of, make_each, shorten
from factable.io.files import plain_suffix, source_name
from factable.io.objects import open_objects
from factable.io.rows import RATING_PREFIX, parse_cell

R = TypeVar("R")
Fields = Mapping[str, object]
Cells = Mapping[str, str | None]


def open_judgements(
    path: str | os.PathLike[str],
    make: Callable[[Fields], R],
    faults: Faults,
    *,
    needed: Sequence[str],
    arrange: Callable[[Cells], Fields],
) -> tuple[RowKind, Iterator[tuple[int, R]]]:
    """The row kind of a file, and the numbered results of `make` on its rows.

    A CSV file must have the `needed` columns; `arrange` turns its cells into fields, an empty cell is None.
    """
    if plain_suffix(path) not in (".csv", ".tsv"):
        return open_objects(path, lambda value, _: make(_check_object(value, needed)), faults)
    header, rows = read_cells(path)
    for name in needed:
        header[find_column(source_name(path), header, name)] = name

    def make_row(cells: list[str]) -> R:
        filled = [cell if cell.strip() else None for cell in check_width(cells, len(header))]
        return make(arrange(dict(zip(header, filled, strict=True))))

    return "line", make_each(source_name(path), rows, make_row, faults)


def _check_object(value: object, needed: Sequence[str]) -> Fields:
    if not isinstance(value, dict):
        shown = ", ".join(f'"{name}": …' for name in needed)
        raise Malformed(f"{kind_of(value)} instead of an object", f"write {{{shown}}}")
    for name in needed:
        if name not in value:
            others = [str(field) for field in value if field not in needed]
            raise Malformed(f'no "{name}" field', f"{did_you_mean(name, others)}add it")
    return value


def get_name(fields: Fields, field: str, default: str | None = None) -> str:
    """An id or a name; the default, if there is one, where it is missing."""
    value = fields.get(field)
    if type(value) is int:
        return str(value)
    if isinstance(value, str) and value:
        return value
    if value is not None and value != "":
        raise Malformed(f'"{field}" is {kind_of(value)}', "give a string or a whole number")
    if default is None:
        raise Malformed(f'"{field}" is empty', "give a string or a whole number")
    return default


PREFERENCE_FIELDS = ("id", "system_a", "system_b", "winner")
TIE = "tie"


class Preference(NamedTuple):
    """One person's preference between two texts; `winner` is None for a tie."""

    number: int
    item: str
    systems: tuple[str, str]
    winner: str | None
    annotator: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of one file, and the faults of the lines that were skipped."""

    source: str
    row_kind: RowKind
    rows: tuple[Preference, ...]
    skipped: tuple[Fault, ...] = ()


def read_preferences(path: str | os.PathLike[str], *, skip_bad: bool = False) -> Preferences:
    """Read preferences from a JSON lines, JSON, CSV or TSV file; bad lines are refused or skipped."""
    faults = Faults(skip_bad=skip_bad)
    name = source_name(path)
    row_kind, numbered = open_judgements(
        path, _make_preference, faults, needed=PREFERENCE_FIELDS, arrange=dict
    )
    rows = []
    first: dict[tuple[object, ...], int] = {}
    for number, row in numbered:
        first_number = first.setdefault(_key(row), number) if row.annotator else number
        if first_number == number:
            rows.append(row._replace(number=number))
        else:
            problem = f"repeats annotator {row.annotator!r} on a pair (first at {row_kind} {first_number})"
            faults.add(fault_at(name, row_kind, number, problem, "keep one of them"))
    return _finish(Preferences(name, row_kind, tuple(rows)), faults, skip_bad=skip_bad)


def _make_preference(fields: Fields) -> Preference:
    systems = get_name(fields, "system_a"), get_name(fields, "system_b")
    if systems[0] == systems[1]:
        raise Malformed(f"system {shorten(systems[0])} is compared with itself", "name two systems")
    winner = fields["winner"]
    if isinstance(winner, int) and not isinstance(winner, bool):
        winner = str(winner)
    # A system may be called "tie": then it is that system.
    if winner not in systems:
        if winner not in (None, "", TIE):
            raise _bad_winner(winner, systems)
        winner = None
    assert winner is None or isinstance(winner, str)
    return Preference(0, get_name(fields, "id"), systems, winner, get_name(fields, "annotator", ""))


def _bad_winner(winner: object, systems: tuple[str, str]) -> Malformed:
    shown = shorten(winner) if isinstance(winner, str) else kind_of(winner)
    hint = did_you_mean(winner, (*systems, TIE)) if isinstance(winner, str) else ""
    choice = f"give {shorten(systems[0])}, {shorten(systems[1])} or {TIE!r}"
    return Malformed(f'"winner" is {shown}', hint + choice)


def _key(row: Preference) -> tuple[object, ...]:
    return row.item, frozenset(row.systems), row.annotator


def check_texts(
    preferences: Preferences, systems_of: Mapping[str, Set[str]], *, skip_bad: bool = False
) -> Preferences:
    """The preferences whose texts are among the examples; `systems_of` holds the systems of each item."""
    faults = Faults(skip_bad=skip_bad)
    valid = []
    for row in preferences.rows:
        systems = systems_of.get(row.item)
        if systems is None:
            problem = f"no example has id {shorten(row.item)}"
            remedy = "give both files the same ids"
        elif missing := [system for system in row.systems if system not in systems]:
            problem = f"no example of system {shorten(missing[0])} has id {shorten(row.item)}"
            remedy = f"{did_you_mean(missing[0], systems)}add the example or drop the preference"
        else:
            valid.append(row)
            continue
        faults.add(fault_at(preferences.source, preferences.row_kind, row.number, problem, remedy))
    return _finish(replace(preferences, rows=tuple(valid)), faults, skip_bad=skip_bad)


def _finish(preferences: Preferences, faults: Faults, *, skip_bad: bool) -> Preferences:
    """Raise the faults, or add them to those skipped; at least one preference has to be left."""
    if not skip_bad or not preferences.rows:
        faults.check()
    if not preferences.rows:
        raise DataError([Fault(preferences.source, None, "holds no preferences", "give at least one")])
    return replace(preferences, skipped=(*preferences.skipped, *faults.pop_all()))


ANNOTATION_FIELDS = ("id", "annotator")
SPANS = "spans"
SPAN_FORM = 'give [start, end] or [start, end, "kind"], counted in characters from 0'
# Columns that hold no rating.
OTHER_COLUMNS = frozenset((*FIELDS, *ANNOTATION_FIELDS, SPANS))


class AnnotatedSpan(NamedTuple):
    """A marked piece of text; `end` is exclusive, the kind may be empty."""

    start: int
    end: int
    kind: str = ""


class Annotation(NamedTuple):
    """One person's annotation of one text; `spans` is None if the task had no spans."""

    item: str
    system: str
    annotator: str
    human: Mapping[str, float | str]
    spans: tuple[AnnotatedSpan, ...] | None


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations of all files, and the faults of the lines that were skipped."""

    rows: tuple[Annotation, ...]
    skipped: tuple[Fault, ...] = ()


def read_annotations(paths: Sequence[str | os.PathLike[str]], *, skip_bad: bool = False) -> Annotations:
    """Read annotations from JSON lines, JSON, CSV or TSV files; bad lines are refused or skipped."""
    faults = Faults(skip_bad=skip_bad)
    rows: dict[tuple[str, str, str], Annotation] = {}
    for name, row_kind, number, row in _each_row(paths, faults):
        key = row.item, row.system, row.annotator
        if key in rows:
            faults.add(fault_at(name, row_kind, number, _describe_repeat(row), "keep one of them"))
        else:
            rows[key] = row
    if not skip_bad or not rows:
        faults.check()
    if not any(row.human or row.spans is not None for row in rows.values()):
        names = ", ".join(map(source_name, paths))
        raise DataError([Fault(names, None, "holds no ratings, labels or spans", "give at least one")])
    return Annotations(tuple(rows.values()), tuple(faults.pop_all()))


def _each_row(
    paths: Sequence[str | os.PathLike[str]], faults: Faults
) -> Iterator[tuple[str, RowKind, int, Annotation]]:
    for path in paths:
        row_kind, numbered = open_judgements(
            path, make_annotation, faults, needed=ANNOTATION_FIELDS, arrange=_arrange
        )
        for number, row in numbered:
            yield source_name(path), row_kind, number, row


def _describe_repeat(row: Annotation) -> str:
    of_system = f" of system {shorten(row.system)}" if row.system else ""
    return f"repeats annotator {shorten(row.annotator)} on id {shorten(row.item)}{of_system}"


def _arrange(cells: Cells) -> Fields:
    """The fields of a CSV row: every column that is not a known field is a rating or label."""
    human = {
        column.removeprefix(RATING_PREFIX): _read_cell(column, cell)
        for column, cell in cells.items()
        if column not in OTHER_COLUMNS and cell is not None
    }
    named = {name: cells.get(name) for name in ("id", "system", "annotator")}
    return {**named, "human": human, SPANS: parse_cell(cells.get(SPANS))}


def _read_cell(column: str, cell: str) -> float | str:
    try:
        number = float(cell)
    except ValueError:
        return cell
    if not isfinite(number):
        raise Malformed(f'{shorten(cell)} in column "{column}"', "give finite numbers, or empty cells")
    return number


def make_annotation(fields: Fields) -> Annotation:
    """Check the fields of one annotation."""
    human, spans = fields.get("human"), fields.get(SPANS)
    if human is None and spans is None:
        raise Malformed('neither "human" nor "spans"', 'add "human": {"semantics": 2} or "spans": [[0, 5]]')
    return Annotation(
        get_name(fields, "id"),
        get_name(fields, "system", ""),
        get_name(fields, "annotator"),
        {} if human is None else _make_labels(human),
        None if spans is None else make_spans(spans),
    )


def _make_labels(human: object) -> dict[str, float | str]:
    if not isinstance(human, dict):
        raise Malformed(f'"human" is {kind_of(human)}', 'give an object such as {"semantics": 2}')
    return {str(name): _label(name, label) for name, label in human.items() if label not in (None, "")}


def _label(dimension: object, label: object) -> float | str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int | float):
        return float(label)
    if isinstance(label, str):
        return label
    raise Malformed(f'"human" has {kind_of(label)} for "{dimension}"', "give numbers or labels")


def make_spans(spans: object, field: str = SPANS) -> tuple[AnnotatedSpan, ...]:
    """The spans in a list of lists; `field` names them in messages."""
    if not isinstance(spans, list):
        raise Malformed(f'"{field}" is {kind_of(spans)}', "give a list such as [[0, 5]]")
    return tuple(_make_span(span, field) for span in spans)


def _make_span(span: object, field: str) -> AnnotatedSpan:
    if not isinstance(span, list) or [type(index) for index in span] not in ([int, int], [int, int, str]):
        raise Malformed(f'"{field}" has {shorten(str(span))}', SPAN_FORM)
    result = AnnotatedSpan(*span)
    if not 0 <= result.start < result.end:
        raise Malformed(f'"{field}" has {shorten(str(span))}, which holds no character', SPAN_FORM)
    return result
