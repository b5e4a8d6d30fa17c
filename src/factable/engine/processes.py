"""Worker processes, each with its own pipe, so that one that dies cannot block the others.

A process pool of the standard library has one pipe for all results: a worker that is killed while it writes
there (out of memory) leaves everybody waiting for ever.
"""

import multiprocessing
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from factable.engine.plan import position_of
from factable.errors import FactableError, add_note, notes_as_cause
from factable.models.llm.limits import share_limits
from factable.models.runtime.threads import share_cores

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Work = Callable[[Any], T]

# How often a unit is tried whose worker dies: something else may have been the reason, but not for ever.
TRIES = 2
# Windows has neither these nor ways to hold them.
HELD_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} if hasattr(signal, "pthread_sigmask") else set()


class WorkerPool(Protocol[T_co]):
    """Workers of some kind; each unit goes to one of them and becomes a result or an error."""

    def has_room(self) -> bool:
        """Whether a worker could take another unit."""
        ...

    def give(self, number: int, unit: Any) -> None:
        """Give a unit to a worker."""
        ...

    def take(self, *, wait: bool) -> Mapping[int, T_co | Exception]:
        """Results finished since the last call, by number; with `wait`, at least one."""
        ...

    def close(self) -> None:
        """Stop the workers, whatever they are doing."""
        ...


def in_order(pool: WorkerPool[T], units: Iterable[Any], *, max_pending: int) -> Generator[T]:
    """The results of the pool, in the order of the units; an error is raised when it is its turn.

    At most `max_pending` units are being worked on or waiting for their turn.
    """
    left = iter(units)
    more = True
    given = taken = 0
    done: dict[int, T | Exception] = {}
    while True:
        # Every worker gets something to do first: the caller may be busy with a result for long.
        while more and given - taken < max_pending and pool.has_room():
            unit = next(left, None)
            if unit is None:
                more = False
            else:
                pool.give(given, unit)
                given += 1
        if taken in done:
            result = done.pop(taken)
            if isinstance(result, Exception):
                raise result from notes_as_cause(result)
            yield result
            taken += 1
            done.update(pool.take(wait=False))
        elif taken < given or more:
            done.update(pool.take(wait=True))
        else:
            return


class Task(NamedTuple):
    """A unit that a worker is working on, and how often it was tried."""

    number: int
    unit: Any
    tries: int = 1


class ProcessPool(Generic[T]):
    """Worker processes; one that dies is replaced, and its unit is tried once more."""

    def __init__(self, work: Work[T], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._idle: list[Worker] = []
        self._busy: dict[Any, tuple[Worker, Task]] = {}

    def has_room(self) -> bool:
        """Whether a process is idle or not yet started."""
        return len(self._busy) < self._jobs

    def give(self, number: int, unit: Any) -> None:
        """Give a unit to a process."""
        self._give(Task(number, unit))

    def _give(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else self._spawn()
        self._busy[worker.pipe] = worker, task
        # One that died meanwhile is noticed when its answer is taken.
        with suppress(OSError):
            worker.pipe.send(task.unit)

    def _spawn(self) -> "Worker":
        others = [worker.pipe for worker in self._idle]
        return Worker(self._work, [*others, *self._busy], jobs=self._jobs)

    def take(self, *, wait: bool) -> dict[int, T | Exception]:
        """Results finished since the last call, by number."""
        done: dict[int, T | Exception] = {}
        for pipe in wait_for(list(self._busy), None if wait and self._busy else 0):
            worker, task = self._busy.pop(pipe)
            try:
                done[task.number] = worker.pipe.recv()
            except (EOFError, OSError):
                worker.end()
                if task.tries == TRIES:
                    done[task.number] = died(position_of(task.unit), TRIES)
                else:
                    self._give(task._replace(tries=task.tries + 1))
            else:
                self._idle.append(worker)
        return done

    def close(self) -> None:
        """End all processes."""
        for worker in [*self._idle, *(worker for worker, _ in self._busy.values())]:
            worker.end()


def died(index: str, times: int) -> FactableError:
    """The error of a unit whose workers keep dying."""
    problem = f"a worker process died {times} times" + (" at the examples from here on" if index else "")
    return FactableError(f"{index}{problem} (out of memory?); try fewer jobs")


class Worker:
    """A process that works on one unit after the other.

    `others` are the pipes of other workers. With `fork` it may start as a copy of this process; a copy holds
    all files and connections that are open here.
    """

    def __init__(
        self, work: Work[Any], others: Sequence[Connection] = (), *, jobs: int, fork: bool = True
    ) -> None:
        context = _context() if fork else multiprocessing.get_context("spawn")
        self.pipe, child_pipe = context.Pipe()
        # A forked process has copies of our ends too; it would never see that we are gone.
        forked = context.get_start_method() == "fork"
        copies = [self.pipe, *others] if forked else []
        self._process = context.Process(target=_serve, args=(work, child_pipe, copies, jobs), daemon=True)  # type: ignore[attr-defined]
        with _interrupts_held():
            self._process.start()
        child_pipe.close()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        # Not asked to: a process that is only just starting may still have our own ways of being asked.
        self._process.kill()
        self._process.join()
        self.pipe.close()
        self._process.close()


def _context() -> multiprocessing.context.BaseContext:
    """Forking starts workers at once; it is safe only where no other thread may hold a lock."""
    # torch and Ray have threads that are not counted, and torch gives no GPU to a forked process.
    alone = threading.active_count() == 1 and not {"torch", "ray"} & sys.modules.keys()
    forks = sys.platform == "linux" and alone
    return multiprocessing.get_context("fork" if forks else "spawn")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block signals while a worker starts: until it sets its own handlers it has ours."""
    if not HELD_SIGNALS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(work: Work[Any], pipe: Connection, copies: Sequence[Connection], jobs: int) -> None:
    """Work on units from the pipe until the parent is gone."""
    # Ctrl-C reaches every process of a terminal; only the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in HELD_SIGNALS - {signal.SIGINT}:
        signal.signal(number, signal.SIG_DFL)
    if HELD_SIGNALS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
    for copy in copies:
        copy.close()
    share_cores(jobs)
    share_limits(jobs)
    try:
        while True:
            pipe.send(answer(work, pipe.recv()))
    except (EOFError, OSError):
        return


def answer(work: Work[T], unit: Any) -> T | Exception:
    """The result of a unit, or the error it raised."""
    try:
        return work(unit)
    except FactableError as error:
        return error
    except Exception as error:
        # A fault of ours or of a plug-in: where it happened must not get lost on the way.
        add_note(error, traceback.format_exc())
        return error
