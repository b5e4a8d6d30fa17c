"""Annotations of texts by several people, one row for each text and annotator: ratings, labels or spans."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from factable.errors import DataError, Fault
from factable.io.collect import Faults, Unit, fault_at
from factable.io.examples import FIELDS
from factable.io.files import source_name
from factable.io.judgements import Cells, Fields, open_judgements, take_name
from factable.io.malformed import Malformed, kind_of, shorten
from factable.io.rows import RATING_PREFIX, parse_cell

NEEDED = ("id", "annotator")
SPANS = "spans"
SPAN_FORM = 'give [start, end] or [start, end, "kind"], counted in characters from 0'
# Columns that are no rating, although they are neither an id nor a name.
OTHER_COLUMNS = frozenset((*FIELDS, *NEEDED, SPANS))


class Span(NamedTuple):
    """Characters of a text, from `start` up to and without `end`; the kind may be empty."""

    start: int
    end: int
    kind: str = ""


class Annotation(NamedTuple):
    """What one person said about one text; `spans` is None where no spans were asked for."""

    item: str
    system: str
    annotator: str
    human: Mapping[str, float | str]
    spans: tuple[Span, ...] | None


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations of all files, and what was wrong with the lines that were skipped."""

    rows: tuple[Annotation, ...]
    skipped: tuple[Fault, ...] = ()


def read_annotations(paths: Sequence[str | os.PathLike[str]], *, skip_bad: bool = False) -> Annotations:
    """Read annotations from JSON lines, JSON, CSV or TSV files; bad lines are refused or skipped."""
    faults = Faults(patient=skip_bad)
    rows: dict[tuple[str, str, str], Annotation] = {}
    for name, unit, number, row in _each_row(paths, faults):
        key = row.item, row.system, row.annotator
        if key in rows:
            faults.add(fault_at(name, unit, number, _describe_repeat(row), "keep one of them"))
        else:
            rows[key] = row
    if not skip_bad or not rows:
        faults.check()
    if not any(row.human or row.spans is not None for row in rows.values()):
        names = ", ".join(map(source_name, paths))
        raise DataError([Fault(names, None, "holds no ratings, labels or spans", "give at least one")])
    return Annotations(tuple(rows.values()), tuple(faults.take()))


def _each_row(
    paths: Sequence[str | os.PathLike[str]], faults: Faults
) -> Iterator[tuple[str, Unit, int, Annotation]]:
    for path in paths:
        unit, numbered = open_judgements(path, _make, faults, needed=NEEDED, arrange=_arrange)
        for number, row in numbered:
            yield source_name(path), unit, number, row


def _describe_repeat(row: Annotation) -> str:
    of_system = f" of system {shorten(row.system)}" if row.system else ""
    return f"repeats annotator {shorten(row.annotator)} on id {shorten(row.item)}{of_system}"


def _arrange(cells: Cells) -> Fields:
    """The fields of a row of CSV: every column that is no other field is a rating or label."""
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


def _make(fields: Fields) -> Annotation:
    human, spans = fields.get("human"), fields.get(SPANS)
    if human is None and spans is None:
        raise Malformed('neither "human" nor "spans"', 'add "human": {"semantics": 2} or "spans": [[0, 5]]')
    return Annotation(
        take_name(fields, "id"),
        take_name(fields, "system", ""),
        take_name(fields, "annotator"),
        {} if human is None else _make_labels(human),
        None if spans is None else _make_spans(spans),
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


def _make_spans(spans: object) -> tuple[Span, ...]:
    if not isinstance(spans, list):
        raise Malformed(f'"spans" is {kind_of(spans)}', "give a list such as [[0, 5]]")
    return tuple(map(_make_span, spans))


def _make_span(span: object) -> Span:
    if not isinstance(span, list) or [type(place) for place in span] not in ([int, int], [int, int, str]):
        raise Malformed(f'"spans" has {shorten(str(span))}', SPAN_FORM)
    found = Span(*span)
    if not 0 <= found.start < found.end:
        raise Malformed(f'"spans" has {shorten(str(span))}, which holds no character', SPAN_FORM)
    return found
