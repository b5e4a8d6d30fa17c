"""The study of Dhingra et al. (2019) on the WebNLG 2017 ratings, at the levels of systems and of examples."""

import re

import pytest

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.study.panel import score_panel
from factable.study.ratings import study_ratings
from helpers.paths import DATA, ROOT, WEBNLG
from studies.page import PAGES, filled
from studies.parent import make_tables as make_parent_tables
from studies.webnlg2017 import FIRST_REFERENCE_BLEU, PARENT_C, count_training_set

RATINGS = WEBNLG / "human-evaluation"
pytestmark = pytest.mark.data("webnlg2017/human-evaluation")
DRAWS = 500


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    examples = list(open_format("webnlg-human")([str(RATINGS)]))
    work = tmp_path_factory.mktemp("training")
    count_training_set(WEBNLG / "challenge_data_train_dev.tar.xz", work, work / "train.counts")
    cooccurrence = f'parent(entailment="cooccurrence", counts="{work / "train.counts"}")'
    return score_panel([examples], [parse("parent"), parse("bleu"), parse(cooccurrence)])


def name_of(metric):
    return PARENT_C if "cooccurrence" in metric else metric


def agreements(found):
    return {(name_of(one.metric), one.human): one.statistics["pearson"] for one in found.agreements}


@pytest.fixture(scope="module")
def by_system(rated):
    found = study_ratings(rated, level="system", draws=DRAWS, seed=0, excluded=["webnlg"])
    assert found.examples == 2007
    assert len(found.systems) == 9
    return found


@pytest.mark.parametrize(
    ("metric", "human", "published", "tolerance"),
    [
        ("parent", "semantics", 0.887, 0.03),
        (PARENT_C, "semantics", 0.877, 0.03),
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
    (comparison,) = (
        one
        for one in by_system.differences
        if one.human == "semantics" and {one.better, one.worse} == {"parent", "bleu"}
    )
    assert comparison.better == "parent"
    assert comparison.low > 0
    assert comparison.p_bootstrap < 0.01


def test_level_example(rated):
    found = study_ratings(rated, level="example", draws=0, humans=["semantics"], excluded=["webnlg"])
    assert agreements(found)["parent", "semantics"].value == pytest.approx(0.640, abs=0.02)


def page_cells(metric):
    """The cells of a metric's rows on the page of the study: by system, then by example."""
    page = (ROOT / "docs/studies/webnlg2017.md").read_text()
    rows = re.findall(rf"^\| {re.escape(metric)} \| (.+) \|$", page, re.MULTILINE)
    return [[float(cell.split()[0]) for cell in row.split(" | ")] for row in rows]


def test_the_page_says_what_the_study_gives(rated, by_system):
    by_example = agreements(study_ratings(rated, level="example", draws=0, excluded=["webnlg"]))
    for metric in ("parent", "bleu", PARENT_C):
        systems, examples = page_cells(metric)
        for index, human in enumerate(("semantics", "grammar", "fluency")):
            assert systems[index] == pytest.approx(agreements(by_system)[metric, human].mean, abs=0.0006)
            assert examples[index] == pytest.approx(by_example[metric, human].value, abs=0.0006)


def test_the_published_bleu_has_one_reference():
    ((semantics, grammar, fluency, _),) = page_cells(FIRST_REFERENCE_BLEU)
    assert (semantics, grammar, fluency) == pytest.approx((0.514, 0.418, 0.410), abs=0.0015)


def test_the_page_of_the_parent_paper_has_a_place_for_every_table():
    tables = make_parent_tables(DATA, jobs=1, max_texts=60)
    page = filled((PAGES / "parent.md").read_text(), tables)
    assert all(table in page for table in tables.values())
    assert "| figure 1 | 9 | none |" in tables["summary"]
