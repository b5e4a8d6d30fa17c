"""Weekdays in a text about one day."""

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.structured import StructuredReading
from factable.types import Example

ROWS = [{"team": "Jazz", "points": 96}, {"team": "Lakers", "points": 89}]


def states(data, text, title=""):
    reading = StructuredReading(Example("", "", text, make_table(data, title=title)))
    days = [each for each in reading.statements if text[slice(*each.span)].endswith("day")]
    return [(text[slice(*each.span)], each.state) for each in days]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Jazz won 96-89 on Friday.", [("Friday", "supported")]),
        ("The Jazz won 96-89 on Sunday.", [("Sunday", "contradicted")]),
        # Other days than the one of the data.
        ("The Jazz will host the Lakers on Sunday.", []),
        ("The Jazz play every Sunday.", []),
    ],
)
def test_the_day_of_the_data(text, expected):
    assert states({"date": "2016-10-28", "teams": ROWS}, text) == expected
    assert states(ROWS, text, title="Lakers at Jazz, 10_28_16") == expected


def test_a_short_date_may_be_written_in_either_order():
    title = "Lakers at Celtics, 02_03_17"
    assert states(ROWS, "They met on Friday.", title) == [("Friday", "supported")]
    assert states(ROWS, "They met on Thursday.", title) == [("Thursday", "supported")]
    assert states(ROWS, "They met on Monday.", title) == [("Monday", "contradicted")]


@pytest.mark.parametrize(
    "data", [{"from": "2016-10-28", "to": "2016-10-29"}, {"date": "2016-10-28", "closed": "Sundays"}]
)
def test_several_days_or_weekdays_in_the_data_say_nothing(data):
    assert states(data, "It was a Monday.") == []
