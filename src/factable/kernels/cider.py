"""CIDEr and CIDEr-D (Vedantam et al. 2015), in plain Python; `_cider.py` is fast and equal."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from factable.kernels.frequencies import Frequencies, Ngram, Words, iter_ngrams
from factable.kernels.words import words_of
from factable.types import Example

SCORED, NO_REFERENCES = range(2)
MAX_ORDERS = 20


class CiderOptions(NamedTuple):
    """CIDEr-D has `clipped` counts and a Gaussian of width `sigma`; `strict` keeps empty references."""

    scale: float = 1.0
    clipped: bool = False
    sigma: float | None = None
    strict: bool = False


def part_names(orders: int) -> tuple[str, ...]:
    """The names of the parts: one for each order."""
    return tuple(f"cider_{order}" for order in range(1, orders + 1))


def score_cider(
    examples: Sequence[Example], frequencies: Frequencies, options: CiderOptions
) -> tuple[dict[str, "array[float]"], bytes]:
    """An array per part, NaN if an example cannot be scored, and a code per example that says why."""
    names = ("value", *part_names(frequencies.orders))
    columns = {name: array("d") for name in names}
    codes = bytearray()
    for example in examples:
        row = _score_one(example, frequencies, options)
        codes.append(SCORED if row else NO_REFERENCES)
        for name, value in zip(names, row or [math.nan] * len(names), strict=True):
            columns[name].append(value)
    return columns, bytes(codes)


class _Vectors(NamedTuple):
    """For each order the weighted counts of n-grams and their norm; how many words there are."""

    counts: list[dict[Ngram, float]]
    norms: list[float]
    length: int


def _score_one(example: Example, frequencies: Frequencies, options: CiderOptions) -> list[float]:
    read = [words_of(reference, frequencies.reading) for reference in example.references]
    references = [_weigh(words, frequencies) for words in read if words or options.strict]
    if not references:
        return []
    text = _weigh(words_of(example.text, frequencies.reading), frequencies)
    totals = [0.0] * frequencies.orders
    for reference in references:
        penalty = 1.0
        if options.sigma is not None:
            difference = float(text.length - reference.length)
            penalty = math.exp(-(difference * difference) / (2 * options.sigma * options.sigma))
        for order in range(frequencies.orders):
            totals[order] += _similarity(text, reference, order, options.clipped) * penalty
    parts = [total / len(references) * options.scale for total in totals]
    value = 0.0
    for part in parts:
        value += part
    return [value / frequencies.orders, *parts]


def _weigh(words: Words, frequencies: Frequencies) -> _Vectors:
    vectors, norms = [], []
    for order in range(1, frequencies.orders + 1):
        counts = Counter(iter_ngrams(words, order))
        vector = {ngram: count * frequencies.weight(ngram) for ngram, count in counts.items()}
        squares = 0.0
        for weighted in vector.values():
            squares += weighted * weighted
        vectors.append(vector)
        norms.append(math.sqrt(squares))
    return _Vectors(vectors, norms, len(words))


def _similarity(text: _Vectors, reference: _Vectors, order: int, clipped: bool) -> float:
    """The cosine, in CIDEr-D with no more of an n-gram than the reference has."""
    norms = text.norms[order] * reference.norms[order]
    if norms == 0.0:
        return 0.0
    product = 0.0
    for ngram, weight in text.counts[order].items():
        other = reference.counts[order].get(ngram, 0.0)
        product += (min(weight, other) if clipped else weight) * other
    # Rounding could lift the cosine of equal vectors above 1.
    return min(1.0, product / norms)
