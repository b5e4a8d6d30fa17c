"""Facts as sentences."""

import pytest

from factable.errors import DataError
from factable.io.data import make_table
from factable.models.templates import load_templates, templates_checksum
from factable.text.templates import Templates, clean_value, facts_of, fill, split_identifier
from factable.types import Record, Table


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("birthPlace", "birth place"),
        ("birth_place", "birth place"),
        ("ISBN_number", "ISBN number"),
        ("isoCode3Letters", "iso code3 letters"),
        ("IATACode", "IATA code"),
        ("address/city", "address city"),
        ("address.cityName", "address city name"),
        ("rooms[0].size", "rooms size"),
        ("grid[0][1]", "grid"),
        ("No.of seats", "no.of seats"),
        ("Reference no.", "reference no."),
        ("", ""),
    ],
)
def test_attributes_are_opened_up(name, words):
    assert split_identifier(name) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"New_York"', "New York"),
        ("“so”", "so"),
        ("it's", "it's"),
        ('"', '"'),
        ('""', ""),
        ("  a \n b ", "a b"),
    ],
)
def test_values_as_they_stand_in_a_sentence(value, text):
    assert clean_value(value) == text


def test_backoff():
    backoff = load_templates("backoff")
    assert backoff.sentence(Record("Aarhus_Airport", "cityServed", '"Aarhus"')) == (
        "The city served of Aarhus Airport is Aarhus."
    )
    assert backoff.sentence(Record("", "address.city", "Aarhus")) == "The address city is Aarhus."


@pytest.mark.parametrize("odd", ["<object>", "<subject>", "{0}", "{value}", r"\1 \g<0>", "%s", "A | b"])
def test_odd_values_stay_as_they_are(odd):
    assert fill("<subject> has <object>.", Record(odd, "x", odd)) == f"{odd} has {odd}."


def test_the_first_usable_template_is_taken():
    templates = Templates(
        {"food": ("<subject> serves <object>.", "It serves <object>."), "open=no": ("<subject> is closed.",)}
    )
    assert templates.sentence(Record("Aromi", "food", "pasta")) == "Aromi serves pasta."
    # Without a subject, a template that needs none, or the general one.
    assert templates.sentence(Record("", "food", "pasta")) == "It serves pasta."
    assert templates.sentence(Record("", "food", "yes")) == "It serves yes."
    assert templates.sentence(Record("", "open", "no")) == "It is not open."
    assert templates.sentence(Record("Aromi", "open", "no")) == "Aromi is closed."
    assert templates.sentence(Record("Aromi", "open", "yes")) == "Aromi is open."


@pytest.mark.parametrize(
    ("attribute", "value", "sentence"),
    [
        ("familyFriendly", "yes", "Aromi is family friendly."),
        ("familyFriendly", "no", "Aromi is not family friendly."),
        ("has_wifi", "false", "Aromi has no wifi."),
        ("pool", "true", "Aromi has pool."),
        ("canSwim", "no", "Aromi can not swim."),
    ],
)
def test_yes_and_no_are_said_and_denied(attribute, value, sentence):
    assert Templates().sentence(Record("Aromi", attribute, value)) == sentence


def subjects(table):
    return {index: record.subject for index, record in facts_of(table).items()}


@pytest.mark.parametrize(
    ("data", "title", "expected"),
    [
        # The naming record is what the others are about.
        ("name[Aromi], food[French]", "", {1: "Aromi"}),
        ({"food": "French", "Full Name": "Aromi"}, "", {0: "Aromi"}),
        # It is a fact where there is no other, where it is not alone, and where the title says otherwise.
        ({"name": "Aromi"}, "", {0: ""}),
        ([["", "name", "Aromi"], ["", "name", "Bibi"], ["", "food", "French"]], "", {0: "", 1: "", 2: ""}),
        ({"name": "Aromi", "food": "French"}, "Restaurants", {0: "Restaurants", 1: "Restaurants"}),
        ({"name": "Aromi", "food": "French"}, "Aromi", {1: "Aromi"}),
        # Subjects stay.
        ([["Aromi", "name", "Aromi"], ["Aromi", "food", "French"]], "", {0: "Aromi", 1: "Aromi"}),
        ([["Aromi", "food", "French"], ["", "area", "riverside"]], "", {0: "Aromi", 1: ""}),
        ({"food": "French", "address": {"city": "Rome"}}, "", {0: "", 1: ""}),
        # A record label is no name.
        ({"artist": "Björk", "label": "One Little Indian"}, "", {0: "", 1: ""}),
        # What comes first in a flat record may name it.
        ({"product": "Kettle", "price": "5"}, "", {1: "Kettle"}),
        ({"price": "5", "product": "Kettle"}, "", {0: "", 1: ""}),
        # Members of a list of objects are about the first value of their object.
        ({"name": "Ann", "jobs": [{"company": "Acme", "year": 2010}]}, "", {1: "Ann", 2: "Acme"}),
        ([], "Aromi", {}),
    ],
)
def test_what_facts_are_about(data, title, expected):
    assert subjects(make_table(data, title=title)) == expected


def test_repeated_records_are_kept():
    assert len(facts_of(Table((Record("a", "b", "c"),) * 2))) == 2


def test_templates_that_ship():
    default = load_templates("default")
    assert default.by_attribute == {
        **load_templates("webnlg").by_attribute,
        **load_templates("e2e").by_attribute,
    }
    e2e = load_templates("e2e").by_attribute
    assert len(e2e) == 8
    assert default.sentence(Record("Aromi", "familyFriendly", "no")) == "Aromi is not family-friendly."
    for attribute, choices in default.by_attribute.items():
        for template in choices:
            assert template.count("<subject>") == 1
            assert template.count("<object>") == ("=" not in attribute)


def test_a_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"food": ["<object> is served."], "open=no": ["Closed."]}')
    assert load_templates(str(path)).sentence(Record("", "food", "Pasta")) == "Pasta is served."
    before = templates_checksum(str(path))
    assert before != templates_checksum("backoff")
    # Edited, it counts as it is now.
    path.write_text('{"food": ["<object> is eaten."]}')
    assert load_templates(str(path)).sentence(Record("", "food", "Pasta")) == "Pasta is eaten."
    assert templates_checksum(str(path)) != before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ('{"food": "<object>"}', "no templates for 'food'"),
        ('{"food": []}', "no templates for 'food'"),
        ('{"food": ["It serves food."]}', "no templates for 'food'"),
    ],
)
def test_a_file_of_something_else(tmp_path, content, problem):
    path = tmp_path / "mine.json"
    path.write_text(content)
    with pytest.raises(DataError, match=problem) as raised:
        load_templates(str(path))
    assert str(path) in str(raised.value)
    assert "<object>" in str(raised.value)


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="nothing"):
        load_templates(str(tmp_path / "nothing.json"))
