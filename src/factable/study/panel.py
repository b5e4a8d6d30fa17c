"""Scores and human ratings of the same examples: the input of every study."""

import math
import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import orjson

from factable.core.metric import Metric
from factable.core.results import Scores, pick
from factable.core.signature import spec
from factable.engine.collect import Listener, Result
from factable.engine.notebook_progress import notebook_progress
from factable.engine.plan import Render, Scored
from factable.engine.score import parse_all, score_files
from factable.errors import DataError, Fault, UsageError, did_you_mean, printable
from factable.io.files import source_name
from factable.io.joins import Joins
from factable.io.read import Source
from factable.stats import Column, Indices
from factable.stats.bootstrap import interval
from factable.stats.significance import holm
from factable.types import Example

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

D = TypeVar("D", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Panel:
    """Scored examples; `item_of` indexes `items` for each of them, `system_of` indexes `result.systems`.

    `facts` is the number of records of each example; `ratings` are by name, NaN where an example has none.
    """

    result: Result
    items: tuple[str, ...]
    item_of: Indices
    system_of: Indices
    facts: Indices
    ratings: Mapping[str, Column]


# What a study takes: a file, examples, several of these, or examples that are scored already.
StudyData = Panel | Source | Sequence[Source]


def as_panel(
    data: StudyData,
    metrics: Iterable[str | Metric],
    *,
    need_ratings: bool = True,
    jobs: int = 1,
    systems: Sequence[str] = (),
) -> Panel:
    """Score the data, unless it is a panel already."""
    if isinstance(data, Panel):
        return data
    parsed = parse_all(metrics)
    if not parsed:
        raise UsageError("`metrics` is empty; name at least one metric")
    sources = as_sources(data)
    with notebook_progress(sources) as show:
        return score_panel(
            sources, parsed, need_ratings=need_ratings, jobs=jobs, systems=systems, listener=show
        )


def as_sources(data: Source | Sequence[Source]) -> Sequence[Source]:
    """A list of sources; a list of examples is one source."""
    several = isinstance(data, list | tuple) and data and not isinstance(data[0], Mapping | Example)
    return cast(Sequence[Source], data if several else [data])


def score_panel(
    sources: Sequence[Source],
    metrics: Sequence[Metric],
    *,
    need_ratings: bool = True,
    jobs: int | None = None,
    engine: str = "local",
    skip_bad: bool = False,
    resume: str | None = None,
    listing: Render | None = None,
    listener: Listener | None = None,
    systems: Sequence[str] = (),
    joins: Joins | None = None,
) -> Panel:
    """Score examples and keep what a study needs of them, which is no text.

    `systems` names, for each source, the system of examples that name none; `joins` holds references and
    ratings of the texts.
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
        engine=engine,
        skip_bad=skip_bad,
        resume=resume,
        render=_panel_rows,
        listing=listing,
        listener=take,
        systems=systems,
        joins=joins,
    )
    names = dict.fromkeys(name for _, ratings in rows for name in ratings)
    if need_ratings and not names:
        raise DataError([Fault(_name(sources), None, "no ratings", 'add "human": {"semantics": …}')])
    return Panel(
        result=result,
        items=tuple(items),
        item_of=np.array(item_of, dtype=np.int64),
        system_of=np.frombuffer(result.system_of, dtype=np.uint32).astype(np.int64),
        facts=np.array([facts for facts, _ in rows], dtype=np.int64),
        ratings={name: np.array([ratings.get(name, np.nan) for _, ratings in rows]) for name in names},
    )


def _panel_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:  # noqa: ARG001
    """Number of facts and ratings of each example, as the bytes that workers hand over."""
    return [orjson.dumps((len(example.table.records), dict(example.human))) for example in examples]


def _name(sources: Sequence[Source]) -> str:
    return ", ".join(source_name(s) if isinstance(s, str | os.PathLike) else "list" for s in sources)


def choose_ratings(panel: Panel, wanted: Sequence[str]) -> tuple[str, ...]:
    """The names of the ratings asked for, or of all, in the order of the data."""
    require_known("rating", wanted, list(panel.ratings))
    return tuple(dict.fromkeys(wanted)) or tuple(panel.ratings)


def choose_systems(panel: Panel, only: Sequence[str], excluded: Sequence[str]) -> Panel:
    """The panel of some systems: those asked for, or all, without those excluded."""
    known = panel.result.systems
    require_known("system", (*only, *excluded), known)
    kept = [
        number for number, name in enumerate(known) if (not only or name in only) and name not in excluded
    ]
    if not kept:
        raise UsageError("no system is left; exclude fewer")
    return _keep_systems(panel, kept)


def require_known(kind: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that the data does not have."""
    for name in wanted:
        if name not in known:
            # Names come from the data and must not control the terminal.
            names = printable(", ".join(known))
            hint = did_you_mean(name, known)
            raise UsageError(f"no {kind} {name!r}; {hint}{kind}s in the data are {names}")


def _keep_systems(panel: Panel, systems: Sequence[int]) -> Panel:
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


def metric_number(panel: Panel, metric: Metric) -> int:
    """The index of a metric that the panel was scored with."""
    if metric not in panel.result.metrics:
        raise UsageError(f"the panel was not scored with {spec(metric)}; score it with that metric too")
    return panel.result.metrics.index(metric)


def signatures_of(panel: Panel) -> dict[str, str]:
    """The signature of each metric by its spec."""
    return {scores.metric: scores.signature for scores in panel.result.scores}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its bootstrap mean, 95 % interval and standard deviation; NaN has a reason."""

    value: float
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    deviation: float = math.nan
    reason: str = ""


def estimate(draws: Column, reason: str = "") -> Estimate:
    """The first draw is the data itself; the others say how far it varies. The reason is for NaN."""
    value = float(draws[0])
    defined = draws[1:][~np.isnan(draws[1:])]
    deviation = float(np.std(defined, ddof=1)) if len(defined) > 1 else math.nan
    return Estimate(
        value, *interval(draws[1:]), deviation=deviation, reason=reason if math.isnan(value) else ""
    )


def with_holm(differences: Sequence[D], p_values: Sequence[float]) -> list[D]:
    """The differences with `p_holm`: their p-values after Holm's correction for all of them."""
    pairs = zip(differences, holm(p_values), strict=True)
    return [replace(difference, p_holm=p_holm) for difference, p_holm in pairs]
