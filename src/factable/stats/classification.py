"""Confusion matrices and their rates, and the best cut of a number into two labels.

A confusion matrix has gold labels as rows and predicted labels as columns. Every rate takes any number of
matrices at once (… x classes x classes), such as one per draw, and is NaN where it is undefined.
"""

import numpy as np

from factable.stats import Column, Indices, Mask


def count_by_item(gold: Indices, predicted: Indices, item_of: Indices, *, items: int, classes: int) -> Column:
    """The confusion matrix of each item, flattened: items x classes²; `weights @` it gives those of draws."""
    cells = classes * classes
    index = (item_of * classes + gold) * classes + predicted
    return np.bincount(index, minlength=items * cells).reshape(items, cells).astype(np.float64)


def accuracy(confusion: Column) -> Column:
    """The share of texts whose label is right."""
    return share(np.trace(confusion, axis1=-2, axis2=-1), confusion.sum(axis=(-2, -1)))


def balanced_accuracy(confusion: Column) -> Column:
    """The mean recall of the labels, so that a rare one counts as much; NaN where gold lacks a label."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    mean: Column = np.asarray(share(right, confusion.sum(axis=-1)).mean(axis=-1))
    return mean


def precision(confusion: Column, label: int) -> Column:
    """The share of texts given this label that have it."""
    return share(confusion[..., label, label], confusion[..., label].sum(axis=-1))


def recall(confusion: Column, label: int) -> Column:
    """The share of texts with this label that are given it."""
    return share(confusion[..., label, label], confusion[..., label, :].sum(axis=-1))


def f1(confusion: Column, label: int) -> Column:
    """The harmonic mean of precision and recall; 0 where one of them is undefined."""
    either = confusion[..., label].sum(axis=-1) + confusion[..., label, :].sum(axis=-1)
    return share(2 * confusion[..., label, label], either)


def share(part: Column, total: Column) -> Column:
    """A part of a total; NaN where the total is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Column = np.where(total > 0, part / total, np.nan)
    return shares


def auc(values: Column, positive: Mask, item_of: Indices, weights: Column) -> Column:
    """The chance that a positive text has a higher value than another one, in every draw of items.

    Equal values count half. This is the area under the ROC curve; NaN where a draw lacks one of both kinds.
    """
    if not len(values):
        return np.full(len(weights), np.nan)
    order = np.argsort(values, kind="stable")
    starts = np.unique(values[order], return_index=True)[1]
    counts = weights[:, item_of[order]]
    positives, negatives = (
        np.add.reduceat(counts * kind[order], starts, axis=1) for kind in (positive, ~positive)
    )
    below = np.cumsum(negatives, axis=1) - negatives / 2
    return share((positives * below).sum(axis=1), positives.sum(axis=1) * negatives.sum(axis=1))


def best_cut(values: Column, positive: Mask) -> float:
    """The cut with the best balanced accuracy if values at or above it are called positive.

    It lies in the middle between two neighbouring values, or calls all or none positive; of equally good
    cuts the lowest is taken. Where all texts are of one kind, all are called that.
    """
    distinct, index = np.unique(values, return_inverse=True)
    members = [np.bincount(index[kind], minlength=len(distinct)) for kind in (positive, ~positive)]
    shares = [np.append(0.0, np.cumsum(counts) / max(1, counts.sum())) for counts in members]
    # With n values below the cut, the negatives below it are right and the positives below it are wrong.
    gains = shares[1] - shares[0]
    # Sums of shares are rounded; rounding must not decide between equally good cuts.
    below = int(np.argmax(gains >= gains.max() - 1e-12))
    if below == 0:
        return float(distinct[0])
    if below == len(distinct):
        return float(np.nextafter(distinct[-1], np.inf))
    low, high = float(distinct[below - 1]), float(distinct[below])
    middle = low + (high - low) / 2
    return middle if middle > low else high


def cross_cuts(values: Column, positive: Mask, item_of: Indices, *, folds: int, seed: int) -> Column:
    """The cut for each text, chosen on the texts of other items.

    Items are split at random into `folds` parts, or into one part each if there are fewer; there must be two.
    """
    present, index = np.unique(item_of, return_inverse=True)
    fold_of = np.random.default_rng(seed).permutation(len(present)) % min(folds, len(present))
    text_folds = fold_of[index]
    cuts = np.empty(len(values))
    for fold in range(fold_of.max() + 1):
        others = text_folds != fold
        cuts[~others] = best_cut(values[others], positive[others])
    return cuts
