"""Pairs that are longer than a model's window: split at sentences, asked in pieces, combined by one rule.

A hypothesis is entailed if all of its pieces are: the piece with the lowest entailment decides. For one piece
of the hypothesis, the piece of the premise that says most about it decides: the least neutral one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import ENTAILMENT, NEUTRAL, Advance, Nli, TextPair
from factable.text.sentences import split_sentences


def ask(model: Nli, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
    """The model's answer to each pair, long ones in pieces."""
    sizes = model.count_tokens(pairs)
    long = [place for place, size in enumerate(sizes) if size > model.window]
    if not long:
        return model.probabilities(pairs, advance)
    grids = {place: split_pair(model, pairs[place]) for place in long}
    short = [pair for place, pair in enumerate(pairs) if place not in grids]
    pieces = [pair for place in long for row in grids[place] for pair in row]
    answers = model.probabilities([*short, *pieces], advance)
    found = np.empty((len(pairs), answers.shape[1]))
    found[[place for place in range(len(pairs)) if place not in grids]] = answers[: len(short)]
    start = len(short)
    for place in long:
        rows, columns = len(grids[place]), len(grids[place][0])
        found[place] = combine(answers[start : start + rows * columns].reshape(rows, columns, -1))
        start += rows * columns
    return found


def combine(answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """One answer from those to all pieces (pieces of the hypothesis x pieces of the premise x labels)."""
    best = answers[np.arange(len(answers)), answers[:, :, NEUTRAL].argmin(axis=1)]
    decisive: NDArray[np.float64] = best[best[:, ENTAILMENT].argmin()]
    return decisive


def split_pair(model: Nli, pair: TextPair) -> list[list[TextPair]]:
    """Pairs that fit the window: a row per piece of the hypothesis, a column per piece of the premise.

    A long hypothesis gets half of the window, the premise the rest.
    """
    half = model.window // 2
    hypotheses = _pack(model, pair.hypothesis, half)
    longest = max(_length(model, hypothesis) for hypothesis in hypotheses)
    premises = _pack(model, pair.premise, model.window - longest)
    return [[TextPair(premise, hypothesis) for premise in premises] for hypothesis in hypotheses]


def _pack(model: Nli, text: str, most: int) -> list[str]:
    """Runs of sentences of at most so many tokens; a sentence that is too long is cut between words."""
    packed: list[str] = []
    for piece in _short_pieces(model, split_sentences(text) or [text], most):
        together = f"{packed[-1]} {piece}" if packed else piece
        if packed and _length(model, together) <= most:
            packed[-1] = together
        else:
            packed.append(piece)
    return packed


def _short_pieces(model: Nli, pieces: Sequence[str], most: int) -> list[str]:
    """Pieces that are short enough: halved between words, and a word of hundreds of tokens in itself."""
    found = []
    for piece in pieces:
        if _length(model, piece) <= most or len(piece) < 2:
            found.append(piece)
            continue
        words = piece.split()
        middle = len(words) // 2
        halves = [" ".join(words[:middle]), " ".join(words[middle:])]
        if len(words) == 1:
            halves = [piece[: len(piece) // 2], piece[len(piece) // 2 :]]
        found += _short_pieces(model, halves, most)
    return found


def _length(model: Nli, text: str) -> int:
    """Tokens of a text beside an empty one, marks between them included."""
    return model.count_tokens([TextPair(text, "")])[0]
