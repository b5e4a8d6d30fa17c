"""Progress of long work inside one call, and how work is spread over processes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
# Called with the number of steps done since the last call.
Advance = Callable[[int], None]
# Called with what is being done, how many steps are done, and how many there are.
ProgressListener = Callable[[str, int, int], None]
# Like `map`, but possibly in other processes; results come in order.
ParallelMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
CHUNK_SIZE = 1024
# Each with the process it was added in: a forked process must not report for its parent.
_listeners: list[tuple[int, ProgressListener]] = []


def no_progress(_: int) -> None:
    """An Advance that reports nothing."""


@contextmanager
def progress_listener(listener: ProgressListener) -> Iterator[None]:
    """Inside the `with`, the listener is called about all long work of this process."""
    entry = (os.getpid(), listener)
    _listeners.append(entry)
    try:
        yield
    finally:
        # Not the last one: other threads have listeners, too.
        _listeners.remove(entry)


def count_steps(label: str, total: int) -> Advance:
    """An Advance that tells all listeners of a piece of work, such as "texts embedded".

    Work of unknown size (a total of 0) is not reported.
    """
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        for process, listener in list(_listeners):
            if total and process == os.getpid():
                listener(label, done, total)

    return advance


def chunks(items: Sequence[T], size: int = CHUNK_SIZE) -> Iterator[Sequence[T]]:
    """Consecutive slices of at most that size."""
    return (items[start : start + size] for start in range(0, len(items), size))
