"""Texts and the tables that a network is to write for them, as numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.extract.linearised import CELL, MOST_TOKENS, ROW, linearise, tokens_of
from factable.extract.matching import ValueExtractor
from factable.extract.pointer import END, SPECIAL, START, UNKNOWN
from factable.text.values import find_value
from factable.types import Example, Record, Table

# Tokens of fewer texts and tables are not in the vocabulary; a text's own tokens can be copied.
RAREST = 3
LONGEST_TEXT = 100
MOST_WORDS = 50_000
Numbers = NDArray[np.int64]


class Pair(NamedTuple):
    """A text and its table as tokens."""

    text: list[str]
    line: list[str]


class Batch(NamedTuple):
    """Pairs as numbers, padded; `copied` and `wanted` number tokens of a text that no vocabulary has, too."""

    text: Numbers
    copied: Numbers
    line: Numbers
    wanted: Numbers


def make_pairs(examples: Iterable[Example]) -> list[Pair]:
    """A pair for each reference (or text where there are none): what it says, in its own words and order."""
    pairs = []
    for example in examples:
        for text in example.references or (example.text,):
            tokens = tokens_of(text)
            line = linearise(said_records(text, example.table))
            if tokens and len(tokens) <= LONGEST_TEXT and len(line) < MOST_TOKENS:
                pairs.append(Pair(tokens, line))
    return pairs


def said_records(text: str, table: Table) -> list[Record]:
    """The records whose value a text says, subject and value in its own words."""
    ((*found,),) = ValueExtractor().extract([(text, table)])
    return [
        record._replace(subject=_in_words(record.subject, text)) for record, _ in found if record.attribute
    ]


def _in_words(name: str, text: str) -> str:
    hits = find_value(name, text) if name else []
    return text[slice(*hits[0].span)] if hits else name


def make_vocabulary(pairs: Sequence[Pair]) -> list[str]:
    """All tokens that a network knows, special ones first, then separators, attributes and words."""
    often: Counter[str] = Counter()
    for pair in pairs:
        often.update({*pair.text, *pair.line})
    first = (*SPECIAL, CELL, ROW)
    return [
        *first,
        *sorted(
            token for token, times in often.most_common(MOST_WORDS) if times >= RAREST and token not in first
        ),
    ]


class Batches:
    """Pairs in batches of like lengths, in another order each time."""

    def __init__(self, pairs: Sequence[Pair], vocabulary: Sequence[str], size: int) -> None:
        self._pairs = sorted(pairs, key=lambda pair: (len(pair.line), len(pair.text)))
        self._number = {token: place for place, token in enumerate(vocabulary)}
        self._size = size

    def __len__(self) -> int:
        return -(-len(self._pairs) // self._size)

    def draw(self, random: np.random.Generator) -> Iterator[Batch]:
        """Every pair once."""
        for place in random.permutation(len(self)):
            yield self._make(self._pairs[place * self._size : (place + 1) * self._size])

    def _make(self, pairs: Sequence[Pair]) -> Batch:
        words = len(self._number)
        width, length = (max(len(pair[side]) for pair in pairs) for side in (0, 1))
        text, copied = (np.zeros((len(pairs), width), np.int64) for _ in range(2))
        line, wanted = (np.zeros((len(pairs), length + 1), np.int64) for _ in range(2))
        line[:, 0] = self._number[START]
        for row, pair in enumerate(pairs):
            own = dict.fromkeys(token for token in pair.text if token not in self._number)
            extended = {token: words + place for place, token in enumerate(own)}
            unknown = self._number[UNKNOWN]
            text[row, : len(pair.text)] = [self._number.get(token, unknown) for token in pair.text]
            copied[row, : len(pair.text)] = [self._number.get(t, extended.get(t, 0)) for t in pair.text]
            line[row, 1 : len(pair.line) + 1] = [self._number.get(token, unknown) for token in pair.line]
            answers = [self._number.get(token, extended.get(token, unknown)) for token in pair.line]
            wanted[row, : len(pair.line) + 1] = [*answers, self._number[END]]
        return Batch(text, copied, line, wanted)
