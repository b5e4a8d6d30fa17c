"""ROUGE (Lin 2004) of a list of examples, written to be read; `_rouge.py` is quick and equal."""

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


class Options(NamedTuple):
    """`kind` is an order of n-grams ("1", "2", …), "L" or "Lsum"; `strict` keeps references without words."""

    kind: str
    reading: WordOptions
    strict: bool = False


def score_rouge(examples: Sequence[Example], options: Options) -> tuple[dict[str, "array[float]"], bytes]:
    """An array per part, NaN where an example cannot be scored, and why: a code per example."""
    columns = {part: array("d") for part in PARTS}
    codes = bytearray()
    for example in examples:
        best = best_reference(example, options)
        row = [math.nan] * len(PARTS) if best is None else best[1]
        codes.append(NO_REFERENCES if best is None else SCORED)
        for part, value in zip(PARTS, row, strict=True):
            columns[part].append(value)
    return columns, bytes(codes)


def best_reference(example: Example, options: Options) -> tuple[int, Sequence[float]] | None:
    """The first reference with the highest F, and F, precision and recall against it."""
    text = read_sentences(example.text, options)
    best = None
    for index, reference in enumerate(example.references):
        wanted = read_sentences(reference, options)
        if not any(wanted) and not options.strict:
            continue
        row = _against(text, wanted, options.kind)
        if best is None or row[0] > best[1][0]:
            best = index, row
    return best


def read_sentences(text: str, options: Options) -> list[Sentence]:
    """The words of each line for "Lsum", of the whole text as one sentence for the others."""
    lines = text.split("\n") if options.kind == "Lsum" else [text]
    return [words_of(line, options.reading) for line in lines]


def _against(text: list[Sentence], wanted: list[Sentence], kind: str) -> tuple[float, float, float]:
    order = int(kind) if kind.isdecimal() else 1
    if kind == "Lsum":
        hits = _union_hits(text, wanted)
    elif kind == "L":
        hits = len(common_indices(wanted[0], text[0]))
    else:
        hits = (count_ngrams(text[0], order) & count_ngrams(wanted[0], order)).total()
    said, asked = (sum(max(0, len(sentence) - order + 1) for sentence in side) for side in (text, wanted))
    precision, recall = hits / max(said, 1), hits / max(asked, 1)
    value = 2 * precision * recall / (precision + recall) if hits else 0.0
    return value, precision, recall


def _union_hits(text: list[Sentence], wanted: list[Sentence]) -> int:
    """Words of the references that a common subsequence with any sentence of the text holds.

    As in ROUGE 1.5.5, and other than in the paper, a word counts no more often than the text has it.
    """
    left = Counter(word for sentence in text for word in sentence)
    hits = 0
    for sentence in wanted:
        # The union depends on which of several longest subsequences is taken.
        indices = {index for said in text for index, _ in common_indices(sentence, said)}
        for index in sorted(indices):
            word = sentence[index]
            if left[word] > 0:
                hits += 1
                left[word] -= 1
    return hits
