"""What engines share: a crew of workers that may finish in any order, and results in input order."""

from collections.abc import Generator, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from factable.errors import notes_as_cause

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class WorkerPool(Protocol[T_co]):
    """Workers of some kind; each unit is given to one of them, and is made into something or an error."""

    def has_room(self) -> bool:
        """Whether a worker could take another unit."""
        ...

    def give(self, number: int, unit: Any) -> None:
        """Let a worker work on a unit."""
        ...

    def take(self, *, wait: bool) -> Mapping[int, T_co | Exception]:
        """What was finished since the last time, by number; where asked for, wait until something is."""
        ...

    def close(self) -> None:
        """Let the workers go, whatever they are doing."""
        ...


def in_order(pool: WorkerPool[T], units: Iterable[Any], *, most: int) -> Generator[T]:
    """What the crew makes of the units, in their order; an error is raised when it is its turn.

    At most so many units are under way or waiting for their turn.
    """
    left = iter(units)
    more = True
    given = taken = 0
    done: dict[int, T | Exception] = {}
    while True:
        # First of all nobody is left without work: what is yielded may keep the caller busy.
        while more and given - taken < most and pool.has_room():
            unit = next(left, None)
            if unit is None:
                more = False
            else:
                pool.give(given, unit)
                given += 1
        if taken in done:
            made = done.pop(taken)
            if isinstance(made, Exception):
                raise made from notes_as_cause(made)
            yield made
            taken += 1
            done.update(pool.take(wait=False))
        elif taken < given or more:
            done.update(pool.take(wait=True))
        else:
            return
