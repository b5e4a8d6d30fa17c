"""The scores of single answers, and of a text from all its answers."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from factable.core.results import Findings
from factable.metrics.questeval.questions import Reply
from factable.models.qa import QaAnswer
from factable.models.token_similarity import token_similarity
from factable.text.answers import token_f1, value_similarity
from factable.types import Finding, Kind

SIMILARITIES = ("values", "f1", "bertscore")
# A question whose answer scores less was not answered as expected.
ENOUGH = 0.5


class ScoredReply(NamedTuple):
    """A question and its answer with one score or, as the QuestEval program has it, three."""

    reply: Reply
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """The mean of its scores, none below 0 or above 1."""
        return math.fsum(min(1.0, max(0.0, score)) for score in self.scores) / len(self.scores)


class QuestEvalResult(NamedTuple):
    """A text beside its data or a reference: `recall` is that of questions asked of the text."""

    value: float
    precision: float
    recall: float
    of_text: Sequence[ScoredReply]
    of_other: Sequence[ScoredReply]


def similarities(replies: Sequence[Reply], method: str) -> list[float]:
    """How similar each answer is to the expected one."""
    if method == "bertscore":
        pairs = [(reply.answer.text, reply.question.expected) for reply in replies]
        return [min(1.0, max(0.0, similarity.f)) for similarity in token_similarity(pairs)]
    if method == "f1":
        return [token_f1(reply.answer.text, reply.question.expected) for reply in replies]
    return list(map(_as_values, replies))


def _as_values(reply: Reply) -> float:
    # Whichever comes from the data is the value, the other what a text says of it.
    if reply.question.record is None and reply.record is not None:
        return value_similarity(reply.answer.text, reply.question.expected, reply.attribute)
    return value_similarity(reply.question.expected, reply.answer.text, reply.attribute)


def answer_score(similarity: float, answer: QaAnswer, unanswerable: str) -> float:
    """The score of an answer, given how probable it is that there is one.

    The rule is "ignore" (that), "zero" (weigh answers by it, and no answer is 0) or "paper" (no answer is 0).
    """
    if unanswerable == "ignore":
        return similarity
    if answer.probability < ENOUGH:
        return 0.0
    return similarity if unanswerable == "paper" else similarity * answer.probability


def combine_directions(of_text: Sequence[ScoredReply], of_other: Sequence[ScoredReply]) -> QuestEvalResult:
    """Both directions, and their mean; one in which nothing is asked is taken to be like the other."""
    precision, recall = _mean(of_other or of_text), _mean(of_text or of_other)
    return QuestEvalResult((precision + recall) / 2, precision, recall, of_text, of_other)


def _mean(replies: Sequence[ScoredReply]) -> float:
    return math.fsum(reply.score for reply in replies) / len(replies) if replies else math.nan


def combine_like_questeval(
    of_text: Sequence[ScoredReply], of_other: Sequence[ScoredReply]
) -> QuestEvalResult:
    """As QuestEval 0.2.4 does: a direction without questions is 0, and the mean of the two is plain."""
    precision, recall = (0.0 if math.isnan(part) else part for part in (_mean(of_other), _mean(of_text)))
    return QuestEvalResult((precision + recall) / 2, precision, recall, of_text, of_other)


def findings_of(result: QuestEvalResult) -> Findings:
    """Every question with what was expected and what was answered."""
    return (
        *(_finding(reply, "omitted") for reply in result.of_text),
        *(_finding(reply, "unsupported") for reply in result.of_other),
    )


def _finding(scored: ScoredReply, unanswered: Kind) -> Finding:
    reply = scored.reply
    answered = reply.answer.probability >= ENOUGH
    given = f'answered "{reply.answer.text}"' if answered else "not answered"
    note = f'"{reply.question.asked.question}" expected "{reply.question.expected}", {given}'
    wrong: Kind = "contradicted" if answered else unanswered
    # Of what was answered, both sides are known: the record and the span.
    record, span = reply.question.record, reply.question.span
    if answered:
        record, span = (reply.record, span) if record is None else (record, reply.answer.span)
    return Finding(
        "supported" if scored.score >= ENOUGH else wrong,
        record=record,
        span=span,
        score=scored.score,
        note=f"{note} ({reply.answer.probability:.2f})",
    )
