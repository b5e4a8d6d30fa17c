"""From examples to verdicts: what is asked of the models in two rounds, and what the answers decide."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from factable.metrics.ledger.alignment import Alignment, align_records
from factable.metrics.ledger.features import (
    Features,
    NliAnswer,
    about_fact,
    about_mention,
    about_sentence,
    about_verdict,
)
from factable.metrics.ledger.opinions import opinions_of
from factable.metrics.ledger.reading import Reading, inside
from factable.metrics.ledger.replies import NO_REPLY, AskQuestions, FactReply, question_about, read_replies
from factable.metrics.ledger.verdict import Opinions
from factable.metrics.ledger.weights import LedgerWeights
from factable.models.nli import ENTAILMENT, TextPair
from factable.models.qa import QuestionInText
from factable.text.templates import NAMING, split_identifier
from factable.text.values import Relation
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


# The least log odds of a name that the text has, where the data has nothing else.
NAMED = 2.0
# The answer for facts that are not asked about.
NOT_SAID = np.array([0.0, 1.0, 0.0])
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
        return opinions_of(self.fact_answers.values(), self.sentence_answers, answered)

    def mentions_in(self, sentence: Span) -> list[Span]:
        """The numbers, dates and names of a sentence."""
        return inside(list(self.mentions), sentence)


def audit(
    readings: Sequence[Reading], weights: LedgerWeights, ask: Ask, ask_questions: AskQuestions | None
) -> list[Audit]:
    """Ask whether each text says its facts, and whether the facts say each sentence.

    `ask_questions` has a second model read the values of facts in the text.
    """
    alignments = [align_records(reading) for reading in readings]
    answers = ask([_questions(*each) for each in zip(readings, alignments, strict=True)])
    facts, sentences = [], []
    for reading, alignment, of_example in zip(readings, alignments, answers, strict=True):
        asked = _asked(reading, alignment)
        of_facts = dict(zip(asked, of_example, strict=False))
        facts.append({index: of_facts.get(index, NOT_SAID) for index in reading.facts})
        sentences.append(of_example[len(asked) :])
    replies = (
        _ask_questions(readings, alignments, facts, ask_questions) if ask_questions else [{}] * len(readings)
    )
    return [
        Audit(*each, weights) for each in zip(readings, alignments, facts, sentences, replies, strict=True)
    ]


def _ask_questions(
    readings: Sequence[Reading],
    alignments: Sequence[Alignment],
    answers: Sequence[Mapping[int, NliAnswer]],
    ask: AskQuestions,
) -> list[dict[int, FactReply]]:
    """Ask each text for the values of its facts, all together.

    A fact whose value is not in the text, and which the text does not entail, is not asked about.
    """
    asked: list[dict[int, QuestionInText]] = []
    unsaid: list[dict[int, FactReply]] = []
    for reading, alignment, of_facts in zip(readings, alignments, answers, strict=True):
        asked.append({})
        unsaid.append({})
        for index in _asked(reading, alignment):
            question = question_about(reading, index, passage_for(reading, index))
            if question and not reading.hits[index] and of_facts[index][ENTAILMENT] < MIN_ENTAILED:
                unsaid[-1][index] = NO_REPLY
            elif question:
                asked[-1][index] = question
    replies = iter(ask([question for of_text in asked for question in of_text.values()]))
    return [
        read_replies(reading, of_text, list(islice(replies, len(of_text)))) | without
        for reading, of_text, without in zip(readings, asked, unsaid, strict=True)
    ]


def _asked(reading: Reading, alignment: Alignment) -> list[int]:
    """The facts that are asked about; none for an empty text."""
    if not reading.sentence_spans:
        return []
    return [index for index in reading.facts if may_be_said(reading, alignment, index)]


def _questions(reading: Reading, alignment: Alignment) -> list[TextPair]:
    asked = _asked(reading, alignment)
    facts = [TextPair(passage_for(reading, index), alignment.sentences[index]) for index in asked]
    return facts + [
        TextPair(premise_for(reading, alignment, span), reading.text[slice(*span)])
        for span in reading.sentence_spans
    ]
