"""Scores and human ratings of the same examples, side by side."""

import os
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.errors import DataError, Fault, UsageError, did_you_mean, printable
from factable.io.files import source_name
from factable.io.read import Source
from factable.metric import Metric, pick
from factable.run.collect import Listener, Result
from factable.run.score import score_files
from factable.run.units import Scored
from factable.types import Example, Scores

Column = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rated:
    """Scored examples with their items and ratings by dimension, NaN where an example has no rating."""

    result: Result
    item_of: Places
    system_of: Places
    ratings: Mapping[str, Column]


def score_rated(
    sources: Sequence[Source], metrics: Sequence[Metric], *, jobs: int = 1, listener: Listener | None = None
) -> Rated:
    """Score rated examples, keeping what a study needs of them and no text."""
    items: dict[str, int] = {}
    item_of: list[int] = []
    ratings: list[dict[str, float]] = []

    def take(unit: Scored) -> None:
        item_of.extend(items.setdefault(item, len(items)) for item in unit.items)
        ratings.extend(map(orjson.loads, unit.rows))
        if listener:
            listener(unit)

    result = score_files(sources, metrics, jobs=jobs, render=_rating_rows, listener=take)
    dimensions = dict.fromkeys(dimension for rating in ratings for dimension in rating)
    if not dimensions:
        raise DataError([Fault(_name(sources), None, "no ratings", 'add "human": {"semantics": …}')])
    columns = {name: np.array([rating.get(name, np.nan) for rating in ratings]) for name in dimensions}
    system_of = np.frombuffer(result.system_of, dtype=np.uint32).astype(np.int64)
    return Rated(result, np.array(item_of, dtype=np.int64), system_of, columns)


def _rating_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:  # noqa: ARG001
    """The ratings of each example, in the form in which workers hand over rows."""
    return [orjson.dumps(dict(example.human)) for example in examples]


def _name(sources: Sequence[Source]) -> str:
    return ", ".join(source_name(s) if isinstance(s, str | os.PathLike) else "list" for s in sources)


def choose_dimensions(rated: Rated, wanted: Sequence[str]) -> tuple[str, ...]:
    """The dimensions asked for, or all, in the order of the data."""
    _require_known("rating", wanted, list(rated.ratings))
    return tuple(dict.fromkeys(wanted)) or tuple(rated.ratings)


def choose_systems(rated: Rated, only: Sequence[str], excluded: Sequence[str]) -> Rated:
    """The same study of some systems: those asked for, or all, without those excluded."""
    known = rated.result.systems
    _require_known("system", (*only, *excluded), known)
    kept = [
        number for number, name in enumerate(known) if (not only or name in only) and name not in excluded
    ]
    if not kept:
        raise UsageError("no system is left; exclude fewer")
    return _only(rated, kept)


def _require_known(kind: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            # Names come from the data and must not steer the terminal.
            names = printable(", ".join(known))
            hint = did_you_mean(name, known)
            raise UsageError(f"no {kind} {name!r}; {hint}{kind}s in the data are {names}")


def _only(rated: Rated, systems: Sequence[int]) -> Rated:
    members = np.isin(rated.system_of, systems)
    number_of = {old: new for new, old in enumerate(systems)}
    system_of = np.array([number_of[old] for old in rated.system_of[members].tolist()], dtype=np.int64)
    _, item_of = np.unique(rated.item_of[members], return_inverse=True)
    result = replace(
        rated.result,
        scores=tuple(pick(scores, members) for scores in rated.result.scores),
        systems=tuple(rated.result.systems[number] for number in systems),
        system_of=array("I", system_of.tolist()),
    )
    ratings = {name: column[members] for name, column in rated.ratings.items()}
    return Rated(result, item_of.astype(np.int64), system_of, ratings)
