"""The study of metrics that look for facts in texts, on a few texts of each data set."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from studies.extraction import CLASSIFIERS, PAIRS, make_tables, read_reports
from studies.nli import E2E_OUTPUTS
from studies.page import DATA, PAGES, filled

MISSING = [path for path in (DATA / E2E_OUTPUTS, DATA / "webnlg2017", DATA / "rotowire") if not path.exists()]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no {', '.join(map(str, MISSING))}")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, most=20)
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
