"""What the models say of a text as a whole, in degrees: part of its value beside triples and slots.

The answers about facts and sentences are those that the verdict rests on. At most two questions are asked for
the value alone: the first and the last phrase of the text, to be found in the data from the words around. A
phrase is not asked for if the answer can be told: it is a value that a question about its fact found, or no
value or subject of the data at all.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
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
from factable.types import Example, Record, Span


def opinions_of(facts: Iterable[Answer], sentences: Iterable[Answer], answered: Sequence[float]) -> Opinions:
    """Opinions from the NLI answers about facts and sentences, and from how well each fact was answered."""
    of_facts, of_sentences = (mean(list(map(soften, answers))) for answers in (facts, sentences))
    # As in the value of the verdict, two thirds are for facts.
    return Opinions(mean([of_facts, of_facts, of_sentences]), mean(answered))


def mean(numbers: Sequence[float]) -> float:
    """The mean of all numbers that are not NaN; NaN if there are none."""
    known = [number for number in numbers if not math.isnan(number)]
    return math.fsum(known) / len(known) if known else math.nan


# What questions for such phrases score on average.
SCORE_OF_READ, SCORE_OF_UNKNOWN = 0.93, 0.08


class PhraseQuestions(NamedTuple):
    """Phrases of a text, and questions that the data answers with them if it says the same.

    `scores` are those of phrases that are not asked for.
    """

    phrases: list[str]
    asked: list[QuestionInText]
    scores: list[float]
    data: LinearData
    facts: Mapping[int, Record]

    @classmethod
    def of(cls, example: Example, opinions: Opinions) -> "PhraseQuestions":
        """The first and the last phrase of a text, each a blank in its sentence; more would add little."""
        text, facts = example.text, facts_of(example.table)
        data = linearise(facts)
        spans = answers_beside(text, answer_spans(text), facts)
        chosen = [*spans[:1], *spans[1:][-1:]]
        known = {span: score for span in chosen if (score := _known_score(span, opinions)) is not None}
        open_ones = [span for span in chosen if span not in known]
        return cls(
            [text[slice(*span)] for span in open_ones],
            [QuestionInText(blank_out(text, span), data.text) for span in open_ones],
            list(known.values()),
            data,
            facts,
        )

    def score(self, answers: Sequence[QaAnswer]) -> float:
        """How similar answers are to the phrases, weighted by how surely there is one; NaN without any."""
        scores = [self._score_of(*each) for each in zip(self.phrases, answers, strict=True)]
        return mean([*scores, *self.scores])

    def _score_of(self, phrase: str, answer: QaAnswer) -> float:
        if answer.answerable < ENOUGH:
            return 0.0
        cell = self.data.position_at(*answer.span) if answer.span else None
        attribute = self.facts[cell.record].attribute if cell is not None and cell.is_value else ""
        return value_similarity(answer.text, phrase, attribute) * answer.answerable


def _known_score(span: Span, opinions: Opinions) -> float | None:
    """The score of a phrase that is not asked for; None if it must be."""
    if any(overlaps(span, value) for value in opinions.read):
        return SCORE_OF_READ
    return None if any(overlaps(span, other) for other in opinions.other) else SCORE_OF_UNKNOWN


def phrase_scores(
    examples: Sequence[Example], opinions: Sequence[Opinions], ask: AskQuestions
) -> list[float]:
    """For each text how well its data answers questions about its phrases."""
    questions = [PhraseQuestions.of(*each) for each in zip(examples, opinions, strict=True)]
    answers = iter(ask([question for of_text in questions for question in of_text.asked]))
    return [of_text.score(list(islice(answers, len(of_text.asked)))) for of_text in questions]
