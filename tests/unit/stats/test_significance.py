"""Tests of a difference, against SciPy, exact enumeration and hand-worked cases."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from factable.stats.significance import (
    bootstrap_p,
    holm,
    mcnemar_p,
    permutation_p,
    student_t_tail,
    williams_p,
)
from helpers.peers import Peer

contingency_tables = Peer("statsmodels.stats.contingency_tables")
multitest = Peer("statsmodels.stats.multitest")


@given(st.floats(-40, 40), st.integers(1, 5000))
def test_student_t_equals_scipy(t, freedom):
    # Near 0 scipy itself is off by some 1e-9; see the next test.
    least = 1e-8 if abs(t) < 1e-4 else 1e-300
    assert student_t_tail(t, freedom) == pytest.approx(stats.t.sf(t, freedom), rel=1e-9, abs=least)


@given(st.floats(-1, 1))
def test_student_t_of_one_degree_is_an_arc_tangent(t):
    assert student_t_tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, rel=1e-13)


def test_williams_by_hand():
    # K = 1 - .64 - .49 - .36 + 2 * .8 * .7 * .6 = .182
    # t = .1 * sqrt(9 * 1.6) / sqrt(2 * 9/7 * .182 + .5625 * .064) = .379473 / sqrt(.468 + .036)
    t = 0.1 * math.sqrt(14.4) / math.sqrt(0.504)
    assert williams_p(0.8, 0.7, 0.6, 10) == pytest.approx(stats.t.sf(t, 7))
    assert williams_p(0.7, 0.8, 0.6, 10) == pytest.approx(1 - stats.t.sf(t, 7))


@pytest.mark.parametrize("case", [(0.8, 0.7, 0.6, 3), (0.8, 0.8, 1.0, 10), (math.nan, 0.8, 0.9, 10)])
def test_williams_undefined(case):
    assert math.isnan(williams_p(*case))


def test_bootstrap_by_hand():
    assert bootstrap_p(np.array([0.1] * 97 + [-0.1, 0.0])) == pytest.approx(2 * 3 / 100)
    assert bootstrap_p(np.array([-0.1] * 99)) == pytest.approx(2 / 100)
    assert bootstrap_p(np.array([0.0] * 99)) == 1.0
    assert math.isnan(bootstrap_p(np.array([math.nan])))


def test_permutation_is_near_the_exact_share():
    generator = np.random.default_rng(4)
    human = generator.normal(size=8)
    first = 10 * (human + generator.normal(size=8))
    second = human + 2 * generator.normal(size=8)
    a, b = stats.zscore(first), stats.zscore(second)
    observed = abs(np.corrcoef(a, human)[0, 1] - np.corrcoef(b, human)[0, 1])
    reached = 0
    for swapped in itertools.product([False, True], repeat=8):
        left, right = np.where(swapped, b, a), np.where(swapped, a, b)
        gap = np.corrcoef(left, human)[0, 1] - np.corrcoef(right, human)[0, 1]
        reached += abs(gap) >= observed - 1e-12
    found = permutation_p(first, second, human, permutations=20_000, seed=0)
    assert found == pytest.approx(reached / 256, abs=0.015)
    assert found == permutation_p(first, second, human, permutations=20_000, seed=0)


def test_permutation_chunks_change_nothing(monkeypatch):
    columns = np.random.default_rng(1).normal(size=(3, 20))
    whole = permutation_p(*columns, permutations=300, seed=5)
    monkeypatch.setattr("factable.stats.significance.SWAPS_AT_ONCE", 160)
    assert permutation_p(*columns, permutations=300, seed=5) == whole


def test_permutation_of_a_constant_is_undefined():
    assert math.isnan(permutation_p(np.ones(5), np.arange(5.0), np.arange(5.0), permutations=10, seed=0))


@pytest.mark.packages
@given(st.integers(0, 24), st.integers(0, 24))
def test_mcnemar_of_few_equals_the_exact_test_of_statsmodels(first, second):
    if first + second < 25:
        expected = contingency_tables.mcnemar([[3, first], [second, 5]], exact=True).pvalue
        assert mcnemar_p(first, second) == pytest.approx(expected, rel=1e-9)


@pytest.mark.packages
@given(st.integers(0, 5000), st.integers(0, 5000))
def test_mcnemar_of_many_equals_the_corrected_chi_square_of_statsmodels(first, second):
    if first + second >= 25 and first != second:
        expected = contingency_tables.mcnemar([[3, first], [second, 5]], exact=False, correction=True).pvalue
        assert mcnemar_p(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_mcnemar_of_no_difference():
    assert mcnemar_p(0, 0) == mcnemar_p(7, 7) == mcnemar_p(40, 40) == 1.0


@pytest.mark.packages
# statsmodels collects garbage each time, which takes long in a large process.
@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_equals_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multitest.multipletests(p_values, method="holm")[1].tolist())


def test_holm_leaves_out_what_was_not_tested():
    assert holm([0.01, math.nan, 0.04]) == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)
    assert holm(np.array([])) == []
