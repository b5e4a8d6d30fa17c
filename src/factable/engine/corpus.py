"""Corpus metrics: what they must know of all examples before one is scored, found by map and reduce.

Units are collected from anywhere, collections are merged here in input order, and the states fitted to them
travel with the plan to wherever examples are scored.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from factable.core.metric import Metric, plug_in_errors
from factable.engine.plan import AnyUnit, Plan, drop_payload, read_unit, without_repeats
from factable.engine.sources import Corpus
from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.duplicates import SeenKeys
from factable.io.read import gc_paused
from factable.kernels import fingerprints
from factable.models.runtime.progress import ParallelMap, count_steps
from factable.types import Example


class Collected(NamedTuple):
    """What each corpus metric must know of one unit."""

    collections: list[Any]
    keys: bytes
    faults: list[Fault]
    size: int


@gc_paused
def fit_metrics(plan: Plan, corpus: Corpus, parallel_map: ParallelMap, *, skip_bad: bool) -> Plan:
    """The plan with the states of its metrics; the corpus is read only if a metric depends on it."""
    corpus_metrics = [metric for metric in plan.metrics if metric.corpus]
    collections = iter(_collect(corpus_metrics, corpus, parallel_map, skip_bad) if corpus_metrics else ())
    states: list[Any] = []
    for metric in plan.metrics:
        with plug_in_errors(metric):
            if metric.corpus:
                states.append(metric.fit(next(collections), parallel_map))
            else:
                states.append(metric.load_state(parallel_map))
    return plan._replace(states=tuple(states))


def _collect(
    metrics: Sequence[Metric], corpus: Corpus, parallel_map: ParallelMap, skip_bad: bool
) -> list[Any]:
    """The collection of all units for each metric; bad data is refused here, before anything is scored."""
    seen = SeenKeys()
    faults: list[Fault] = []
    totals = _collect_each(metrics, [])
    advance = count_steps("bytes read", corpus.size)
    pending: deque[AnyUnit] = deque()
    for collected in parallel_map(partial(collect_unit, metrics), _noting(corpus.units(), pending)):
        unit = pending.popleft()
        advance(collected.size)
        repeated = set(seen.add(collected.keys))
        if repeated:
            # They would move the values of the others.
            collected = collect_unit(metrics, without_repeats(read_unit(unit), repeated))
        faults = (faults + collected.faults)[:MAX_FAULTS_SHOWN]
        if len(faults) == MAX_FAULTS_SHOWN and not skip_bad:
            break
        totals = [
            _merge(metric, total, more)
            for metric, total, more in zip(metrics, totals, collected.collections, strict=True)
        ]
    if faults and not skip_bad:
        raise DataError(faults)
    return totals


def _noting(units: Iterable[AnyUnit], pending: deque[AnyUnit]) -> Iterator[AnyUnit]:
    """Pass units on and remember them: an engine takes some ahead of what it gives back."""
    for unit in units:
        pending.append(drop_payload(unit))
        yield unit


@gc_paused
def collect_unit(metrics: Sequence[Metric], unit: AnyUnit) -> Collected:
    """What each metric must know of a unit."""
    batch = read_unit(unit)
    collections = _collect_each(metrics, batch.examples)
    return Collected(collections, fingerprints(batch.examples), batch.faults, batch.size)


def _collect_each(metrics: Sequence[Metric], examples: Sequence[Example]) -> list[Any]:
    collections = []
    for metric in metrics:
        with plug_in_errors(metric):
            collections.append(metric.collect(examples))
    return collections


def _merge(metric: Metric, total: Any, more: Any) -> Any:
    with plug_in_errors(metric):
        return metric.merge(total, more)
