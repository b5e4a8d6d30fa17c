"""Stems of English words."""

from collections.abc import Callable
from functools import cache, lru_cache

from factable.errors import MissingExtraError

Stem = Callable[[str], str]
# ROUGE does not stem words of this length or shorter.
SHORT_WORD = 3


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
