"""Whose numbers a report of a game tells, and what they count."""

import pytest

from factable.metrics.extraction.extractors import load_extractor
from factable.types import Record, Table

TEAMS = ("Boston Celtics", "Los Angeles Lakers")
TABLE = Table(
    tuple(
        Record(team, stat, value)
        for team, values in zip(TEAMS, (("113", "32", "18"), ("107", "17", "36")), strict=True)
        for stat, value in zip(("TEAM-PTS", "TEAM-WINS", "TEAM-LOSSES"), values, strict=True)
    )
    + tuple(
        Record(player, stat, value)
        for player, city, points in (("Al Horford", "Boston", "11"), ("Larry Nance Jr.", "Los Angeles", "18"))
        for stat, value in (("PTS", points), ("TEAM_CITY", city))
    )
)


def extract(text):
    (records,) = load_extractor("rotowire").extract([(text, TABLE)])
    return [(*each.record, text[slice(*each.span)]) for each in records]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The Celtics defeated the Los Angeles Lakers , 113 - 107 .",
            [(TEAMS[0], "TEAM-PTS", "113", "113"), (TEAMS[1], "TEAM-PTS", "107", "107")],
        ),
        (
            "The Lakers fell to Boston 113-107.",
            [(TEAMS[0], "TEAM-PTS", "113", "113"), (TEAMS[1], "TEAM-PTS", "107", "107")],
        ),
        (
            "The Celtics ( 32 - 18 ) won.",
            [(TEAMS[0], "TEAM-WINS", "32", "32"), (TEAMS[0], "TEAM-LOSSES", "18", "18")],
        ),
        (
            "Horford had 11 points , six rebounds , an assist and a pair of steals . He added two blocks .",
            [
                ("Al Horford", "PTS", "11", "11"),
                ("Al Horford", "REB", "6", "six"),
                ("Al Horford", "AST", "1", "an"),
                ("Al Horford", "STL", "2", "a pair of"),
                ("Al Horford", "BLK", "2", "two"),
            ],
        ),
        (
            "Larry Nance Jr. scored 18 points ( 7 - 11 FG , 4 - 5 FT ) .",
            [
                ("Larry Nance Jr.", "PTS", "18", "18"),
                ("Larry Nance Jr.", "FGM", "7", "7"),
                ("Larry Nance Jr.", "FGA", "11", "11"),
                ("Larry Nance Jr.", "FTM", "4", "4"),
                ("Larry Nance Jr.", "FTA", "5", "5"),
            ],
        ),
        # Of other games, or of somebody whom the data does not know: still pairs, but not the data's.
        ("Al Horford is averaging 14 points .", [("Al Horford", "PTS of games", "14", "14")]),
        ("Then Carlos Boozer added 12 points .", [("Carlos Boozer", "PTS", "12", "12")]),
        ("The Celtics shot 48 percent from the field .", [(TEAMS[0], "TEAM-FG_PCT", "48", "48")]),
        ("Nobody scored 12 points .", []),
        ("", []),
    ],
)
def test_numbers_and_their_owners(text, expected):
    assert extract(text) == expected
