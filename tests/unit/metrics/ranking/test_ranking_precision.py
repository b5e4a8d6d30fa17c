"""Average precision from counts equals what a full sort gives; ties never help."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable.metrics.ranking.evaluator import (
    ARITHMETIC,
    FOUND,
    IDEAL,
    MAX_COUNTED,
    SUMMED,
    average_precision,
    graded_precision,
    mean_precision,
)


@st.composite
def rankings(draw, largest=60):
    """Scores with many ties, and how relevant each index is (most are not)."""
    size = draw(st.integers(1, largest))
    scores = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    degrees = draw(st.lists(st.sampled_from([0, 0, 0.25, 0.5, 1]), min_size=size, max_size=size))
    degrees[draw(st.integers(0, size - 1))] = 1
    return np.array(scores, dtype=np.float32), np.array(degrees)


def in_order(scores, degrees):
    """Degrees from the best score on, the less relevant of equals first."""
    return degrees[np.lexsort((degrees, -scores))]


@given(rankings())
def test_average_precision_is_that_of_a_full_sort(ranking):
    scores, degrees = ranking
    relevant = in_order(scores, degrees > 0)
    precisions = [relevant[: index + 1].mean() for index in np.flatnonzero(relevant)]
    assert average_precision(scores, np.flatnonzero(degrees)) == pytest.approx(np.mean(precisions))


@pytest.mark.parametrize("summed", SUMMED)
@given(ranking=rankings())
def test_graded_precision_is_that_of_a_full_sort(summed, ranking):
    scores, degrees = ranking
    ranked, ideal = in_order(scores, degrees), np.sort(degrees)[::-1]
    precisions = np.cumsum(ranked) / np.cumsum(ideal)
    weights = ideal if summed == IDEAL else ranked
    expected = (precisions * weights).sum() / degrees.sum()
    relevant = np.flatnonzero(degrees)
    assert graded_precision(scores, relevant, degrees[relevant], summed) == pytest.approx(expected)


def test_many_relevant_indices_are_counted_by_sorting():
    generator = np.random.default_rng(0)
    scores = generator.integers(0, 50, 500).astype(np.float32)
    relevant = np.arange(0, 500, 4)
    assert len(relevant) > MAX_COUNTED
    assert 0 < average_precision(scores, relevant) < 1
    assert average_precision(scores, relevant[:1]) == 1 / (scores >= scores[0]).sum()


def test_by_hand():
    scores = np.array([0.9, 0.8, 0.7, 0.6])
    assert average_precision(scores, np.array([0, 2])) == pytest.approx((1 + 2 / 3) / 2)
    # Found: 0, 1, 0, 0.5; ideal: 1, 1.5, 1.5, 1.5.
    relevant, degrees = np.array([1, 3]), np.array([1.0, 0.5])
    assert graded_precision(scores, relevant, degrees, IDEAL) == pytest.approx((0 * 1 + 1 / 1.5 * 0.5) / 1.5)
    assert graded_precision(scores, relevant, degrees, FOUND) == pytest.approx((1 / 1.5 * 1 + 1 * 0.5) / 1.5)


def test_a_tie_counts_against_the_text():
    scores = np.zeros(4)
    assert average_precision(scores, np.array([0])) == 1 / 4
    assert graded_precision(scores, np.array([0]), np.array([1.0])) == 0


def test_a_lone_reference_that_comes_last_is_seen_by_the_default_only():
    scores, last = np.array([3.0, 2.0, 1.0]), np.array([2])
    assert graded_precision(scores, last, np.array([1.0]), IDEAL) == 0
    # The ideal order has nothing more to offer by then.
    assert graded_precision(scores, last, np.array([1.0]), FOUND) == 1


def test_an_ideal_ranking_is_exactly_one():
    degrees = np.array([1.0, 0.1, 0.1, 0.1])
    assert graded_precision(np.array([4.0, 3.0, 2.0, 1.0, 0.0]), np.arange(4), degrees) == 1.0


@pytest.mark.parametrize(
    ("precisions", "harmonic", "arithmetic"),
    [([0.5, 1.0], 2 / 3, 0.75), ([0.0, 1.0], 0.0, 0.5), ([0.3, 0.3], 0.3, 0.3), ([0.7], 0.7, 0.7)],
)
def test_means_of_two_rankings_and_of_one(precisions, harmonic, arithmetic):
    assert mean_precision(precisions) == pytest.approx(harmonic)
    assert mean_precision(precisions, ARITHMETIC) == pytest.approx(arithmetic)
