"""Runs of words in a text, for findings of several metrics."""

from collections.abc import Callable, Iterator
from itertools import groupby

from factable.kernels.tokens import is_word

# Tokens, each with its start and end in the text.
Spans = list[tuple[str, int, int]]


def runs_without(words: Spans, supported: Callable[[str], bool]) -> Iterator[Spans]:
    """Runs of neighbouring words without support; punctuation is no claim and breaks no run."""
    claims = [word for word in words if is_word(word[0])]
    for holds, run in groupby(claims, key=lambda word: supported(word[0])):
        if not holds:
            yield list(run)
