"""Thurstone's Case V: a score for each system, from how often people prefer one system to another.

The model: a system with score s beats one with score t with probability Φ(s - t). Scores maximise the
likelihood, so not every pair of systems has to be compared; they sum to 0.
"""

import math

import numpy as np

from factable.stats import Column, Mask

MAX_STEPS = 200
SMALLEST_STEP = 1e-10
# Beyond this the normal distribution underflows; no score of real counts comes near.
FARTHEST = 30.0


def thurstone_scores(wins: Column) -> Column:
    """Scores (draws x systems) from counts (draws x systems x systems) of the first beating the second.

    A tie is half a win for each. Where one system of a pair always wins, both get half a win more, because
    the likelihood could otherwise grow without bound. A draw whose comparisons leave systems unconnected is
    NaN.
    """
    swapped = wins.transpose(0, 2, 1)
    compared = wins + swapped > 0
    counts = wins + np.where(compared & ((wins == 0) | (swapped == 0)), 0.5, 0.0)
    scores = np.full(wins.shape[:2], np.nan)
    connected = _are_connected(compared)
    if connected.any():
        scores[connected] = _maximize(counts[connected])
    return scores


def _are_connected(compared: Mask) -> Mask:
    """True for draws whose comparisons (draws x systems x systems) connect all systems."""
    reached = (compared | np.eye(compared.shape[1], dtype=bool)).astype(np.float64)
    # Squaring doubles the length of the paths that are followed.
    for _ in range(compared.shape[1].bit_length()):
        reached = (reached @ reached > 0).astype(np.float64)
    # A row that reaches all others is enough, for comparisons go both ways.
    connected: Mask = reached[:, 0].min(axis=1) > 0
    return connected


def _maximize(counts: Column) -> Column:
    """Newton's method for all draws at once; the likelihood is concave, and steps are kept short."""
    scores = np.zeros(counts.shape[:2])
    for _ in range(MAX_STEPS):
        gaps = np.clip(scores[:, :, None] - scores[:, None, :], -FARTHEST, FARTHEST)
        # The derivative of log Φ, and minus the derivative of that.
        slope = np.exp(-(gaps**2) / 2) / np.sqrt(2 * np.pi) / _normal(gaps)
        bend = counts * slope * (slope + gaps)
        gradient = (counts * slope - (counts * slope).transpose(0, 2, 1)).sum(axis=2)
        step = np.linalg.solve(_curvature(bend), gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        scores += step / np.maximum(longest, 1)
        if longest.max() < SMALLEST_STEP:
            break
    centred: Column = scores - scores.mean(axis=1, keepdims=True)
    return centred


def _normal(z: Column) -> Column:
    """The normal distribution function."""
    tails = np.fromiter(map(math.erfc, (-z / math.sqrt(2)).flat), dtype=np.float64, count=z.size)
    return tails.reshape(z.shape) / 2


def _curvature(bend: Column) -> Column:
    """Minus the matrix of second derivatives, made regular: shifting all scores alike changes nothing."""
    both = bend + bend.transpose(0, 2, 1)
    systems = both.shape[1]
    diagonal = np.eye(systems) * both.sum(axis=2, keepdims=True)
    matrix: Column = diagonal - both + 1.0 / systems
    return matrix
