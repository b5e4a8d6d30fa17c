"""Engines: units of work in, what became of them out, in input order."""

from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import TypeVar

from factable.errors import UsageError
from factable.io.blocks import Block, leave_in_file
from factable.run.crew import in_order
from factable.run.units import Batch, Plan, Scored, score_unit
from factable.run.workers import Processes

ENGINES = ("local", "ray")
# Units under way per worker: enough that none waits, few enough that memory stays flat.
UNITS_PER_WORKER = 3

Made = TypeVar("Made")


def check_engine(engine: str, jobs: int | None) -> None:
    """Refuse engines that do not exist, and less than one process."""
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; engines are {', '.join(ENGINES)}")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}; give 1 or more")


def run_units(
    plan: Plan, units: Iterable[Block | Batch], *, jobs: int | None = None, engine: str = "local"
) -> Generator[Scored]:
    """Score units here, in `jobs` processes or on Ray; the results are the same and in the same order."""
    return map_units(partial(score_unit, plan), units, jobs=jobs, engine=engine)


def map_units(
    work: Callable[[Block | Batch], Made],
    units: Iterable[Block | Batch],
    *,
    jobs: int | None = None,
    engine: str = "local",
) -> Generator[Made]:
    """What `work` makes of each unit; without `jobs`, in this process, or on all CPUs of the Ray cluster."""
    if engine == "ray":
        from factable.run.ray_engine import map_on_ray

        return map_on_ray(work, units, jobs=jobs)
    if jobs is None or jobs == 1:
        return _map_here(work, units)
    return _map_in_processes(work, units, jobs)


def _map_here(work: Callable[[Block | Batch], Made], units: Iterable[Block | Batch]) -> Generator[Made]:
    for unit in units:
        yield work(unit)


def _map_in_processes(
    work: Callable[[Block | Batch], Made], units: Iterable[Block | Batch], jobs: int
) -> Generator[Made]:
    lean = (leave_in_file(unit) if isinstance(unit, Block) else unit for unit in units)
    crew = Processes(work, jobs)
    try:
        yield from in_order(crew, lean, most=UNITS_PER_WORKER * jobs)
    finally:
        crew.close()
