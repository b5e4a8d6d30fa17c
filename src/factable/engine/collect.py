"""Collects scored units: faults, repeated ids, and the scores of all examples."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from factable.core.metric import Metric, merge_scores
from factable.core.results import Scores
from factable.core.signature import settings_of
from factable.engine.plan import Plan, Scored, by_line, keep_only, repeat_fault
from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.duplicates import SeenKeys
from factable.io.limits import MAX_SYSTEMS

Listener = Callable[[Scored], None]


MAX_SKIPPED_SHOWN = 100


class Skipped(NamedTuple):
    """Bad lines that were left out: how many, and what was wrong with the first hundred."""

    total: int
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, faults: Sequence[Fault]) -> "Skipped":
        """All of these, with the first hundred."""
        return cls(len(faults), tuple(faults[:MAX_SKIPPED_SHOWN]))


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of a run; `system_of` gives the index of each example's system in `systems`.

    `warnings` say what about the data makes the numbers doubtful.
    """

    metrics: tuple[Metric, ...]
    scores: tuple[Scores, ...]
    systems: tuple[str, ...]
    system_of: "array[int]"
    skipped: Skipped
    warnings: tuple[str, ...] = ()


def collect(
    plan: Plan, units: Iterable[Scored], source: str, *, skip_bad: bool, listener: Listener
) -> Result:
    """Collect scored units and pass each to the listener; bad data is refused, or skipped if asked."""
    seen = SeenKeys()
    gathered = _Gathered(plan, source)
    faults: list[Fault] = []
    bad = 0
    for unit in units:
        unit, new_faults = _without_repeats(unit, seen)
        bad += len(new_faults)
        faults = (faults + new_faults)[: MAX_SKIPPED_SHOWN if skip_bad else MAX_FAULTS_SHOWN]
        if len(faults) == MAX_FAULTS_SHOWN and not skip_bad:
            break
        # Data that will be refused is read on for more faults, but nobody hears of its scores.
        if unit.items and (skip_bad or not faults):
            gathered.add(unit)
            listener(unit)
    if faults and not skip_bad:
        raise DataError(faults)
    if not gathered.system_of:
        raise DataError(faults or [Fault(source, None, "holds no examples", "give at least one")])
    return gathered.finish(Skipped(bad, tuple(faults)))


class _Gathered:
    """The scores so far."""

    def __init__(self, plan: Plan, source: str) -> None:
        self._source = source
        self.system_of = array("I")
        self._metrics = plan.metrics
        self._pieces: list[list[Scores]] = [[] for _ in plan.metrics]
        self._systems: dict[str, int] = {}
        self._references: set[int] = set()

    def add(self, unit: Scored) -> None:
        for pieces, piece in zip(self._pieces, unit.pieces, strict=True):
            if pieces:
                refuse_mixture(settings_of(pieces[0].signature), piece)
            pieces.append(piece)
        # By way of the examples, because a system whose every example was dropped does not count.
        numbers = {index: self._number(unit.systems[index]) for index in dict.fromkeys(unit.system_of)}
        self.system_of.extend(map(numbers.__getitem__, unit.system_of))
        self._references.update(unit.references)

    def _number(self, system: str) -> int:
        if len(self._systems) >= MAX_SYSTEMS and system not in self._systems:
            problem = f"more than {MAX_SYSTEMS} systems"
            raise DataError(
                [Fault(self._source, None, problem, 'check the field "system", or split the data')]
            )
        return self._systems.setdefault(system, len(self._systems))

    def finish(self, skipped: Skipped) -> Result:
        references = min(self._references), max(self._references)
        scores = tuple(
            merge_scores(metric, pieces, references if "references" in metric.needs else None)
            for metric, pieces in zip(self._metrics, self._pieces, strict=True)
        )
        for merged, pieces in zip(scores, self._pieces, strict=True):
            refuse_mixture(settings_of(pieces[0].signature), merged)
        return Result(self._metrics, scores, tuple(self._systems), self.system_of, skipped)


def refuse_mixture(settings: list[str], piece: Scores) -> None:
    """Refuse scores made with another model or file than the others of the run."""
    if settings_of(piece.signature) != settings:
        problem = "a file that it needs changed while it was scoring"
        raise DataError([Fault(piece.metric, None, problem, "run again once nobody writes there")])


def _without_repeats(unit: Scored, seen: SeenKeys) -> tuple[Scored, list[Fault]]:
    """The unit without examples whose id and system came before, and all its faults by line."""
    repeats = seen.add(unit.keys)
    if not repeats:
        return unit, unit.faults
    faults = [
        repeat_fault(
            unit.source,
            unit.row_kind,
            unit.lines[index],
            unit.items[index],
            unit.systems[unit.system_of[index]],
        )
        for index in repeats
    ]
    dropped = set(repeats)
    kept = [index for index in range(len(unit.items)) if index not in dropped]
    return keep_only(unit, kept), by_line([*unit.faults, *faults])
