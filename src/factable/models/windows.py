"""Pairs that are longer than a model's window: split at sentences, asked in pieces, combined by one rule.

A hypothesis is entailed if all of its pieces are: the piece with the lowest entailment decides. For one piece
of the hypothesis, the piece of the premise that says most about it decides: the least neutral one.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import ENTAILMENT, LABELS, NEUTRAL, Advance, Nli, TextPair, tell_nobody
from factable.text.sentences import sentence_spans

Span = tuple[int, int]
_WORD = re.compile(r"(?<=\s)\S")


def ask(model: Nli, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
    """The model's answer to each pair, long ones in pieces."""
    sizes = model.count_tokens(pairs)
    short = [place for place, size in enumerate(sizes) if size <= model.window]
    found = np.empty((len(pairs), len(LABELS)))
    found[short] = model.probabilities([pairs[place] for place in short], advance)
    for place, size in enumerate(sizes):
        if size > model.window:
            found[place] = _ask_in_pieces(model, pairs[place])
            advance(1)
    return found


def _ask_in_pieces(model: Nli, pair: TextPair) -> NDArray[np.float64]:
    grid = split_pair(model, pair)
    answers = model.probabilities([piece for row in grid for piece in row], tell_nobody)
    return combine(answers.reshape(len(grid), len(grid[0]), -1))


def combine(answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """One answer from those to all pieces (pieces of the hypothesis x pieces of the premise x labels)."""
    best = answers[np.arange(len(answers)), answers[:, :, NEUTRAL].argmin(axis=1)]
    decisive: NDArray[np.float64] = best[best[:, ENTAILMENT].argmin()]
    return decisive


def split_pair(model: Nli, pair: TextPair) -> list[list[TextPair]]:
    """Pairs that fit the window: a row per piece of the hypothesis, a column per piece of the premise.

    The hypothesis gets what the premise leaves of the window, at least half of it; the premise gets the rest.
    """
    # Each text is counted with marks of its own, a few more than the pair has.
    room = max(model.window // 2, model.window - _length(model, pair.premise))
    hypotheses = _pack(model, pair.hypothesis, room)
    longest = max(_length(model, hypothesis) for hypothesis in hypotheses)
    premises = _pack(model, pair.premise, model.window - longest)
    return [[TextPair(premise, hypothesis) for premise in premises] for hypothesis in hypotheses]


def _pack(model: Nli, text: str, most: int) -> list[str]:
    """Runs of sentences of at most so many tokens; a sentence that is too long is cut between words."""
    packed: list[Span] = []
    for whole in sentence_spans(text):
        for start, end in _short_spans(model, text, whole, most):
            if packed and _length(model, text[packed[-1][0] : end]) <= most:
                packed[-1] = packed[-1][0], end
            else:
                packed.append((start, end))
    return [text[start:end] for start, end in packed] or [""]


def _short_spans(model: Nli, text: str, span: Span, most: int) -> Iterator[Span]:
    """A span halved between words until each part is short enough; a word that is too long in itself too."""
    start, end = span
    # One character fits any window, so this comes to an end.
    if end - start < 2 or _length(model, text[start:end]) <= most:
        yield span
        return
    middle = _near_the_middle(text, start, end)
    yield from _short_spans(model, text, (start, middle), most)
    yield from _short_spans(model, text, (middle, end), most)


def _near_the_middle(text: str, start: int, end: int) -> int:
    """Where a word begins, or the very middle where none does."""
    middle = (start + end) // 2
    after = _WORD.search(text, middle, end)
    if after:
        return after.start()
    words = text[start:middle].rsplit(maxsplit=1)
    return middle - len(words[1]) if len(words) == 2 else middle


def _length(model: Nli, text: str) -> int:
    """Tokens of a text beside an empty one, marks between them included."""
    return model.count_tokens([TextPair(text, "")])[0]
