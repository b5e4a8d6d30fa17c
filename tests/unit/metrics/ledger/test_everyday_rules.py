"""Rules that read clauses beside small records: what they flag, and what they leave alone."""

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.structured import StructuredReading
from factable.types import Example

SHOWS = {
    "artist": "Juniper Vale",
    "shows": [
        {"date": "2026-05-02", "city": "Hamburg", "venue": "Docks", "sold": 1500},
        {"date": "2026-05-07", "city": "Warsaw", "venue": "Progresja", "sold": 1180},
        {"date": "2026-05-09", "city": "Prague", "venue": "Roxy", "sold": 900},
    ],
}
STOCK = {"item": "Steel brackets", "qty": 860, "reorder_point": 1000}
COVERAGE = {"branch": "main", "coverage_pct": {"current": 87.4, "previous": 88.1}}
CAR = {
    "model": "V60",
    "features": ["heated seats", "parking sensors", "tow bar"],
    "optional": ["sunroof", "camera"],
}
JOB = {"job": "bracket", "status": "failed", "errors": 3}


def statements(data, text):
    """What the rules say of which words."""
    reading = StructuredReading(Example("", "", text, make_table(data)))
    return {text[slice(*each.span)]: each.state for each in reading.statements}


@pytest.mark.parametrize(
    ("data", "text", "words", "state"),
    [
        (SHOWS, "On 7 May, the tour plays the Roxy in Prague.", "7 May", "contradicted"),
        (STOCK, "Steel brackets are above the reorder point.", "above the reorder point", "contradicted"),
        (STOCK, "Steel brackets are below the reorder point.", "below the reorder point", "supported"),
        (COVERAGE, "Coverage improved to 87.4%.", "improved", "contradicted"),
        (COVERAGE, "Coverage dropped to 87.4%.", "dropped", "supported"),
        (CAR, "It has heated seats, parking sensors and massage chairs.", "massage chairs", "unsupported"),
        (CAR, "It has heated seats, parking sensors and sunroof.", "sunroof", "contradicted"),
        (JOB, "The job was completed.", "was completed", "contradicted"),
        (JOB, "It ended without errors.", "without errors", "contradicted"),
    ],
)
def test_a_clause_is_checked(data, text, words, state):
    assert statements(data, text)[words] == state


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (SHOWS, "On 9 May, the tour plays the Roxy in Prague."),
        (SHOWS, "The tour goes from Hamburg on 2 May to Prague on 9 May."),
        (CAR, "It has heated seats, parking sensors and more."),
        (JOB, "The job failed and was not completed."),
    ],
)
def test_what_is_right_or_not_clear_is_not_flagged(data, text):
    assert "contradicted" not in statements(data, text).values()
    assert "unsupported" not in statements(data, text).values()
