"""The study of metrics that look for facts in texts, on a few texts of each data set."""

import pytest

from helpers.paths import DATA

pytest.importorskip("torch")

from studies.extraction import CLASSIFIERS, PAIRS, make_tables, read_reports
from studies.page import PAGES, filled

pytestmark = pytest.mark.data("e2e", "webnlg2017", "rotowire")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, max_texts=20)
    page = filled((PAGES / "extraction.md").read_text(), tables)
    assert all(table in page for table in tables.values())
    assert len(tables["classifiers"].splitlines()) == 2 + len(CLASSIFIERS)
    assert len(tables["ratings"].splitlines()) == 2 + len(PAIRS)


def test_marks_of_experts_stand_where_their_words_are():
    reports = list(read_reports(DATA))
    assert len(reports) == 60
    example, errors = reports[0]
    assert [example.text[start:end] for start, end, _ in errors][:4] == [
        "Wednesday",
        "30",
        "six",
        "right behind him",
    ]
