"""Keeps Python's garbage collector from walking over millions of fresh, living records."""

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def without_collection(work: Callable[P, R]) -> Callable[P, R]:
    """Pause the collector during a call that makes many objects and no cycles; it is twice as fast then."""

    @wraps(work)
    def paused(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return paused
