"""Yes/no keys: where a text speaks of them, and whether the data says the same."""

import pytest

from factable.metrics.ledger.rules.yes_no import YesNo, yes_no_statements
from factable.structure import Structure
from factable.text.sentences import sentence_spans
from factable.types import Table

HOTEL = {
    "name": "Harbour Lodge",
    "amenities": {"wifi": "free", "pool": False, "gym": True, "airConditioning": True, "breakfast": None},
    "parking": {"garage": False, "street": True, "valet": False},
    "policies": {"petsAllowed": False, "smoking": False},
    "description": "A quiet inn with a small sauna. Guests say the terrace seating is lovely.",
}
PRODUCT = {
    "product": "Trail Lamp 300",
    "waterproof": True,
    "in_stock": False,
    "refundable": True,
    "warranty": None,
    "dimmable": False,
}
FLAT = {
    "address": "12 Mill Lane",
    "furnished": False,
    "balcony": True,
    "elevator": False,
    "pets_allowed": True,
    "dishwasher": None,
    "has_garage": True,
}
EVENT = {
    "title": "Night of Maths",
    "is_recurring": False,
    "wheelchair_accessible": True,
    "registration_required": True,
    "free_entry": True,
    "catering": None,
    "style": {"formal": False, "interactive": True},
}
PLAN = {
    "plan": "Team",
    "features": {"single_sign_on": False, "audit_log": True, "api_access": True, "sla": None},
    "active": True,
    "free_trial": "no",
}


def read(data: object, text: str) -> list[YesNo]:
    return yes_no_statements(Structure.of(Table((), source=data)), text, sentence_spans(text))


def summary(data: object, text: str) -> list[tuple[str, str, str]]:
    return [(text[slice(*each.core)], each.says, each.state) for each in read(data, text)]


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        (HOTEL, "The lodge has a swimming pool.", [("swimming pool", "yes", "contradicted")]),
        (HOTEL, "There is no pool.", [("pool", "no", "supported")]),
        (HOTEL, "It has a pool table, a gym and hot dogs.", [("gym", "yes", "supported")]),
        (HOTEL, "Dogs are welcome.", [("Dogs", "yes", "contradicted")]),
        (HOTEL, "It is a non-smoking hotel.", [("non-smoking", "no", "supported")]),
        (HOTEL, "Breakfast is included.", [("Breakfast", "yes", "unsupported")]),
        (HOTEL, "It does not serve breakfast.", [("breakfast", "no", "unsupported")]),
        (HOTEL, "Breakfast is not mentioned.", [("Breakfast", "unknown", "supported")]),
        (HOTEL, "Paid WiFi is available.", [("WiFi", "yes", "contradicted")]),
        (HOTEL, "Wi-Fi: No", [("Wi-Fi", "no", "contradicted")]),
        (HOTEL, "Rooms are air-conditioned.", [("air-conditioned", "yes", "supported")]),
        (PRODUCT, "The lamp is waterproof.", [("waterproof", "yes", "supported")]),
        (PRODUCT, "The lamp is sold out.", [("sold out", "no", "supported")]),
        (PRODUCT, "It is in stock.", [("in stock", "yes", "contradicted")]),
        (PRODUCT, "It comes with a two-year warranty.", [("warranty", "yes", "unsupported")]),
        (PRODUCT, "The lamp is non-refundable.", [("non-refundable", "no", "contradicted")]),
        (PRODUCT, "It is dimmable.", [("dimmable", "yes", "contradicted")]),
        (FLAT, "The flat is unfurnished.", [("unfurnished", "no", "supported")]),
        (FLAT, "This furnished flat is fully furnished.", [("fully furnished", "yes", "contradicted")]),
        (FLAT, "It has a lift.", [("lift", "yes", "contradicted")]),
        (FLAT, "The building lacks an elevator.", [("elevator", "no", "supported")]),
        (FLAT, "It has no balcony.", [("balcony", "no", "contradicted")]),
        (FLAT, "A dishwasher is provided.", [("dishwasher", "yes", "unsupported")]),
        (EVENT, "It is a recurring event.", [("recurring", "yes", "contradicted")]),
        (EVENT, "This is a one-time event.", [("one-time", "no", "supported")]),
        (EVENT, "It is not wheelchair accessible.", [("wheelchair accessible", "no", "contradicted")]),
        (EVENT, "Registration is required.", [("Registration is required", "yes", "supported")]),
        (EVENT, "No registration is needed.", [("registration is needed", "no", "contradicted")]),
        (EVENT, "Catering is offered.", [("Catering", "yes", "unsupported")]),
        (EVENT, "The style is formal.", [("formal", "yes", "contradicted")]),
        (PLAN, "The plan includes single sign-on.", [("single sign-on", "yes", "contradicted")]),
        (PLAN, "An audit log comes with it.", [("audit log", "yes", "supported")]),
        (PLAN, "Its SLA is good.", [("SLA", "yes", "unsupported")]),
        (PLAN, "The plan is inactive.", [("inactive", "no", "contradicted")]),
        (PLAN, "A free trial is available.", [("free trial", "yes", "contradicted")]),
    ],
)
def test_keys_of_everyday_data(data: object, text: str, expected: list[tuple[str, str, str]]) -> None:
    assert summary(data, text) == expected


