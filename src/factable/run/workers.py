"""Worker processes, each at the end of a pipe of its own, so that one that dies cannot hold up the others.

A process pool of the standard library has one pipe for all results: a worker that is killed while it writes
there (out of memory) leaves everybody waiting for ever.
"""

import multiprocessing
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection

from factable.errors import FactableError
from factable.io.blocks import Block
from factable.models.threads import share_cores
from factable.run.units import Batch, Plan, Scored, score_unit

# Windows has neither these nor ways to hold them.
HELD_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} if hasattr(signal, "pthread_sigmask") else set()


class Worker:
    """A process that scores one unit after the other."""

    def __init__(self, plan: Plan, older: Sequence["Worker"], *, jobs: int) -> None:
        context = _context()
        self._pipe, theirs = context.Pipe()
        # A forked process has copies of our ends too; it would never see that we are gone.
        forked = context.get_start_method() == "fork"
        copies = [self._pipe, *(worker._pipe for worker in older)] if forked else []
        self._process = context.Process(target=_serve, args=(plan, theirs, copies, jobs), daemon=True)  # type: ignore[attr-defined]
        with _interrupts_held():
            self._process.start()
        theirs.close()

    def score(self, unit: Block | Batch) -> Scored:
        """What `score_unit` gives or raises in that process."""
        try:
            self._pipe.send(unit)
            answer = self._pipe.recv()
        except (EOFError, OSError):
            raise FactableError("a worker process died (out of memory?); try fewer --jobs") from None
        if isinstance(answer, Exception):
            raise answer
        scored: Scored = answer
        return scored

    def end(self) -> None:
        """End the process, whatever it is doing."""
        # Not asked to: a process that is only just starting may still have our own ways of being asked.
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        """Close our end of the pipe, once nobody reads it any more."""
        self._pipe.close()
        self._process.close()


def _context() -> multiprocessing.context.BaseContext:
    """Forking starts workers at once; it is safe only where no other thread may hold a lock."""
    # torch has threads that are not counted, and gives no GPU to a forked process.
    alone = threading.active_count() == 1 and "torch" not in sys.modules
    forks = sys.platform == "linux" and alone
    return multiprocessing.get_context("fork" if forks else "spawn")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Make signals wait while a worker starts: until it has handlers of its own it would answer as we do."""
    if not HELD_SIGNALS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(plan: Plan, pipe: Connection, copies: Sequence[Connection], jobs: int) -> None:
    """Answer until the other side is gone."""
    # Ctrl-C reaches every process of a terminal; only the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in HELD_SIGNALS - {signal.SIGINT}:
        signal.signal(number, signal.SIG_DFL)
    if HELD_SIGNALS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
    for copy in copies:
        copy.close()
    share_cores(jobs)
    try:
        while True:
            pipe.send(_answer(plan, pipe.recv()))
    except (EOFError, OSError):
        return


def _answer(plan: Plan, unit: Block | Batch) -> Scored | Exception:
    try:
        return score_unit(plan, unit)
    except FactableError as error:
        return error
    except Exception as error:
        # A fault of ours or of a plug-in: where it happened must not get lost on the way.
        error.add_note(traceback.format_exc())
        return error
