"""Values as values: every row of the documentation, what data values are, and what texts say."""

import re
from fractions import Fraction

import pytest

from factable.text.values import (
    Boolean,
    Date,
    Name,
    NameList,
    Number,
    Relation,
    Time,
    Weekdays,
    compare_values,
    find_mentions,
    find_value,
    parse_text,
    parse_value,
    parts_of,
    possible_values,
)
from factable.text.values.units import UNITS
from helpers.paths import ROOT

PAGE = (ROOT / "docs/values.md").read_text()
ROW = re.compile(r"^\| (.*) \| (.*?) ?\| (.*) \| (\w+(?: said)?) \|$", re.MULTILINE)
ROWS = [
    row
    for table in PAGE.split("| data | attribute | text | relation |\n|---|---|---|---|\n")[1:]
    for row in ROW.findall(table.partition("\n\n")[0])
]


def relation_said(value, attribute, text):
    hits = find_value(value, text, attribute)
    if hits:
        return hits[0].relation.value
    values = possible_values(value, attribute)
    relations = {compare_values(value, mention.value) for value in values for mention in find_mentions(text)}
    return next(
        (relation.value for relation in (Relation.DIFFERENT, Relation.INCOMPARABLE) if relation in relations),
        "not said",
    )


@pytest.mark.parametrize(("value", "attribute", "text", "relation"), ROWS, ids=lambda cell: cell or "-")
def test_what_matches_what(value, attribute, text, relation):
    assert relation_said(value, attribute, text) == relation


def test_every_row_of_the_page_is_a_test():
    tables = re.findall(r"\| data \| attribute \| text \| relation \|\n.*\n((?:\|.*\n)+)", PAGE)
    assert len(ROWS) == sum(len(table.splitlines()) for table in tables) > 100
    assert {row[3] for row in ROWS} == {*(relation.value for relation in Relation), "not said"}


def test_the_page_names_every_unit():
    rows = re.findall(
        r"^\| [\w, ]+ \| (.*) \|$", PAGE.partition("| kind | units |\n|---|---|\n")[2], re.MULTILINE
    )
    named = {unit for row in rows for unit in re.split(", (?:and .*)?", row)} - {""}
    assert named >= {name for name in UNITS if not name.startswith(("square", "cubic"))}


@pytest.mark.parametrize(
    ("value", "attribute", "parsed"),
    [
        ("25.0", "", Number(Fraction(25), step=Fraction(1, 10))),
        ("£20-25", "", Number(Fraction(20), "GBP", high=Fraction(25))),
        ("yes", "", Boolean(True)),
        ("False", "", Boolean(False)),
        ("Watson, James Craig", "", Name(("watson", "james", "craig"), 1)),
        ("41.9 (kilometres)", "", Number(Fraction("41.9"), "kilometre", Fraction(1, 10))),
        ('"52.0"(minutes)', "timeInSpace", Number(Fraction(52), "minute", Fraction(1, 10))),
        ("110 million (dollars)", "cost", Number(Fraction(110_000_000), "dollar", Fraction(10**6))),
        ('"quoted"', "", Name(("quoted",))),
        ("14/32", "runwayName", Name(("14/32",))),
        ("08/26/42", "", Name(("08/26/42",))),
        ("1:25", "", Time(85)),
        ("17:0-21:0", "Monday", Time(17 * 60, 21 * 60)),
        ("2026-05-01T09:00:00+02:00", "", Date(2026, 5, 1, time=Time(540, zone=120))),
        ("Mon–Fri", "", Weekdays((0, 1, 2, 3, 4))),
        ("Q3 2025", "", Date(2025, 7, months=3)),
        ("5 out of 5", "", Number(Fraction(5), "out of 5")),
        ("20 minutes", "", Number(Fraction(20), "minute")),
        ("2,205 m", "", Number(Fraction(2205), "metre")),
        ("507", "elevationAboveTheSeaLevel_(in_metres)", Number(Fraction(507), "metre")),
        ("1942-08-26", "birthDate", Date(1942, 8, 26)),
        ("1942-08-26T00:00:00Z", "", Date(1942, 8, 26)),
        ("1942-13-26", "", Name(("1942", "13", "26"))),
        ("1942", "", Number(Fraction(1942))),
        ("1942", "birthYear", Date(1942)),
        ("1950.0", "yearOfConstruction", Date(1950)),
        ("0236-5294", "ISSN_number", Name(("0236", "5294"))),
        ("007", "", Name(("007",))),
        ("", "", Name(())),
        ("---", "", Name(())),
        ("a; b", "", NameList((Name(("a",)), Name(("b",))))),
        ("9" * 5000, "", Name(("9" * 5000,))),
    ],
)
def test_what_a_data_value_is(value, attribute, parsed):
    assert parse_value(value, attribute) == parsed


def test_readings_of_values_that_can_be_two_things():
    assert possible_values("05/06/1942") == (Date(1942, 6, 5), Date(1942, 5, 6))
    assert possible_values("1942") == (Number(Fraction(1942)), Date(1942))
    assert [number.unit for number in possible_values("1,234 m (4,049 ft)")] == ["metre", "foot"]
    assert [number.value for number in possible_values("4%", "decrease")] == [-4, 4]


