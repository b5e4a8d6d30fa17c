"""Rates of right labels against scikit-learn, and cuts against trying them all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from factable.stats.classification import (
    accuracy,
    auc,
    balanced_accuracy,
    best_cut,
    count_by_item,
    cross_cuts,
    f1,
    precision,
    recall,
)
from helpers.peers import Peer

metrics = Peer("sklearn.metrics")


def make_labels(classes, texts=200, seed=0):
    generator = np.random.default_rng(seed)
    gold = generator.integers(classes, size=texts)
    said = np.where(generator.random(texts) < 0.6, gold, generator.integers(classes, size=texts))
    return gold, said, generator.integers(30, size=texts)


def confusion_of(gold, said, classes):
    counts = count_by_item(gold, said, np.zeros(len(gold), dtype=int), items=1, classes=classes)
    return counts.reshape(classes, classes)


@pytest.mark.packages
@pytest.mark.parametrize("classes", [2, 4])
def test_rates_are_those_of_scikit_learn(classes):
    gold, said, _ = make_labels(classes)
    confusion = confusion_of(gold, said, classes)
    assert confusion.tolist() == metrics.confusion_matrix(gold, said).tolist()
    assert accuracy(confusion) == pytest.approx(metrics.accuracy_score(gold, said))
    assert balanced_accuracy(confusion) == pytest.approx(metrics.balanced_accuracy_score(gold, said))
    expected = metrics.precision_recall_fscore_support(gold, said)
    for label in range(classes):
        found = precision(confusion, label), recall(confusion, label), f1(confusion, label)
        assert found == pytest.approx([rates[label] for rates in expected[:3]])


@pytest.mark.packages
def test_weighted_items_are_repeated_texts():
    gold, said, item_of = make_labels(2)
    weights = np.random.default_rng(1).integers(0, 4, size=(5, 30)).astype(float)
    counts = count_by_item(gold, said, item_of, items=30, classes=2)
    drawn = (weights @ counts).reshape(-1, 2, 2)
    for row, confusion in zip(weights, drawn, strict=True):
        often = row[item_of].astype(int)
        mine, theirs = np.repeat(gold, often), np.repeat(said, often)
        assert f1(confusion, 1) == pytest.approx(metrics.f1_score(mine, theirs))
    assert f1(drawn, 1).tolist() == [f1(confusion, 1) for confusion in drawn]


def test_what_is_undefined_is_nan():
    none_said = np.array([[3.0, 0.0], [2.0, 0.0]])
    assert np.isnan(precision(none_said, 1))
    assert (recall(none_said, 1), f1(none_said, 1), balanced_accuracy(none_said)) == (0, 0, 0.5)
    none_there = np.array([[3.0, 2.0], [0.0, 0.0]])
    assert np.isnan(recall(none_there, 1))
    assert np.isnan(balanced_accuracy(none_there))
    assert (precision(none_there, 1), f1(none_there, 1), accuracy(none_there)) == (0, 0, 0.6)
    assert np.isnan(f1(np.array([[3.0, 0.0], [0.0, 0.0]]), 1))
    assert np.isnan(accuracy(np.zeros((2, 2))))


def test_auc_in_draws_is_that_of_repeated_texts():
    generator = np.random.default_rng(0)
    values, positive = generator.integers(8, size=60) / 8, generator.random(60) < 0.4
    item_of = generator.integers(20, size=60)
    weights = generator.integers(0, 4, size=(5, 20)).astype(float)
    for row, found in zip(weights, auc(values, positive, item_of, weights), strict=True):
        often = row[item_of].astype(int)
        high, low = (np.repeat(values[kind], often[kind]) for kind in (positive, ~positive))
        assert found == pytest.approx(mannwhitneyu(high, low).statistic / (len(high) * len(low)))


def test_auc_needs_both_kinds():
    once = np.ones((1, 3))
    assert np.isnan(auc(np.arange(3.0), np.ones(3, dtype=bool), np.arange(3), once)).all()
    assert np.isnan(auc(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=int), once)).all()


def balanced(values, positive, cut):
    return metrics.balanced_accuracy_score(positive, values >= cut)


@pytest.mark.packages
@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=30))
def test_the_best_cut_is_the_best_of_all(texts):
    values = np.array([value / 4 for value, _ in texts])
    positive = np.array([label for _, label in texts])
    cut = best_cut(values, positive)
    if positive.all() or not positive.any():
        assert ((values >= cut) == positive).all()
        return
    tried = [*np.unique(values), values.max() + 1]
    best = max(balanced(values, positive, one) for one in tried)
    assert balanced(values, positive, cut) == pytest.approx(best)


def test_a_cut_lies_in_the_middle_and_is_the_lowest_of_equals():
    assert best_cut(np.array([0.0, 0.2, 0.4, 1.0]), np.array([False, False, True, True])) == pytest.approx(
        0.3
    )
    # One of each kind at every value: nothing is won by any cut.
    assert best_cut(np.array([1.0, 1.0, 2.0, 2.0]), np.array([True, False, True, False])) == 1.0
    close = np.array([1.0, np.nextafter(1.0, 2)])
    assert (close >= best_cut(close, np.array([False, True]))).tolist() == [False, True]


def test_cuts_come_from_other_items():
    generator = np.random.default_rng(3)
    item_of = np.repeat(np.arange(12), 5)
    values = generator.random(60)
    positive = values + 0.3 * generator.normal(size=60) > 0.5
    cuts = cross_cuts(values, positive, item_of, folds=5, seed=0)
    for item in range(12):
        mine = item_of == item
        assert len(set(cuts[mine])) == 1
        # What people say of an item cannot move the cut of its own texts.
        turned = cross_cuts(values, np.where(mine, ~positive, positive), item_of, folds=5, seed=0)
        assert (turned[mine] == cuts[mine]).all()
    assert len(set(cuts)) <= 5
    assert (cross_cuts(values, positive, item_of, folds=5, seed=1) != cuts).any()


def test_fewer_items_than_folds():
    cuts = cross_cuts(
        np.array([0.1, 0.9, 0.2]), np.array([False, True, False]), np.arange(3), folds=5, seed=0
    )
    # Without its only positive the second text is judged by two negatives, and none is positive.
    assert cuts[1] > 0.2
    assert cuts[0] == pytest.approx(0.55)
