"""Amounts that stand before the word for them."""

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.rules.tallies import tallies
from factable.metrics.ledger.structured import StructuredReading
from factable.types import Example

BOX_SCORE = [
    {"PLAYER": "Al Horford", "PTS": 11, "REB": 8, "AST": 8, "STL": 0, "BLK": 1},
    {"PLAYER": "Jae Crowder", "PTS": 18, "REB": 6, "AST": 1, "STL": 2, "BLK": 0},
]
LEAGUE = {
    "teams": [
        {"name": "Boston Celtics", "wins": 32, "losses": 18},
        {"name": "Utah Jazz", "wins": 1, "losses": 1},
    ]
}


def wrong_and_right(data, text):
    reading = StructuredReading(Example("", "", text, make_table(data)))
    found = tallies(reading.matcher, [segment.span for segment in reading.sentences])
    by_state = {"contradicted": [], "supported": []}
    for tally in found:
        by_state[tally.state].append(text[slice(*tally.span)])
    return by_state["contradicted"], by_state["supported"]


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("Horford had 11 points, eight rebounds and a block.", [], ["11", "eight", "a"]),
        ("Horford had 11 points, six rebounds and a steal.", ["six", "a"], ["11"]),
        # Each number by its own word: 6 is Crowder's, but of rebounds.
        ("Crowder added 18 points, two assists and six rebounds.", ["two"], ["18", "six"]),
        ("Crowder had 18 points and a pair of steals.", [], ["18", "a pair of"]),
        ("Crowder was next with a 18-point, 12-rebound double-double.", ["12", "double-double"], ["18"]),
        ("Jae Crowder played well. He scored 19 points.", ["19"], []),
        # Of other times, of several, of a difference: not checked.
        ("Crowder is averaging 21 points this season.", [], []),
        ("Horford and Crowder combined for 29 points.", [], []),
        ("Horford won by 7 points.", [], []),
        ("Horford shot well from three-point range.", [], []),
        ("Horford passed to Smith, who had 20 points.", [], []),
    ],
)
def test_box_score(text, wrong, right):
    assert wrong_and_right(BOX_SCORE, text) == (wrong, right)


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("The Boston Celtics (32-18) met the Utah Jazz (1-1).", [], ["32", "18", "1", "1"]),
        ("The Celtics (32-19) won.", ["19"], ["32"]),
    ],
)
def test_wins_and_losses_after_a_name(text, wrong, right):
    assert wrong_and_right(LEAGUE, text) == (wrong, right)


GAME = [
    [player, key, value]
    for player, team, points, rebounds in (
        ("Al Horford", "Boston", "11", "8"),
        ("Jae Crowder", "Boston", "18", "12"),
        ("Gordon Hayward", "Utah", "31", "5"),
        ("Rudy Gobert", "Utah", "13", "13"),
        ("George Hill", "Utah", "2", "1"),
        ("Isaiah Thomas", "Boston", "9", "2"),
    )
    for key, value in (("TEAM_CITY", team), ("PTS", points), ("REB", rebounds), ("AST", "1"), ("STL", "0"))
] + [["Boston Celtics", "TEAM-PTS", "99"], ["Boston Celtics", "TEAM-REB", "40"]]


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("Jae Crowder led the Celtics with 18 points.", [], ["18", "led"]),
        ("Al Horford led the team with 11 points.", ["led"], ["11"]),
        ("The Celtics were led by Horford, who had 11 points.", ["led"], ["11"]),
        ("The Celtics were led by Horford, as he had 11 points.", ["led"], ["11"]),
        ("Crowder had a game-high 18 points.", ["game-high"], ["18"]),
        ("Hayward had a game-high 31 points.", [], ["31", "game-high"]),
        ("Crowder had 18 points for a double-double.", [], ["18", "double-double"]),
        ("Horford had a 11-point, 8-rebound double-double.", ["double-double"], ["11", "8"]),
    ],
)
def test_highs_and_double_doubles(text, wrong, right):
    assert wrong_and_right(GAME, text) == (wrong, right)


def test_the_note_says_what_the_data_has():
    text = "Horford had 12 points and eight rebounds."
    reading = StructuredReading(Example("", "", text, make_table(BOX_SCORE)))
    notes = [statement.note for statement in reading.statements if statement.state == "contradicted"]
    assert notes == ["Al Horford, PTS: 11"]


def test_names_that_only_subjects_have_are_known():
    records = [[f"Player {number}", "PTS", str(number)] for number in range(40)]
    text = "Ann Field had 12 points."
    table = make_table([*records, ["Ann Field", "PTS", "12"], ["Ann Field", "REB", "3"]])
    reading = StructuredReading(Example("", "", text, table))
    assert {"field", "ann"} <= reading.matcher.data_words
