"""What the name of an attribute and its siblings tell of a value."""

from fractions import Fraction

import pytest

from factable.text.values import (
    Hint,
    Number,
    Relation,
    apply_hint,
    compare_values,
    find_mentions,
    find_value,
    hint_of,
)


@pytest.mark.parametrize(
    ("attribute", "hint"),
    [
        ("temp_c", Hint("degree Celsius", words="temp")),
        ("feelsLikeF", Hint("degree Fahrenheit", words="feels like")),
        ("temp_c_max", Hint("degree Celsius", words="temp max")),
        ("temp_min", Hint(words="temp min")),
        ("main.temp", Hint(words="main temp")),
        ("temperature_2m", Hint(words="temperature 2m")),
        ("sales_eur_million", Hint("EUR", 10**6, words="sales")),
        ("revenue_usd_m", Hint("USD", 10**6, words="revenue")),
        ("revenue (USD million)", Hint("USD", 10**6, words="revenue")),
        ("Revenue (in millions of euros)", Hint("EUR", 10**6, words="revenue")),
        ("budget_k", Hint("", 1000, words="budget")),
        ("population_millions", Hint("", 10**6, words="population")),
        ("price_usd", Hint("USD", words="price")),
        ("eur_amount", Hint("EUR", words="amount")),
        ("price_per_kg_eur", Hint("EUR", words="price per kg")),
        ("price_per_kg", Hint(words="price per kg")),
        ("growth_pct", Hint("percent", ratio=True, words="growth")),
        ("growth (%)", Hint("percent", words="growth")),
        ("margin", Hint(ratio=True, words="margin")),
        ("conversionRate", Hint(ratio=True, words="conversion rate")),
        ("heart_rate", Hint(words="heart rate")),
        ("distance_m", Hint("metre", words="distance")),
        ("birthPlace_m", Hint(words="birth place m")),
        ("weightKg", Hint("kilogram", words="weight")),
        ("duration_min", Hint("minute", words="duration")),
        ("price_min", Hint(words="price min")),
        ("size_gb", Hint("gigabyte", words="size")),
        ("sizeGB", Hint("gigabyte", words="size")),
        ("batteryMah", Hint("milliampere hour", words="battery")),
        ("screen_size_in", Hint("inch", words="screen size")),
        ("wind_speed_kmh", Hint("kilometre per hour", words="wind speed")),
        ("speed_km_h", Hint("kilometre per hour", words="speed")),
        ("wind_speed_ms", Hint("metre per second", words="wind speed")),
        ("latency_ms", Hint("millisecond", words="latency")),
        ("pressure_hpa", Hint("hectopascal", words="pressure")),
        ("density_per_km2", Hint("per square kilometre", words="density")),
        ("elevationAboveTheSeaLevel_(in_metres)", Hint("metre", words="elevation above the sea level")),
        ("runtime in minutes", Hint("minute", words="runtime")),
        ("revenue_2024", Hint(period="2024", words="revenue")),
        ("revenue.2024", Hint(period="2024", words="revenue")),
        ("sales_eur_million_q3_2025", Hint("EUR", 10**6, period="Q3 2025", words="sales")),
        ("2025Q3.revenue", Hint(period="Q3 2025", words="revenue")),
        ("fy24_profit", Hint(period="2024", words="profit")),
        ("visitors_may_2023", Hint(period="May 2023", words="visitors")),
        ("hours.Monday", Hint(period="Monday", words="hours")),
        ("hours", Hint(words="hours")),
        ("day", Hint(words="day")),
        ("age", Hint("year", words="age")),
        ("%", Hint("percent", words="%")),
        ("rows[0].first elected", Hint(words="rows first elected")),
        ("", Hint()),
    ],
)
def test_hints_of_a_name(attribute, hint):
    assert hint_of(attribute, {}) == hint


@pytest.mark.parametrize(
    ("attribute", "siblings", "unit", "scale"),
    [
        ("amount", {"amount": "12.5", "currency": "EUR"}, "EUR", 1),
        ("price", {"price": "9", "currencyCode": "usd", "stock": "3"}, "USD", 1),
        ("stock", {"price": "9", "currencyCode": "usd", "stock": "3"}, "", 1),
        ("price.amount", {"currency": "GBP"}, "GBP", 1),
        ("currency", {"amount": "12.5", "currency": "EUR"}, "", 1),
        ("value", {"value": "5", "unit": "km"}, "kilometre", 1),
        ("value", {"unit": "EUR million"}, "EUR", 10**6),
        ("value", {"unit": "%"}, "percent", 1),
        ("distance", {"unit": "km", "duration": "5", "distance": "3"}, "kilometre", 1),
        ("duration", {"unit": "km", "duration": "5", "distance": "3"}, "", 1),
        ("temperature", {"units.temperature": "°C", "units.wind": "km/h"}, "degree Celsius", 1),
        ("wind", {"units.temperature": "°C", "units.wind": "km/h"}, "kilometre per hour", 1),
        ("temp_max", {"units.temp": "F"}, "degree Fahrenheit", 1),
        ("current.humidity", {"current_units.humidity": "%"}, "percent", 1),
        ("weight", {"weight_unit": "lb", "height": "180"}, "pound (mass)", 1),
        ("revenue", {"currency": "EUR", "scale": "millions"}, "EUR", 10**6),
        ("price_usd", {"currency": "EUR"}, "USD", 1),
    ],
)
def test_hints_of_siblings(attribute, siblings, unit, scale):
    hint = hint_of(attribute, siblings)
    assert (hint.unit, hint.scale) == (unit, scale)


def test_the_period_may_stand_beside():
    assert hint_of("revenue", {"quarter": "Q3", "year": "2025", "revenue": "5"}).period == "Q3 2025"
    assert hint_of("revenue", {"period": "2024", "revenue": "5"}).period == "2024"
    assert hint_of("rating", {"year": "2024", "rating": "5"}).period == ""


@pytest.mark.parametrize(
    ("value", "attribute", "text", "relation"),
    [
        ("412", "sales_eur_million", "€412 million", Relation.EQUAL),
        ("412", "sales_eur_million", "412", Relation.COARSER),
        ("412", "sales_eur_million", "€412", Relation.DIFFERENT),
        ("412.4", "sales_eur_million", "€412 million", Relation.COARSER),
        ("0.185", "margin", "18.5%", Relation.EQUAL),
        ("0.185", "margin", "0.185", Relation.EQUAL),
        ("18.5", "margin", "18.5%", Relation.FINER),
        ("4.2", "growth_pct", "4.2%", Relation.EQUAL),
        ("0.476", "fg_pct", "47.6%", Relation.EQUAL),
        ("1998", "distance_m", "1,998 m", Relation.EQUAL),
    ],
)
def test_values_under_a_hint(value, attribute, text, relation):
    (mention, *_) = find_mentions(text)
    relations = {compare_values(each, mention.value) for each in apply_hint(value, hint_of(attribute, {}))}
    assert relation in relations
    assert (
        relation is Relation.DIFFERENT or Relation.DIFFERENT not in relations or Relation.EQUAL in relations
    )


def test_a_currency_beside_is_the_unit_of_the_amount():
    hint = hint_of("amount", {"currency": "EUR"})
    readings = apply_hint("12.5", hint)
    assert readings == (Number(Fraction("12.5"), "EUR", Fraction(1, 10)),)
    assert find_value(readings, "It costs €12.50.")[0].relation is Relation.EQUAL
    assert find_value(readings, "It costs $12.50.") == []
