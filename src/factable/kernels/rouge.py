"""ROUGE (Lin 2004) of a list of examples, in plain Python; `_rouge.py` is fast and equal."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from factable.kernels.matches import count_ngrams
from factable.kernels.sequences import common_indices
from factable.kernels.words import WordOptions, words_of
from factable.types import Example

PARTS = ("value", "precision", "recall")
SCORED, NO_REFERENCES = range(2)

Sentence = list[str]


class RougeOptions(NamedTuple):
    """`kind` is an order of n-grams ("1", "2", …), "L" or "Lsum"; `strict` keeps references without words."""

    kind: str
    reading: WordOptions
    strict: bool = False


def score_rouge(
    examples: Sequence[Example], options: RougeOptions
) -> tuple[dict[str, "array[float]"], bytes]:
    """An array per part, NaN if an example cannot be scored, and a code per example that says why."""
    columns = {part: array("d") for part in PARTS}
    codes = bytearray()
    for example in examples:
        best = best_reference(example, options)
        row = [math.nan] * len(PARTS) if best is None else best[1]
        codes.append(NO_REFERENCES if best is None else SCORED)
        for part, value in zip(PARTS, row, strict=True):
            columns[part].append(value)
    return columns, bytes(codes)


def best_reference(example: Example, options: RougeOptions) -> tuple[int, Sequence[float]] | None:
    """The first reference with the highest F, and F, precision and recall against it."""
    text = read_sentences(example.text, options)
    best = None
    for index, reference in enumerate(example.references):
        sentences = read_sentences(reference, options)
        if not any(sentences) and not options.strict:
            continue
        row = _against(text, sentences, options.kind)
        if best is None or row[0] > best[1][0]:
            best = index, row
    return best


def read_sentences(text: str, options: RougeOptions) -> list[Sentence]:
    """The words of each line for "Lsum", else those of the whole text as one sentence."""
    lines = text.split("\n") if options.kind == "Lsum" else [text]
    return [words_of(line, options.reading) for line in lines]


def _against(text: list[Sentence], reference: list[Sentence], kind: str) -> tuple[float, float, float]:
    order = int(kind) if kind.isdecimal() else 1
    if kind == "Lsum":
        hits = _union_hits(text, reference)
    elif kind == "L":
        hits = len(common_indices(reference[0], text[0]))
    else:
        hits = (count_ngrams(text[0], order) & count_ngrams(reference[0], order)).total()
    sizes = [sum(max(0, len(sentence) - order + 1) for sentence in side) for side in (text, reference)]
    precision, recall = (hits / max(size, 1) for size in sizes)
    value = 2 * precision * recall / (precision + recall) if hits else 0.0
    return value, precision, recall


def _union_hits(text: list[Sentence], reference: list[Sentence]) -> int:
    """Words of the reference that are in a common subsequence with any sentence of the text.

    As in ROUGE 1.5.5, but unlike in the paper, a word counts at most as often as it is in the text.
    """
    left = Counter(word for sentence in text for word in sentence)
    hits = 0
    for sentence in reference:
        # The union depends on which of several longest subsequences is chosen.
        indices = {index for other in text for index, _ in common_indices(sentence, other)}
        for index in sorted(indices):
            word = sentence[index]
            if left[word] > 0:
                hits += 1
                left[word] -= 1
    return hits
