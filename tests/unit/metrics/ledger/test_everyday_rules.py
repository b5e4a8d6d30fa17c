"""Rules that read clauses beside small records: what they flag, and what they leave alone."""

import pytest

import factable
from factable.io.data import make_table
from factable.metrics.ledger.structured import StructuredReading
from factable.types import Example

SHOWS = {
    "artist": "Juniper Vale",
    "shows": [
        {"date": "2026-05-02", "city": "Hamburg", "venue": "Docks", "sold": 1500},
        {"date": "2026-05-07", "city": "Warsaw", "venue": "Progresja", "sold": 1180},
        {"date": "2026-05-09", "city": "Prague", "venue": "Roxy", "sold": 900},
    ],
}
STOCK = {"item": "Steel brackets", "qty": 860, "reorder_point": 1000}
COVERAGE = {"branch": "main", "coverage_pct": {"current": 87.4, "previous": 88.1}}
CAR = {
    "model": "V60",
    "features": ["heated seats", "parking sensors", "tow bar"],
    "optional": ["sunroof", "camera"],
}
JOB = {"job": "bracket", "status": "failed", "errors": 3}
ORDER = {
    "order": {
        "items": [
            {"title": "Desk lamp", "qty": 2, "unit_price": 24.5},
            {"title": "Office chair", "qty": 1, "unit_price": 189.0},
        ],
        "currency": "EUR",
        "shipping": 0,
    }
}
FLIGHT = {
    "flight": "LH 404",
    "from": {"code": "FRA", "city": "Frankfurt"},
    "to": {"code": "JFK", "city": "New York"},
    "stops": 0,
}
REPOSITORY = {
    "repository": "acme/api",
    "latest_release": {"tag": "v2.3.0", "breaking": False},
    "languages": {"Python": 81.2, "Rust": 18.8},
}
SOUP = {
    "recipe": "Lentil soup",
    "prep_minutes": 15,
    "cook_minutes": 40,
    "ingredients": [{"name": "vegetable stock", "amount": "1 l"}],
}
PATIENT = {"patient": {"name": "P-17", "sex": "female"}, "smoker": False}
FLAT = {"address": "14 Elm Court", "bathrooms": 1, "elevator": True, "last_sync": "2026-01-09T07:45:00Z"}
COURSE = {"course": "Logic", "online": False}
PODCAST = {"podcast": "Deep Currents", "host": "Jo Park", "guest": "Amara Obi"}
SERVER = {
    "server": "db-2",
    "alerts": [{"name": "disk", "severity": "critical"}, {"name": "latency", "severity": "warning"}],
    "backup_ok": True,
}
CITY = {"city": "Tarnau", "population": {"2015": 48200, "2025": 53100}, "founded": 1284}
CAR_FOR_SALE = {"model": "E3", "accident_free": True}
HOTEL = {"hotel": "Seaview", "breakfast": {"included": True, "from": "07:00", "to": "10:30"}}
MATCH = {"match": {"home": "Leeds", "away": "York", "score": {"home": 3, "away": 1}}}
FORECAST = {
    "city": "Bergen",
    "forecast": [
        {"date": "2026-02-10", "high_c": 6, "rain_mm": 0, "sky": "clear"},
        {"date": "2026-02-11", "high_c": 4, "rain_mm": 12.5, "sky": "rain"},
        {"date": "2026-02-12", "high_c": 7, "rain_mm": 3, "sky": "cloudy"},
    ],
}

PARCEL = {
    "parcel": {"sender": "Ida Holm", "from": "Ghent", "to": "Leuven", "priority": "high", "door_open": True}
}
LOANS = {
    "loans": [
        {"title": "The Salt Road", "author": "June Castell", "overdue": False},
        {"title": "Bread at Home", "author": "Emil Hartog", "overdue": True},
    ]
}
LAB = {
    "results": [
        {"test": "hemoglobin", "value": 14.8, "unit": "g/dL", "low": 13.5, "high": 17.5},
        {"test": "urea", "value": 31, "unit": "mg/dL", "low": 17, "high": 43},
    ]
}
AIR = {"air": {"no2": 34, "ozone": 142}, "limits": {"no2": 40, "ozone": 120}}
RESORT = {"resort": "Valmora", "lifts": {"total": 22, "open": 19}, "ski_bus_free": True}
ZOO = {"zoo": "Elm Park", "visitors_2024": 131000, "visitors_2025": 146000}


def statements(data, text):
    """What the rules say of which words."""
    reading = StructuredReading(Example("", "", text, make_table(data)))
    return {text[slice(*each.span)]: each.state for each in reading.statements}


