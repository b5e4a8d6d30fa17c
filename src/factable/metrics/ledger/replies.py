"""What a question-answering model reads in the text about each fact.

It sees what natural language inference misses: the right value, said of something else. Asked for the birth
place it gives another name than the data has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from factable.metrics.ledger.reading import Reading
from factable.models.qa import QaAnswer, QuestionInText
from factable.text.answers import value_similarity
from factable.text.questions import Questions
from factable.text.templates import clean_value
from factable.text.values import Boolean

AskQuestions = Callable[[Sequence[QuestionInText]], list[QaAnswer]]
# An answer that is as similar as this is the value.
ENOUGH = 0.5


class FactReply(NamedTuple):
    """How similar the answer is to the value, how probably there is one, and whether another fact has it."""

    similarity: float
    answerable: float
    of_another: bool


def question_about(reading: Reading, index: int, passage: str) -> QuestionInText | None:
    """The question for a fact's value; none for yes and no, which a text does not say in so many words."""
    if isinstance(reading.values[index][0], Boolean):
        return None
    return QuestionInText(Questions().ask(reading.facts[index]), passage)


def read_replies(
    reading: Reading, asked: Mapping[int, QuestionInText], answers: Sequence[QaAnswer]
) -> dict[int, FactReply]:
    """The answers about the facts of one text, each compared with the value."""
    replies = {}
    for index, answer in zip(asked, answers, strict=True):
        record = reading.facts[index]
        similarity = value_similarity(clean_value(record.value), answer.text, record.attribute)
        of_another = similarity < ENOUGH and any(
            value_similarity(clean_value(other.value), answer.text, other.attribute) >= ENOUGH
            for number, other in reading.facts.items()
            if number != index and not isinstance(reading.values[number][0], Boolean)
        )
        replies[index] = FactReply(similarity, answer.answerable, of_another)
    return replies
