"""What a question-answering model reads in the text about each fact.

It sees what natural language inference misses: the right value, said of something else. Asked for the birth
place it gives another name than the data has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from factable.metrics.ledger.reading import Reading
from factable.models.qa import QaAnswer, QuestionInText
from factable.text.answers import value_similarity
from factable.text.memo import cached_if_short
from factable.text.questions import Questions
from factable.text.templates import clean_value
from factable.text.values import Date, Number, Relation, compare_values, parse_value
from factable.types import Record

AskQuestions = Callable[[Sequence[QuestionInText]], list[QaAnswer]]
# An answer that is as similar as this is the value.
ENOUGH = 0.5


class FactReply(NamedTuple):
    """How similar the answer is to the value, and how probably there is one.

    A wrong answer may be the value of another attribute, or of the same attribute of another subject, which
    the model mixes up now and then. Two facts are exchanged if each answer is the value of the other. Two
    numbers or two dates that differ are `other_amount`.
    """

    similarity: float
    answerable: float
    of_another_attribute: bool = False
    of_another_subject: bool = False
    exchanged: bool = False
    other_amount: bool = False


NO_REPLY = FactReply(0.0, 0.0)


def question_about(reading: Reading, index: int, passage: str) -> QuestionInText:
    """The question for a fact's value."""
    return QuestionInText(Questions().ask(reading.facts[index]), passage)


def read_replies(reading: Reading, given: Mapping[int, QaAnswer]) -> dict[int, FactReply]:
    """The answers about the facts of one text, each compared with the value.

    Of several values of one attribute an answer is one, and says nothing about the others. One that has the
    values of several facts in it says nothing about any.
    """
    similarities = {index: _similarity(reading.facts[index], answer) for index, answer in given.items()}
    others = {index: _facts_with(reading, index, given) for index in given}
    replies = {}
    for index, answer in given.items():
        record, named = reading.facts[index], [reading.facts[other] for other in others[index]]
        is_value, is_listed = similarities[index] >= ENOUGH, any(other[:2] == record[:2] for other in named)
        is_unclear = (named and not is_listed) if is_value else is_listed
        if is_unclear and answer.answerable >= ENOUGH:
            continue
        of_another_subject = not is_value and any(other.attribute == record.attribute for other in named)
        replies[index] = FactReply(
            similarities[index],
            answer.answerable,
            of_another_attribute=not is_value and bool(named) and not of_another_subject,
            of_another_subject=of_another_subject,
            exchanged=not is_value and any(index in others[other] for other in others[index]),
            other_amount=_is_other_amount(record, answer),
        )
    return replies


def _facts_with(reading: Reading, index: int, given: Mapping[int, QaAnswer]) -> list[int]:
    """The facts with another value, asked about as well, whose value is in the answer about this one."""
    own = reading.facts[index].value
    return [
        other
        for other in given
        if reading.facts[other].value != own and _similarity(reading.facts[other], given[index]) >= ENOUGH
    ]


def _similarity(record: Record, answer: QaAnswer) -> float:
    return _similar(record.value, record.attribute, answer.text)


def _is_other_amount(record: Record, answer: QaAnswer) -> bool:
    return _is_another(record.value, record.attribute, answer.text)


# Texts of many systems give the same answers about the same data.
@cached_if_short(1 << 14)
def _similar(value: str, attribute: str, answer: str) -> float:
    if _is_another(value, attribute, answer):
        return 0.0
    return value_similarity(clean_value(value), answer, attribute)


@cached_if_short(1 << 14)
def _is_another(value: str, attribute: str, answer: str) -> bool:
    """Whether value and answer are two numbers or two dates that differ, if only in part."""
    stated = parse_value(clean_value(value), attribute)
    given = parse_value(answer, attribute)
    return isinstance(stated, Number | Date) and compare_values(stated, given) is Relation.DIFFERENT
