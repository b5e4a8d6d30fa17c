"""Long work cut into pieces that can be done in many places."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

# Like `map`, but possibly elsewhere: what a function makes of each piece, in order.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
TEXTS_PER_PIECE = 1024

Thing = TypeVar("Thing")


def in_pieces(things: Sequence[Thing], size: int = TEXTS_PER_PIECE) -> Iterator[Sequence[Thing]]:
    """Consecutive pieces of at most that size."""
    return (things[start : start + size] for start in range(0, len(things), size))
