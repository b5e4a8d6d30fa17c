"""N-grams that a text shares with its references, in plain Python; `_matches.py` is fast and equal.

Texts are tokenised already: their words are separated by white space, or every character is a token.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Literal

TokenUnit = Literal["words", "characters"]
UNITS: tuple[TokenUnit, ...] = ("words", "characters")


def count_clipped(
    texts: Sequence[str], references: Sequence[Sequence[str]], orders: int, unit: TokenUnit
) -> "array[int]":
    """Matches with all references of a text at once, a row per text, as BLEU counts them.

    A row holds the number of tokens of the text, that of the reference closest in length (the shorter one of
    two, 0 without references), and for each order the number of matching n-grams; an n-gram counts at most as
    often as in the reference that has it most often.
    """
    rows = array("i")
    for text, others in zip(texts, references, strict=True):
        in_text = split_tokens(text, unit)
        in_references = [split_tokens(other, unit) for other in others]
        length = len(in_text)
        rows.append(length)
        rows.append(min(map(len, in_references), key=lambda size: (abs(size - length), size), default=0))
        for order in range(1, orders + 1):
            highest: Counter[tuple[str, ...]] = Counter()
            for tokens in in_references:
                highest |= count_ngrams(tokens, order)
            rows.append((count_ngrams(in_text, order) & highest).total())
    return rows


def count_each(
    texts: Sequence[str], references: Sequence[Sequence[str]], orders: int, unit: TokenUnit
) -> "array[int]":
    """Matches with each reference, a row per pair: both numbers of tokens, and matches per order."""
    rows = array("i")
    for text, others in zip(texts, references, strict=True):
        in_text = split_tokens(text, unit)
        for other in others:
            in_reference = split_tokens(other, unit)
            rows.append(len(in_text))
            rows.append(len(in_reference))
            for order in range(1, orders + 1):
                rows.append((count_ngrams(in_text, order) & count_ngrams(in_reference, order)).total())
    return rows


def split_tokens(text: str, unit: TokenUnit) -> list[str]:
    """The tokens of a tokenised text."""
    return text.split() if unit == "words" else list(text)


def count_ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram of one order is in a sequence of tokens."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
