"""Refuses data in which no example has what a metric needs, before anything is scored."""

from collections.abc import Iterator, Sequence

from factable.errors import DataError, Fault
from factable.io.collect import fault_at
from factable.metric import Metric, missing_fields
from factable.run.units import AnyUnit, Batch, lean, read_unit


def check_needs(units: Iterator[AnyUnit], metrics: Sequence[Metric]) -> Iterator[AnyUnit]:
    """The same units, held back until an example with all that a metric needs was seen for each metric.

    That is mostly the first example, so little is read twice. Single examples that lack something are for the
    metric to leave unscored.
    """
    unmet = list(metrics)
    held: list[AnyUnit] = []
    first: Batch | None = None
    total = 0
    for unit in units:
        batch = read_unit(unit)
        total += len(batch.examples)
        first = first or (batch if batch.examples else None)
        unmet = [metric for metric in unmet if all(missing_fields(metric, e) for e in batch.examples)]
        held.append(lean(unit))
        if not unmet:
            break
    if unmet and first:
        raise DataError([_fault(metric, first, total) for metric in unmet])
    yield from held
    yield from units


def _fault(metric: Metric, first: Batch, total: int) -> Fault:
    lack = missing_fields(metric, first.examples[0])[0]
    found = f"no {lack}, but metric {metric.name} needs them"
    if total > 1:
        found += f", and none of the other {total - 1} examples has all it needs"
    remedy = f"add {lack.split()[0]} or drop {metric.name}"
    return fault_at(first.source, first.unit, first.lines[0], found, remedy)
