"""Puts scored units together: faults, repeated ids, and the scores of all examples."""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from factable.errors import MOST_FAULTS_SHOWN, DataError, Fault
from factable.io.seen import SeenKeys
from factable.metric import Metric, merge_scores
from factable.run.units import Plan, Scored, keep_only, metrics_of
from factable.types import Scores

Listener = Callable[[Scored], None]


class Skipped(NamedTuple):
    """Bad lines that were left out: how many, and what was wrong with the first ten."""

    total: int
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of a run; `system_of` gives each example's place in `systems`."""

    metrics: tuple[Metric, ...]
    scores: tuple[Scores, ...]
    systems: tuple[str, ...]
    system_of: "array[int]"
    skipped: Skipped


def collect(
    plan: Plan, units: Iterable[Scored], source: str, *, skip_bad: bool, listener: Listener
) -> Result:
    """Gather scored units, telling the listener of each; bad data is refused, or skipped where asked for."""
    seen = SeenKeys()
    pieces: list[list[Scores]] = [[] for _ in plan.specs]
    systems: dict[str, int] = {}
    system_of = array("I")
    faults: list[Fault] = []
    bad = 0
    low, high = None, 0
    for unit in units:
        unit, found = _without_repeats(unit, seen)
        bad += len(found)
        faults = (faults + found)[:MOST_FAULTS_SHOWN]
        if len(faults) == MOST_FAULTS_SHOWN and not skip_bad:
            break
        for mine, piece in zip(pieces, unit.pieces, strict=True):
            mine.append(piece)
        numbers = [systems.setdefault(system, len(systems)) for system in unit.systems]
        system_of.extend(map(numbers.__getitem__, unit.system_of))
        low = unit.references[0] if low is None else min(low, unit.references[0])
        high = max(high, unit.references[1])
        listener(unit)
    if faults and not skip_bad:
        raise DataError(faults)
    if not system_of:
        raise DataError(faults or [Fault(source, None, "holds no examples", "give at least one")])
    metrics = metrics_of(plan.specs)
    scores = tuple(
        merge_scores(metric, mine, (low or 0, high) if "references" in metric.needs else None)
        for metric, mine in zip(metrics, pieces, strict=True)
    )
    return Result(metrics, scores, tuple(systems), system_of, Skipped(bad, tuple(faults)))


def _without_repeats(unit: Scored, seen: SeenKeys) -> tuple[Scored, list[Fault]]:
    """The unit without examples whose id and system came before, and all its faults by line."""
    repeats = seen.add(unit.keys)
    if not repeats:
        return unit, unit.faults
    faults = [
        Fault(
            unit.source,
            unit.lines[index],
            f"id {unit.items[index]!r} of system {unit.systems[unit.system_of[index]]!r} comes a second time",
            "make each pair of id and system unique",
        )
        for index in repeats
    ]
    dropped = set(repeats)
    kept = [index for index in range(len(unit.items)) if index not in dropped]
    return keep_only(unit, kept), sorted([*unit.faults, *faults], key=lambda fault: fault.line or 0)
