"""What a user says about the names in the data."""

import pytest

import factable
from factable.errors import UsageError
from factable.io.data import make_table
from factable.structure import Structure
from factable.text.schema_hints import NO_HINTS, SchemaHints, units_by_name, words_by_name
from factable.types import Record


def keys(data, **hints):
    return [leaf.keys for leaf in Structure.of(make_table(data), SchemaHints(**hints)).leaves]


def test_without_hints_names_stay():
    assert NO_HINTS.label("a.b", "b") == NO_HINTS.name("a.b", "b") == "b"
    assert not NO_HINTS.is_technical("a.b")


@pytest.mark.parametrize(
    ("key", "label", "renamed"),
    [
        ("PTS", "points", "points"),
        ("rt_ms", "response time", "response time (millisecond)"),
        ("rev_eur_million", "revenue", "revenue (million EUR)"),
        ("rev_2024", "revenue", "revenue 2024"),
    ],
)
def test_a_key_keeps_its_unit_and_period_under_a_label(key, label, renamed):
    assert SchemaHints({key: label}).label(key, key) == renamed


def test_objects_rows_and_lists():
    labels = {"st": "statistics", "st.*.p": "points"}
    nested = {"st": {"home": {"p": 3, "x": 1}, "note": "ok"}}
    assert keys(nested, labels=labels) == [
        ("statistics", "home", "points"),
        ("statistics", "home", "x"),
        ("statistics", "note"),
    ]
    rows = [{"player": "A", "PTS": 3}, {"player": "B", "PTS": 4}]
    assert keys(rows, labels={"PTS": "points"})[1::2] == [("points",)] * 2
    listed = {"rooms": [{"sz": 20}, {"sz": 25}]}
    assert keys(listed, units={"rooms.sz": "m²"}) == [("sz (m²)",)] * 2


def test_units_hold_inside_and_the_longest_name_counts():
    prices = {"prices": {"single": 80, "breakfast": 12}}
    assert keys(prices, units={"prices": "EUR", "prices.breakfast": "USD"}) == [
        ("prices", "single (EUR)"),
        ("prices", "breakfast (USD)"),
    ]


def test_technical_fields():
    structure = Structure.of(make_table({"lot": {"no": 7}, "price": 3}), SchemaHints(technical={"lot.*"}))
    assert [leaf.kind for leaf in structure.leaves] == ["technical", "value"]


def test_triples_and_slots():
    hints = SchemaHints({"wt": "weight"}, {"wt": "kg"})
    assert hints.rename(Record("A", "wt", "3")) == Record("A", "weight (kg)", "3")


@pytest.mark.parametrize(
    ("parse", "message"),
    [
        (lambda: words_by_name("PTS", "labels", "PTS=points"), "`labels` has 'PTS'; write name=words"),
        (lambda: units_by_name("a=kilometrs", "units"), "which is no unit; did you mean 'kilometres'?"),
    ],
)
def test_what_is_refused(parse, message):
    with pytest.raises(UsageError) as error:
        parse()
    assert message in str(error.value)


DATA = {"product": "Halo", "hgt": 34, "prc": 59, "batch": "B-7712"}
HINTS = {"labels": "hgt=height,prc=price", "units": "hgt=cm,prc=EUR", "technical": "batch"}


def states(text, **hints):
    verdict = factable.check(DATA, text, **hints)
    return verdict.label, {text[claim.start : claim.end]: claim.state for claim in verdict.claims}


def test_values_are_judged_in_their_units():
    label, claims = states("The Halo is 0.34 m high and costs 59 euros.", **HINTS)
    assert label == "OK"
    assert claims["0.34 m"] == claims["59 euros"] == "supported"
    label, claims = states("The Halo is 34 cm high and costs 59 dollars.", **HINTS)
    assert label == "contradiction"
    assert claims["59 dollars"] == "contradicted"


def test_what_is_technical_need_not_be_said_and_what_is_required_must():
    text = "The Halo is 34 cm high and costs 59 euros."
    assert "omission" in states(text)[0]
    assert "omission" not in states(text, technical="batch")[0]
    sku = {"name": "Halo", "sku": "H-7712-X"}
    assert factable.check(sku, "This is the Halo.").label == "OK"
    assert "omission" in factable.check(sku, "This is the Halo.", required="sku").label


def test_a_misspelt_name_is_refused():
    with pytest.raises(UsageError, match=r"`labels` has 'hgtt', .* did you mean 'hgt'"):
        factable.check(DATA, "Halo", labels="hgtt=height")


def test_hints_are_in_the_signature():
    scores = factable.score([{"data": "a[b]", "text": "b"}], ["ledger(labels='a=letter',units='a=kg')"])
    assert "|labels:a=letter|units:a=kg|" in next(iter(scores.values())).signature
