"""Correlations equal SciPy's, in one piece, in rows and in draws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from factable.stats.correlation import (
    MAX_POINTS,
    STATISTICS,
    correlate_draws,
    correlate_rows,
    permutation_p_of_rows,
    sum_pairs,
    tie_threshold,
    tie_threshold_rows,
    why_no_correlation,
    why_no_pairs,
)
from factable.stats.significance import permutation_p

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall_b": lambda x, y: stats.kendalltau(x, y, variant="b"),
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
}
# Few different values, so that ties are common.
VALUES = st.integers(0, 6).map(float)
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=30).map(lambda rows: np.array(rows).T.copy())


def correlate(x, y):
    """Every statistic of two columns, each point once."""
    if why_no_correlation(x, y):
        return dict.fromkeys(STATISTICS, math.nan)
    found = correlate_draws(x, y, np.arange(len(x)), np.ones((1, len(x))))
    return {name: float(draws[0]) for name, draws in found.items()}


def varies(columns):
    return all(column.min() < column.max() for column in columns)


@given(PAIRS.filter(varies))
def test_equal_to_scipy(columns):
    found = correlate(*columns)
    for name, peer in SCIPY.items():
        assert found[name] == pytest.approx(peer(*columns).statistic, abs=1e-12), name


@pytest.mark.parametrize("size", [50, 500])
def test_equal_to_scipy_on_long_columns(size):
    generator = np.random.default_rng(size)
    x = 1e6 + generator.normal(size=size)
    y = np.round(x + generator.normal(size=size), 1)
    for name, peer in SCIPY.items():
        assert correlate(x, y)[name] == pytest.approx(peer(x, y).statistic, abs=1e-9), name


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.floats(0, 2))
def test_rows_equal_columns(seed, points, threshold):
    generator = np.random.default_rng(seed)
    x, y = generator.integers(0, 5, size=(2, 6, points)).astype(float)
    there = generator.random((6, points)) < 0.8
    found = correlate_rows(x, y, there, threshold)
    for row in range(6):
        columns = x[row, there[row]], y[row, there[row]]
        expected = correlate(*columns)
        for name in STATISTICS[:-1]:
            assert found[name][row] == pytest.approx(expected[name], abs=1e-12, nan_ok=True), name
        if not why_no_correlation(*columns):
            numbers = np.arange(len(columns[0]))
            pairs = sum_pairs(*columns, numbers, np.ones((1, len(numbers))), threshold)
            assert found["pairwise_accuracy"][row] == (pairs.correct / pairs.all)[0]


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_draws_equal_repeated_points(seed):
    generator = np.random.default_rng(seed)
    x, y = generator.integers(0, 6, size=(2, 30)).astype(float)
    item_of = generator.integers(0, 7, size=30)
    weights = generator.multinomial(7, np.full(7, 1 / 7), size=5).astype(float)
    found = correlate_draws(x, y, item_of, weights)
    for draw, often in enumerate(weights[:, item_of].astype(int)):
        expected = correlate(np.repeat(x, often), np.repeat(y, often))
        for name in STATISTICS[:-1]:
            assert found[name][draw] == pytest.approx(expected[name], abs=1e-12, nan_ok=True), name


def test_blocks_of_pairs_change_nothing(monkeypatch):
    generator = np.random.default_rng(0)
    x, y = generator.integers(0, 6, size=(2, 40)).astype(float)
    item_of, weights = np.arange(40) % 9, generator.integers(0, 3, size=(4, 9)).astype(float)
    whole = sum_pairs(x, y, item_of, weights, 1.0)
    monkeypatch.setattr("factable.stats.correlation.PAIRS_AT_ONCE", 200)
    for one, other in zip(whole, sum_pairs(x, y, item_of, weights, 1.0), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than two points"),
        ([1.0], [2.0], "fewer than two points"),
        ([1.0, 1.0], [1.0, 2.0], "all values of the metric are equal"),
        ([1.0, 2.0], [0.1, 0.1], "all ratings are equal"),
    ],
)
def test_undefined_says_why(x, y, reason):
    assert why_no_correlation(np.array(x), np.array(y)) == reason


def test_too_many_points_for_pairs():
    x = np.arange(MAX_POINTS + 1.0)
    found = correlate(x, x)
    assert found["pearson"] == pytest.approx(1.0)
    assert found["spearman"] == pytest.approx(1.0)
    assert why_no_pairs("spearman", len(x)) == ""
    assert math.isnan(found["kendall_b"])
    assert "more than 5,000 points" in why_no_pairs("pairwise_accuracy", len(x))


def test_pairwise_accuracy_by_hand():
    # The first two ratings are tied, the other two pairs ordered. Exact metric values get the order right
    # and the tie wrong; calling 0.1 a tie gets all three.
    x, y = np.array([0.5, 0.6, 0.9]), np.array([1.0, 1.0, 2.0])
    assert tie_threshold(x, y) == pytest.approx(0.1)
    assert correlate(x, y)["pairwise_accuracy"] == 1.0


def test_pairwise_accuracy_without_human_ties():
    # One of six pairs is in the wrong order; a threshold could win nothing.
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert tie_threshold(x, y) == 0.0
    assert correlate(x, y)["pairwise_accuracy"] == pytest.approx(5 / 6)


def test_the_threshold_counts_every_row_the_same():
    # In the first row a tie at distance 1 wins its only pair; in the second it loses two of three.
    x = np.array([[0.0, 1.0, 9.0], [0.0, 1.0, 2.0]])
    y = np.array([[1.0, 1.0, 9.0], [1.0, 2.0, 3.0]])
    there = np.array([[True, True, False], [True, True, True]])
    assert tie_threshold_rows(x, y, there) == 1.0
    assert tie_threshold_rows(x[1:], y[1:], there[1:]) == 0.0
    assert tie_threshold_rows(x[:, :1], y[:, :1], there[:, :1]) == 0.0


@given(PAIRS.filter(varies))
def test_the_threshold_is_the_best(columns):
    x, y = columns

    def accuracy(threshold):
        pairs = sum_pairs(x, y, np.arange(len(x)), np.ones((1, len(x))), threshold)
        return (pairs.correct / pairs.all)[0]

    assert accuracy(tie_threshold(x, y)) == max(map(accuracy, range(8)))


def test_permutation_of_rows_equals_all_swaps():
    generator = np.random.default_rng(1)
    first, second, human = generator.normal(size=(3, 2, 3))

    def mean(values):
        return np.mean([stats.pearsonr(*rows).statistic for rows in zip(values, human, strict=True)])

    first, second = ((column - column.mean()) / column.std() for column in (first, second))
    observed = abs(mean(first) - mean(second))
    gaps = []
    for number in range(2**6):
        swap = np.array([number >> index & 1 for index in range(6)], dtype=bool).reshape(2, 3)
        gaps.append(mean(np.where(swap, second, first)) - mean(np.where(swap, first, second)))
    exact = np.mean(np.abs(gaps) >= observed - 1e-12)
    found = permutation_p_of_rows(first, second, human, permutations=20_000, seed=0)
    assert found == pytest.approx(exact, abs=0.02)


def test_permutation_of_rows_with_holes_and_of_one_row():
    generator = np.random.default_rng(2)
    first, second, human = generator.normal(size=(3, 1, 40))
    several = permutation_p_of_rows(first, second, human, permutations=2_000, seed=0)
    one = permutation_p(first[0], second[0], human[0], permutations=2_000, seed=0)
    assert several == pytest.approx(one, abs=0.04)
    # A point that is missing is as if it were not there.
    wider = [np.concatenate([column, [[np.nan]]], axis=1) for column in (first, second, human)]
    assert permutation_p_of_rows(*wider, permutations=2_000, seed=0) == pytest.approx(several, abs=0.04)
