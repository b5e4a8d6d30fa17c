"""Agreement of annotators: observed agreement, Fleiss' kappa, Krippendorff's alpha, and F1 of spans.

Texts have weights (draws x texts): a text counts as often as it was drawn. Every statistic is one number per
draw, NaN where it is undefined.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from factable.stats import Column, Indices

STATISTICS = ("observed_agreement", "fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval")
NEED_NUMBERS = ("alpha_ordinal", "alpha_interval")


class AnnotatorLabels(NamedTuple):
    """Labels of texts that have two or more, in the order of the texts: the text and the value of each.

    `value_of` indexes the sorted distinct values; `numbers` are those values, unless they are names.
    """

    text_of: Indices
    value_of: Indices
    numbers: Column | None


class _Counts(NamedTuple):
    """Sums behind the statistics.

    By text: `starts` of its labels, how many it has (`sizes`), and how many ordered pairs of them are equal
    (`equal_pairs`), each label with itself included. By draw: `value_counts`, and the `total` of labels.
    """

    starts: Indices
    sizes: Column
    equal_pairs: Column
    value_counts: Column
    total: Column


def agreement_draws(labels: AnnotatorLabels, weights: Column) -> dict[str, Column]:
    """Every statistic in every draw."""
    counts = _count(labels, weights)
    agreeing = (counts.equal_pairs - counts.sizes) / (counts.sizes * (counts.sizes - 1))
    observed = weights @ agreeing / weights.sum(axis=1)
    undefined = np.full(len(weights), np.nan)
    statistics = {
        "observed_agreement": observed,
        "fleiss_kappa": _fleiss_kappa(counts, observed) if is_even(labels) else undefined,
        "alpha_nominal": _alpha_nominal(counts, weights),
        "alpha_ordinal": undefined,
        "alpha_interval": undefined,
    }
    if labels.numbers is not None:
        statistics["alpha_ordinal"] = _alpha_ordinal(labels, counts, weights)
        statistics["alpha_interval"] = _alpha_interval(labels, counts, weights)
    constant = np.count_nonzero(counts.value_counts, axis=1) < 2
    return {
        name: column if name == "observed_agreement" else np.where(constant, np.nan, column)
        for name, column in statistics.items()
    }


def is_even(labels: AnnotatorLabels) -> bool:
    """True if all texts have the same number of labels."""
    sizes = np.bincount(labels.text_of)
    return bool(sizes.min() == sizes.max())


def _count(labels: AnnotatorLabels, weights: Column) -> _Counts:
    texts, values = weights.shape[1], int(labels.value_of.max()) + 1
    cells, repeats = np.unique(labels.text_of * values + labels.value_of, return_counts=True)
    equal_pairs = np.bincount(cells // values, weights=repeats.astype(np.float64) ** 2, minlength=texts)
    by_value = np.argsort(labels.value_of, kind="stable")
    value_starts = np.searchsorted(labels.value_of[by_value], np.arange(values))
    return _Counts(
        starts=np.searchsorted(labels.text_of, np.arange(texts)).astype(np.int64),
        sizes=np.bincount(labels.text_of, minlength=texts).astype(np.float64),
        equal_pairs=equal_pairs.astype(np.float64),
        value_counts=np.add.reduceat(weights[:, labels.text_of[by_value]], value_starts, axis=1),
        total=weights @ np.bincount(labels.text_of, minlength=texts),
    )


def _fleiss_kappa(counts: _Counts, observed: Column) -> Column:
    expected = ((counts.value_counts / counts.total[:, None]) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa: Column = (observed - expected) / (1 - expected)
    return kappa


def _alpha_nominal(counts: _Counts, weights: Column) -> Column:
    observed = weights @ ((counts.sizes**2 - counts.equal_pairs) / (counts.sizes - 1))
    return _alpha(observed, counts.total**2 - (counts.value_counts**2).sum(axis=1), counts.total)


def _alpha_interval(labels: AnnotatorLabels, counts: _Counts, weights: Column) -> Column:
    """Computed from sums of values and of their squares, which give the squared distances of all pairs."""
    assert labels.numbers is not None
    values = labels.numbers[labels.value_of]
    # Around the mean, so that little is lost in differences of sums.
    values = values - values.mean()
    sums, squares = (np.add.reduceat(column, counts.starts) for column in (values, values**2))
    observed = weights @ _distances(counts.sizes, sums, squares)
    expected = counts.total * (weights @ squares) - (weights @ sums) ** 2
    return _alpha(observed, expected, counts.total)


def _alpha_ordinal(labels: AnnotatorLabels, counts: _Counts, weights: Column) -> Column:
    """Like `_alpha_interval`, with the mean rank of each value in the draw in place of the value."""
    ranks = np.cumsum(counts.value_counts, axis=1) - counts.value_counts / 2 - counts.total[:, None] / 2
    of_labels = ranks[:, labels.value_of]
    sums, squares = (np.add.reduceat(column, counts.starts, axis=1) for column in (of_labels, of_labels**2))
    observed = (weights * _distances(counts.sizes, sums, squares)).sum(axis=1)
    all_sums, all_squares = ((counts.value_counts * column).sum(axis=1) for column in (ranks, ranks**2))
    return _alpha(observed, counts.total * all_squares - all_sums**2, counts.total)


def _distances(sizes: Column, sums: Column, squares: Column) -> Column:
    """Squared distances of the pairs of labels of each text, scaled so that every label counts once."""
    distances: Column = (sizes * squares - sums**2) / (sizes - 1)
    return distances


def _alpha(observed: Column, expected: Column, total: Column) -> Column:
    """Krippendorff's alpha from distances within texts, and between all labels."""
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Column = 1 - (total - 1) * observed / expected
    return alpha


