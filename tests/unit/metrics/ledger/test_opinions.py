"""What is asked for the value of a text beside triples, and what is not."""

import math
from functools import partial

import pytest

from factable.metrics.ledger.audit import audit
from factable.metrics.ledger.metric import QA_MODEL, Ledger
from factable.metrics.ledger.opinions import PhraseQuestion, mean, phrase_scores
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.verdict import NO_OPINIONS, Opinions
from factable.metrics.ledger.weights import load_ledger_weights
from factable.models.nli import entailment_of_groups
from factable.models.qa import answer_questions
from factable.models.templates import load_templates
from factable.train.ledger import zero_weights
from factable.types import Example, Record, Table

TABLE = Table((Record("Alan Bean", "birthPlace", "Wheeler"), Record("Alan Bean", "occupation", "test pilot")))


def example(text):
    return Example("1", "s", text, TABLE)


def test_a_fact_that_is_plainly_not_said_is_not_asked_about():
    asked = []

    def ask(questions):
        asked.extend(questions)
        return answer_questions(QA_MODEL, questions)

    reading = Reading.of(example("Alan Bean was born in Wheeler."), load_templates("default"))
    weights = load_ledger_weights("", "best")
    (found,) = audit([reading], weights, partial(entailment_of_groups, "nli"), ask)
    assert len(asked) == 1
    assert "birth place" in asked[0].question
    assert found.replies[1].answerable == 0
    assert 0 < found.opinions.answered <= 0.5


def pairs_asked(text, weights):
    """The pairs that the NLI model is asked about a text."""
    asked = []

    def ask(groups):
        asked.extend(pair for pairs in groups for pair in pairs)
        return entailment_of_groups("nli", groups)

    reading = Reading.of(example(text), load_templates("default"))
    audit([reading], weights, ask, partial(answer_questions, QA_MODEL))
    return asked


def test_what_the_reader_settles_is_not_asked_again():
    weights = load_ledger_weights("", "best")
    plain = "The birth place of Alan Bean, a test pilot, is Wheeler."
    assert pairs_asked(plain, weights) == []
    (fact,) = pairs_asked("The birth place of Alan Bean is Wheeler.", weights)
    assert "test pilot" in fact.hypothesis
    (sentence,) = pairs_asked("The birth place of Alan Bean, a test pilot, is Wheeler near Paris.", weights)
    assert "Paris" in sentence.hypothesis
    # A question finds what a sentence denies, and weights that are yet to be found settle nothing.
    assert len(pairs_asked("The birth place of Alan Bean, a test pilot, is not Wheeler.", weights)) == 3
    assert len(pairs_asked(plain, zero_weights())) == 3


def test_a_phrase_is_looked_for_in_the_data():
    text = "Alan Bean, a test pilot, was born in Wheeler."
    first, last = (0, 9), (37, 44)
    for unread, phrase in (((first, last), "Alan Bean"), ((last,), "Wheeler")):
        question = PhraseQuestion.of(example(text), Opinions(unread=unread))
        assert question is not None
        assert question.phrase == phrase
    assert PhraseQuestion.of(example(""), NO_OPINIONS) is None
    right, wrong, none = phrase_scores(
        [example(text), example("Bob Dole, a cook, was born in Paris."), example(text)],
        [Opinions(unread=(first,)), Opinions(unread=((0, 8),)), NO_OPINIONS],
        partial(answer_questions, QA_MODEL),
    )
    assert right > 0.5 > wrong
    assert math.isnan(none)


def test_the_value_is_the_mean_of_what_is_known():
    assert mean([1.0, math.nan, 0.5]) == pytest.approx(0.75)
    assert math.isnan(mean([math.nan]))
    right, short = (
        Ledger()
        .analyse(
            [
                example("Alan Bean, a test pilot, was born in Wheeler."),
                example("Alan Bean was born in Wheeler."),
            ]
        )
        .values
    )
    assert right > 0.8 > short
