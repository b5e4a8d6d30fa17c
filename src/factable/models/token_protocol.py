"""What is asked of an encoder of tokens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Window(NamedTuple):
    """Tokens that are read at once: their numbers, and which of them are marks that stand for no text."""

    ids: tuple[int, ...]
    marks: tuple[bool, ...]


class TokenEncoder(Protocol):
    """A model that gives a point for each token, at one of its layers."""

    @property
    def layer(self) -> int:
        """Which one; 0 is what goes into the first."""
        ...

    def read(self, text: str) -> list[Window]:
        """The tokens of a text, with marks; more than one window if it is longer than that."""
        ...

    def states(self, windows: "Sequence[tuple[int, ...]]") -> "list[NDArray[np.float32]]":
        """For each window a row per token."""
        ...
