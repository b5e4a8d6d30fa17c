"""What is asked about one example: facts and sentences of the NLI model, values of the reader."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from factable.metrics.ledger.alignment import Alignment, align_records
from factable.metrics.ledger.features import NliAnswer
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.replies import NO_REPLY, AskQuestions, FactReply, question_about, read_replies
from factable.metrics.ledger.settled import NOTHING_SETTLED, USUAL, Settled, settle
from factable.metrics.ledger.weights import LedgerWeights
from factable.models.nli import ENTAILMENT, TextPair
from factable.models.qa import QaAnswer
from factable.text.values import Boolean
from factable.types import Span

# A sentence and this many facts fit into the window of the embedded model.
MAX_FACTS = 12
# Above this many facts, most are not meant to be said, and only those the text may say are asked about.
LARGE_TABLE = 40
MAX_SENTENCES = 8
# A fact that a text without its value entails less probably than this is not said, whatever a reader finds.
MIN_ENTAILED = 0.05


def premise_for(reading: Reading, alignment: Alignment, sentence: Span) -> str:
    """The facts that a sentence may rest on, as one text."""
    indices = list(alignment.sentences)
    if len(indices) > MAX_FACTS:
        indices = sorted(sorted(indices, key=lambda index: -_closeness(reading, index, sentence))[:MAX_FACTS])
    return " ".join(alignment.sentences[index] for index in indices)


def may_be_said(reading: Reading, alignment: Alignment, index: int) -> bool:
    """Whether a fact is worth asking about: in a large table the text must have its subject and value."""
    if len(reading.facts) <= LARGE_TABLE:
        return True
    subject = reading.record(index).subject
    has_value = index in alignment.hits or index in alignment.misplaced
    return has_value and (subject not in reading.subjects or bool(reading.subjects[subject]))


def passage_for(reading: Reading, index: int) -> str:
    """The text, or of a long one the sentences that may say a fact: with its value, then its subject."""
    spans = reading.sentence_spans
    if len(spans) <= MAX_SENTENCES:
        return reading.text.strip()
    named = reading.subjects.get(reading.record(index).subject, [])
    said, about = ([reading.sentence_of(hit.span) for hit in hits] for hits in (reading.hits[index], named))
    # What a sentence with the value is about may be said in the one before.
    near = [number for sentence in said for number in (sentence, sentence - 1) if number >= 0]
    chosen = sorted(list(dict.fromkeys([*near, *about, *range(len(spans))]))[:MAX_SENTENCES])
    return " ".join(reading.text[slice(*spans[number])] for number in chosen)


def _closeness(reading: Reading, index: int, sentence: Span) -> float:
    """How much of a fact a sentence says: its value, its subject, words of its attribute."""
    start, end = sentence
    words = {word.folded for word in reading.read.words if start <= word.start < end}
    value = any(start <= hit.span[0] < end for hit in reading.hits[index])
    subject = any(
        start <= hit.span[0] < end for hit in reading.subjects.get(reading.record(index).subject, [])
    )
    attribute = reading.attribute_words[index]
    return 2.0 * value + subject + len(words & attribute) / max(1, len(attribute))


# The answer for facts that are not asked about.
NOT_SAID: NliAnswer = np.array([0.0, 1.0, 0.0])


@dataclass(eq=False)
class Inquiry:
    """An example, the facts that are asked about (none for an empty text), and what is answered so far."""

    reading: Reading
    alignment: Alignment
    asked: list[int]
    settled: Settled = NOTHING_SETTLED
    read: dict[int, QaAnswer] = field(default_factory=dict)
    fact_answers: dict[int, NliAnswer] = field(default_factory=dict)
    sentence_answers: list[NliAnswer] = field(default_factory=list)

    @classmethod
    def of(cls, reading: Reading) -> "Inquiry":
        """Nothing has been asked yet."""
        alignment = align_records(reading)
        facts = reading.facts if reading.sentence_spans else {}
        return cls(reading, alignment, [index for index in facts if may_be_said(reading, alignment, index)])

    @property
    def _readable(self) -> list[int]:
        """The facts whose value can be asked for: yes and no a text does not say in so many words."""
        values = self.reading.values
        return [index for index in self.asked if not isinstance(values[index][0], Boolean)]

    @property
    def said(self) -> list[int]:
        """The facts whose value the text has in some form."""
        return [index for index in self._readable if self.reading.hits[index]]

    @property
    def said_otherwise(self) -> list[int]:
        """The facts that the text may say without having their value; others are not said."""
        return [
            index
            for index in self._readable
            if not self.reading.hits[index] and self.fact_answers[index][ENTAILMENT] >= MIN_ENTAILED
        ]

    @property
    def replies(self) -> dict[int, FactReply]:
        """What the reader found for each fact; nothing for those that it was not asked about."""
        unsaid = {index: NO_REPLY for index in self._readable if index not in self.read}
        return read_replies(self.reading, self.read) | unsaid

    def settle(self, weights: LedgerWeights) -> None:
        """Find out what the NLI model need not be asked."""
        self.settled = settle(self.reading, self.alignment, self.replies, weights)

    @property
    def _doubtful(self) -> tuple[list[int], list[Span]]:
        facts, sentences = self.settled
        return (
            [index for index in self.asked if index not in facts],
            [span for span in self.reading.sentence_spans if span not in sentences],
        )

    @property
    def pairs(self) -> list[TextPair]:
        """What the NLI model is asked: whether the text says each fact, and the facts each sentence."""
        reading, alignment = self.reading, self.alignment
        facts, sentences = self._doubtful
        return [
            *(TextPair(passage_for(reading, index), alignment.sentences[index]) for index in facts),
            *(
                TextPair(premise_for(reading, alignment, span), reading.text[slice(*span)])
                for span in sentences
            ),
        ]

    def take(self, answers: Sequence[NliAnswer]) -> None:
        """Take the answers to the pairs."""
        facts, sentences = self._doubtful
        given: dict[int | Span, NliAnswer] = dict(zip([*facts, *sentences], answers, strict=True))
        usual = dict.fromkeys(self.settled.facts, USUAL)
        for index in self.reading.facts:
            self.fact_answers[index] = given.get(index, usual.get(index, NOT_SAID))
        self.sentence_answers = [given.get(span, USUAL) for span in self.reading.sentence_spans]


def ask_for_values(inquiries: Sequence[Inquiry], facts: Sequence[Sequence[int]], ask: AskQuestions) -> None:
    """Ask each text for the values of some of its facts, all together."""
    questions = [
        question_about(inquiry.reading, index, passage_for(inquiry.reading, index))
        for inquiry, indices in zip(inquiries, facts, strict=True)
        for index in indices
    ]
    answers = iter(ask(questions))
    for inquiry, indices in zip(inquiries, facts, strict=True):
        inquiry.read.update(zip(indices, islice(answers, len(indices)), strict=True))
