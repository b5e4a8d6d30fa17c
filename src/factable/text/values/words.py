"""Words as they are compared: without case, accents, apostrophes and possessive endings."""

import re
import unicodedata
from typing import NamedTuple

# Letters that no decomposition turns into plain ones.
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "æ": "ae", "Æ": "AE"}
    | {"œ": "oe", "Œ": "OE", "ı": "i", "İ": "I", "ß": "ss", "Þ": "Th", "’": "'", "‘": "'", "ʻ": "'", "´": "'"}
)
# Digits that hang together (14/32, 3.5, 1:25) are one word, all or none; so is a word with an apostrophe.
_WORD = re.compile(r"(?<!\d[.,:/])\d+(?:[.,:/]\d+)+(?![^\W_]|[.,:/]\d)|[^\W_]+(?:['’‘ʻ´][^\W_]+)*")


# Two forms of a word share so many letters, and differ in endings of so many.
_LEAST_PREFIX = 4
_LONGEST_ENDING = 3


class Word(NamedTuple):
    """A word as it is compared and where it stands."""

    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Text without case and accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS).casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))


def split_words(text: str) -> list[Word]:
    """The words of a text in order; "and" is left out, for "A and B" says no more than "A, B"."""
    words = (Word(_fold_word(found[0]), found.start(), found.end()) for found in _WORD.finditer(text))
    return [word for word in words if word.folded != "and"]


def _fold_word(word: str) -> str:
    folded = fold(word).replace("´", "'").replace("’", "'")
    return folded.removesuffix("'s").replace("'", "") or folded


def alike(one: str, other: str) -> bool:
    """Whether two folded words are forms of one: equal but for a short ending."""
    if one == other:
        return True
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(_LEAST_PREFIX, max(len(one), len(other)) - _LONGEST_ENDING - 1)
