"""The study of Rebuffel et al. (2021) on a few texts, and the page on all papers."""

import pytest

from helpers.paths import DATA
from studies.page import PAGES, filled
from studies.papers import make_tables as collect
from studies.questeval import make_tables


@pytest.mark.data("webnlg2017/human-evaluation")
def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, max_texts=12)
    page = filled((PAGES / "questeval.md").read_text(), tables)
    assert all(table in page for table in tables.values())


def test_the_page_on_all_papers_has_what_their_pages_have():
    page = (PAGES / "papers.md").read_text()
    assert filled(page, collect()) == page
