"""The NLI check: what is asked, decided and found; with the embedded model only what any good model says."""

import math
from dataclasses import replace

import numpy as np
import pytest

import factable
from factable.errors import UsageError
from factable.metrics.nli.check import Check, decide, explain_check, questions_of, sentence_pairs
from factable.metrics.nli.metric import NliCheck
from factable.metrics.selection import Selection
from factable.metrics.tables import NO_FACTS
from factable.text.templates import Templates
from factable.types import Example, Record, Table
from helpers.paths import RESTAURANTS

E, N, C = map(np.array, ((0.8, 0.15, 0.05), (0.3, 0.6, 0.1), (0.1, 0.2, 0.7)))
FACTS = Table((Record("Aromi", "food", "French"), Record("Aromi", "area", "riverside")))
TEXT = "Aromi serves French food. It is cheap."
EXAMPLE = Example("1", "", TEXT, FACTS)


def check_of(example=EXAMPLE, *, required=(), optional=(), direction="both", compat=""):
    selection = Selection(frozenset(required), frozenset(optional))
    return Check.of(example, Templates(), selection, direction=direction, compat=compat)


def explain(metric, example):
    (findings,) = metric.score([example], explain=True).findings
    return findings


def described(findings):
    return [(finding.kind, finding.record, finding.span, finding.note) for finding in findings]


@pytest.fixture(scope="module")
def examples():
    return {(example.item, example.system): example for example in factable.read(RESTAURANTS)}


def test_careful_texts_score_above_lively_ones(examples):
    scores = NliCheck().score(list(examples.values()))
    values = dict(zip(examples, scores.values, strict=True))
    for item in ("blue-spice", "watson", "kettle"):
        assert values[item, "careful"] > values[item, "lively"]
    for part in ("omission", "hallucination"):
        assert set(scores.parts[part]) <= {0.0, 1.0}


def test_an_omitted_fact_is_a_finding(examples):
    lively = examples["blue-spice", "lively"]
    pub = lively.table.records.index(Record("", "eatType", "pub"))
    findings = explain(NliCheck(), lively)
    assert [finding.kind for finding in findings if finding.record == pub] in (["omitted"], ["contradicted"])
    # The name is what the facts are about, and no fact itself.
    assert {finding.record for finding in findings if finding.record is not None} == {1, 2, 3}
    scores = NliCheck().score([lively])
    assert scores.parts["omission"][0] == 1
    without = explain(NliCheck(optional="eatType, familyFriendly=no", direction="omission"), lively)
    assert {finding.record for finding in without} == {2}


def test_the_rule():
    # Facts to text, text to all facts, text to each of two.
    decision = decide(check_of(), [N, C, E, C])
    assert (decision.facts_to_text, decision.text_to_facts) == (0.3, pytest.approx((0.8 + 0.1) / 2))
    wholes, single = (soft(N) + soft(C)) / 2, (soft(E) + soft(C)) / 2
    assert decision.value == pytest.approx((wholes + single) / 2)
    assert decision.confidence == 0.1
    assert (decision.hallucination, decision.omission) == (1, 1)
    fine = decide(check_of(), [E, N, E, E])
    # All facts together count for the value only; the paper does not ask for them.
    assert (fine.hallucination, fine.omission, fine.confidence) == (0, 0, 0.8)


def test_paper_asks_only_its_own_questions():
    check = check_of(compat="paper")
    assert [question.kind for question in questions_of(check)] == [
        "facts to text",
        "text to fact",
        "text to fact",
    ]
    decision = decide(check, [N, E, E])
    assert decision.value == decision.confidence == 0.3
    assert (decision.hallucination, decision.omission) == (1, 0)
    assert NliCheck(compat="paper", direction="omission").parts == ("confidence", "text_to_facts", "omission")


def soft(answer):
    """The entailment of a flatter answer."""
    roots = [probability**0.5 for probability in answer]
    return roots[0] / sum(roots)


@pytest.mark.parametrize(
    ("direction", "asked", "value", "parts"),
    [
        (
            "omission",
            3,
            lambda: (soft(E) + (soft(E) + soft(C)) / 2) / 2,
            ("confidence", "text_to_facts", "omission"),
        ),
        ("hallucination", 1, lambda: soft(N), ("confidence", "facts_to_text", "hallucination")),
    ],
)
def test_one_direction(direction, asked, value, parts):
    check = check_of(direction=direction)
    assert len(questions_of(check)) == asked
    decision = decide(check, {"omission": [E, E, C], "hallucination": [N]}[direction])
    assert decision.value == pytest.approx(value())
    assert getattr(decision, direction) == 1
    assert NliCheck(direction=direction).parts == parts


