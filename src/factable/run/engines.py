"""Engines: units of work in, scored units out, in input order."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait

from factable.errors import FactableError
from factable.io.blocks import Block, leave_in_file
from factable.run.units import Batch, Plan, Scored, score_unit

# Units under way per worker: enough that none waits, few enough that memory stays flat.
UNITS_PER_WORKER = 3


def run_units(plan: Plan, units: Iterable[Block | Batch], *, jobs: int) -> Generator[Scored]:
    """Score units here or in `jobs` processes; the results are the same and in the same order."""
    if jobs == 1:
        return _run_here(plan, units)
    return _run_in_processes(plan, units, jobs)


def _run_here(plan: Plan, units: Iterable[Block | Batch]) -> Generator[Scored]:
    for unit in units:
        yield score_unit(plan, unit)


def _run_in_processes(plan: Plan, units: Iterable[Block | Batch], jobs: int) -> Generator[Scored]:
    pool = ProcessPoolExecutor(jobs, mp_context=_context(), initializer=_start_worker)
    waiting: deque[Future[Scored]] = deque()
    try:
        for unit in units:
            sent = leave_in_file(unit) if isinstance(unit, Block) else unit
            with _interrupts_held():
                waiting.append(pool.submit(score_unit, plan, sent))
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


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Make Ctrl-C wait while workers start, so that it cannot reach one that does not ignore it yet."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the parent; and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed cannot tell its workers, which would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
