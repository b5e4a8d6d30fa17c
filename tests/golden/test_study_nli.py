"""The study of Dušek and Kasner (2020), on a few texts of each data set."""

import pytest

from helpers.paths import DATA
from studies.nli import E2E_OUTPUTS, make_tables, read_outputs, without_restaurants
from studies.page import PAGES, filled, sample

pytestmark = pytest.mark.data("e2e", "webnlg2017")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, max_texts=20)
    page = filled((PAGES / "nli.md").read_text(), tables)
    assert all(table in page for table in tables.values())
    rows = tables["labels"].splitlines()[2:]
    assert sum(int(cell) for row in rows for cell in row.strip("| ").split(" | ")[1:]) == 20


def test_restaurants_are_taken_back_where_they_alone_are_wrong():
    outputs = read_outputs(DATA / E2E_OUTPUTS)
    taken = list(without_restaurants(outputs, DATA / E2E_OUTPUTS))
    changes = [
        (count, one.human[count] - other.human[count])
        for one, other in zip(outputs, taken, strict=True)
        for count in one.human
        if one.human[count] != other.human[count]
    ]
    # As many as rows of the file whose column diff has "eat_type": {"restaurant": 1} or -1.
    assert sorted(set(changes)) == [("added", 1), ("missing", 1)]
    assert (changes.count(("added", 1)), changes.count(("missing", 1))) == (31, 159)
    assert min(min(one.human.values()) for one in taken) == 0


def test_a_sample_is_evenly_spread():
    assert sample(list(range(10)), 4) == [0, 2, 5, 7]
    assert sample(list(range(3)), 0) == sample(list(range(3)), 5) == [0, 1, 2]
