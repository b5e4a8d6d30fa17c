"""Texts of one item in order."""

import math

import pytest

from factable.core.registry import parse
from factable.gate.rerank import rank_texts
from factable.types import Example, Record, Table

TABLE = Table((Record("", "name", "Blue Spice"), Record("", "area", "riverside")))
TEXTS = {
    "b": ["It is nice.", "Blue Spice is by the riverside.", "Blue Spice is nice."],
    "a": ["Blue Spice", "Blue Spice"],
}


def make_examples(references=("Blue Spice is by the riverside.",)):
    return [Example(item, "", text, TABLE, references) for item, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize("spec", ["parent", "ter"])
def test_the_best_is_first_and_equals_stay_in_order(spec):
    found = rank_texts(make_examples(), parse(spec))
    assert [(one.position, one.rank) for one in found] == [(1, 1), (2, 2), (0, 3), (3, 1), (4, 2)]
    assert {one.label for one in found} == {""}


def test_best():
    found = rank_texts(make_examples(), parse("parent"), best=2)
    assert [(one.position, one.rank) for one in found] == [(1, 1), (2, 2), (3, 1), (4, 2)]


def test_what_has_no_score_is_last():
    examples = make_examples()
    examples[1] = Example("b", "", TEXTS["b"][1], Table(()))
    found = rank_texts(examples, parse("nli"))
    last = found[2]
    assert (last.position, last.rank, last.label) == (1, 3, "unscored")
    assert math.isnan(last.score)


def test_labels_of_metrics_that_give_them():
    found = rank_texts(make_examples()[:3], parse("ledger"), best=1)
    assert found[0].position == 1
    assert found[0].label == "OK"
    assert found[0].score > 0.5
