"""Data in one line, in the form of Data-QuestEval."""

import pytest

from factable.text.linearise import linearise_by_entity, space_out
from factable.types import Record


def test_facts_of_a_subject_stand_together():
    facts = {
        0: Record("Ada", "born", "1815"),
        2: Record("Kurt", "birth place", "Brno"),
        5: Record("Ada", "field", "mathematics"),
        7: Record("", "source", "a book"),
    }
    line = linearise_by_entity(facts)
    assert line.text == (
        "source [ a book ] , entity [ Ada ] , born [ 1815 ] , field [ mathematics ] , "
        "entity [ Kurt ] , birth_place [ Brno ]"
    )
    cells = [(line.text[cell.start : cell.end], cell.record, cell.is_value) for cell in line.positions]
    assert cells == [
        ("a book", 7, True),
        ("Ada", 0, False),
        ("1815", 0, True),
        ("mathematics", 5, True),
        ("Kurt", 2, False),
        ("Brno", 2, True),
    ]
    assert linearise_by_entity({}).text == ""


SPACED = {
    '"Aarhus, Denmark"': "Aarhus , Denmark",
    "AC/DC": "AC / DC",
    "Saint-Denis_(Paris)": "Saint - Denis ( Paris )",
    "Acme Inc.": "Acme Inc.",
    "a great singer.": "a great singer .",
    "U.S.": "U.S.",
    "Ada's": "Ada 's",
    "2,194.0": "2,194.0",
    "2006-03-06": "2006 - 03 - 06",
    "10:30": "10:30",
    "São_José": "Sao Jose",
    "東京": "東京",
    "(": "(",
    "...": "...",
    "": "",
}


@pytest.mark.parametrize("value", SPACED)
def test_marks_stand_apart(value):
    assert space_out(value) == SPACED[value]


@pytest.mark.packages
def test_marks_stand_apart_as_in_spacy():
    read = pytest.importorskip("spacy").blank("en")
    for value in SPACED:
        plain = value.strip('"').replace("_", " ").replace("ã", "a").replace("é", "e")
        assert space_out(value) == " ".join(token.text for token in read(plain))
