"""Work that takes long inside of one call, and whoever waits for it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from factable.models.protocols import Advance

# Told what is being done, how much of it is done, and how much there is to do.
Listener = Callable[[str, int, int], None]
# With the process each listens in: a forked one must not speak for its parent.
_listeners: list[tuple[int, Listener]] = []


@contextmanager
def progress_listener(listener: Listener) -> Iterator[None]:
    """Within it, the listener hears of all long work of this process."""
    _listeners.append((os.getpid(), listener))
    try:
        yield
    finally:
        _listeners.pop()


def count_steps(what: str, total: int) -> Advance:
    """What a piece of work calls with the number of steps it has done since, such as "texts embedded".

    Nobody hears of work whose total is not known, which is 0.
    """
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        for process, listener in _listeners:
            if total and process == os.getpid():
                listener(what, done, total)

    return advance


# Like `map`, but possibly elsewhere: what a function makes of each piece, in order.
ParallelMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
TEXTS_PER_PIECE = 1024

Thing = TypeVar("Thing")


def in_pieces(things: Sequence[Thing], size: int = TEXTS_PER_PIECE) -> Iterator[Sequence[Thing]]:
    """Consecutive pieces of at most that size."""
    return (things[start : start + size] for start in range(0, len(things), size))
