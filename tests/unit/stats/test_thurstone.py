"""Thurstone's Case V against published scale values, the classical solution and a probit regression."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from factable.stats.thurstone import thurstone_scores
from helpers.peers import Peer

sm, sm_exceptions = Peer("statsmodels.api"), Peer("statsmodels.tools.sm_exceptions")

# Guilford (1954): which of two vegetables 148 people prefer, the share of those who take the column's.
VEGETABLES = np.array(
    [
        [0.500, 0.818, 0.770, 0.811, 0.878, 0.892, 0.899, 0.892, 0.926],
        [0.182, 0.500, 0.601, 0.723, 0.743, 0.736, 0.811, 0.845, 0.858],
        [0.230, 0.399, 0.500, 0.561, 0.736, 0.676, 0.845, 0.797, 0.818],
        [0.189, 0.277, 0.439, 0.500, 0.561, 0.588, 0.676, 0.601, 0.730],
        [0.122, 0.257, 0.264, 0.439, 0.500, 0.493, 0.574, 0.709, 0.764],
        [0.108, 0.264, 0.324, 0.412, 0.507, 0.500, 0.628, 0.682, 0.628],
        [0.101, 0.189, 0.155, 0.324, 0.426, 0.372, 0.500, 0.527, 0.642],
        [0.108, 0.155, 0.203, 0.399, 0.291, 0.318, 0.473, 0.500, 0.628],
        [0.074, 0.142, 0.182, 0.270, 0.236, 0.372, 0.358, 0.372, 0.500],
    ]
)
# As published with the data in the R package psych, from 0 for turnips to corn.
PUBLISHED = [0.00, 0.52, 0.65, 0.98, 1.12, 1.14, 1.40, 1.44, 1.63]


def scores_of(wins):
    return thurstone_scores(np.array([wins], dtype=float))[0]


def without_diagonal(wins):
    return np.where(np.eye(len(wins), dtype=bool), 0, wins)


def by_regression(wins):
    """The same model as a probit regression without a constant; the first system is at 0."""
    systems = len(wins)
    rows, counts = [], []
    for first in range(systems):
        for second in range(first):
            if wins[first, second] + wins[second, first]:
                rows.append(np.eye(systems)[first] - np.eye(systems)[second])
                counts.append((wins[first, second], wins[second, first]))
    family = sm.families.Binomial(link=sm.families.links.Probit())
    with warnings.catch_warnings():
        # It takes counts that fit the model exactly for separated ones.
        warnings.simplefilter("ignore", sm_exceptions.PerfectSeparationWarning)
        fit = sm.GLM(np.array(counts), np.array(rows)[:, 1:], family=family).fit(tol=1e-12)
    scores = np.concatenate([[0.0], fit.params])
    return scores - scores.mean()


def test_the_published_vegetables():
    classical = norm.ppf(VEGETABLES).mean(axis=0)
    assert np.round(classical - classical[0], 2).tolist() == pytest.approx(PUBLISHED, abs=1e-9)
    found = scores_of(without_diagonal(VEGETABLES.T * 148))
    # Greatest likelihood weighs proportions near one half more than the mean of normal scores does.
    assert found == pytest.approx(classical, abs=0.03)
    assert np.argsort(found).tolist() == list(range(9))


@pytest.mark.packages
def test_it_is_the_probit_regression_on_the_vegetables():
    wins = without_diagonal(VEGETABLES.T * 148)
    assert scores_of(wins) == pytest.approx(by_regression(wins), abs=1e-7)


def test_proportions_of_the_model_give_its_scores():
    true = np.array([0.9, 0.1, -0.3, -0.7])
    shares = norm.cdf(true[:, None] - true)
    assert scores_of(without_diagonal(shares * 50)) == pytest.approx(true, abs=1e-9)
    assert norm.ppf(shares).mean(axis=1) == pytest.approx(true, abs=1e-9)


@pytest.mark.packages
@given(st.lists(st.integers(1, 60), min_size=12, max_size=12), st.sets(st.integers(1, 5), max_size=2))
def test_incomplete_designs_equal_the_regression(counts, left_out):
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    for number, (first, second) in enumerate([(0, 1), (1, 2), (2, 3), (0, 2), (0, 3), (1, 3)]):
        if number > 2 and number in left_out:
            wins[first, second] = wins[second, first] = 0
    assert scores_of(wins) == pytest.approx(by_regression(wins), abs=1e-6)


@pytest.mark.packages
def test_a_pair_that_always_goes_one_way_gets_half_a_win_on_both_sides():
    assert np.diff(scores_of([[0, 10], [0, 0]])) == pytest.approx(-norm.ppf(10.5 / 11))
    wins = np.array([[0, 8, 6], [0, 0, 5], [2, 3, 0]], dtype=float)
    corrected = wins + np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    assert scores_of(wins) == pytest.approx(by_regression(corrected), abs=1e-7)


def test_a_long_chain_of_one_way_pairs_is_finite():
    wins = np.zeros((12, 12))
    wins[np.arange(11), np.arange(1, 12)] = 1e6
    expected = norm.ppf((1e6 + 0.5) / (1e6 + 1))
    assert np.diff(scores_of(wins)) == pytest.approx(np.full(11, -expected), rel=1e-6)


def test_draws_are_alone_and_unconnected_ones_undefined():
    whole = np.array([[0, 6, 4], [3, 0, 7], [2, 5, 0]], dtype=float)
    apart = np.array([[0, 6, 0], [3, 0, 0], [0, 0, 0]], dtype=float)
    found = thurstone_scores(np.stack([whole, apart, 2 * whole]))
    assert found[0] == pytest.approx(scores_of(whole))
    assert np.isnan(found[1]).all()
    assert found[2] == pytest.approx(found[0])
    assert math.isclose(found[0].sum(), 0, abs_tol=1e-9)


def test_ties_are_half_a_win():
    assert scores_of([[0, 2.5], [2.5, 0]]) == pytest.approx([0, 0], abs=1e-12)
