"""`compat="nlgi"` decides as ufal/nlgi_eval (`nli_eval.py`, `check_inst`) does, given the same probabilities.

The expected labels, confidences and omitted facts were worked out by hand from that program: two facts, with
its questions data to text, text to data, and text to each fact; E is entailment, N neutral, C contradiction,
and what is most probable counts. An optional fact is what `--e2e-ignore-restaurant` makes of one.
"""

import numpy as np
import pytest

from factable.metrics.nli.check import Check, decide, explain_check, questions_of
from factable.metrics.selection import Selection
from factable.text.templates import Templates
from factable.types import Example, Record, Table

# Probabilities of entailment, neutral and contradiction.
E, WEAK_E = (0.9, 0.06, 0.04), (0.4, 0.35, 0.25)
N, C = (0.2, 0.7, 0.1), (0.1, 0.3, 0.6)
BOTH = "hallucination+omission"
CASES = [
    # data to text, text to data, text to each fact, label, confidence, omitted facts
    (E, E, (E, E), "OK", 0.9, []),
    (E, E, (E, WEAK_E), "OK", 0.4, []),
    (N, E, (E, E), "hallucination", 0.2, []),
    (C, E, (E, E), "hallucination", 0.1, []),
    # Said to be omitted as a whole, and never taken back, though no single fact is.
    (E, N, (E, E), "omission", 0.2, []),
    (E, C, (E, E), "omission", 0.1, []),
    (N, C, (E, E), BOTH, 0.1, []),
    # A single fact overrides what was said of the whole.
    (E, E, (E, N), "omission", 0.2, [1]),
    (E, E, (C, E), "omission", 0.1, [0]),
    (E, N, (N, C), "omission", 0.1, [0, 1]),
    (N, E, (N, E), BOTH, 0.2, [0]),
    (N, N, (N, N), BOTH, 0.2, [0, 1]),
]
FACTS = Table((Record("Aromi", "eatType", "restaurant"), Record("Aromi", "area", "city centre")))


def check_of(text, *, optional=(), table=FACTS, templates=None):
    selection = Selection(optional=frozenset(optional))
    example = Example("1", "", text, table)
    return Check.of(example, templates or Templates(), selection, direction="both", compat="nlgi")


def label_of(decision):
    faults = [name for name in ("hallucination", "omission") if getattr(decision, name)]
    return "+".join(faults) or "OK"


def omitted_of(decision):
    findings = explain_check(decision, [])
    return [each.record for each in findings if each.record is not None and each.kind != "supported"]


@pytest.mark.parametrize(("forth", "back", "facts", "label", "confidence", "omitted"), CASES)
def test_every_case(forth, back, facts, label, confidence, omitted):
    decision = decide(check_of("Some text."), list(map(np.array, (forth, back, *facts))))
    assert label_of(decision) == label
    assert decision.confidence == decision.value == confidence
    assert omitted_of(decision) == omitted


def test_what_is_asked():
    questions = questions_of(check_of("Some text."))
    sentences = ["The eat Type of Aromi is restaurant.", "The area of Aromi is city centre."]
    assert [question.pair for question in questions] == [
        (" ".join(sentences), "Some text."),
        ("Some text.", " ".join(sentences)),
        *(("Some text.", sentence) for sentence in sentences),
    ]
    assert [question.record for question in questions] == [None, None, 0, 1]


def test_an_optional_fact_is_a_premise_only():
    check = check_of("Some text.", optional=["eatType=restaurant"])
    sentences = ["The eat Type of Aromi is restaurant.", "The area of Aromi is city centre."]
    assert [question.pair for question in questions_of(check)] == [
        (" ".join(sentences), "Some text."),
        ("Some text.", sentences[1]),
        ("Some text.", sentences[1]),
    ]
    assert label_of(decide(check, list(map(np.array, (E, E, E))))) == "OK"
    assert label_of(decide(check, list(map(np.array, (E, E, N))))) == "omission"
    other = check_of("Some text.", optional=["eatType=pub"])
    assert len(questions_of(other)) == 4


def test_only_optional_facts_and_empty_texts_are_asked_about_all_the_same():
    check = check_of("", optional=["eatType", "area"])
    assert [question.pair[1] for question in questions_of(check)] == ["", ""]
    assert label_of(decide(check, list(map(np.array, (N, C))))) == BOTH


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (Record("Ann_Lee", "birthPlace", '"New_York"'), "The birth Place of Ann Lee is New York."),
        # Quotes need not be a pair, and case stays as it is.
        (Record("eBay", "full_name", "'eBay Inc.\""), "The full name of eBay is eBay Inc.."),
        (Record("A", "ISBN_number", '"'), 'The ISBN number of A is ".'),
        (Record("a", "motto", "live"), "a has the motto live ."),
    ],
)
def test_sentences(record, sentence):
    templates = Templates({"motto": ("<subject> has the motto <object> .", "never used")})
    check = check_of("Some text.", table=Table((record,)), templates=templates)
    assert list(check.sentences.values()) == [sentence]
