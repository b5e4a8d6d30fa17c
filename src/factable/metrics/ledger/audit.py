"""From examples to verdicts: what is asked of the models in two rounds, and what the answers decide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from factable.metrics.ledger.alignment import Alignment
from factable.metrics.ledger.features import (
    Features,
    NliAnswer,
    about_fact,
    about_mention,
    about_sentence,
    about_verdict,
)
from factable.metrics.ledger.inquiry import Inquiry, ask_for_values
from factable.metrics.ledger.opinions import opinions_of
from factable.metrics.ledger.reading import Reading, Spans, inside
from factable.metrics.ledger.replies import AskQuestions, FactReply
from factable.metrics.ledger.settled import is_surely_read
from factable.metrics.ledger.verdict import Opinions
from factable.metrics.ledger.weights import LedgerWeights
from factable.models.nli import TextPair
from factable.text.templates import NAMING, split_identifier
from factable.text.values import Relation
from factable.types import Span

# The least log odds of a name that the text has, where the data has nothing else.
NAMED = 2.0
Ask = Callable[[Sequence[Sequence[TextPair]]], list[list[NliAnswer]]]


@dataclass(frozen=True)
class Audit:
    """An example with the answers of the first round, and the log odds of its facts, values and sentences."""

    reading: Reading
    alignment: Alignment
    fact_answers: dict[int, NliAnswer]
    sentence_answers: list[NliAnswer]
    replies: dict[int, FactReply]
    weights: LedgerWeights
    facts: dict[int, float] = field(init=False)
    mentions: dict[Span, float] = field(init=False)
    sentences: dict[Span, float] = field(init=False)

    def __post_init__(self) -> None:
        """Weigh everything, values before the sentences they stand in."""
        weigh = self.weights.odds
        facts = {index: weigh("fact", features) for index, features in self.fact_features().items()}
        facts |= {index: max(facts[index], NAMED) for index in facts if self._is_named(index)}
        object.__setattr__(self, "facts", facts)
        mentions = {span: weigh("value", features) for span, features in self.mention_features().items()}
        object.__setattr__(self, "mentions", mentions)
        sentences = {span: weigh("sentence", features) for span, features in self.sentence_features().items()}
        object.__setattr__(self, "sentences", sentences)

    def _is_named(self, index: int) -> bool:
        """Whether data that has nothing but a name is named in the text."""
        record, hit = self.reading.record(index), self.alignment.hits.get(index)
        is_name = split_identifier(record.attribute).lower() in NAMING
        return is_name and len(self.reading.facts) == 1 and hit is not None and hit.relation is Relation.EQUAL

    def fact_features(self) -> dict[int, Features]:
        """Features of every record."""
        return {
            index: about_fact(
                self.reading, self.alignment, index, self.fact_answers.get(index), self.replies.get(index)
            )
            for index in self.reading.indices
        }

    def mention_features(self) -> dict[Span, Features]:
        """Features of every number, date and name of the text."""
        return {
            span: about_mention(self.reading, span, self.sentence_answers[self.reading.sentence_of(span)])
            for span in self.reading.mentions
        }

    def sentence_features(self) -> dict[Span, Features]:
        """Features of every sentence of the text."""
        misplaced = list(self.alignment.misplaced.values())
        return {
            span: about_sentence(self.reading, span, answer, self.mentions, misplaced)
            for span, answer in zip(self.reading.sentence_spans, self.sentence_answers, strict=True)
        }

    def verdict_features(self, required: frozenset[int]) -> Features:
        """Features of the text as a whole."""
        facts = [odds for index, odds in self.facts.items() if index in required]
        return about_verdict(facts, list(self.sentences.values()))

    @property
    def opinions(self) -> Opinions:
        """What the models say of the text as a whole."""
        answered = [reply.similarity * reply.answerable for reply in self.replies.values()]
        opinions = opinions_of(self.fact_answers.values(), self.sentence_answers, answered)
        return opinions._replace(unread=tuple(self._unread()))

    def _unread(self) -> list[Span]:
        """Subjects and values in the text, without those that were surely read."""
        hits = self.alignment.hits
        is_read = {index: is_surely_read(self.replies.get(index)) for index in hits}
        read = Spans(hit.span for index, hit in hits.items() if is_read[index])
        spans = [hit.span for index, hit in hits.items() if not is_read[index]]
        spans += [hit.span for of_subject in self.reading.subjects.values() for hit in of_subject]
        return [span for span in spans if not read.overlap(span)]

    def mentions_in(self, sentence: Span) -> list[Span]:
        """The numbers, dates and names of a sentence."""
        return inside(list(self.mentions), sentence)


def audit(
    readings: Sequence[Reading], weights: LedgerWeights, ask: Ask, ask_questions: AskQuestions | None
) -> list[Audit]:
    """Ask whether each text says its facts, and whether the facts say each sentence.

    `ask_questions` has a second model read the values of facts in the text. It goes first where the text has
    the value, because what it reads there settles many facts and sentences.
    """
    inquiries = [Inquiry.of(reading) for reading in readings]
    if ask_questions:
        ask_for_values(inquiries, [each.said for each in inquiries], ask_questions)
        for inquiry in inquiries:
            inquiry.settle(weights)
    for inquiry, answers in zip(inquiries, ask([each.pairs for each in inquiries]), strict=True):
        inquiry.take(answers)
    if ask_questions:
        ask_for_values(inquiries, [each.said_otherwise for each in inquiries], ask_questions)
    return [
        Audit(
            each.reading,
            each.alignment,
            each.fact_answers,
            each.sentence_answers,
            each.replies if ask_questions else {},
            weights,
        )
        for each in inquiries
    ]
