"""What metrics ask of models; who answers is chosen by name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
LABELS = ("entailment", "neutral", "contradiction")
# Fewer tokens hold no two sentences; and half of it holds any one character in any tokeniser.
LEAST_WINDOW = 64
# Told how many answers more there are.
Advance = Callable[[int], None]


class TextPair(NamedTuple):
    """Two texts; the question is whether the premise entails the hypothesis."""

    premise: str
    hypothesis: str


class Nli(Protocol):
    """A model of natural language inference."""

    @property
    def identity(self) -> str:
        """A checksum of all that can move the answers."""
        ...

    @property
    def window(self) -> int:
        """How many tokens of a pair, marks between the texts included, it reads at once."""
        ...

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        ...

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> "NDArray[np.float64]":
        """Of entailment, neutral and contradiction, a row per pair; no pair is longer than the window."""
        ...


def tell_nobody(_: int) -> None:
    """Nobody waits for progress."""
