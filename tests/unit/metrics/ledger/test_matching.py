"""Which values of the data the numbers and names of a text are."""

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.computing.computed import computed_number
from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.evidence import EvidenceIndex, numbers_in
from factable.metrics.ledger.matching import Matcher
from factable.metrics.ledger.naming import codes_in
from factable.structure import Structure

SHOPS = [{"shop": "Alba", "sales_eur": 40, "staff": 3}, {"shop": "Brio", "sales_eur": 70, "staff": 5}]


def matches(data, text):
    """What is found for each number or name: the path of the best value, and of the one asked for instead."""
    structure = Structure.of(make_table(data))
    paths = {}
    for match in Matcher(structure, text).matches():
        best = structure.leaves[match.candidates[0].leaf].path if match.candidates else None
        instead = structure.leaves[match.instead.leaf].path if match.instead else None
        paths[text[slice(*match.span)]] = best, instead
    return paths


def test_the_row_that_a_sentence_speaks_of_decides():
    found = matches(SHOPS, "Alba sold €40 with 3 people. Brio sold €70.")
    assert found["€40"] == ("[0].sales_eur", None)
    assert found["€70"] == ("[1].sales_eur", None)


def test_a_value_of_another_row_is_displaced():
    assert matches(SHOPS, "Alba had sales of €70.")["€70"] == ("[1].sales_eur", "[0].sales_eur")


def test_words_of_another_key_ask_for_its_value():
    data = {"hotel": "Lodge", "cleaning_fee_usd": 20, "rate_usd": 346}
    assert matches(data, "The Lodge has a cleaning fee of $346.")["$346"][1] == "cleaning_fee_usd"
    assert matches(data, "The Lodge has a cleaning fee of $20.")["$20"] == ("cleaning_fee_usd", None)


def test_units_come_from_keys_siblings_and_outer_keys():
    data = {"sales_eur_million": {"q3_2025": 205}, "weight": {"value": 12, "unit": "kg"}, "temp": 7}
    found = matches({**data, "units": {"temp": "°C"}}, "We sold €205 million, weighing 12 kg, at 7 °C.")
    assert found["€205 million"][0] == "sales_eur_million.q3_2025"
    assert found["12 kg"][0] == "weight.value"
    assert found["7 °C"][0] == "temp"


def test_numbers_inside_long_values_are_found():
    found = matches(
        {"name": "Era", "display": "5.0 inches, 68.9 cm2 (~65.8% ratio)"}, "It has a 5-inch display."
    )
    assert found["5-inch"][0] == "display"


def test_codes_stand_for_regions():
    assert matches({"city": "Tucson", "state": "AZ"}, "It is in Tucson, Arizona.")["Arizona"][0] == "state"


def test_a_weekday_names_the_row_of_its_date():
    days = [{"date": "2026-03-09", "wind_kmh": 14}, {"date": "2026-03-10", "wind_kmh": 18}]
    found = matches(days, "Winds reach 18 km/h on Tuesday. Winds reach 18 km/h on Monday.")
    assert found["18 km/h"] == ("[1].wind_kmh", "[0].wind_kmh")


def test_words_of_arithmetic_ask_for_nothing_else():
    assert matches(SHOPS, "Alba and Brio differ in sales by €30.")["€30"] == (None, None)


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("The shops sold €110 in total.", "40 + 70 = 110"),
        ("Alba and Brio differ in sales by €30.", "70 − 40 = 30"),
        ("The average staff is 4.", "(3 + 5) / 2 = 4"),
        ("Brio accounts for about 64% of the sales.", "70 / 110 = 63.64"),
        ("Brio sold 75% more than Alba.", "70 / 40 − 1 = 75"),
    ],
)
def test_plain_arithmetic_supports_numbers(text, explanation):
    structure = Structure.of(make_table(SHOPS))
    matcher = Matcher(structure, text)
    (number,) = [
        match for match in matcher.matches() if not match.candidates and text[match.span[0]] in "€0123456789a"
    ]
    computed = computed_number(matcher, number.mention, (0, len(text)))
    assert computed is not None
    assert computed.explanation == explanation


def test_wrong_arithmetic_is_not_supported():
    matcher = Matcher(Structure.of(make_table(SHOPS)), "The shops sold €120 in total.")
    (number,) = matcher.matches()
    assert computed_number(matcher, number.mention, (0, 29)) is None


@pytest.mark.parametrize(
    ("word", "label", "expected"),
    [
        ("points", "PTS", True),
        ("rebounds", "REB", True),
        ("temperature", "temp", True),
        ("low", "min", True),
        ("rated", "rating", True),
        ("students", "enrollment", True),
        ("assists", "PTS", False),
        ("colour", "price", False),
    ],
)
def test_words_that_stand_for_keys(word, label, expected):
    assert stands_for(word, label) is expected


def test_evidence_is_what_shares_words_and_numbers():
    data = {
        "name": "Finch",
        "hours": {"Monday": "17:30-23:0", "Sunday": "9:0-14:0"},
        "wifi": "free",
        "reviews": [
            {"text": "The brunch was lovely. We will come back soon, for sure."},
            {"text": "Cold soup."},
        ],
    }
    index = EvidenceIndex(Structure.of(make_table(data)))
    evidence = index.evidence_for("Guests liked the brunch.", 20)
    assert "brunch was lovely" in evidence
    assert "Cold soup" not in evidence
    # All hours belong together.
    assert index.evidence_for("It opens at 5:30 PM on Monday.", 20).count("hours") == 2


def test_columns_are_summarised():
    index = EvidenceIndex(
        Structure.of(make_table([{"day": f"d{number}", "temp": number} for number in range(6)]))
    )
    assert "temp: 6 values from 0 to 5" in index.evidence_for("Which temp is highest?", 40)


def test_numbers_too_large_for_a_float_are_no_evidence():
    assert list(numbers_in(f"{'9' * 400} and 5, 1,000")) == [5, 1000]
    index = EvidenceIndex(Structure.of(make_table({"count": 5, "code": int("9" * 400)})))
    assert "5" in index.evidence_for(f"There are {'9' * 400} of 5.", 60)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("PM2.5 and pm25 rose", ["PM2.5", "pm25"]),
        ("B-52, A-b-3.", ["B-52", "b-3"]),
        ("2a 12-b3 2a-3", ["b3", "2a-3"]),
        ("word 12 1.5 a_1", []),
    ],
)
def test_codes_have_letters_and_then_digits(text, codes):
    assert [text[start:end] for start, end in codes_in(text)] == codes
