"""What the models say of a text as a whole, in degrees: part of its value beside triples and slots.

The answers about facts and sentences are those that the verdict rests on. One question more is asked for the
value alone: a phrase of the text, to be found in the data from the words around. Only subjects are asked for,
and values that no question about a fact has found.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from factable.metrics.ledger.reading import overlaps
from factable.metrics.ledger.replies import ENOUGH, AskQuestions
from factable.metrics.ledger.verdict import Opinions
from factable.metrics.nli.check import Answer, soften
from factable.models.qa import QaAnswer, QuestionInText
from factable.text.answers import answer_spans, answers_beside, value_similarity
from factable.text.linearise import LinearData, linearise
from factable.text.questions import blank_out
from factable.text.templates import facts_of
from factable.types import Example, Record


def opinions_of(facts: Iterable[Answer], sentences: Iterable[Answer], answered: Sequence[float]) -> Opinions:
    """Opinions from the NLI answers about facts and sentences, and from how well each fact was answered."""
    of_facts, of_sentences = (mean(list(map(soften, answers))) for answers in (facts, sentences))
    # As in the value of the verdict, two thirds are for facts.
    return Opinions(mean([of_facts, of_facts, of_sentences]), mean(answered))


def mean(numbers: Sequence[float]) -> float:
    """The mean of all numbers that are not NaN; NaN if there are none."""
    known = [number for number in numbers if not math.isnan(number)]
    return math.fsum(known) / len(known) if known else math.nan


class PhraseQuestion(NamedTuple):
    """A phrase of a text, and a question that the data answers with it if it says the same."""

    phrase: str
    asked: QuestionInText
    data: LinearData
    facts: Mapping[int, Record]

    @classmethod
    def of(cls, example: Example, opinions: Opinions) -> "PhraseQuestion | None":
        """The first phrase of a text, else the last, as a blank in its sentence; more would add little."""
        text, facts = example.text, facts_of(example.table)
        spans = answers_beside(text, answer_spans(text), facts)
        for span in (*spans[:1], *spans[1:][-1:]):
            if any(overlaps(span, unread) for unread in opinions.unread):
                data = linearise(facts)
                question = QuestionInText(blank_out(text, span), data.text)
                return cls(text[slice(*span)], question, data, facts)
        return None

    def score(self, answer: QaAnswer) -> float:
        """How similar the answer is to the phrase, weighted by how surely there is one."""
        if answer.answerable < ENOUGH:
            return 0.0
        cell = self.data.position_at(*answer.span) if answer.span else None
        attribute = self.facts[cell.record].attribute if cell is not None and cell.is_value else ""
        return value_similarity(answer.text, self.phrase, attribute) * answer.answerable


def phrase_scores(
    examples: Sequence[Example], opinions: Sequence[Opinions], ask: AskQuestions
) -> list[float]:
    """For each text how well its data answers a question about a phrase; NaN where none is asked."""
    questions = [PhraseQuestion.of(*each) for each in zip(examples, opinions, strict=True)]
    answers = iter(ask([question.asked for question in questions if question]))
    return [question.score(next(answers)) if question else math.nan for question in questions]
