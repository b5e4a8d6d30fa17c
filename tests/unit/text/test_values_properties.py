"""What holds for all values and all texts."""

import sys
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    parse_value,
    possible_values,
)
from factable.text.values.dates import MONTHS
from factable.text.values.units import UNITS

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
)
ONES = (ONES + "seventeen eighteen nineteen").split()
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spell(number, joint=" and "):
    """A whole number below 10**15 in words."""
    for scale, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if number >= scale:
            rest = number % scale
            return f"{spell(number // scale, joint)} {name}" + (f" {spell(rest, joint)}" if rest else "")
    if number >= 100:
        return f"{ONES[number // 100]} hundred" + (f"{joint}{spell(number % 100)}" if number % 100 else "")
    if number >= 20:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    return ONES[number]


def group_in_lakhs(number):
    head, tail = str(number)[:-3], str(number)[-3:]
    pairs = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.insert(0, pair)
    return ",".join([*pairs, tail])


WRITTEN = {
    "plain": str,
    "with a decimal": lambda number: f"{number}.0",
    "commas": lambda number: f"{number:,}",
    "no-break spaces": lambda number: f"{number:,}".replace(",", "\u00a0"),
    "apostrophes": lambda number: f"{number:,}".replace(",", "'"),
    "lakhs": group_in_lakhs,
    "in words": spell,
    "in words without and": lambda number: spell(number, " "),
    "in words in capitals": lambda number: spell(number).upper(),
    "thousands": lambda number: f"{number / 1000:.3f} thousand",
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@given(number=st.integers(0, 10**12))
def test_whole_numbers_are_read_back(write, number):
    written = write(number)
    assert any(
        isinstance(value, Number) and value.value == number and not value.bound
        for value in possible_values(written)
    )


@given(number=st.integers(1_000_000, 10**12))
def test_full_stops_between_thousands(number):
    assert parse_value(f"{number:,}".replace(",", ".")).value == number


@given(number=st.decimals(-(10**9), 10**9, places=4))
def test_decimals_and_signs_are_read_back(number):
    for written in (f"{number:f}", f"{number:,f}", f"{number:f}".replace("-", "−"), f"{number:f} km"):
        assert parse_value(written).value == Fraction(number)


@given(day=st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_days_are_read_back(day):
    month = MONTHS[day.month - 1]
    for written in (
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day}th of {month}, {day.year}",
        f"{month[:3]} {day.day} {day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.month}/{day.day}/{day.year}",
    ):
        assert Date(day.year, day.month, day.day) in possible_values(written), written


FRACTIONS = st.fractions(-1000, 1000, max_denominator=8)
NUMBERS = st.builds(
    Number,
    FRACTIONS,
    st.sampled_from(["", "", "ordinal", "out of 5", *UNITS]),
    st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(10)]),
    st.sampled_from(["", "", "about", "over", "under", "at least", "at most"]),
) | st.builds(
    lambda low, width: Number(low, "metre", high=low + width),
    FRACTIONS,
    st.fractions(1, 9, max_denominator=2),
)
DATES = st.builds(
    Date,
    st.none() | st.integers(1940, 1944),
    st.none() | st.integers(1, 2),
    st.none() | st.integers(1, 2),
    about=st.booleans(),
) | st.builds(
    Date, st.sampled_from([1801, 1901, 1940, 1950]), years=st.sampled_from([10, 100]), about=st.booleans()
)
WORDS = st.lists(st.sampled_from(["a", "b", "ab", "abc", "ba", "of", "in", "7"]), min_size=1, max_size=4)
NAMES = st.builds(
    lambda words, comma: Name(tuple(words), min(comma, len(words) - 1)), WORDS, st.integers(0, 2)
)
TIMES = st.builds(
    Time,
    st.sampled_from([0, 150, 540, 720, 870]),
    st.none() | st.sampled_from([150, 870, 1440]),
    st.none() | st.sampled_from([0, 120]),
    about=st.booleans(),
    vague=st.booleans(),
)
PERIODS = st.builds(
    Date,
    st.none() | st.just(1942),
    st.sampled_from([1, 4, 7]),
    months=st.sampled_from([1, 3, 6]),
    time=st.none() | TIMES,
)
WEEK = st.builds(Weekdays, st.sampled_from([(0,), (1,), (0, 1), (5, 6), tuple(range(7))]))
VALUES = NUMBERS | DATES | NAMES | TIMES | PERIODS | WEEK | st.builds(Boolean, st.booleans())
VALUES |= st.builds(NameList, st.lists(NAMES, min_size=1, max_size=3).map(tuple))


