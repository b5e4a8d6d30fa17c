"""What an extractor is."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from factable.types import Record, Table


class Extracted(NamedTuple):
    """A record that a text says, its value as the text writes it, and where; no span where none is known."""

    record: Record
    span: tuple[int, int] | None = None


class Extractor(Protocol):
    """Text in, records out, in the order in which the text says them.

    The table of a text says what attributes and entities there may be; an extractor may do without it.
    """

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The records that each text says."""
        ...
