"""Agreement of annotators against published examples, statsmodels and the krippendorff package."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from factable.stats.agreement import AnnotatorLabels, agreement_draws
from factable.stats.bootstrap import Draws
from helpers.peers import Peer

raters = Peer("statsmodels.stats.inter_rater")

NONE = np.nan
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: four observers, twelve units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
# Fleiss (1971): how many of six psychiatrists gave each of 30 patients each of five diagnoses.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
COUNTS = np.array([[int(count) for count in patient] for patient in DIAGNOSES.split()])


def labels_of(ratings):
    """Labels of ratings (annotators x texts, NaN where missing), of texts that have two or more."""
    ratings = ratings[:, (~np.isnan(ratings)).sum(axis=0) > 1]
    text_of, annotator_of = np.nonzero(~np.isnan(ratings.T))
    numbers, value_of = np.unique(ratings[annotator_of, text_of], return_inverse=True)
    return AnnotatorLabels(text_of, value_of, numbers)


def agreement(labels):
    texts = int(labels.text_of.max()) + 1
    return {name: float(draws[0]) for name, draws in agreement_draws(labels, np.ones((1, texts))).items()}


def ratings_of_counts(counts):
    return np.array([np.repeat(np.arange(counts.shape[1]), row) for row in counts], dtype=float).T


def test_the_published_alphas():
    found = agreement(labels_of(PUBLISHED))
    assert found["alpha_nominal"] == pytest.approx(0.743, abs=5e-4)
    assert found["alpha_ordinal"] == pytest.approx(0.815, abs=5e-4)
    assert found["alpha_interval"] == pytest.approx(0.849, abs=5e-4)
    assert np.isnan(found["fleiss_kappa"])


def test_the_published_kappa():
    assert COUNTS.mean(axis=0) / 6 == pytest.approx([0.144, 0.144, 0.167, 0.306, 0.239], abs=5e-4)
    found = agreement(labels_of(ratings_of_counts(COUNTS)))
    assert found["observed_agreement"] == pytest.approx(0.556, abs=1e-3)
    assert found["fleiss_kappa"] == pytest.approx(0.430, abs=5e-4)


@st.composite
def tables(draw):
    texts, annotators = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    cell = st.sampled_from([1.0, 2.0, 2.5, 7.0, NONE])
    row = st.lists(cell, min_size=texts, max_size=texts)
    return np.array(draw(st.lists(row, min_size=annotators, max_size=annotators)))


@given(tables())
def test_alphas_equal_the_package(ratings):
    pairable = ratings[:, (~np.isnan(ratings)).sum(axis=0) > 1]
    assume(len(np.unique(pairable[~np.isnan(pairable)])) > 1)
    found = agreement(labels_of(ratings))
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(pairable, level_of_measurement=level)
        assert found[f"alpha_{level}"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.packages
@given(st.integers(2, 6), st.integers(2, 9), st.integers(0, 1000))
def test_kappa_equals_statsmodels(annotators, texts, seed):
    ratings = np.random.default_rng(seed).integers(0, 4, size=(annotators, texts)).astype(float)
    assume(len(np.unique(ratings)) > 1)
    found = agreement(labels_of(ratings))["fleiss_kappa"]
    assert found == pytest.approx(raters.fleiss_kappa(raters.aggregate_raters(ratings.T)[0]), abs=1e-9)


@pytest.mark.packages
def test_a_draw_is_the_data_with_texts_repeated():
    ratings = np.random.default_rng(3).integers(1, 5, size=(3, 20)).astype(float)
    found = Draws(20, 30, 0).apply(lambda weights: agreement_draws(labels_of(ratings), weights))
    (weights,) = Draws(20, 30, 0).chunks()
    for number, often in enumerate(weights.astype(int)):
        drawn = np.repeat(ratings, often, axis=1)
        kappa = raters.fleiss_kappa(raters.aggregate_raters(drawn.T)[0])
        assert found["fleiss_kappa"][number] == pytest.approx(kappa)
        for level in ("nominal", "ordinal", "interval"):
            expected = krippendorff.alpha(drawn, level_of_measurement=level)
            assert found[f"alpha_{level}"][number] == pytest.approx(expected)


def test_one_value_leaves_nothing_to_agree_on():
    found = agreement(labels_of(np.full((3, 4), 2.1)))
    assert found.pop("observed_agreement") == 1.0
    assert all(map(np.isnan, found.values()))


def test_labels_without_numbers_have_no_distances():
    labels = labels_of(PUBLISHED)._replace(numbers=None)
    found = agreement(labels)
    assert np.isnan(found["alpha_ordinal"])
    assert np.isnan(found["alpha_interval"])
    assert found["alpha_nominal"] == pytest.approx(0.743, abs=5e-4)