Extent = tuple[int, int]


class Overlaps(NamedTuple):
    """Spans that two annotators mark on one text: one row per pair of annotators and text, sorted by pair.

    `shared` counts what both mark, `marked` is the sum of what each marks, in characters or spans.
    """

    pair_of: Indices
    text_of: Indices
    shared: Column
    marked: Column


def f1_draws(overlaps: Overlaps, weights: Column) -> Column:
    """F1 of each pair of annotators over all their texts, averaged over pairs, in every draw of texts.

    A pair that marks nothing has no F1 and is left out; NaN where no pair has one.
    """
    starts = np.unique(overlaps.pair_of, return_index=True)[1]
    row_weights = weights[:, overlaps.text_of]
    shared, marked = (
        np.add.reduceat(row_weights * column, starts, axis=1) for column in (overlaps.shared, overlaps.marked)
    )
    defined = marked > 0
    f1 = 2 * shared / np.where(defined, marked, 1)
    with np.errstate(invalid="ignore"):
        mean: Column = (f1 * defined).sum(axis=1) / defined.sum(axis=1)
    return mean


def merge_spans(spans: Iterable[Extent]) -> list[Extent]:
    """The same characters as spans that neither overlap nor touch, in order."""
    merged: list[Extent] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def count_characters(merged: Iterable[Extent]) -> int:
    """Number of characters that merged spans cover."""
    return sum(end - start for start, end in merged)


def count_shared(first: list[Extent], second: list[Extent]) -> int:
    """Number of characters that two lists of merged spans share."""
    shared = i = j = 0
    while i < len(first) and j < len(second):
        low = max(first[i][0], second[j][0])
        high = min(first[i][1], second[j][1])
        shared += max(0, high - low)
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return shared


def count_overlapping(first: list[Extent], second: list[Extent]) -> int:
    """Number of spans of the first list that share a character with one of the second; both are merged."""
    overlapping = j = 0
    for start, end in first:
        while j < len(second) and second[j][1] <= start:
            j += 1
        overlapping += j < len(second) and second[j][0] < end
    return overlapping
