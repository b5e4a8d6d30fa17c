"""Which n-grams a text shares with its references, written to be read; `_matches.py` is quick and equal.

Texts come tokenised already: their words stand between white space, or every character is a token.
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
    """Against all references of a text at once, a row per text, as BLEU counts.

    Rows hold the number of tokens of the text, that of the reference closest in length (the shorter one of
    two, 0 without references), and for each order how many n-grams of the text the references have; an n-gram
    counts at most as often as in the reference that has it most often.
    """
    rows = array("i")
    for text, others in zip(texts, references, strict=True):
        said = split_tokens(text, unit)
        wanted = [split_tokens(other, unit) for other in others]
        rows.append(len(said))
        rows.append(min(map(len, wanted), key=lambda size: (abs(size - len(said)), size), default=0))
        for order in range(1, orders + 1):
            most: Counter[tuple[str, ...]] = Counter()
            for tokens in wanted:
                most |= count_ngrams(tokens, order)
            rows.append((count_ngrams(said, order) & most).total())
    return rows


def count_each(
    texts: Sequence[str], references: Sequence[Sequence[str]], orders: int, unit: TokenUnit
) -> "array[int]":
    """Against each reference, a row per pair, text after text: both numbers of tokens, matches per order."""
    rows = array("i")
    for text, others in zip(texts, references, strict=True):
        said = split_tokens(text, unit)
        for other in others:
            wanted = split_tokens(other, unit)
            rows.append(len(said))
            rows.append(len(wanted))
            for order in range(1, orders + 1):
                rows.append((count_ngrams(said, order) & count_ngrams(wanted, order)).total())
    return rows


def split_tokens(text: str, unit: TokenUnit) -> list[str]:
    """The tokens of a text that was tokenised already."""
    return text.split() if unit == "words" else list(text)


def count_ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram of one order stands in a sequence of tokens."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
