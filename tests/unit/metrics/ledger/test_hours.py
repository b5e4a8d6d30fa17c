"""Opening hours: what a text says of weekdays, against the hours of the data."""

import pytest

from factable.metrics.ledger.rules.hours import hours_statements
from factable.structure import Structure
from factable.text.sentences import sentence_spans
from factable.types import Table

MUSEUM = {
    "name": "Tile Museum",
    "hours": {
        "Monday": "Closed",
        "Tuesday": "10:0-18:0",
        "Wednesday": "10:0-18:0",
        "Thursday": "10:0-20:0",
        "Friday": "10:0-18:0",
        "Saturday": "9:0-17:30",
        "Sunday": "9:0-17:30",
    },
}
CLINIC = {"clinic": "Eye Care", "opening_hours": {"Mon-Fri": "9 AM - 5 PM", "Sat": "9 AM - 12 PM"}}
GYM = {"gym": "Lift", "hours": {"weekdays": "06:00–23:00", "weekends": "Open 24 hours"}}


def states(data: object, text: str) -> list[tuple[str, str]]:
    found = hours_statements(Structure.of(Table((), source=data)), text, sentence_spans(text))
    return [(text[slice(*each.span)], each.state) for each in found]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (MUSEUM, "The museum is closed on Mondays."),
        (MUSEUM, "It is open Tuesday to Sunday."),
        (
            MUSEUM,
            "Open on Tuesday, Wednesday and Friday from 10 AM to 6 PM, and until 8 PM on Thursdays.",
        ),
        (MUSEUM, "On weekends it opens at 9 and closes at 5:30 PM."),
        (MUSEUM, "It is open from 9 am to 5.30 pm on weekends."),
        (MUSEUM, "It typically opens from 10 to 18 on weekdays."),
        (MUSEUM, "It is open daily except Mondays."),
        (MUSEUM, "The museum is closed on Mondays, with extended hours on Thursday."),
        (MUSEUM, "It operates six days a week with varying hours."),
        (
            MUSEUM,
            "Hours:\n- Monday: Closed\n- Tuesday-Wednesday: 10 AM - 6 PM\n- Thursday: 10:00-20:00",
        ),
        (
            CLINIC,
            "The clinic is open from 9:00 to 17:00 Monday through Friday and closes at noon on Saturdays.",
        ),
        (CLINIC, "It is open Monday to Friday from nine, 9 a.m. to 5 p.m."),
        (GYM, "The gym is open 24 hours on weekends and from 6 AM to 11 PM on weekdays."),
    ],
)
def test_right_hours(data: object, text: str) -> None:
    found = states(data, text)
    assert found
    assert {state for _, state in found} == {"supported"}


@pytest.mark.parametrize(
    ("data", "text", "wrong"),
    [
        (MUSEUM, "The museum is open seven days a week.", "seven days a week"),
        (MUSEUM, "Open 10 AM to 6 PM from Tuesday to Friday.", "10 AM to 6 PM from Tuesday to Friday"),
        (MUSEUM, "It is closed on Tuesdays.", "closed on Tuesdays"),
        (MUSEUM, "It is open until 10 PM on weekends.", "until 10 PM on weekends"),
        (MUSEUM, "It opens at 11 AM on Saturdays.", "opens at 11 AM on Saturdays"),
        (MUSEUM, "It is open from 7 AM to 9 PM.", "from 7 AM to 9 PM"),
        (CLINIC, "The clinic is open on Sundays.", "Sundays"),
        (CLINIC, "Open Mon–Fri 9–6 p.m.", "Mon–Fri 9–6 p.m."),
        (GYM, "The gym is open 24 hours a day on weekdays.", "24 hours a day on weekdays"),
    ],
)
def test_wrong_hours(data: object, text: str, wrong: str) -> None:
    found = [said for said, state in states(data, text) if state == "contradicted"]
    assert found == [wrong]


def test_what_is_said_of_single_days_goes_before_what_is_said_of_all() -> None:
    data = {
        "shop": "Nook",
        "hours": dict.fromkeys(["Mon", "Tue", "Wed", "Thu", "Fri"], "9-5") | {"Sat": "9-1"},
    }
    assert states(data, "Open Monday to Saturday from 9 AM to 5 PM, but closing at 1 PM on Saturdays.") == [
        ("Monday to Saturday from 9 AM to 5 PM", "supported"),
        ("closing at 1 PM on Saturdays", "supported"),
    ]


def test_note_has_the_right_hours() -> None:
    text = "It is open on Saturday and Thursday from 9 AM to 5:30 PM."
    [found] = hours_statements(Structure.of(Table((), source=MUSEUM)), text, sentence_spans(text))
    assert found.note == "Thursday: 10:0-20:0"
    assert found.days == (5, 3)


def test_hours_that_are_not_known_are_unsupported() -> None:
    data = {"name": "Nook", "hours": None}
    assert states(data, "Nook is open daily from 9 AM to 5 PM.") == [
        ("daily from 9 AM to 5 PM", "unsupported")
    ]


def test_midnight_to_midnight_on_all_days_can_mean_two_things() -> None:
    data = {"name": "Nook", "hours": dict.fromkeys(["Monday", "Tuesday", "Wednesday"], "0:0-0:0")}
    assert states(data, "Nook is open 24 hours on Mondays and closed on Tuesdays.") == []


def test_midnight_to_midnight_among_other_hours_is_closed() -> None:
    data = {"name": "Nook", "hours": {"Monday": "0:0-0:0", "Tuesday": "9:0-17:0", "Wednesday": "9:0-17:0"}}
    assert states(data, "Nook is closed on Mondays.") == [("closed on Mondays", "supported")]


@pytest.mark.parametrize(
    "text",
    [
        "Happy hour is from 3 PM to 5 PM on Mondays.",
        "One reviewer waited from 9 to 10 on Monday.",
        "The museum opened in 1990 and shows 9 to 12 rooms.",
        "It is closed on Saturday evenings.",
    ],
)
def test_hours_of_something_else(text: str) -> None:
    assert states(MUSEUM, text) == []


def test_weekdays_with_other_values_are_no_hours() -> None:
    data = {"name": "Canteen", "menu": {"Monday": "Soup", "Tuesday": "Pasta"}}
    assert states(data, "The canteen is open on Mondays from 9 AM to 5 PM.") == []
