"""Engines: units of work in, scored units out, in input order."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from factable.io.blocks import Block, leave_in_file
from factable.run.units import Batch, Plan, Scored, score_unit
from factable.run.workers import Worker

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
    workers: list[Worker] = []
    idle: SimpleQueue[Worker] = SimpleQueue()
    waiting: deque[Future[Scored]] = deque()
    # All processes start before any thread does: forking among threads is not safe.
    for _ in range(jobs):
        workers.append(Worker(plan, workers, jobs=jobs))
        idle.put(workers[-1])

    def ask(unit: Block | Batch) -> Scored:
        worker = idle.get()
        try:
            return worker.score(unit)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(jobs)
    try:
        for unit in units:
            waiting.append(threads.submit(ask, leave_in_file(unit) if isinstance(unit, Block) else unit))
            if len(waiting) >= UNITS_PER_WORKER * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()
        threads.shutdown(wait=True)
        for worker in workers:
            worker.close()