@pytest.mark.parametrize(
    ("data", "text", "words", "state"),
    [
        (SHOWS, "On 7 May, the tour plays the Roxy in Prague.", "7 May", "contradicted"),
        (STOCK, "Steel brackets are above the reorder point.", "above the reorder point", "contradicted"),
        (STOCK, "Steel brackets are below the reorder point.", "below the reorder point", "supported"),
        (COVERAGE, "Coverage improved to 87.4%.", "improved", "contradicted"),
        (COVERAGE, "Coverage dropped to 87.4%.", "dropped", "supported"),
        (CAR, "It has heated seats, parking sensors and massage chairs.", "massage chairs", "unsupported"),
        (CAR, "It has heated seats, parking sensors and sunroof.", "sunroof", "contradicted"),
        (JOB, "The job was completed.", "was completed", "contradicted"),
        (JOB, "It ended without errors.", "without errors", "contradicted"),
        (ORDER, "She ordered two desk lamps.", "two", "supported"),
        (ORDER, "She ordered three new desk lamps.", "three", "contradicted"),
        (ORDER, "She ordered 2 units of the office chair.", "2", "contradicted"),
        (MATCH, "York beat Leeds 3-1.", "beat", "contradicted"),
        (FLIGHT, "It flies from Frankfurt to New York.", "Frankfurt to New York", "supported"),
        (FLIGHT, "It flies from New York (JFK) to Frankfurt.", "New York (JFK) to Frankfurt", "contradicted"),
        (REPOSITORY, "The release v2.3.0 contains breaking changes.", "breaking", "contradicted"),
        (HOTEL, "Breakfast is included.", "Breakfast is included", "supported"),
        (HOTEL, "Breakfast costs extra.", "Breakfast", "contradicted"),
        (PATIENT, "P-17 smokes.", "smokes", "contradicted"),
        (PATIENT, "P-17 is a man and does not smoke.", "man", "contradicted"),
        (PATIENT, "Her file says that P-17 does not smoke.", "Her", "supported"),
        (FLAT, "It has one bathroom and a large balcony.", "a large balcony", "unsupported"),
        (PODCAST, "The host Amara Obi talks with Jo Park.", "Amara Obi", "contradicted"),
        (SERVER, "The last backup failed.", "backup", "contradicted"),
        (CAR_FOR_SALE, "The E3 had an accident.", "an accident", "contradicted"),
        (COURSE, "The course is taught in person.", "in person", "supported"),
        (PARCEL, "The parcel came from Antwerp.", "Antwerp", "unsupported"),
        (PARCEL, "It was sent by Ida Lund.", "Ida Lund", "contradicted"),
        (PARCEL, "It was sent with low priority.", "low", "contradicted"),
        (PARCEL, "The door was closed.", "The door was closed", "contradicted"),
        (LOANS, "The Salt Road is overdue, while Bread at Home is not.", "is overdue", "contradicted"),
        (LAB, "Hemoglobin was 14.8 mg/dL.", "14.8 mg/dL", "contradicted"),
        (AIR, "Ozone was below its limit.", "below its limit", "contradicted"),
        (RESORT, "In Valmora 19 of 22 lifts are open, so five remain closed.", "five", "contradicted"),
        (RESORT, "In Valmora 19 of 22 lifts are open, so three remain closed.", "three", "supported"),
        (
            ZOO,
            "Elm Park had 146,000 visitors, fewer than in the year before.",
            "fewer than in the year before",
            "contradicted",
        ),
        (
            FORECAST,
            "Rain on Wednesday, and Thursday will be the coldest day.",
            "coldest",
            "contradicted",
        ),
    ],
)
def test_a_clause_is_checked(data, text, words, state):
    assert statements(data, text)[words] == state


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (SHOWS, "On 9 May, the tour plays the Roxy in Prague."),
        (SHOWS, "The tour goes from Hamburg on 2 May to Prague on 9 May."),
        (CAR, "It has heated seats, parking sensors and more."),
        (JOB, "The job failed and was not completed."),
        (ORDER, "She ordered 3 of them: two desk lamps and a chair."),
        (MATCH, "Leeds beat York 3-1."),
        (FLAT, "It has one bathroom and a lift."),
        (PODCAST, "The host Jo Park talks with Amara Obi."),
        (SERVER, "There are two alerts, a critical one for the disk and a warning about latency."),
        (CITY, "Tarnau, founded in 1284, has 53,100 inhabitants, up from 48,200."),
        (CAR_FOR_SALE, "The E3 has never been in an accident."),
        (CAR_FOR_SALE, "An accident-free E3."),
        (PARCEL, "Ida Holm sent it in March from Ghent to Leuven, with high priority."),
        (LAB, "Hemoglobin was 14.8 g/dL and urea 31 mg/dL."),
        (RESORT, "The ski bus in Valmora is free."),
        (HOTEL, "Pets have to stay at home."),
        (FLAT, "It has one bathroom, and a lift is there."),
        (FORECAST, "Rain falls on Wednesday, and Thursday will be the warmest day."),
    ],
)
def test_what_is_right_or_not_clear_is_not_flagged(data, text):
    assert "contradicted" not in statements(data, text).values()
    assert "unsupported" not in statements(data, text).values()


