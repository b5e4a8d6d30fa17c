"""The words of a text as metrics of overlap count them; `_words.py` gives the same."""

from collections.abc import Callable
from typing import NamedTuple

from factable.kernels.tokens import is_word, tokenize

Stem = Callable[[str], str]


class WordOptions(NamedTuple):
    """How texts become words: the tokeniser, whether other tokens are left out, and how words are stemmed."""

    tokenizer: str
    words_only: bool = False
    stem: Stem | None = None


def word_of(token: str, reading: WordOptions) -> str:
    """What a token counts as; nothing where it does not count."""
    if reading.words_only and not is_word(token):
        return ""
    return reading.stem(token) if reading.stem else token


def words_of(text: str, reading: WordOptions) -> list[str]:
    """The words of a text."""
    words = [word_of(token, reading) for token in tokenize(text, reading.tokenizer)]
    return [word for word in words if word]
