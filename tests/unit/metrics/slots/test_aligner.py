"""The aligner: facts that a text mentions, and that it does not look for more."""

import pytest

from factable.core.registry import parse
from factable.types import Example, Record, Table

TABLE = Table(
    (
        Record("", "name", "Aromi"),
        Record("", "priceRange", "moderate"),
        Record("", "familyFriendly", "yes"),
        Record("", "near", "Rainbow Vegetarian Café"),
    )
)


@pytest.mark.parametrize(
    ("text", "spec", "missing"),
    [
        ("Aromi is family friendly, moderately priced, near the Rainbow Vegetarian cafe.", "aligner", 0),
        ("Aromi is near a vegetarian place called Rainbow.", "aligner", 2),
        ("Aromi is not family friendly.", "aligner", 3),
        ("Aromi is a mid-priced place for kids.", "aligner", 3),
        ("Aromi is a mid-priced place for kids.", 'aligner(patterns="e2e")', 1),
        ("", "aligner", 4),
    ],
)
def test_what_is_mentioned(text, spec, missing):
    scores = parse(spec).score([Example("1", "", text, TABLE)])
    assert scores.parts["missing"][0] == missing
    assert scores.values[0] == 1 - missing / 4
    assert scores.parts["omission"][0] == (missing > 0)


def test_what_a_text_adds_is_not_seen():
    text = "Aromi is a moderate French pub for kids near the Rainbow Vegetarian Café in Paris."
    scores = parse('aligner(patterns="e2e")').score([Example("1", "", text, TABLE)])
    assert (scores.values[0], scores.parts["hallucination"][0]) == (1, 0)
