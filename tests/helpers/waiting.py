"""Waiting for another process: the one place where tests do, and by what they see, never for a given time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
# Long enough for the busiest machine; reached only where something is wrong.
DEADLINE = 600


def wait_until(look: Callable[[], T]) -> T:
    """Look again and again until there is something to see, and return that."""
    end = time.monotonic() + DEADLINE
    while not (seen := look()):
        assert time.monotonic() < end, "waited in vain"
        # Leaves the processor to the other process; nothing depends on how long this is.
        time.sleep(0.005)
    return seen
