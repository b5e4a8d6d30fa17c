"""The study of Garneau and Lamontagne (2021): its tables on a few texts, and what holds on all ratings."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from factable.registry import parse
from studies.page import DATA, PAGES, filled
from studies.ranking import make_tables
from studies.webnlg2017 import REFERENCES, read_ratings

pytestmark = pytest.mark.skipif(not (DATA / "webnlg2017").exists(), reason=f"no {DATA / 'webnlg2017'}")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, most=40)
    page = filled((PAGES / "ranking.md").read_text(), tables)
    assert all(table in page for table in tables.values())


def test_rankings_agree_with_people():
    examples = read_ratings(DATA)
    values = np.array(parse('ranking(ranker="bm25")').score(examples).values)
    rating = np.array([example.human["semantics"] for example in examples])
    gold = np.array([example.system == REFERENCES for example in examples])
    assert values[gold].mean() > 0.88
    assert np.corrcoef(values[~gold], rating[~gold])[0, 1] > 0.6
