"""The second round: what a text says in place of a fact, and which words make a sentence doubtful."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from factable.metrics.ledger.alignment import plain_attribute
from factable.metrics.ledger.audit import Audit
from factable.metrics.ledger.features import rival_mentions
from factable.metrics.ledger.inquiry import may_be_said, passage_for, premise_for
from factable.metrics.ledger.reading import Reading, overlaps, uncovered_words, word_runs
from factable.metrics.ledger.verdict import Rules
from factable.metrics.ledger.weights import probability
from factable.models.nli import TextPair
from factable.text.templates import Templates
from factable.text.values import Name
from factable.types import Span

MAX_RIVALS = 3
MAX_SUSPECTS = 4


class Rival(NamedTuple):
    """A span that may stand in place of a record's value, or of its subject."""

    record: int
    span: Span
    pair: TextPair


class SuspectWords(NamedTuple):
    """Words without which a sentence may be clean."""

    sentence: Span
    span: Span
    pair: TextPair


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is asked in the second round about one example."""

    rivals: list[Rival]
    suspects: list[SuspectWords]

    @property
    def pairs(self) -> list[TextPair]:
        """All questions, rivals first."""
        return [*(rival.pair for rival in self.rivals), *(words.pair for words in self.suspects)]


def doubts_of(audit: Audit, rules: Rules, templates: Templates) -> Doubts:
    """What to ask about facts that seem not to be said, and about sentences that seem not to be clean."""
    rivals = [
        rival
        for index, odds in audit.facts.items()
        if index in audit.fact_answers
        and probability(odds) < rules.omission
        and may_be_said(audit.reading, audit.alignment, index)
        for rival in _rivals(audit, index, templates)
    ]
    doubtful = [span for span, odds in audit.sentences.items() if probability(odds) < rules.hallucination]
    return Doubts(rivals, [words for sentence in doubtful for words in _suspects(audit, sentence)])


def _rivals(audit: Audit, index: int, templates: Templates) -> Iterator[Rival]:
    """Other values that the text may give the attribute, or other subjects to whom it may give the value."""
    reading, record = audit.reading, audit.reading.facts[index]
    text = passage_for(reading, index)
    for span in _other_values(reading, index)[:MAX_RIVALS]:
        other = record._replace(value=reading.text[slice(*span)])
        yield Rival(index, span, TextPair(text, templates.sentence(other)))
    if index not in audit.alignment.hits or not record.subject:
        return
    for span in _other_subjects(reading, index)[:MAX_RIVALS]:
        other = record._replace(subject=reading.text[slice(*span)])
        yield Rival(index, audit.alignment.hits[index].span, TextPair(text, templates.sentence(other)))


def _other_values(reading: Reading, index: int) -> list[Span]:
    """Values of the same kind: first those no record has, then those of records with the same attribute."""
    attribute = plain_attribute(reading.facts[index])
    of_others = [
        hit.span
        for other, fact in reading.facts.items()
        if other != index and plain_attribute(fact) == attribute
        for hit in reading.hits[other]
    ]
    return [*rival_mentions(reading, index), *dict.fromkeys(of_others)]


def _other_subjects(reading: Reading, index: int) -> list[Span]:
    """Names in the text that are neither the subject nor the value of a fact."""
    own = [
        hit.span for hit in [*reading.subjects.get(reading.facts[index].subject, []), *reading.hits[index]]
    ]
    return [
        span
        for span, mentions in reading.mentions.items()
        if isinstance(mentions[0].value, Name) and not any(overlaps(span, other) for other in own)
    ]


def _suspects(audit: Audit, sentence: Span) -> Iterator[SuspectWords]:
    """Runs of words that the data does not have, where there are several to choose from."""
    spans = uncovered_spans(audit, sentence)
    if len(spans) < 2:
        return
    premise = premise_for(audit.reading, audit.alignment, sentence)
    text = audit.reading.text
    for start, end in spans[:MAX_SUSPECTS]:
        rest = " ".join(f"{text[sentence[0] : start]} {text[end : sentence[1]]}".split())
        yield SuspectWords(sentence, (start, end), TextPair(premise, rest))


def uncovered_spans(audit: Audit, sentence: Span) -> list[Span]:
    """Words of a sentence that the data does not have, those of values left out."""
    values = audit.mentions_in(sentence)
    words = [
        word
        for word in uncovered_words(audit.reading, sentence)
        if not any(start <= word.start < end for start, end in values)
    ]
    return list(word_runs(audit.reading, words))