def test_a_list_shares_its_verb_and_its_negation() -> None:
    text = "The lodge does not offer a gym, air conditioning, or a pool."
    assert summary(HOTEL, text) == [
        ("gym", "no", "contradicted"),
        ("air conditioning", "no", "contradicted"),
        ("pool", "no", "supported"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is valet parking.", [("valet parking", "contradicted")]),
        ("You can park on the street.", [("street", "supported")]),
        ("Ample parking is available.", [("parking", "supported")]),
        ("The lodge has no parking.", [("parking", "contradicted")]),
        ("It stands on a quiet street.", []),
        ("No parking on site, but street parking is easy.", [("street", "supported")]),
    ],
)
def test_kinds_of_a_thing_and_the_thing_itself(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(said, state) for said, _, state in summary(HOTEL, text)] == expected


def test_a_thing_with_no_kind_of_it() -> None:
    data = {"name": "Depot", "parking": {"garage": False, "street": False, "lot": False}}
    assert summary(data, "It offers ample parking.") == [("parking", "yes", "contradicted")]
    assert summary(data, "It has no parking.") == [("parking", "no", "supported")]


def test_adjectives_count_only_of_their_field_or_the_subject() -> None:
    data = {"name": "Cellar", "ambience": {"casual": False, "romantic": True}}
    assert [state for _, _, state in summary(data, "It has a casual and romantic atmosphere.")] == [
        "contradicted",
        "supported",
    ]
    assert [state for _, _, state in summary(data, "The place is casual.")] == ["contradicted"]
    assert summary(data, "Waiters wear casual clothes.") == []


def test_names_quotes_and_reviews_are_not_said_of_the_data() -> None:
    data = {"name": "Pool House", "pool": False, "quiet": True}
    assert summary(data, "Pool House is a hotel in Bath.") == []
    assert summary(data, 'One sign says "heated pool".') == []
    assert summary(data, "Guests praised the pool.") == []


def test_prose_in_the_data_is_evidence() -> None:
    data = HOTEL | {"amenities": {"sauna": False, "pool": True}}
    assert summary(data, "It has a sauna.") == [("sauna", "yes", "supported")]


def test_rows_are_told_apart_by_name() -> None:
    rows = [
        {"name": "Basic", "api_access": False, "exports": True},
        {"name": "Premium", "api_access": True, "exports": True},
    ]
    assert summary(rows, "Basic comes with API access.") == [("API access", "yes", "contradicted")]
    assert summary(rows, "Premium comes with API access.") == [("API access", "yes", "supported")]
    assert summary(rows, "Some plans come with API access.") == []


def test_what_is_required_is_no_answer_to_whether_it_is_there() -> None:
    data = {"name": "Grill", "reservations": True, "delivery": False}
    assert summary(data, "No reservations are required.") == []


def test_span_has_the_words_that_say_yes_or_no() -> None:
    text = "The lodge offers a swimming pool. Smoking is not allowed."
    pool, smoking = read(HOTEL, text)
    assert text[slice(*pool.span)] == "offers a swimming pool"
    assert text[slice(*smoking.span)] == "Smoking is not allowed"
    assert pool.note == "amenities pool: no"


def test_values_that_are_not_yes_or_no_are_left_alone() -> None:
    data = {"name": "Bike", "colour": "red", "weight": None, "gears": 7}
    assert summary(data, "The bike has no gears and a low weight.") == []


def test_a_price_of_nothing_is_no_yes() -> None:
    assert summary({"name": "Walk", "cost": "free", "guided": True}, "The walk comes at no cost.") == []


def test_objects_inside_a_record_are_not_the_record() -> None:
    data = {"name": "Ann's shop", "verified": True, "owner": {"name": "Ann Ray", "verified": False}}
    assert summary(data, "The shop is verified.") == [("verified", "yes", "supported")]
    assert summary(data, "Ann Ray is verified.") == [("verified", "yes", "contradicted")]


def test_keys_of_parts_of_a_record() -> None:
    data = {"room": {"balcony": True, "sea_view": False}, "diet": {"vegan": True, "contains_nuts": False}}
    assert summary(data, "It has a balcony and a sea view.") == [
        ("balcony", "yes", "supported"),
        ("sea view", "yes", "contradicted"),
    ]
    assert summary(data, "The soup is not vegan, but nut-free.") == [
        ("vegan", "no", "contradicted"),
        ("nut", "no", "supported"),
    ]
    assert summary(data, "A vegan chef made it.") == []


def test_the_sentence_before_names_the_row() -> None:
    trails = [{"name": "Lake Path", "dogs_allowed": True}, {"name": "Eagle Ridge", "dogs_allowed": False}]
    text = "{} is a fine trail. Dogs are allowed."
    assert summary(trails, text.format("Lake Path")) == [("Dogs", "yes", "supported")]
    assert summary(trails, text.format("Eagle Ridge")) == [("Dogs", "yes", "contradicted")]
