"""The words of a text as overlap metrics count them, and stems; `_words.py` is fast and equal."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from factable.errors import MissingExtraError
from factable.kernels.tokens import is_word, tokenize

Stem = Callable[[str], str]
# ROUGE does not stem words of this length or shorter.
SHORT_WORD = 3


class WordOptions(NamedTuple):
    """How texts become words: the tokenizer, whether other tokens are dropped, and the stemmer."""

    tokenizer: str
    words_only: bool = False
    stem: Stem | None = None


def word_of(token: str, reading: WordOptions) -> str:
    """The word of a token; empty if it does not count."""
    if reading.words_only and not is_word(token):
        return ""
    return reading.stem(token) if reading.stem else token


def words_of(text: str, reading: WordOptions) -> list[str]:
    """The words of a text."""
    words = [word_of(token, reading) for token in tokenize(text, reading.tokenizer)]
    return [word for word in words if word]


@cache
def porter() -> Stem:
    """NLTK's Porter stemmer, with a cache of words."""
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        raise MissingExtraError("stemming", "rouge") from None
    stemmer = PorterStemmer()

    @lru_cache(maxsize=1 << 18)
    def stem(word: str) -> str:
        return str(stemmer.stem(word))

    return stem


@cache
def porter_of_long_words() -> Stem:
    """The same, but short words stay as they are."""
    stem = porter()
    return lambda word: stem(word) if len(word) > SHORT_WORD else word
