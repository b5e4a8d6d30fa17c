"""Words in the form in which they are compared: without case, accents, apostrophes and possessive endings."""

import unicodedata
from typing import NamedTuple

from factable.text.patterns import lazy_pattern

# Letters that Unicode decomposition does not turn into plain ones.
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "æ": "ae", "Æ": "AE"}
    | {"œ": "oe", "Œ": "OE", "ı": "i", "İ": "I", "ß": "ss", "Þ": "Th", "’": "'", "‘": "'", "ʻ": "'", "´": "'"}
)
# Connected digits (14/32, 3.5, 1:25) are one word, and so is a word with an apostrophe.
_WORD = lazy_pattern(r"(?<!\d[.,:/])\d+(?:[.,:/]\d+)+(?![^\W_]|[.,:/]\d)|[^\W_]+(?:['’‘ʻ´][^\W_]+)*")


# Two forms of a word share at least so many letters, and differ in endings of at most so many.
_MIN_PREFIX = 4
_MAX_ENDING = 3


class Word(NamedTuple):
    """A folded word and its span."""

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
    """The words of a text in order, without "and": "A and B" says no more than "A, B"."""
    return [
        Word(folded, *match.span())
        for match in _WORD.finditer(text)
        if (folded := _fold_word(match[0])) != "and"
    ]


def _fold_word(word: str) -> str:
    if word.isalpha() and word.isascii():
        return word.lower()
    folded = fold(word).replace("´", "'").replace("’", "'")
    return folded.removesuffix("'s").replace("'", "") or folded


def same_word(first: str, second: str) -> bool:
    """Whether two folded words are forms of the same word: equal except for a short ending."""
    if first == second:
        return True
    if first[:_MIN_PREFIX] != second[:_MIN_PREFIX]:
        return False
    shared = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(_MIN_PREFIX, max(len(first), len(second)) - _MAX_ENDING - 1)
