import json
from inspect import signature

import pytest

import factable
from factable.errors import DataError, UsageError
from factable.metrics.ledger.metric import Ledger
from factable.metrics.ledger.verdict import Claim, Fact, Verdict, label_of
from factable.types import Example, Record, Table

DATA = {"name": "Blue Spice", "eatType": "pub", "area": "riverside"}
FAITHFUL = "Blue Spice is a pub in the riverside area."


def states(verdict):
    return [fact.state for fact in verdict.facts]


def wrong(verdict):
    return [verdict.text[slice(*claim.span)] for claim in verdict.claims if claim.state != "supported"]


def test_a_faithful_text_is_ok():
    verdict = factable.check(DATA, FAITHFUL)
    assert verdict.label == "OK"
    assert verdict.is_ok
    assert verdict.probability > 0.5
    assert states(verdict) == ["supported"] * 3
    assert [verdict.text[slice(*fact.span)] for fact in verdict.facts] == ["Blue Spice", "pub", "riverside"]
    assert wrong(verdict) == []


@pytest.mark.parametrize(
    ("states", "claims", "label"),
    [
        (["supported", "supported"], ["supported"], "OK"),
        (["omitted", "supported"], ["supported"], "omission"),
        (["contradicted", "supported"], ["contradicted"], "contradiction"),
        (["supported", "supported"], ["contradicted"], "contradiction"),
        (["supported", "supported"], ["unsupported"], "hallucination"),
        (["omitted", "contradicted"], ["unsupported"], "omission+contradiction+hallucination"),
    ],
)
def test_left_out_wrong_and_made_up_are_three_things(states, claims, label):
    facts = [Fact(index, state, None, 0.5) for index, state in enumerate(states)]
    optional = Fact(2, "omitted", None, 0.5, required=False)
    assert label_of([*facts, optional], [Claim(0, 1, state, (), 0.5) for state in claims]) == label


def test_an_omission_is_named():
    verdict = factable.check(DATA, "Blue Spice is in the riverside area.")
    assert verdict.label == "omission"
    assert verdict.probability < 0.5
    assert states(verdict) == ["supported", "omitted", "supported"]


def test_what_is_made_up_is_marked():
    verdict = factable.check(DATA, FAITHFUL + " It was opened by Paul Bocuse in 1987.")
    assert verdict.label == "hallucination"
    assert "Paul Bocuse" in " ".join(wrong(verdict))
    assert "1987" in " ".join(wrong(verdict))


def test_a_contradicted_fact_and_its_span_are_tied():
    verdict = factable.check([["Alan Bean", "birthDate", "1932-03-15"]], "Alan Bean was born on 15 May 1932.")
    (fact,) = verdict.facts
    assert fact.state == "contradicted"
    assert verdict.text[slice(*fact.span)] == "15 May 1932"
    assert any(claim.records == (0,) and claim.state == "contradicted" for claim in verdict.claims)


def test_optional_facts_may_be_left_out():
    text = "Blue Spice is in the riverside area."
    assert factable.check(DATA, text, optional="eatType").label == "OK"
    assert factable.check(DATA, text, required="area").label == "OK"
    assert factable.check(DATA, text, required="eatType=pub").label == "omission"


def test_ignored_facts_are_not_in_the_ledger():
    verdict = factable.check(DATA, "Blue Spice is in the riverside area.", ignore="eatType")
    assert [fact.record for fact in verdict.facts] == [0, 2]
    assert verdict.label == "OK"


def test_thresholds_decide():
    text = "Blue Spice is in the riverside area."
    assert factable.check(DATA, text, omission=0).label == "OK"
    with pytest.raises(UsageError, match="from 0 to 1"):
        factable.check(DATA, text, omission=2)


def test_an_empty_text_leaves_everything_out():
    verdict = factable.check(DATA, " ")
    assert verdict.label == "omission"
    assert states(verdict) == ["omitted"] * 3
    assert verdict.claims == ()


def test_broken_data_is_one_clear_line():
    with pytest.raises(DataError, match=r'^data: "data" is a number; give triples'):
        factable.check(3, "three")


