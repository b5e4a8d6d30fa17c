"""Results of functions of short texts, kept for the next call with the same text."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
# Names and values that occur again are shorter; thousands of longer ones would fill the memory of a service.
MAX_CHARACTERS = 500


def cached_if_short(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Like `lru_cache`, for functions of texts; results of long texts are not kept."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached = lru_cache(maxsize)(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            size = 0
            for argument in args:
                if isinstance(argument, str):
                    size += len(argument)
            if size > MAX_CHARACTERS:
                return function(*args, **kwargs)
            return cached(*args, **kwargs)  # type: ignore[arg-type]

        return call

    return decorate
