"""A number, date or name of a text, and the values of the data that it may be."""

from typing import NamedTuple

from factable.text.values import Mention, Relation
from factable.types import Span


class Candidate(NamedTuple):
    """A value of the data that a mention may be: how it compares, and how well words and scope agree."""

    leaf: int
    relation: Relation
    cue: float
    scope: float

    @property
    def strength(self) -> float:
        """How much speaks for it besides the value."""
        return self.cue + self.scope


class Match(NamedTuple):
    """A number, date or name of the text and what the data has for it.

    `candidates` are values that it states, the best first; `instead` is the value that the words around it
    ask for if that is another one.
    """

    span: Span
    mention: Mention
    candidates: tuple[Candidate, ...]
    instead: Candidate | None = None