@pytest.mark.parametrize(
    "text",
    [
        "\u202eBlue\u202c Spice",
        "Blue\x00Spice pub riverside",
        "🍕" * 50,
        "a " * 400,
        "İstanbul ıssız",
        "\ud800 pub",
    ],
)
def test_claims_lie_in_the_text_and_do_not_overlap(text):
    verdict = factable.check(DATA, text)
    ends = 0
    for claim in verdict.claims:
        assert ends <= claim.start < claim.end <= len(text)
        ends = claim.end


def test_parameters_are_those_of_the_metric():
    parameters = signature(factable.check).parameters
    defaults = {each.name: each.default for each in Ledger.params}
    assert {name: parameters[name].default for name in defaults} == defaults
    assert list(parameters) == ["data", "text", "subject", "title", *defaults]


def test_misspelt_parameters_and_texts_that_are_none_are_refused():
    with pytest.raises(UsageError, match="check has no parameter 'optionl'; did you mean 'optional'"):
        factable.check(DATA, FAITHFUL, optionl="near")
    with pytest.raises(UsageError, match="`text` is null; give the text as a string"):
        factable.check(DATA, None)


def test_as_plain_text():
    table = Table((Record("", "name", "Blue\nSpice"),))
    facts = (Fact(0, "contradicted", (0, 4), 0.1, note="the text says something else"),)
    verdict = Verdict("Blue", table, "omission", 0.25, facts, (Claim(0, 4, "unsupported", (), 0.2),))
    assert str(verdict).splitlines() == [
        "omission (probability of OK 0.25)",
        "facts",
        r'  ✗ name | Blue\nSpice  contradicted 0.10  "Blue"  (the text says something else)',
        "text",
        "  + Blue  unsupported 0.20",
    ]


def test_findings_tie_facts_and_spans():
    example = Example("1", "", FAITHFUL, Table((Record("Blue Spice", "eatType", "pub"),)))
    (findings,) = factable.score([example], ["ledger"])["ledger"].findings
    assert findings[0].record == 0
    assert FAITHFUL[slice(*findings[0].span)] == "pub"


def test_phrases_of_a_clean_sentence_rest_on_the_records_named_in_it():
    verdict = factable.check([["Dune", "author", "Frank Herbert"]], "Dune was written by Frank Herbert.")
    (written,) = [claim for claim in verdict.claims if "written" in verdict.text[slice(*claim.span)]]
    assert written.state == "supported"
    assert written.records == (0,)


def test_a_verdict_acts_like_one():
    table = Table((Record("", "name", "Blue <Spice>"), Record("", "area", "centre")))
    facts = (Fact(0, "supported", (0, 4), 0.9), Fact(1, "contradicted", (8, 13), 0.1, note="other"))
    claims = (Claim(0, 4, "supported", (0,), 0.9), Claim(8, 13, "contradicted", (1,), 0.1, "other"))
    verdict = Verdict("Blue by river.", table, "contradiction", 0.25, facts, claims, 0.3)
    assert not verdict
    assert Verdict("Blue", table, "OK", 0.9, facts[:1], claims[:1])
    shown = "<Verdict contradiction, probability of OK 0.25: 1 of 2 facts stated, 2 claims, 1 contradicted>"
    assert repr(verdict) == shown
    assert "Blue &lt;Spice&gt;" in verdict._repr_html_()
    document = verdict.to_dict()
    assert json.loads(verdict.to_json()) == document
    assert document["claims"][1] == {
        "span": [8, 13],
        "text": "river",
        "state": "contradicted",
        "facts": [1],
        "probability": 0.1,
        "note": "other",
    }
    assert document["counts"]["facts"] == {"supported": 1, "omitted": 0, "contradicted": 1, "repeated": 0}


def test_data_with_nothing_but_a_name_is_said_where_the_name_is():
    assert factable.check("name[Blue Spice]", "Blue Spice it is.").is_ok
    assert not factable.check("name[Blue Spice]", "The Punter it is.").is_ok
