"""BM25 as Lucene computes it, and so Elasticsearch: sums over the words of a query.

Robertson and Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond. 2009. To a document of some
length that has a word tf times, where df of N documents have it, each time the word is in the query gives
ln(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + K1 * (1 - B + B * length / mean length)). Lengths are exact
here; Lucene rounds long ones to fit a byte.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from factable.kernels import tokenize
from factable.kernels.tokens import is_word

K1, B = 1.2, 0.75
# The words of a query in order, with how often each is there.
Query = tuple[tuple[str, int], ...]


def words_of(text: str) -> list[str]:
    """The words of a text, without punctuation."""
    return list(filter(is_word, tokenize(text, "words")))


def read_query(text: str) -> Query:
    """The words of a text that is looked for; in order, so that sums are always made alike."""
    return tuple(sorted(Counter(words_of(text)).items()))


class Bm25Index:
    """Documents to be found by the words they share with a query."""

    def __init__(self, documents: Sequence[str]) -> None:
        counts = [Counter(words_of(document)) for document in documents]
        self._size = len(counts)
        self._mean = sum(map(Counter.total, counts)) / (self._size or 1) or 1.0
        places: dict[str, list[int]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        for place, words in enumerate(counts):
            for word, weight in self._weights(words).items():
                places[word].append(place)
                weights[word].append(weight)
        self._postings = {
            word: (np.array(places[word], dtype=np.int32), self._rarity(len(found)) * np.array(found))
            for word, found in weights.items()
        }

    def scores(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Of every document, a row for each query."""
        found = np.zeros((len(queries), self._size))
        for row, query in zip(found, queries, strict=True):
            for word, times in query:
                if word in self._postings:
                    places, weights = self._postings[word]
                    row[places] += times * weights
        return found

    def look_ahead(self, documents: Iterable[str]) -> None:
        """Nothing takes long here."""

    def scores_outside(self, query: Query, documents: Sequence[str]) -> NDArray[np.float64]:
        """Of documents that are not in the index, by its frequencies."""
        found = np.zeros(len(documents))
        for place, document in enumerate(documents):
            weights = self._weights(Counter(words_of(document)))
            for word, times in query:
                if word in weights:
                    found[place] += times * (self._rarity(self._frequency(word)) * weights[word])
        return found

    def _frequency(self, word: str) -> int:
        return len(self._postings[word][0]) if word in self._postings else 0

    def _rarity(self, documents: int) -> float:
        return math.log1p((self._size - documents + 0.5) / (documents + 0.5))

    def _weights(self, words: Counter[str]) -> dict[str, float]:
        norm = K1 * (1 - B + B * words.total() / self._mean)
        return {word: times / (times + norm) for word, times in words.items()}
