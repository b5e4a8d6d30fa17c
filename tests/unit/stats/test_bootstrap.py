"""Draws of items, and what systems get in them."""

import math

import numpy as np
import pytest

from factable.stats.bootstrap import Draws, group_means, group_totals, interval


def weights_of(draws):
    return np.concatenate(list(draws.chunks()))


def test_the_first_draw_is_the_data():
    weights = weights_of(Draws(5, 100, 0))
    assert weights.shape == (101, 5)
    assert weights[0].tolist() == [1.0] * 5
    assert (weights.sum(axis=1) == 5).all()


def test_a_seed_gives_the_same_draws_and_0_is_a_seed():
    assert weights_of(Draws(9, 20, 0)).tolist() == weights_of(Draws(9, 20, 0)).tolist()
    assert weights_of(Draws(9, 20, 0)).tolist() != weights_of(Draws(9, 20, 1)).tolist()


def test_chunks_change_nothing(monkeypatch):
    whole = weights_of(Draws(9, 20, 3))
    monkeypatch.setattr("factable.stats.bootstrap.WEIGHTS_AT_ONCE", 30)
    chunks = list(Draws(9, 20, 3).chunks())
    assert len(chunks) > 5
    assert np.concatenate(chunks).tolist() == whole.tolist()
    applied = Draws(9, 20, 3).apply(lambda weights: {"total": weights.sum(axis=1)})
    assert applied["total"].tolist() == [9.0] * 21


def test_no_draws():
    assert weights_of(Draws(4, 0, 0)).tolist() == [[1.0] * 4]


def test_interval():
    found = interval(np.arange(1001.0))
    assert found == (500.0, pytest.approx(25.0), pytest.approx(975.0))
    assert interval(np.array([1.0, math.nan, 3.0])).mean == 2.0
    assert all(map(math.isnan, interval(np.array([]))))


def test_means_and_totals_equal_repeated_examples():
    generator = np.random.default_rng(0)
    values, rows = generator.random(40), generator.random((40, 2))
    item_of, group_of = np.arange(40) // 4, np.arange(40) % 4
    weights = weights_of(Draws(10, 6, 1))
    means = group_means(values, item_of, group_of, 4, weights)
    totals = group_totals(rows, item_of, group_of, 4, weights, lambda sums: sums[:, 0] / sums[:, 1])
    for draw, often in enumerate(weights[:, item_of].astype(int)):
        for group in range(4):
            mine = np.repeat(np.arange(40), often * (group_of == group))
            assert means[draw, group] == pytest.approx(values[mine].mean())
            assert totals[draw, group] == pytest.approx(np.divide(*rows[mine].sum(axis=0)))


def test_a_draw_without_a_system():
    item_of = group_of = np.array([0, 1])
    weights = np.array([[1.0, 1.0], [2.0, 0.0]])
    values = np.array([3.0, 4.0])
    expected = [[3.0, 4.0], [3.0, math.nan]]
    assert np.array_equal(group_means(values, item_of, group_of, 2, weights), expected, equal_nan=True)
    totals = group_totals(values[:, None], item_of, group_of, 2, weights, lambda sums: sums[:, 0])
    assert np.array_equal(totals, [[3.0, 4.0], [6.0, math.nan]], equal_nan=True)
