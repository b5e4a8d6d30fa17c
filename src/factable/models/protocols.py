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
# Embeddings are whole multiples of 1/SCALE. Products of two, and all sums of such products, are then whole
# numbers below 2**24, which float32 holds exactly: cosines do not depend on the order of a sum.
SCALE = 2048
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


class AskedText(NamedTuple):
    """A question, perhaps a sentence with a blank, and the text in which its answer is looked for."""

    question: str
    context: str


class Answer(NamedTuple):
    """An answer, where it stands in the context (None: it was not taken from there), and whether it is one.

    `answerable` is the probability that the context answers the question at all.
    """

    text: str
    span: tuple[int, int] | None
    answerable: float


class Qa(Protocol):
    """A model that answers questions from a text."""

    @property
    def identity(self) -> str:
        """A checksum of all that can move the answers."""
        ...

    def answers(self, asked: Sequence[AskedText], advance: Advance) -> list[Answer]:
        """The best answer to each question, however likely it is that there is one."""
        ...


class TextWithAnswer(NamedTuple):
    """An answer and the text it stands in, about which a question is to be written."""

    answer: str
    text: str


class QuestionWriter(Protocol):
    """A model that writes questions."""

    @property
    def identity(self) -> str:
        """A checksum of all that can move the questions."""
        ...

    def write(self, answered: Sequence[TextWithAnswer], advance: Advance) -> list[str]:
        """A question for each answer."""
        ...


class Embedder(Protocol):
    """A model that turns texts into points; like texts are near each other."""

    @property
    def identity(self) -> str:
        """A checksum of all that can move the points."""
        ...

    def embed(self, texts: Sequence[str], advance: Advance) -> "NDArray[np.float32]":
        """A row for each text: a vector of length 1 in steps of 1/SCALE, as whole numbers."""
        ...


def no_progress(_: int) -> None:
    """Nobody waits for progress."""
