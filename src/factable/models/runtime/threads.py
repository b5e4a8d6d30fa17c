"""How many threads a model may use."""

import os

from factable.errors import UsageError

VARIABLE = "FACTABLE_THREADS"


def thread_count() -> int:
    """The number that FACTABLE_THREADS gives, or all cores."""
    chosen = os.environ.get(VARIABLE, "")
    if not chosen:
        return core_count()
    if not (chosen.isascii() and chosen.isdigit() and int(chosen)):
        raise UsageError(f"{VARIABLE} is {chosen!r}; give a whole number from 1, or nothing for all cores")
    return int(chosen)


def share_cores(processes: int) -> None:
    """In one of so many processes: leave the others their cores, unless the user chose otherwise."""
    os.environ.setdefault(VARIABLE, str(max(1, core_count() // processes)))


def core_count() -> int:
    """The cores that this process may use."""
    # Where there is no such call, no process is kept off a core.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
