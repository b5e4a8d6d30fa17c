"""Models kept in memory: one of each per process."""

import os
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")


def one_each(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """The same function, which makes one thing of each kind per process, and one at a time.

    A forked process must not use what its parent loaded. Give it the checksum of a folder as well: that may
    hold another model by now.
    """
    loading = threading.Lock()
    kept: dict[tuple[object, ...], Made] = {}

    def load(*given: Given.args, **named: Given.kwargs) -> Made:
        key = (os.getpid(), *given, *named.items())
        with loading:
            if key not in kept:
                kept[key] = make(*given, **named)
            return kept[key]

    return load
