"""Approximate randomisation, against all swaps there are and SciPy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from factable.stats.significance import randomization_p


def ratio(totals):
    return totals[:, 0] / totals[:, 1]


def mean_of(items):
    return lambda totals: totals[:, 0] / items


def exact_p(first, second, finish):
    """The share of all ways to swap items whose difference is as large."""

    def gap(swapped):
        kept = np.array(swapped)[:, None]
        sides = np.where(kept, second, first), np.where(kept, first, second)
        one, other = (finish(side.sum(axis=0, keepdims=True))[0] for side in sides)
        return abs(one - other)

    ways = list(itertools.product([False, True], repeat=len(first)))
    observed = gap(ways[0])
    return sum(gap(way) >= observed - 1e-12 for way in ways) / len(ways)


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_statistics_come_near_the_exact_share(seed):
    generator = np.random.default_rng(seed)
    systems = [generator.integers(1, 9, size=(9, 2)).astype(float) for _ in range(3)]
    pairs = [(0, 1), (2, 0), (1, 2)]
    found = randomization_p(systems, pairs, ratio, randomizations=20_000, seed=seed)
    for (one, other), p_value in zip(pairs, found, strict=True):
        assert p_value == pytest.approx(exact_p(systems[one], systems[other], ratio), abs=0.015)


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.6])
def test_means_equal_the_permutation_test_of_scipy(shift):
    generator = np.random.default_rng(7)
    first = generator.random((12, 1))
    second = first + generator.normal(shift, 0.4, size=(12, 1))
    (found,) = randomization_p([first, second], [(0, 1)], mean_of(12), randomizations=20_000, seed=0)
    expected = stats.permutation_test(
        (first[:, 0], second[:, 0]),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert found == pytest.approx(expected.pvalue, abs=0.015)
    assert found == pytest.approx(exact_p(first, second, mean_of(12)), abs=0.015)


def test_systems_that_are_equal_do_not_differ():
    generator = np.random.default_rng(1)
    rows = generator.random((500, 3))
    found = randomization_p([rows, rows.copy()], [(0, 1)], ratio, randomizations=200, seed=0)
    assert found == [1.0]
    # Every swap of a difference at a single item gives the same difference, but for rounding.
    other = rows.copy()
    other[17, 0] += 0.01
    assert randomization_p([rows, other], [(0, 1)], ratio, randomizations=200, seed=0) == [1.0]


def test_the_least_p_there_is():
    first, second = np.zeros((400, 1)), np.ones((400, 1))
    assert randomization_p([first, second], [(0, 1)], mean_of(400), randomizations=99, seed=0) == [0.01]


def test_a_pair_is_tested_alike_in_any_company_and_order():
    generator = np.random.default_rng(3)
    systems = [generator.random((40, 2)) for _ in range(3)]
    whole = randomization_p(systems, [(0, 1), (1, 2)], ratio, randomizations=500, seed=0)
    assert randomization_p(systems[:2], [(1, 0)], ratio, randomizations=500, seed=0) == whole[:1]
    assert randomization_p(systems, [(0, 1)], ratio, randomizations=500, seed=1) != whole[:1]


def test_no_randomisations_and_no_value_give_no_p():
    rows = [np.ones((3, 1)), np.zeros((3, 1))]
    assert math.isnan(randomization_p(rows, [(0, 1)], mean_of(3), randomizations=0, seed=0)[0])

    def undefined(totals):
        return np.where(totals[:, 0] == 0, np.nan, totals[:, 0])

    assert math.isnan(randomization_p(rows, [(0, 1)], undefined, randomizations=9, seed=0)[0])


def test_memory_is_bounded(monkeypatch):
    sizes = []

    def finish(totals):
        sizes.append(len(totals))
        return totals[:, 0]

    rows = [np.random.default_rng(n).random((12, 1)) for n in (1, 2)]
    monkeypatch.setattr("factable.stats.significance.SWAPS_AT_ONCE", 100)
    (found,) = randomization_p(rows, [(0, 1)], finish, randomizations=5000, seed=0)
    assert max(sizes) == 8
    assert sum(sizes[1:]) == 2 * 5000
    assert found == pytest.approx(exact_p(*rows, mean_of(12)), abs=0.03)
