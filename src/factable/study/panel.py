"""Scores and human ratings of the same examples, side by side: what every study begins with."""

import math
import os
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.core.metric import Metric
from factable.core.results import Scores, pick
from factable.engine.collect import Listener, Result
from factable.engine.plan import Render, Scored
from factable.engine.score import score_files
from factable.errors import DataError, Fault, UsageError, did_you_mean, printable
from factable.io.files import source_name
from factable.io.read import Source
from factable.stats.bootstrap import interval
from factable.types import Example

Column = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Panel:
    """Scored examples; `item_of` gives the place of each in `items`, `system_of` in `result.systems`.

    `facts` is the number of records of each example; `ratings` are by dimension, NaN where there is none.
    """

    result: Result
    items: tuple[str, ...]
    item_of: Indices
    system_of: Indices
    facts: Indices
    ratings: Mapping[str, Column]


def score_panel(
    sources: Sequence[Source],
    metrics: Sequence[Metric],
    *,
    need_ratings: bool = True,
    jobs: int = 1,
    skip_bad: bool = False,
    listing: Render | None = None,
    listener: Listener | None = None,
    systems: Sequence[str] = (),
) -> Panel:
    """Score examples, keeping what a study needs of them and no text.

    `systems` names, for each source, the system of examples that name none.
    """
    items: dict[str, int] = {}
    item_of: list[int] = []
    rows: list[tuple[int, dict[str, float]]] = []

    def take(unit: Scored) -> None:
        item_of.extend(items.setdefault(item, len(items)) for item in unit.items)
        rows.extend(map(orjson.loads, unit.rows))
        if listener:
            listener(unit)

    result = score_files(
        sources,
        metrics,
        jobs=jobs,
        skip_bad=skip_bad,
        render=_panel_rows,
        listing=listing,
        listener=take,
        systems=systems,
    )
    dimensions = dict.fromkeys(dimension for _, rating in rows for dimension in rating)
    if need_ratings and not dimensions:
        raise DataError([Fault(_name(sources), None, "no ratings", 'add "human": {"semantics": …}')])
    return Panel(
        result=result,
        items=tuple(items),
        item_of=np.array(item_of, dtype=np.int64),
        system_of=np.frombuffer(result.system_of, dtype=np.uint32).astype(np.int64),
        facts=np.array([facts for facts, _ in rows], dtype=np.int64),
        ratings={name: np.array([rating.get(name, np.nan) for _, rating in rows]) for name in dimensions},
    )


def _panel_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:  # noqa: ARG001
    """Number of facts and ratings of each example, in the form in which workers hand over rows."""
    return [orjson.dumps((len(example.table.records), dict(example.human))) for example in examples]


def _name(sources: Sequence[Source]) -> str:
    return ", ".join(source_name(s) if isinstance(s, str | os.PathLike) else "list" for s in sources)


def choose_dimensions(panel: Panel, wanted: Sequence[str]) -> tuple[str, ...]:
    """The dimensions asked for, or all, in the order of the data."""
    require_known("rating", wanted, list(panel.ratings))
    return tuple(dict.fromkeys(wanted)) or tuple(panel.ratings)


def choose_systems(panel: Panel, only: Sequence[str], excluded: Sequence[str]) -> Panel:
    """The same study of some systems: those asked for, or all, without those excluded."""
    known = panel.result.systems
    require_known("system", (*only, *excluded), known)
    kept = [
        number for number, name in enumerate(known) if (not only or name in only) and name not in excluded
    ]
    if not kept:
        raise UsageError("no system is left; exclude fewer")
    return _only(panel, kept)


def require_known(kind: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that the data does not have."""
    for name in wanted:
        if name not in known:
            # Names come from the data and must not steer the terminal.
            names = printable(", ".join(known))
            hint = did_you_mean(name, known)
            raise UsageError(f"no {kind} {name!r}; {hint}{kind}s in the data are {names}")


def _only(panel: Panel, systems: Sequence[int]) -> Panel:
    members = np.isin(panel.system_of, systems)
    number_of = {old: new for new, old in enumerate(systems)}
    system_of = np.array([number_of[old] for old in panel.system_of[members].tolist()], dtype=np.int64)
    kept, item_of = np.unique(panel.item_of[members], return_inverse=True)
    result = replace(
        panel.result,
        scores=tuple(pick(scores, members) for scores in panel.result.scores),
        systems=tuple(panel.result.systems[number] for number in systems),
        system_of=array("I", system_of.tolist()),
    )
    return Panel(
        result=result,
        items=tuple(panel.items[index] for index in kept.tolist()),
        item_of=item_of.astype(np.int64),
        system_of=system_of,
        facts=panel.facts[members],
        ratings={name: column[members] for name, column in panel.ratings.items()},
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, its bootstrap mean and 95 % interval; NaN has a reason."""

    value: float
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    reason: str = ""


def summarize(draws: Column, reason: str = "") -> Measured:
    """The first draw is the data itself; the others make mean and interval. The reason is for NaN."""
    value = float(draws[0])
    return Measured(value, *interval(draws[1:]), reason=reason if math.isnan(value) else "")
