"""Nested data read as objects with names and attributes."""

import pytest

from factable.io.data import make_table
from factable.structure import Structure, label_of

MATCH = {
    "fixture": {"id": 7, "date": "2024-04-24", "venue": {"id": 1, "name": "Chaco", "city": "Asunción"}},
    "teams": {"home": {"name": "Trinidense", "winner": True}, "away": {"name": "Potosí", "winner": False}},
    "events": [
        {"time": {"elapsed": 15, "extra": None}, "player": {"id": 3, "name": "F. Romero"}, "type": "Goal"},
        {"time": {"elapsed": 46, "extra": None}, "player": {"id": 4, "name": "P. Arce"}, "type": "Card"},
    ],
}


def structure_of(data, **options):
    return Structure.of(make_table(data, **options))


def leaf_at(structure, path):
    (leaf,) = [leaf for leaf in structure.leaves if leaf.path == path]
    return leaf


def test_leaves_point_at_their_records():
    table = make_table(MATCH)
    structure = Structure.of(table)
    for leaf in structure.leaves:
        if leaf.record is not None:
            assert table.records[leaf.record].value == leaf.value
    assert sorted(structure.by_record) == list(range(len(table.records)))


def test_members_of_lists_and_named_objects_are_frames():
    structure = structure_of(MATCH)
    names = {frame.path: frame.name for frame in structure.frames}
    assert names["events[0]"] == "F. Romero"
    assert names["teams.home"] == "Trinidense"
    assert names["fixture.venue"] == "Chaco"
    assert structure.subject_of(leaf_at(structure, "events[1].time.elapsed")) == "P. Arce"
    assert {frame.path for frame in structure.groups["teams.*"]} == {"teams.home", "teams.away"}


def test_a_row_is_named_by_its_words_not_by_its_amounts():
    rows = [{"day": "Monday", "low": "0 °C"}, {"day": "Tuesday", "low": "13 °C"}]
    assert [frame.name for frame in structure_of(rows).frames] == ["Monday", "Tuesday"]


def test_the_header_of_a_row_is_a_leaf_and_no_record():
    structure = structure_of([{"shop": "A1", "sales": 40}, {"shop": "B2", "sales": 70}])
    assert leaf_at(structure, "[0].shop").record is None
    assert [leaf.value for leaf in structure.columns["[*].sales"]] == ["40", "70"]


def test_entries_with_name_and_value_are_attributes():
    data = {
        "model": "M33",
        "specs": [{"category": "Display", "list": [{"name": "Size", "value": "1.8 in"}]}] * 2,
    }
    structure = structure_of(data)
    size = [leaf for leaf in structure.leaves if leaf.value == "1.8 in"]
    assert [leaf.label for leaf in size] == ["display size", "display size"]
    assert len(structure.frames) == 1


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("wifi", True, "flag"),
        ("wifi", "no", "flag"),
        ("music", None, "unknown"),
        ("weight", "-", "unknown"),
        ("image_url", "https://example.com/a.png", "technical"),
        ("id", 1187123, "technical"),
        ("timestamp", 1713916800, "technical"),
        ("review", "The soup was cold. We waited for an hour and then left again.", "prose"),
        ("price", 12.5, "value"),
        ("ticket", "T-311", "value"),
    ],
)
def test_kinds_of_fields(key, value, kind):
    assert leaf_at(structure_of({"name": "Ann", key: value}), key).kind == kind


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        (("wind", "speed"), "wind speed"),
        (("main", "temp"), "temp"),
        (("player", "name"), "player"),
        (("attributes", "BusinessParking", "garage"), "business parking garage"),
    ],
)
def test_labels_leave_out_what_says_nothing(keys, label):
    assert label_of(keys) == label


def test_triples_are_frames_by_subject():
    structure = structure_of([["Ann", "born", "1950"], ["Bob", "born", "1960"]])
    assert [frame.name for frame in structure.frames] == ["Ann", "Bob"]
