"""Stems of English words."""

from collections.abc import Callable
from functools import cache, lru_cache

from factable.errors import MissingExtraError

Stem = Callable[[str], str]
# Words of that length and shorter stay as they are in ROUGE.
SHORT_WORD = 3


@cache
def porter() -> Stem:
    """NLTK's stemmer of Porter, with its memory of words."""
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
    """The same with short words left as they are."""
    stem = porter()
    return lambda word: stem(word) if len(word) > SHORT_WORD else word
