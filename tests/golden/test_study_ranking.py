"""The study of Garneau and Lamontagne (2021): its tables on a few texts, and what holds on all ratings."""

import numpy as np
import pytest

from factable.core.registry import parse
from helpers.paths import DATA
from studies.page import PAGES, filled
from studies.ranking import make_tables, read_test_set, write_pool
from studies.webnlg2017 import REFERENCES, read_ratings

pytestmark = pytest.mark.data("webnlg2017")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, max_texts=40)
    page = filled((PAGES / "ranking.md").read_text(), tables)
    assert all(table in page for table in tables.values())


def agreement(spec):
    """What gold texts get; Pearson's r with the rating of semantics by system and by text."""
    examples = read_ratings(DATA)
    values = np.array(parse(spec).score(examples).values)
    rating = np.array([example.human["semantics"] for example in examples])
    systems = np.array([example.system for example in examples])
    gold = systems == REFERENCES
    others = sorted(set(systems[~gold]))
    means = [[column[systems == one].mean() for one in others] for column in (values, rating)]
    by_text = np.corrcoef(values[~gold], rating[~gold])[0, 1]
    return values[gold].mean(), np.corrcoef(*means)[0, 1], by_text


def test_the_default_reaches_the_published_figures(tmp_path):
    write_pool(read_test_set(DATA, tmp_path), tmp_path / "pool.jsonl")
    gold, by_system, by_text = agreement(f'ranking(pool="{tmp_path / "pool.jsonl"}")')
    assert gold >= 0.88
    assert by_system >= 0.92
    assert by_text >= 0.47


def test_rankings_by_words_in_common_agree_with_people_too():
    gold, _, by_text = agreement('ranking(ranker="bm25", mean="arithmetic")')
    assert gold > 0.88
    assert by_text > 0.6
