"""What metrics have to know of all examples before one is scored, found out by map and reduce.

Units are surveyed anywhere, surveys are added up here in input order, and what is learnt from them travels
with the plan to wherever examples are scored.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from factable.core.metric import CorpusMetric, learns_by_survey
from factable.engine.sources import Corpus
from factable.engine.units import AnyUnit, Plan, drop_payload, read_unit, size_of, without_repeats
from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.duplicates import SeenKeys
from factable.io.read import without_collection
from factable.kernels import fingerprints
from factable.models.runtime.progress import ParallelMap, count_steps


class Surveyed(NamedTuple):
    """What each metric has to know of one unit."""

    surveys: list[Any]
    keys: bytes
    faults: list[Fault]
    size: int


@without_collection
def fit_corpus_metrics(plan: Plan, corpus: Corpus, parallel_map: ParallelMap, *, skip_bad: bool) -> Plan:
    """The plan with what its metrics have to know; only where one has to be told, the corpus is read."""
    told = list(filter(learns_by_survey, plan.metrics)) if corpus.surveyed else []
    surveys = iter(_survey(told, corpus, parallel_map, skip_bad) if told else ())
    known: list[Any] = []
    for metric in plan.metrics:
        if corpus.surveyed and learns_by_survey(metric):
            known.append(metric.learn(next(surveys), parallel_map))
        elif metric.shard_by == "example" and hasattr(metric, "load_state"):
            known.append(metric.load_state(parallel_map))
        else:
            known.append(None)
    return plan._replace(known=tuple(known))


def _survey(
    metrics: Sequence[CorpusMetric], corpus: Corpus, parallel_map: ParallelMap, skip_bad: bool
) -> list[Any]:
    """The survey of all units for each metric; bad data is refused here, before anything is scored."""
    seen = SeenKeys()
    faults: list[Fault] = []
    totals = [metric.survey([]) for metric in metrics]
    advance = count_steps("bytes looked through", corpus.size)
    under_way: deque[AnyUnit] = deque()
    for found in parallel_map(partial(survey_unit, metrics), _noting(corpus.units(), under_way)):
        unit = under_way.popleft()
        advance(found.size)
        repeated = set(seen.add(found.keys))
        if repeated:
            # They would move the values of the others.
            found = survey_unit(metrics, without_repeats(read_unit(unit), repeated))
        faults = (faults + found.faults)[:MAX_FAULTS_SHOWN]
        if len(faults) == MAX_FAULTS_SHOWN and not skip_bad:
            break
        totals = [m.add(total, more) for m, total, more in zip(metrics, totals, found.surveys, strict=True)]
    if faults and not skip_bad:
        raise DataError(faults)
    return totals


def _noting(units: Iterable[AnyUnit], under_way: deque[AnyUnit]) -> Iterator[AnyUnit]:
    """The units as an engine takes them, which may be some ahead of what it gives back."""
    for unit in units:
        under_way.append(drop_payload(unit))
        yield unit


@without_collection
def survey_unit(metrics: Sequence[CorpusMetric], unit: AnyUnit) -> Surveyed:
    """What each metric has to know of a unit."""
    batch = read_unit(unit)
    surveys = [metric.survey(batch.examples) for metric in metrics]
    return Surveyed(surveys, fingerprints(batch.examples), batch.faults, size_of(unit))
