"""How far annotators agree: observed agreement, Fleiss' kappa and Krippendorff's alpha.

Texts are drawn with weights (draws x texts): a text counts as often as it was drawn. A number per draw, NaN
where it is undefined.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.stats.pairs import Column

Indices = NDArray[np.int64]
STATISTICS = ("observed_agreement", "fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval")
NEED_NUMBERS = ("alpha_ordinal", "alpha_interval")


class Labels(NamedTuple):
    """Labels of texts that have two or more, in the order of the texts: the text and the value of each.

    `value_of` are places in the sorted different values; `numbers` are those as numbers, where they are some.
    """

    text_of: Indices
    value_of: Indices
    numbers: Column | None


class _Counts(NamedTuple):
    """Sums behind the statistics.

    By text: `starts` of its labels, how many it has (`sizes`), and ordered pairs of them that are `alike`,
    each label with itself among them. By draw: how often each value comes (`often`), and all labels.
    """

    starts: Indices
    sizes: Column
    alike: Column
    often: Column
    total: Column


def agreement_draws(labels: Labels, weights: Column) -> dict[str, Column]:
    """Every statistic in every draw."""
    counts = _count(labels, weights)
    agreeing = (counts.alike - counts.sizes) / (counts.sizes * (counts.sizes - 1))
    observed = weights @ agreeing / weights.sum(axis=1)
    undefined = np.full(len(weights), np.nan)
    found = {
        "observed_agreement": observed,
        "fleiss_kappa": _fleiss_kappa(counts, observed) if is_even(labels) else undefined,
        "alpha_nominal": _alpha_nominal(counts, weights),
        "alpha_ordinal": undefined,
        "alpha_interval": undefined,
    }
    if labels.numbers is not None:
        found["alpha_ordinal"] = _alpha_ordinal(labels, counts, weights)
        found["alpha_interval"] = _alpha_interval(labels, counts, weights)
    constant = np.count_nonzero(counts.often, axis=1) < 2
    return {
        name: column if name == "observed_agreement" else np.where(constant, np.nan, column)
        for name, column in found.items()
    }


def is_even(labels: Labels) -> bool:
    """Whether all texts have the same number of labels."""
    sizes = np.bincount(labels.text_of)
    return bool(sizes.min() == sizes.max())


def _count(labels: Labels, weights: Column) -> _Counts:
    texts, values = weights.shape[1], int(labels.value_of.max()) + 1
    cells, repeats = np.unique(labels.text_of * values + labels.value_of, return_counts=True)
    alike = np.bincount(cells // values, weights=repeats.astype(np.float64) ** 2, minlength=texts)
    by_value = np.argsort(labels.value_of, kind="stable")
    value_starts = np.searchsorted(labels.value_of[by_value], np.arange(values))
    return _Counts(
        starts=np.searchsorted(labels.text_of, np.arange(texts)).astype(np.int64),
        sizes=np.bincount(labels.text_of, minlength=texts).astype(np.float64),
        alike=alike.astype(np.float64),
        often=np.add.reduceat(weights[:, labels.text_of[by_value]], value_starts, axis=1),
        total=weights @ np.bincount(labels.text_of, minlength=texts),
    )


def _fleiss_kappa(counts: _Counts, observed: Column) -> Column:
    expected = ((counts.often / counts.total[:, None]) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa: Column = (observed - expected) / (1 - expected)
    return kappa


def _alpha_nominal(counts: _Counts, weights: Column) -> Column:
    apart = weights @ ((counts.sizes**2 - counts.alike) / (counts.sizes - 1))
    return _alpha(apart, counts.total**2 - (counts.often**2).sum(axis=1), counts.total)


def _alpha_interval(labels: Labels, counts: _Counts, weights: Column) -> Column:
    """From sums of values and of their squares: these give the squared distances of all pairs."""
    assert labels.numbers is not None
    values = labels.numbers[labels.value_of]
    # Around the mean, so that little is lost in differences of sums.
    values = values - values.mean()
    sums, squares = (np.add.reduceat(column, counts.starts) for column in (values, values**2))
    apart = weights @ _distances(counts.sizes, sums, squares)
    everywhere = counts.total * (weights @ squares) - (weights @ sums) ** 2
    return _alpha(apart, everywhere, counts.total)


def _alpha_ordinal(labels: Labels, counts: _Counts, weights: Column) -> Column:
    """As of intervals, with the middle rank of each value in the draw for a value."""
    ranks = np.cumsum(counts.often, axis=1) - counts.often / 2 - counts.total[:, None] / 2
    of_labels = ranks[:, labels.value_of]
    sums, squares = (np.add.reduceat(column, counts.starts, axis=1) for column in (of_labels, of_labels**2))
    apart = (weights * _distances(counts.sizes, sums, squares)).sum(axis=1)
    all_sums, all_squares = ((counts.often * column).sum(axis=1) for column in (ranks, ranks**2))
    return _alpha(apart, counts.total * all_squares - all_sums**2, counts.total)


def _distances(sizes: Column, sums: Column, squares: Column) -> Column:
    """Squared distances of the pairs of each text, such that every label counts once."""
    found: Column = (sizes * squares - sums**2) / (sizes - 1)
    return found


def _alpha(apart: Column, everywhere: Column, total: Column) -> Column:
    """Krippendorff's alpha from distances within texts, and between all labels."""
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Column = 1 - (total - 1) * apart / everywhere
    return alpha


Extent = tuple[int, int]


class Overlaps(NamedTuple):
    """What two annotators mark on one text, row by row in the order of pairs of annotators.

    `shared` is what both mark, `marked` the sum of what each marks: characters or spans.
    """

    pair_of: Indices
    text_of: Indices
    shared: Column
    marked: Column


def f1_draws(overlaps: Overlaps, weights: Column) -> Column:
    """The mean over pairs of annotators of F1 over all texts of a pair, in every draw of texts.

    A pair that marks nothing has no F1 and is left out; NaN where no pair has one.
    """
    starts = np.unique(overlaps.pair_of, return_index=True)[1]
    often = weights[:, overlaps.text_of]
    shared, marked = (
        np.add.reduceat(often * column, starts, axis=1) for column in (overlaps.shared, overlaps.marked)
    )
    defined = marked > 0
    f1 = 2 * shared / np.where(defined, marked, 1)
    with np.errstate(invalid="ignore"):
        mean: Column = (f1 * defined).sum(axis=1) / defined.sum(axis=1)
    return mean


def merge(spans: Iterable[Extent]) -> list[Extent]:
    """The same characters as spans that neither overlap nor touch, in order."""
    merged: list[Extent] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def count_characters(merged: Iterable[Extent]) -> int:
    """How many characters merged spans cover."""
    return sum(end - start for start, end in merged)


def count_shared(first: list[Extent], second: list[Extent]) -> int:
    """How many characters two lists of merged spans share."""
    shared = one = other = 0
    while one < len(first) and other < len(second):
        low = max(first[one][0], second[other][0])
        high = min(first[one][1], second[other][1])
        shared += max(0, high - low)
        if first[one][1] < second[other][1]:
            one += 1
        else:
            other += 1
    return shared
