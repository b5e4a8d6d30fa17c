"""What answers are worth, and what all of them together make of a text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from factable.metrics.questeval.questions import Reply
from factable.models.token_similarity import token_similarity
from factable.text.answers import token_f1, value_similarity
from factable.types import Finding, Kind

SIMILARITIES = ("values", "f1", "bertscore")
UNANSWERABLE = ("zero", "ignore")
# A question whose answer is worth less was not answered as expected.
ENOUGH = 0.5


class Marked(NamedTuple):
    """A question and its answer with what that is worth, in one number or, as QuestEval has it, in three."""

    reply: Reply
    numbers: tuple[float, ...]

    @property
    def worth(self) -> float:
        """The mean of its numbers, none below 0 or above 1."""
        return math.fsum(min(1.0, max(0.0, number)) for number in self.numbers) / len(self.numbers)


class Judgement(NamedTuple):
    """A text beside its data or a reference: `recall` is that of questions asked of the text."""

    value: float
    precision: float
    recall: float
    of_text: Sequence[Marked]
    of_other: Sequence[Marked]


def similarities(replies: Sequence[Reply], how: str) -> list[float]:
    """How much each answer is like the expected one."""
    if how == "bertscore":
        pairs = [(reply.answer.text, reply.exchange.expected) for reply in replies]
        return [min(1.0, max(0.0, found.f)) for found in token_similarity(pairs)]
    if how == "f1":
        return [token_f1(reply.answer.text, reply.exchange.expected) for reply in replies]
    return list(map(_as_values, replies))


def _as_values(reply: Reply) -> float:
    # Whichever comes from the data is the value, the other what a text says of it.
    if reply.exchange.record is None and reply.record is not None:
        return value_similarity(reply.answer.text, reply.exchange.expected, reply.attribute)
    return value_similarity(reply.exchange.expected, reply.answer.text, reply.attribute)


def worth(similarity: float, answerable: float, unanswerable: str) -> float:
    """What an answer is worth, given how likely it is that there is one."""
    if unanswerable == "ignore":
        return similarity
    return similarity * answerable if answerable >= ENOUGH else 0.0


def judge(of_text: Sequence[Marked], of_other: Sequence[Marked]) -> Judgement:
    """Both directions, and their mean; one in which nothing is asked is taken to be like the other."""
    precision, recall = _mean(of_other or of_text), _mean(of_text or of_other)
    return Judgement((precision + recall) / 2, precision, recall, of_text, of_other)


def _mean(marked: Sequence[Marked]) -> float:
    return math.fsum(one.worth for one in marked) / len(marked) if marked else math.nan


def judge_as_released(of_text: Sequence[Marked], of_other: Sequence[Marked]) -> Judgement:
    """As QuestEval 0.2.4 does: a direction without questions is 0, and the mean of the two is plain."""
    precision, recall = (0.0 if math.isnan(part) else part for part in (_mean(of_other), _mean(of_text)))
    return Judgement((precision + recall) / 2, precision, recall, of_text, of_other)


def findings_of(judgement: Judgement) -> list[Finding]:
    """Every question with what was expected and what was answered."""
    return [
        *(_finding(one, "omitted") for one in judgement.of_text),
        *(_finding(one, "unsupported") for one in judgement.of_other),
    ]


def _finding(marked: Marked, otherwise: Kind) -> Finding:
    reply = marked.reply
    answered = reply.answer.answerable >= ENOUGH
    found = f'answered "{reply.answer.text}"' if answered else "not answered"
    note = f'"{reply.exchange.asked.question}" expected "{reply.exchange.expected}", {found}'
    wrong: Kind = "contradicted" if answered else otherwise
    # Of what was answered, both sides are known: the record and the span.
    record, span = reply.exchange.record, reply.exchange.span
    if answered:
        record, span = (reply.record, span) if record is None else (record, reply.answer.span)
    return Finding(
        "supported" if marked.worth >= ENOUGH else wrong,
        record=record,
        span=span,
        score=marked.worth,
        note=f"{note} ({reply.answer.answerable:.2f})",
    )
