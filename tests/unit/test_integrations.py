"""factable inside other tools."""

import pytest

from factable.integrations.promptfoo import get_assert

DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD, BAD = "Blue Spice is a pub by the riverside.", "Blue Spice is by the riverside."


def test_promptfoo():
    good = get_assert(GOOD, {"vars": {"data": DATA}})
    assert good["pass"] is True
    assert 0.5 < good["score"] <= 1
    bad = get_assert(BAD, {"vars": {"data": DATA}})
    assert (bad["pass"], bad["reason"].startswith("omission")) == (False, True)
    optional = {"vars": {"facts": DATA}, "config": {"data": "facts", "optional": "eatType"}}
    assert get_assert(BAD, optional)["pass"] is True


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"vars": {}}, "no variable 'data'"),
        ({"vars": {"data": DATA}, "config": {"optionl": "near"}}, "did you mean 'optional'?"),
        ({"vars": {"data": 7}}, "data: "),
    ],
)
def test_promptfoo_says_what_is_wrong(context, message):
    result = get_assert(GOOD, context)
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert message in result["reason"]


@pytest.mark.packages
def test_deepeval():
    pytest.importorskip("deepeval")
    from deepeval.test_case import LLMTestCase

    from factable.integrations.deepeval import FaithfulToData

    metric = FaithfulToData()
    assert metric.measure(LLMTestCase(input="?", actual_output=GOOD, metadata={"data": DATA})) > 0.5
    assert metric.is_successful()
    metric.measure(LLMTestCase(input=DATA, actual_output=BAD))
    assert not metric.is_successful()
    assert metric.reason.startswith("omission")
    assert FaithfulToData(0.0).measure(LLMTestCase(input=DATA, actual_output=BAD)) == metric.score


@pytest.mark.packages
def test_evaluate():
    pytest.importorskip("evaluate")
    from factable.integrations.evaluate import FaithfulToData

    found = FaithfulToData().compute(predictions=[GOOD, BAD], data=[DATA, DATA])
    assert found["labels"] == ["OK", "omission"]
    assert (found["ok"], found["omission"]) == (0.5, 0.5)
    optional = FaithfulToData().compute(predictions=[BAD], data=[DATA], optional="eatType")
    assert optional["labels"] == ["OK"]