def test_required_and_optional_facts():
    def asked(**chosen):
        return [question.record for question in questions_of(check_of(**chosen))]

    assert asked() == [None, None, 0, 1]
    assert asked(optional=["food"]) == [None, None, 1]
    assert asked(required=["food"]) == [None, None, 0]
    assert asked(required=["food=French", "area"], optional=["area=riverside"]) == [None, None, 0]
    assert asked(required=["price"]) == [None]
    # All facts stay premises.
    assert questions_of(check_of(optional=["food", "area"]))[0].pair.premise.count("Aromi") == 2


@pytest.mark.parametrize(
    ("direction", "answers", "value"),
    [
        ("both", [N], lambda: (1 + soft(N)) / 2),
        ("omission", [], lambda: 1.0),
        ("hallucination", [N], lambda: soft(N)),
    ],
)
def test_where_every_fact_is_optional_nothing_is_left_out(direction, answers, value):
    decision = decide(check_of(optional=["food", "area"], direction=direction), answers)
    assert decision.value == pytest.approx(value())
    assert decision.omission == 0


@pytest.mark.parametrize("text", ["", " \n\u2003"])
def test_an_empty_text(text):
    example = replace(EXAMPLE, text=text)
    scores = NliCheck().score([example])
    assert list(scores.values) == [0]
    assert {part: column[0] for part, column in scores.parts.items()} == {
        "confidence": 0,
        "text_to_facts": 0,
        "omission": 1,
        "facts_to_text": 0,
        "hallucination": 0,
    }
    findings = explain(NliCheck(optional="food"), example)
    assert described(findings) == [("omitted", 1, None, "no text")]
    assert explain(NliCheck(direction="hallucination"), example) == ()


@pytest.mark.parametrize(
    "records", [(), (Record("Aromi", "food", ""),), (Record("", "", ""),), (Record("Aromi", "food", '""'),)]
)
def test_no_facts(records):
    example = replace(EXAMPLE, table=Table(records))
    scores = NliCheck().score([example])
    assert math.isnan(scores.values[0])
    assert scores.findings[0][0].note == NO_FACTS
    assert len(explain(NliCheck(), example)) == 1


def test_an_empty_value_is_no_fact():
    table = Table((Record("Aromi", "food", " "), *FACTS.records))
    assert [question.record for question in questions_of(check_of(replace(EXAMPLE, table=table)))] == [
        None,
        None,
        1,
        2,
    ]


def test_two_equal_facts_are_two_facts():
    check = check_of(replace(EXAMPLE, table=Table(FACTS.records[:1] * 2)))
    decision = decide(check, [E, N, N, N])
    assert [finding.record for finding in explain_check(decision, [])] == [0, 1]


def test_findings_say_where():
    decision = decide(check_of(), [N, N, E, C])
    assert [pair.hypothesis for pair in sentence_pairs(decision)] == [
        "Aromi serves French food.",
        "It is cheap.",
    ]
    assert described(explain_check(decision, [E, N])) == [
        ("supported", 0, None, "entailment 0.80"),
        ("contradicted", 1, None, "contradiction 0.70"),
        ("unsupported", None, (26, 38), "neutral 0.60"),
    ]
    whole = explain_check(decision, [E, E])[-1]
    assert (whole.kind, whole.span) == ("unsupported", (0, len(TEXT)))


def test_no_sentence_is_blamed_where_the_text_is_entailed():
    decision = decide(check_of(), [E, E, E, E])
    assert sentence_pairs(decision) == []
    assert {finding.kind for finding in explain_check(decision, [])} == {"supported"}


def test_spans_are_those_of_the_text_as_given():
    given = f"\n  {TEXT} \n"
    decision = decide(check_of(replace(EXAMPLE, text=given)), [N, E, E, E])
    assert questions_of(decision.check) == questions_of(check_of())
    (finding,) = (each for each in explain_check(decision, [E, C]) if each.span)
    assert given[slice(*finding.span)] == "It is cheap."
    assert finding.kind == "contradicted"


def test_an_omission_of_all_together_is_a_finding():
    check = replace(check_of(), compat="nlgi")
    findings = explain_check(decide(check, [E, N, E, E]), [])
    assert described(findings)[-1] == ("omitted", None, None, "each fact is entailed, but not all together")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"direction": "up"}, "direction is 'up'"),
        ({"compat": "other"}, "compat is 'other'"),
        ({"optional": 3}, "optional is 3"),
        ({"compat": "nlgi", "direction": "omission"}, "both"),
    ],
)
def test_refused_parameters(arguments, problem):
    with pytest.raises(UsageError, match=problem):
        NliCheck(**arguments)


def test_a_file_of_templates_moves_the_signature(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"food": ["<subject> has <object> dishes."]}')
    metric = NliCheck(templates=str(path))
    assert metric.checksums()["templates"] != NliCheck().checksums()["templates"]
    assert 0 <= metric.score([EXAMPLE]).values[0] <= 1
