"""Texts that tell made-up facts: a text of the corpus, with the names of another table put in.

They have all the right names and tell them wrong, as some systems do. An encoder that looks at names
alone cannot tell such a text from one that is right.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factable.text.templates import readable
from factable.train.ranker.corpus import Corpus
from factable.types import Record

# The places of subject and value of each fact among all names of a table.
Shape = tuple[tuple[int, int], ...]


class Told(NamedTuple):
    """A text and the facts that it tells."""

    text: str
    facts: tuple[Record, ...]


class Pattern(NamedTuple):
    """A text cut at its names: words, then the place of a name, then words again; and its attributes."""

    pieces: tuple[str | int, ...]
    attributes: tuple[str, ...]


class Retelling:
    """The texts of a corpus in which every name of their table is found, by the shape of the table."""

    def __init__(self, corpus: Corpus) -> None:
        self._patterns: dict[Shape, list[Pattern]] = defaultdict(list)
        for text, table in zip(corpus.texts, corpus.table_of, strict=True):
            facts = corpus.facts[table]
            pieces = cut_at_names(text, names_of(facts))
            if pieces:
                pattern = Pattern(pieces, tuple(fact.attribute for fact in facts))
                self._patterns[shape_of(facts)].append(pattern)

    def retell(self, facts: Sequence[Record], draw: random.Random) -> Told | None:
        """A text of another table of the same shape, with the names of these facts."""
        patterns = self._patterns.get(shape_of(facts))
        if not patterns:
            return None
        pattern = draw.choice(patterns)
        names = names_of(facts)
        text = "".join(piece if isinstance(piece, str) else names[piece] for piece in pattern.pieces)
        pairs = zip(facts, pattern.attributes, strict=True)
        return Told(text, tuple(fact._replace(attribute=attribute) for fact, attribute in pairs))


def names_of(facts: Sequence[Record]) -> list[str]:
    """Subjects and values, each once, in their order."""
    return list(dict.fromkeys(readable(name) for fact in facts for name in (fact.subject, fact.value)))


def shape_of(facts: Sequence[Record]) -> Shape:
    """Which facts share which names."""
    place = {name: number for number, name in enumerate(names_of(facts))}
    return tuple((place[readable(fact.subject)], place[readable(fact.value)]) for fact in facts)


def cut_at_names(text: str, names: Sequence[str]) -> tuple[str | int, ...]:
    """The text between names and the places of the names; nothing if one is not in it as it stands."""
    place = {name.casefold(): number for number, name in enumerate(names)}
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    anyone = "|".join(map(re.escape, longest_first))
    pieces = re.split(rf"(?<!\w)({anyone})(?!\w)", text, flags=re.IGNORECASE)
    cut = tuple(_places(pieces, place))
    return cut if {piece for piece in cut if isinstance(piece, int)} >= set(range(len(names))) else ()


def _places(pieces: Sequence[str], place: dict[str, int]) -> Iterator[str | int]:
    """Words as they are, and every other piece, which is a name, by its place."""
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            yield piece
        elif piece.casefold() in place:
            yield place[piece.casefold()]
