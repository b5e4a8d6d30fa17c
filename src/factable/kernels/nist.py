"""Information of matching n-grams (Doddington 2002), in plain Python; `_nist.py` is fast and equal."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence

from factable.kernels.frequencies import Frequencies, Ngram
from factable.kernels.matches import count_ngrams


def sum_information(
    texts: Sequence[str], references: Sequence[Sequence[str]], frequencies: Frequencies
) -> "array[float]":
    """What the n-grams that a text shares with its references say, a row per text.

    A row holds for each order the information of the matching n-grams, then the number of words of the text
    and that of all references. An n-gram counts at most as often as in the reference that has it most often.
    Texts are tokenised already: words are separated by white space.
    """
    rows = array("d")
    for text, others in zip(texts, references, strict=True):
        words, split = text.split(), [other.split() for other in others]
        for order in range(1, frequencies.orders + 1):
            most: Counter[Ngram] = Counter()
            for other in split:
                most |= count_ngrams(other, order)
            matches = count_ngrams(words, order) & most
            rows.append(math.fsum(frequencies.information(ngram) * times for ngram, times in matches.items()))
        rows.append(len(words))
        rows.append(sum(map(len, split)))
    return rows