@pytest.mark.parametrize("text", ["Shipping is free.", "It has free shipping.", "There is no shipping fee."])
def test_a_price_of_zero_is_free(text):
    facts = {fact["path"]: fact["state"] for fact in factable.check(ORDER, text).to_dict()["facts"]}
    assert facts["order.shipping"] == "supported"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (FLIGHT, "LH 404 is a non-stop flight from Frankfurt (FRA) to New York (JFK)."),
        (
            REPOSITORY,
            "acme/api v2.3.0 has no breaking changes. 81.2 % is Python, the rest Rust.",
        ),
        (
            SOUP,
            "Lentil soup takes a litre of vegetable stock and 55 minutes, 15 of them for preparation.",
        ),
        (FLAT, "14 Elm Court has one bathroom and a lift."),
        (HOTEL, "At the Seaview, breakfast is included and served from 7 to 10:30 am."),
    ],
)
def test_facts_in_other_words_are_not_left_out(data, text):
    assert factable.check(data, text).label == "OK"


def test_a_weekday_names_the_row_with_its_date():
    verdict = factable.check(FORECAST, "Thursday will be cloudy and the warmest day at 7 degrees.")
    assert verdict.is_ok
    states = {fact["path"]: fact["state"] for fact in verdict.to_dict()["facts"]}
    assert states["forecast[2].date"] == "supported"


def test_whole_words_are_marked():
    data = {"name": "Aurora 14", "ports": ["USB-C", "HDMI"], "colors": ["silver", "black"], "weight_kg": 1.2}
    text = "The Aurora 14 weighs 1.2 kg. It has USB-C, HDMI and Thunderbolt ports in silver or black."
    marked = [claim["text"] for claim in factable.check(data, text).to_dict()["claims"]]
    assert "Thunderbolt" in " ".join(marked)
    for words in marked:
        start = text.index(words)
        assert not text[start - 1 : start].isalnum()
        assert not text[start + len(words) : start + len(words) + 1].isalnum()


@pytest.mark.parametrize(
    ("data", "text", "words"),
    [
        # The words in place of a fact.
        (
            {"name": "Blue Spice", "eatType": "pub", "area": "riverside"},
            "Blue Spice is a coffee shop in the riverside area.",
            "coffee shop",
        ),
        # No square metres and bedrooms are added up.
        (
            {"house": "14 Alder Row", "living_area_m2": 96, "bedrooms": 3, "built": 1931},
            "Built in 1931, 14 Alder Row has three bedrooms and 99 m² of living space.",
            "99 m²",
        ),
        # One end of a range is not the range.
        (
            {"nursery": "Pebble House", "opening": {"from": "07:00", "to": "17:00"}},
            "Pebble House is open from 2 am to 5 pm.",
            "2 am",
        ),
    ],
)
def test_wrong_words_are_marked(data, text, words):
    verdict = factable.check(data, text)
    assert any(
        words in text[claim.start : claim.end] for claim in verdict.claims if claim.state != "supported"
    )


def test_a_preposition_shares_the_denial_of_its_verb():
    cats = {"name": "Pepper", "good_with": {"children": True, "cats": False}}
    assert factable.check(cats, "Pepper is good with children, but should not live with cats.").is_ok


@pytest.mark.parametrize(
    ("data", "text"),
    [
        # A moment and a span of time, a conversion, a share of what is said, an object per unit.
        (
            {"flight": "KV 3", "departure": "07:25", "delay_min": 35},
            "KV 3, due at 07:25, is 35 minutes late and leaves at 08:00.",
        ),
        (
            {"visit": "check-up", "date": "2026-01-12", "follow_up_weeks": 4},
            "A check-up on 12 January 2026; the next is due on 9 February 2026, four weeks later.",
        ),
        ({"city": "Porto", "high": 19}, "Porto has a high of 19 °C (66 °F)."),
        (
            {"museum": "Delta", "objects": 18500, "on_display": 1200},
            "Of the 18,500 objects of the Delta museum 1,200, or 6.5 percent, are on display.",
        ),
        (
            {"food": "Granola", "serving_g": 50, "per_100g": {"energy_kcal": 436}},
            "Granola has 436 kcal per 100 g, so a 50 g serving has 218 kcal.",
        ),
        # The name of a person is no month, and 138/88 are two values.
        (
            {"book": "Small Islands", "author": "June Castell", "due": "2026-05-28"},
            "Small Islands by June Castell is due on 28 May 2026.",
        ),
        ({"patient": "R.M.", "systolic": 138, "diastolic": 88}, "R.M. has a blood pressure of 138/88."),
    ],
)
def test_what_follows_from_the_data_is_ok(data, text):
    assert factable.check(data, text).is_ok


def test_a_moment_beyond_the_calendar_ends_no_check():
    data = {"start": "2026-01-01T10:00", "duration_days": 1e12, "name": "Walk"}
    assert not factable.check(data, "Walk starts on 1 January 2026 and ends on 3 May 2026.").is_ok
