"""How alike two texts are, token by token: each token with the most similar one of the other text.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.token_encoder import Encoded, encode_tokens

PAIRS_AT_ONCE = 1024
# Cosines are rounded to steps of 1/STEPS, so that a token and itself have 1.
STEPS = 1 << 22
Weights = NDArray[np.float64]


class Similarity(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


class Side(NamedTuple):
    """A text to be matched: a point for each token, and how much each token counts."""

    points: NDArray[np.float32]
    weights: Weights


NOTHING = Similarity(0.0, 0.0, 0.0)


def token_similarity(
    pairs: Sequence[tuple[str, str]], *, model: str = "embed", layer: int | None = None
) -> list[Similarity]:
    """The similarity of each text with its reference; all tokens count the same, a blank side gives 0."""
    found: list[Similarity] = []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        some = pairs[start : start + PAIRS_AT_ONCE]
        encoded = encode_tokens(model, [text for pair in some for text in pair], layer=layer)
        sides = {text: side_of(tokens) for text, tokens in encoded.items()}
        found += (next(match_tokens(sides[text], [sides[reference]])) for text, reference in some)
    return found


def side_of(encoded: Encoded, weights: Weights | None = None, *, with_marks: bool = False) -> Side:
    """The tokens of a text as one side of a match, without marks unless they are wanted."""
    weights = np.ones(len(encoded.ids)) if weights is None else weights
    kept = slice(None) if with_marks else ~encoded.marks
    return Side(encoded.points[kept], weights[kept])


def match_tokens(text: Side, references: Sequence[Side]) -> Iterator[Similarity]:
    """The similarity of a text with each reference; 0 where a side has no token."""
    # One product for all references: in 64 bits it is exact (see token_encoder), whatever stands beside it.
    joined = np.concatenate([reference.points for reference in references], dtype=np.float64)
    cosines = text.points.astype(np.float64) @ joined.T
    cosines = np.minimum(np.rint(cosines * STEPS) / STEPS, 1.0)
    end = 0
    for reference in references:
        start, end = end, end + len(reference.points)
        if not len(text.points) or start == end:
            yield NOTHING
            continue
        own = cosines[:, start:end]
        precision = _mean(own.max(axis=1), text.weights)
        recall = _mean(own.max(axis=0), reference.weights)
        yield Similarity(precision, recall, harmonic_mean(precision, recall))


def _mean(values: Weights, weights: Weights) -> float:
    """The weighted mean; the plain one where nothing has any weight."""
    total = float(weights.sum())
    return float((values * weights).sum()) / total if total else float(values.mean())


def harmonic_mean(one: float, other: float) -> float:
    """2ab/(a + b), and 0 where either is not above 0."""
    return 2 * one * other / (one + other) if min(one, other) > 0 else 0.0
