"""The study of Dhingra et al. (2019) on the WebNLG 2017 ratings, at the levels of systems and of examples."""

import pytest
from webnlg_systems import DATA

from factable.io.formats import open_format
from factable.registry import parse
from factable.study.panel import score_panel
from factable.study.ratings import study

RATINGS = DATA / "human-evaluation"
pytestmark = pytest.mark.skipif(not RATINGS.is_dir(), reason=f"no WebNLG 2017 ratings in {RATINGS}")
DRAWS = 500


@pytest.fixture(scope="module")
def rated():
    examples = list(open_format("webnlg-human")([str(RATINGS)]))
    return score_panel([examples], [parse("parent"), parse("bleu")])


def agreements(found):
    return {(one.metric, one.human): one.statistics["pearson"] for one in found.agreements}


@pytest.fixture(scope="module")
def by_system(rated):
    found = study(rated, level="system", draws=DRAWS, seed=0, excluded=["webnlg"])
    assert found.examples == 2007
    assert len(found.systems) == 9
    return found


@pytest.mark.parametrize(
    ("metric", "human", "published", "tolerance"),
    [
        ("parent", "semantics", 0.887, 0.03),
        ("bleu", "semantics", 0.775, 0.06),
        ("bleu", "grammar", 0.858, 0.06),
        ("bleu", "fluency", 0.811, 0.06),
    ],
)
def test_level_system(by_system, metric, human, published, tolerance):
    found = agreements(by_system)[metric, human]
    assert found.mean == pytest.approx(published, abs=tolerance)
    assert found.low < found.value < found.high


def test_parent_is_closer_than_bleu_to_semantics(by_system):
    (comparison,) = (one for one in by_system.comparisons if one.human == "semantics")
    assert (comparison.better, comparison.worse) == ("parent", "bleu")
    assert comparison.low > 0
    assert comparison.p_bootstrap < 0.01


def test_level_example(rated):
    found = study(rated, level="example", draws=0, humans=["semantics"], excluded=["webnlg"])
    assert agreements(found)["parent", "semantics"].value == pytest.approx(0.640, abs=0.02)
