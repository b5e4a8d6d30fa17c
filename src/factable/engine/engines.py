"""Engines: where units of work are done; results come back in input order."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from factable.engine.plan import drop_payload
from factable.engine.processes import ProcessPool, in_order
from factable.errors import UsageError

ENGINES = ("local", "ray")
# Units under way per worker: enough that none waits, few enough that memory stays flat.
UNITS_PER_WORKER = 3

T = TypeVar("T")


def check_engine(engine: str, jobs: int | None) -> None:
    """Refuse unknown engines and fewer than one process."""
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; engines are {', '.join(ENGINES)}")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}; give 1 or more")


def engine_session(engine: str, jobs: int | None) -> AbstractContextManager[object]:
    """A context in which an engine that takes long to start is started once."""
    if engine == "ray":
        from factable.engine.ray import connected

        return connected(jobs)
    return nullcontext()


def map_units(
    work: Callable[[Any], T], units: Iterable[Any], *, jobs: int | None = None, engine: str = "local"
) -> Generator[T]:
    """Apply `work` to each unit; results and their order are the same on every engine.

    Without `jobs`, in this process, or on all CPUs of the Ray cluster.
    """
    if engine == "ray":
        from factable.engine.ray import map_on_ray

        return map_on_ray(work, units, jobs=jobs)
    if jobs is None or jobs == 1:
        return _map_here(work, units)
    return _map_in_processes(work, units, jobs)


def _map_here(work: Callable[[Any], T], units: Iterable[Any]) -> Generator[T]:
    for unit in units:
        yield work(unit)


def _map_in_processes(work: Callable[[Any], T], units: Iterable[Any], jobs: int) -> Generator[T]:
    pool = ProcessPool(work, jobs)
    try:
        yield from in_order(pool, map(drop_payload, units), max_pending=UNITS_PER_WORKER * jobs)
    finally:
        pool.close()
