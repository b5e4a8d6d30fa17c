"""How many threads a model may use."""

import os

from factable.errors import UsageError

THREADS_VARIABLE = "FACTABLE_THREADS"


def thread_count() -> int:
    """The number in FACTABLE_THREADS, or all cores."""
    chosen = os.environ.get(THREADS_VARIABLE, "")
    if not chosen:
        return core_count()
    if not (chosen.isascii() and chosen.isdigit() and int(chosen)):
        raise UsageError(
            f"{THREADS_VARIABLE} is {chosen!r}; give a whole number from 1, or nothing for all cores"
        )
    return int(chosen)


def share_cores(processes: int) -> None:
    """Called in one of so many processes: take a fair share of the cores, unless the user chose a number."""
    os.environ.setdefault(THREADS_VARIABLE, str(max(1, core_count() // processes)))


def core_count() -> int:
    """The cores that this process may use."""
    # Not every system can tie a process to some cores.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
