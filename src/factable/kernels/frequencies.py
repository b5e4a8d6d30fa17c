"""How often n-grams occur in many references, in plain Python; `_frequencies.py` is fast and equal."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from factable.kernels.words import WordOptions, words_of

Words = list[str]
Ngram = tuple[str, ...]


class Stored(NamedTuple):
    """Frequencies as plain arrays: how often each n-gram was counted, and how many documents or words were.

    N-grams are numbered: first the words, then the longer ones, each of which has a key: the number of the
    n-gram without its last word, times 2^32, plus the number of that word.
    """

    words: list[str]
    keys: "array[int]"
    counts: "array[int]"
    total: int


class Frequencies:
    """How many documents (sets of references) have each n-gram, or how often it occurs in all texts."""

    def __init__(self, reading: WordOptions, orders: int) -> None:
        self.reading = reading
        self.orders = orders
        self.total = 0
        self._counts: Counter[Ngram] = Counter()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as plain arrays."""
        return restore_frequencies, (self.store(), self.reading, self.orders)

    def add_document(self, references: Iterable[str]) -> None:
        """Count each n-gram of a set of references once."""
        self.total += 1
        read = [words_of(reference, self.reading) for reference in references]
        # Words before longer n-grams, and every n-gram after its prefix.
        ngrams = {
            ngram: None
            for order in range(1, self.orders + 1)
            for words in read
            for ngram in iter_ngrams(words, order)
        }
        self._counts.update(ngrams.keys())

    def add_text(self, text: str, times: int) -> None:
        """Count every occurrence of each n-gram of a text, which comes so many times."""
        words = words_of(text, self.reading)
        self.total += len(words) * times
        for order in range(1, self.orders + 1):
            for ngram in iter_ngrams(words, order):
                self._counts[ngram] += times

    def weight(self, ngram: Ngram) -> float:
        """The logarithm of how rare an n-gram is; an unknown one counts as if one document had it."""
        return math.log(self.total) - math.log(max(1, self._counts[ngram]))

    def information(self, ngram: Ngram) -> float:
        """The log2 of how often the n-gram without its last word occurs per time that it does; 0 if never."""
        begun = self._counts[ngram[:-1]] if len(ngram) > 1 else self.total
        return math.log2(begun / self._counts[ngram]) if self._counts[ngram] else 0.0

    def store(self) -> Stored:
        """The same as plain arrays."""
        ngrams = sorted(self._counts, key=len)
        words = [ngram[0] for ngram in ngrams if len(ngram) == 1]
        number = {ngram: index for index, ngram in enumerate(ngrams)}
        longer = ngrams[len(words) :]
        keys = array("Q", (number[ngram[:-1]] << 32 | number[ngram[-1:]] for ngram in longer))
        return Stored(words, keys, array("I", (self._counts[ngram] for ngram in ngrams)), self.total)

    def restore(self, stored: Stored) -> None:
        """Replace the counts by stored ones, which must be consistent."""
        ngrams: list[Ngram] = [(word,) for word in stored.words]
        for key in stored.keys:
            ngrams.append((*ngrams[key >> 32], stored.words[key & 0xFFFFFFFF]))
        self._counts = Counter(dict(zip(ngrams, stored.counts, strict=True)))
        self.total = stored.total


def count_documents(documents: Iterable[Iterable[str]], reading: WordOptions, orders: int) -> Frequencies:
    """Count the documents (sets of references) that have each n-gram."""
    frequencies = Frequencies(reading, orders)
    for references in documents:
        frequencies.add_document(references)
    return frequencies


def count_occurrences(texts: Mapping[str, int], reading: WordOptions, orders: int) -> Frequencies:
    """Count how often each n-gram occurs in texts, each of which comes so many times."""
    frequencies = Frequencies(reading, orders)
    for text, times in texts.items():
        frequencies.add_text(text, times)
    return frequencies


def restore_frequencies(stored: Stored, reading: WordOptions, orders: int) -> Frequencies:
    """Frequencies that were counted before."""
    frequencies = Frequencies(reading, orders)
    frequencies.restore(stored)
    return frequencies


def iter_ngrams(words: Words, order: int) -> Iterator[Ngram]:
    """The n-grams of one order, in order of appearance."""
    return (tuple(words[start : start + order]) for start in range(len(words) - order + 1))
