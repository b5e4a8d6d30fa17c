"""Engines: units of work in, scored units out, in input order."""

import multiprocessing
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from factable.errors import FactableError
from factable.io.blocks import Block, leave_in_file
from factable.run.units import Batch, Plan, Scored, score_unit

# Units under way per worker: enough that none waits, few enough that memory stays flat.
UNITS_PER_WORKER = 3


def run_units(plan: Plan, units: Iterable[Block | Batch], *, jobs: int) -> Iterator[Scored]:
    """Score units here or in `jobs` processes; the results are the same and in the same order."""
    if jobs == 1:
        return _run_here(plan, units)
    return _run_in_processes(plan, units, jobs)


def _run_here(plan: Plan, units: Iterable[Block | Batch]) -> Iterator[Scored]:
    for number, unit in enumerate(units):
        yield score_unit(plan, unit, first=number == 0)


def _run_in_processes(plan: Plan, units: Iterable[Block | Batch], jobs: int) -> Iterator[Scored]:
    pool = ProcessPoolExecutor(jobs, mp_context=_context(), initializer=_leave_interrupts_to_parent)
    waiting: deque[Future[Scored]] = deque()
    try:
        for number, unit in enumerate(units):
            sent = leave_in_file(unit) if isinstance(unit, Block) else unit
            waiting.append(pool.submit(score_unit, plan, sent, first=number == 0))
            if len(waiting) >= UNITS_PER_WORKER * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise FactableError("a worker process died (out of memory?); try fewer --jobs") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> multiprocessing.context.BaseContext:
    """Forking starts workers at once; it is safe only where no other thread may hold a lock."""
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def _leave_interrupts_to_parent() -> None:
    """Ctrl-C reaches every process of the terminal; only the parent answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