@pytest.mark.parametrize(
    ("attribute", "units"),
    [
        ("height_(in_metres)", ["metre"]),
        ("height (cm)", ["centimetre"]),
        ("weight_kg", ["kilogram"]),
        ("runtimeInMinutes", ["minute"]),
        ("price_usd", ["USD"]),
        ("growth (%)", ["percent"]),
        ("year", [""]),
        ("numberOfPages", [""]),
        ("birthPlace_m", [""]),
    ],
)
def test_units_from_the_attribute(attribute, units):
    assert [value.unit for value in possible_values("25", attribute)] == units


def said(text):
    return [(text[mention.start : mention.end], mention.value) for mention in find_mentions(text)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("It fell by 4% in May 1990.", ["fell by 4%", "May 1990"]),
        ("Alan Bean was born on March 15, 1932.", ["Alan Bean", "March 15, 1932"]),
        ("A man of 6 feet 2 inches.", ["6 feet 2 inches"]),
        ("You may 5 times march 3 miles.", ["5", "3 miles"]),
        ("From 1914 to 1918 it was 20-25 km.", ["1914", "1914", "1918", "1918", "20-25 km"]),
        ("One of them, no one else.", []),
        ("Hundreds of people and dozens of dogs.", ["Hundreds"]),
        ("A Boeing C-17 Globemaster III of the U.S. Army.", ["Boeing C-17 Globemaster III of the U.S. Army"]),
        ("Frank de Boer and the University of Texas.", ["Frank de Boer", "University of Texas"]),
        ("NASA's Apollo 12 flew.", ["NASA", "Apollo", "12"]),
        ("He stars Damon Wayans Jr. The film is old.", ["Damon Wayans Jr"]),
        ("IN 1942 ALAN BEAN", ["1942", "1942"]),
        ("The F-16, 14L/32R and 978-0-15-204770-2", ["F-16", "14L/32R", "978-0-15-204770-2"]),
        ("a 4-star hotel, 100-metre run, 12-page book", ["4-star", "100-metre", "12"]),
    ],
)
def test_what_is_found_in_a_text(text, spans):
    assert [span for span, _ in said(text)] == spans


def test_a_large_word_at_the_start_of_a_sentence_is_not_sure():
    text = "Located in Dallas. Aarhus is large."
    sure = {text[mention.start : mention.end]: mention.sure for mention in find_mentions(text)}
    assert sure == {"Located": False, "Dallas": True, "Aarhus": False}


def test_hits_come_best_first_and_a_text_is_read_once():
    text = parse_text("Watson lived long. James Craig Watson, or James Watson, found it.")
    hits = find_value("James Craig Watson", text)
    assert [text.text[slice(*hit.span)] for hit in hits] == ["James Craig Watson", "Watson", "James Watson"]
    assert [hit.relation for hit in hits] == [Relation.EQUAL, Relation.COARSER, Relation.COARSER]


def test_a_parsed_value_is_found_too():
    assert find_value(Number(Fraction(280), "gram"), "280 grams")[0].relation is Relation.EQUAL
    assert find_value(Name(()), "nothing") == find_value("", "nothing") == []


def test_lists_are_compared_by_their_members():
    bread, milk, salt = (Name((word,)) for word in ("bread", "milk", "salt"))
    assert compare_values(NameList((bread, milk)), NameList((milk, bread))) is Relation.EQUAL
    assert compare_values(NameList((bread, milk)), milk) is Relation.COARSER
    assert compare_values(bread, NameList((bread, milk))) is Relation.FINER
    assert compare_values(NameList((bread, milk)), NameList((milk, salt))) is Relation.DIFFERENT
    assert compare_values(NameList((bread, milk)), Date(1942)) is Relation.INCOMPARABLE


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ("50 MP, f/1.8, (wide)", Number(Fraction(50), "megapixel")),
        ("50 MP, f/1.8, (wide)", Name(("f", "1.8"))),
        ("50 MP, f/1.8, (wide)", Name(("wide",))),
        ("5.0 inches, 68.9 cm2 (~65.8% screen-to-body ratio)", Number(Fraction(5), "inch", Fraction(1, 10))),
        (
            "5.0 inches, 68.9 cm2 (~65.8% screen-to-body ratio)",
            Number(Fraction("68.9"), "square centimetre", Fraction(1, 10)),
        ),
        (
            "5.0 inches, 68.9 cm2 (~65.8% screen-to-body ratio)",
            Number(Fraction("65.8"), "percent", Fraction(1), "about"),
        ),
        ("Li-Po 5000 mAh, non-removable", Number(Fraction(5000), "milliampere hour")),
        ("Released 2013, May 17", Date(2013, 5, 17)),
        ("Mon–Fri 9:00–17:00", Weekdays((0, 1, 2, 3, 4))),
        ("Mon–Fri 9:00–17:00", Time(540, 1020)),
        ("2026-05-12/2026-05-15", Date(2026, 5, 15)),
        ("12 May 2026 to 15 May 2026", Date(2026, 5, 12)),
        ("4-1", Number(Fraction(1))),
        ("412", Number(Fraction(412 * 10**6), "EUR", Fraction(10**6))),
    ],
)
def test_parts_of_a_data_value(value, part):
    assert part in parts_of(value, "sales_eur_million" if value == "412" else "")