@given(VALUES)
def test_a_value_equals_itself(value):
    assert compare_values(value, value) is Relation.EQUAL


@given(st.one_of(*(st.tuples(kind, kind) for kind in (NUMBERS, DATES, TIMES, PERIODS, WEEK, NAMES, VALUES))))
def test_both_sides_see_the_same(pair):
    data, text = pair
    assert compare_values(data, text) is compare_values(text, data).flipped


@given(
    st.fractions(1, 1000, max_denominator=20),
    st.sampled_from([unit for unit in UNITS.values() if unit.factor != 1]),
)
def test_exact_conversions_are_equal(amount, unit):
    base = next(
        other
        for other in UNITS.values()
        if other.dimension == unit.dimension and (other.factor, other.offset) == (1, 0)
    )
    converted = Number(amount * unit.factor + unit.offset, base.name)
    assert compare_values(Number(amount, unit.name), converted) is Relation.EQUAL


PIECES = """
1 12 1942 1,500 007 3.5 14/32 26.08.1942 -5 − – - £ $ € % km m kg pounds °C million bn dozen half one
twenty hundred third about over fell by minus between and to or more less January May 26th 1950s BC AD
out of 5 Alan 9:30 17:0 pm a.m. noon UTC T09:00:00Z PT5H 2h30 Mon Monday – Q3 FY24 quarter o'clock + Bean
J. of de The U.S. It's ' " ( ) . , ; : _ é İ ß ½ ² ٣ 中文
"""
PIECES = st.sampled_from([*PIECES.split(), "\n", "\u00a0", " "])
TEXTS = st.text() | st.lists(PIECES).map(" ".join) | st.lists(PIECES).map("".join)


@given(TEXTS)
def test_any_text_can_be_read_and_spans_are_in_it(text):
    mentions = find_mentions(text)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in mentions)
    assert list(mentions) == sorted(mentions, key=lambda mention: mention[1:3])
    assert all(text[mention.start : mention.end].strip() for mention in mentions)


@given(TEXTS, TEXTS, st.sampled_from(["", "birthDate", "height (m)", "familyFriendly", "rank", "drop"]))
def test_any_value_can_be_looked_for_in_any_text(value, text, attribute):
    for hit in find_value(value, text, attribute):
        assert 0 <= hit.span[0] < hit.span[1] <= len(text)
        assert hit.relation is not Relation.INCOMPARABLE


@given(
    st.lists(st.sampled_from(["Alan", "Bean", "X-15", "Apollo", "12", "of", "Ståle"]), min_size=1, max_size=4)
)
def test_a_value_is_found_where_it_stands(words):
    value = " ".join(words)
    hits = find_value(value, f"it is ({value}), they say")
    assert hits
    assert hits[0].relation is Relation.EQUAL


REPEATED = [
    "1",
    "1 ",
    "1,",
    "1.",
    "1/",
    "1\u00a0",
    "1942 ",
    "one hundred ",
    "million ",
    "one and ",
    "half a ",
    "a ",
    "A ",
]
REPEATED += [
    "A. ",
    "A-",
    "A of ",
    "5 km ",
    "- 5",
    "about ",
    "fell by ",
    "January ",
    "'",
    "x'",
    "(",
    "£5",
    "20 to ",
]
REPEATED += [
    "9:30 ",
    "9:30-",
    "9 am to ",
    "Mon-",
    "Monday, ",
    "PT1H",
    "1h30 ",
    "Q3 ",
    "May 1-",
    "1-",
    "no ",
    "1 234 ",
]
REPEATED += ["5 hours 3 minutes ", "between 2 and 3 ", "1:", "Apollo 11 ", "a_b"]


def calls(text):
    """How many functions are called to read a text."""
    count = 0

    def profile(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        find_mentions(text)
        find_value("Alan Bean", text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", REPEATED, ids=repr)
def test_work_grows_with_the_text_only(piece):
    # Results of shorter texts are kept for the next call.
    once, twice = piece * 600, piece * 1200
    assert calls(twice) <= 2.1 * calls(once) + 500


@pytest.mark.parametrize("piece", ["1", "1,", "A of ", "one hundred ", "'x", "1/"], ids=repr)
def test_patterns_finish_on_long_repeats(piece):
    # A pattern that goes back and forth would take hours here.
    text = piece * (100_000 // len(piece)) + "!"
    assert all(mention.end <= len(text) for mention in find_mentions(text))
