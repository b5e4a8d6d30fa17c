"""Opening hours in words: values, and sentences about them."""

import pytest

from factable.text.opening_hours import Interval, days_of_key, hours_claims, parse_hours


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("17:30-23:0", (Interval(1050, 1380),)),
        ("11:00 AM – 2:00 PM, 5 PM - 9 PM", (Interval(660, 840), Interval(1020, 1260))),
        ("18:0-2:0", (Interval(1080, 1560),)),
        ("Closed", ()),
        ("Open 24 hours", (Interval(0, 1440),)),
    ],
)
def test_parse_hours(value: str, hours: tuple[Interval, ...]) -> None:
    readings = parse_hours(value)
    assert readings is not None
    assert readings[0] == hours


def test_values_that_are_no_hours() -> None:
    assert parse_hours("Soup") is None
    assert parse_hours("21 degrees") is None


@pytest.mark.parametrize(
    ("key", "days"),
    [("Monday", (0,)), ("sat", (5,)), ("Mon-Fri", (0, 1, 2, 3, 4)), ("weekends", (5, 6)), ("monthly", ())],
)
def test_days_of_key(key: str, days: tuple[int, ...]) -> None:
    assert days_of_key(key) == days


def test_times_go_with_their_days() -> None:
    text = "Open Friday to Sunday from 5 PM to midnight, closed on Mondays, and until 9 PM on other days."
    assert [
        (text[slice(*claim.span)], claim.kind, claim.days) for claim in hours_claims(text, (0, len(text)))
    ] == [
        ("Friday to Sunday from 5 PM to midnight", "range", (4, 5, 6)),
        ("closed on Mondays", "closed", (0,)),
        ("until 9 PM on other days", "closes", (1, 2, 3)),
    ]
