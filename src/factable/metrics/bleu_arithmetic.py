"""From counts of matching n-grams to BLEU, for all examples at once.

A row of statistics holds the matches of each order, the n-grams of each order, the length of the text and
that of the closest reference.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from factable.kernels import count_clipped
from factable.metric import VALUE

Column = NDArray[np.float64]
SMOOTHINGS = ("exp", "floor", "add-k", "none")
# What sacrebleu's smoothing methods put in place of zero matches, or add to matches and n-grams.
FLOOR, ADDED = 0.1, 1.0
# The scale of values and precisions.
FULL = 100.0
# pymteval's stand-ins for zero matches, for no n-grams, and for the length of no text at all.
E2E_HITS, E2E_TOTAL, E2E_LENGTH = 1e-15, 1e-9, 1e-5


def part_names(orders: int) -> tuple[str, ...]:
    """The parts of BLEU."""
    return (*(f"precision_{order}" for order in range(1, orders + 1)), "brevity_penalty", "length_ratio")


def bleu_rows(texts: Sequence[str], references: Sequence[Sequence[str]], orders: int) -> Column:
    """The statistics of tokenised texts, a row each."""
    counts = np.asarray(count_clipped(texts, references, orders, "words"), dtype=np.float64)
    counts = counts.reshape(-1, 2 + orders)
    length = counts[:, :1]
    totals = np.maximum(length - np.arange(orders), 0)
    return np.hstack((counts[:, 2:], totals, counts[:, :2]))


def sentence_columns(rows: Column, orders: int, smoothing: str) -> dict[str, Column]:
    """Value and parts of each row by itself, as sacrebleu's sentence BLEU with effective order."""
    matched = rows[:, :orders].any(axis=1)
    penalty, ratio = _lengths(rows)
    doubled: Column = np.ones(len(rows))
    going = matched.copy()
    logs, effective = np.zeros(len(rows)), np.zeros(len(rows))
    precisions = []
    for order in range(orders):
        hits, total = rows[:, order], rows[:, orders + order]
        if smoothing == "add-k" and order > 0:
            hits, total = hits + ADDED, total + ADDED
        going &= total > 0
        doubled = np.where(going & (hits == 0), 2 * doubled, doubled)
        instead = {"exp": 1 / doubled, "floor": np.full(len(rows), FLOOR)}.get(smoothing, np.zeros(len(rows)))
        precision = FULL * np.where(hits > 0, hits, instead) / np.maximum(total, 1)
        precision = np.where(going, precision, 0.0)
        logs += np.where(going & (precision == 0), -np.inf, np.log(np.where(precision > 0, precision, 1.0)))
        effective += going
        precisions.append(precision)
    value = penalty * np.exp(logs / np.maximum(effective, 1))
    value = np.where(matched, np.minimum(value, FULL), 0.0)
    return _name_columns(value, precisions, penalty, ratio)


def corpus_bleu(totals: Sequence[float], orders: int, smoothing: str) -> dict[str, float]:
    """Value and parts from summed statistics, by sacrebleu without effective order."""
    from sacrebleu.metrics.bleu import BLEU

    whole = list(map(round, totals))
    found = BLEU.compute_bleu(
        whole[:orders],
        whole[orders : 2 * orders],
        whole[-2],
        whole[-1],
        smooth_method=smoothing,
        max_ngram_order=orders,
    )
    # Rounding may take sacrebleu a hair above 100.
    parts = (min(found.score, FULL), *found.precisions, found.bp, found.ratio)
    return dict(zip((VALUE, *part_names(orders)), map(float, parts), strict=True))


def corpus_values(rows: Column, orders: int, smoothing: str) -> Column:
    """What `corpus_bleu` gives for each row: as sentences, but 0 where an order has no n-grams."""
    value = sentence_columns(rows, orders, smoothing)[VALUE]
    # Smoothing by addition gives n-grams to every order but the first.
    checked = 1 if smoothing == "add-k" else orders
    return np.where((rows[:, orders : orders + checked] > 0).all(axis=1), value, 0.0)


def e2e_rows(rows: Column, orders: int) -> Column:
    """The statistics as pymteval counts: no text is one empty word, and short ones have negative numbers."""
    length = np.maximum(rows[:, -2:-1], 1)
    return np.hstack((rows[:, :orders], length - np.arange(orders), length, rows[:, -1:]))


def e2e_columns(rows: Column, orders: int, added: float) -> dict[str, Column]:
    """Value and parts of each row as pymteval computes them, with a number added to matches and n-grams."""
    length, closest = rows[:, -2], rows[:, -1]
    instead = np.where(length > 0, length, E2E_LENGTH)
    penalty = np.where(length <= closest, np.exp(np.minimum(1 - closest / instead, 0)), 1.0)
    precisions = []
    logs = np.zeros(len(rows))
    for order in range(orders):
        hits = np.maximum(rows[:, order] + added, E2E_HITS)
        total = np.maximum(rows[:, orders + order] + added, E2E_TOTAL)
        precisions.append(FULL * (hits / total))
        logs += np.log(hits / total)
    value = FULL * penalty * np.exp(logs / orders)
    return _name_columns(value, precisions, penalty, _lengths(rows)[1])


def e2e_corpus(totals: Sequence[float], orders: int) -> dict[str, float]:
    """Value and parts from summed statistics, as pymteval's BLEU without smoothing."""
    columns = e2e_columns(np.array([totals], dtype=np.float64), orders, 0.0)
    return {name: float(column[0]) for name, column in columns.items()}


def _lengths(rows: Column) -> tuple[Column, Column]:
    """Brevity penalty, and length of the text over that of the closest reference."""
    length, closest = rows[:, -2], rows[:, -1]
    penalty = np.where(length < closest, np.exp(1 - closest / np.maximum(length, 1)), 1.0)
    penalty = np.where((length == 0) & (closest > 0), 0.0, penalty)
    return penalty, np.where(closest > 0, length / np.maximum(closest, 1), 0.0)


def _name_columns(
    value: Column, precisions: Sequence[Column], penalty: Column, ratio: Column
) -> dict[str, Column]:
    names = (VALUE, *part_names(len(precisions)))
    return dict(zip(names, (value, *precisions, penalty, ratio), strict=True))
