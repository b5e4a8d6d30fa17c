"""Pairwise preferences: which of two systems people found better on an item."""

import os
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from factable.errors import DataError, Fault, did_you_mean
from factable.io.collect import Faults, Unit, fault_at
from factable.io.files import source_name
from factable.io.judgements import Fields, open_judgements, take_name
from factable.io.malformed import Malformed, kind_of, shorten

NEEDED = ("id", "system_a", "system_b", "winner")
TIE = "tie"


class Preference(NamedTuple):
    """What one person said about two texts; `winner` is None where neither is better."""

    number: int
    item: str
    systems: tuple[str, str]
    winner: str | None
    annotator: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of one file, and what was wrong with the lines that were skipped."""

    source: str
    unit: Unit
    rows: tuple[Preference, ...]
    skipped: tuple[Fault, ...] = ()


def read_preferences(path: str | os.PathLike[str], *, skip_bad: bool = False) -> Preferences:
    """Read preferences from a JSON lines, JSON, CSV or TSV file; bad lines are refused or skipped."""
    faults = Faults(patient=skip_bad)
    name = source_name(path)
    unit, numbered = open_judgements(path, _make, faults, needed=NEEDED, arrange=dict)
    rows = []
    first: dict[tuple[object, ...], int] = {}
    for number, row in numbered:
        known = first.setdefault(_key(row), number) if row.annotator else number
        if known == number:
            rows.append(row._replace(number=number))
        else:
            found = f"repeats annotator {row.annotator!r} on a pair (first at {unit} {known})"
            faults.add(fault_at(name, unit, number, found, "keep one of them"))
    return _finish(Preferences(name, unit, tuple(rows)), faults, skip_bad=skip_bad)


def _make(fields: Fields) -> Preference:
    systems = take_name(fields, "system_a"), take_name(fields, "system_b")
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
    return Preference(0, take_name(fields, "id"), systems, winner, take_name(fields, "annotator", ""))


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
    """The preferences, if all their texts are among the examples, given as the systems of each item."""
    faults = Faults(patient=skip_bad)
    kept = []
    for row in preferences.rows:
        known = systems_of.get(row.item)
        if known is None:
            problem = f"no example has id {shorten(row.item)}", "give both files the same ids"
        elif missing := [system for system in row.systems if system not in known]:
            found = f"no example of system {shorten(missing[0])} has id {shorten(row.item)}"
            problem = found, f"{did_you_mean(missing[0], known)}add the example or drop the preference"
        else:
            kept.append(row)
            continue
        faults.add(fault_at(preferences.source, preferences.unit, row.number, *problem))
    return _finish(replace(preferences, rows=tuple(kept)), faults, skip_bad=skip_bad)


def _finish(preferences: Preferences, faults: Faults, *, skip_bad: bool) -> Preferences:
    """Refuse what was found, or keep it as skipped; something has to be left."""
    if not skip_bad or not preferences.rows:
        faults.check()
    if not preferences.rows:
        raise DataError([Fault(preferences.source, None, "holds no preferences", "give at least one")])
    return replace(preferences, skipped=(*preferences.skipped, *faults.take()))
