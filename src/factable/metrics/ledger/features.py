"""What speaks for a fact being said, a value being supported and a sentence being clean, as numbers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ledger.alignment import Alignment
from factable.metrics.ledger.reading import (
    Reading,
    content_words,
    inside,
    is_covered,
    overlaps,
    says,
    uncovered_words,
)
from factable.metrics.ledger.replies import NO_REPLY, FactReply
from factable.models.nli import CONTRADICTION, ENTAILMENT
from factable.text.values import Boolean, Date, Name, NameList, Number, Relation, Value, compare_values
from factable.text.values.words import split_words
from factable.types import Span

# Probabilities of entailment, neutral and contradiction.
NliAnswer = NDArray[np.float64]
Features = Mapping[str, float]
# Beyond this, one more step of the model's confidence says nothing.
MAX_LOGIT = 6.0


def logit(probability: float) -> float:
    """The log odds of a probability, within bounds."""
    odds = math.log(max(probability, 1e-12) / max(1 - probability, 1e-12))
    return max(-MAX_LOGIT, min(MAX_LOGIT, odds))


def about_fact(
    reading: Reading,
    alignment: Alignment,
    index: int,
    answer: NliAnswer | None,
    reply: FactReply | None,
) -> Features:
    """What speaks for the text saying a fact; a record that only names has no answer and no reply."""
    value = reading.values[index][0]
    hit = alignment.hits.get(index)
    exact = isinstance(value, Number | Date)
    missing = hit is None and index not in alignment.misplaced
    rivals = rival_mentions(reading, index) if missing else []
    denied = any(each.relation is Relation.DIFFERENT for each in reading.hits[index])
    entailed = 0.0 if answer is None else logit(float(answer[ENTAILMENT]))
    subject = reading.record(index).subject
    return {
        "asked": float(answer is not None),
        "entailed": entailed,
        "contradiction": 0.0 if answer is None else float(answer[CONTRADICTION]),
        "equal": float(hit is not None and hit.relation is Relation.EQUAL),
        "coarser": float(hit is not None and hit.relation is Relation.COARSER),
        "finer": float(hit is not None and hit.relation is Relation.FINER),
        "missing exact": float(missing and exact),
        "missing exact, rival": float(missing and exact and bool(rivals)),
        "missing name": float(missing and _is_proper(reading, index)),
        "missing other": float(missing and not exact and not _is_proper(reading, index)),
        "entailed, missing exact": entailed * (missing and exact),
        "entailed, missing name": entailed * (missing and _is_proper(reading, index)),
        "words said": _words_said(reading, index) if missing and not exact else 0.0,
        "missing name, rival": float(missing and not exact and bool(rivals)),
        "misplaced exact": float(exact and index in alignment.misplaced),
        "misplaced name": float(not exact and index in alignment.misplaced),
        "said apart": float(hit is not None and _is_apart(reading, index, hit.span)),
        "denied": float(denied and hit is None),
        "subject unsaid": float(bool(subject) and not reading.subjects.get(subject)),
        **_about_reply(reply, entailed, said=hit is not None),
    }


def _about_reply(reply: FactReply | None, entailed: float, *, said: bool) -> Features:
    """What the reply to a question about a fact speaks for; `said` if its value is in the text."""
    given = reply or NO_REPLY
    return {
        "answered": given.similarity * given.answerable,
        "answered otherwise": (1 - given.similarity) * given.answerable,
        "answered with another attribute": given.answerable * given.of_another_attribute,
        "answered with another subject": given.answerable * given.of_another_subject,
        "answers exchanged": given.answerable * given.exchanged,
        "answered with another amount": given.answerable * given.other_amount,
        "entailed, answered with another amount": entailed * given.answerable * given.other_amount,
        "not answered, said": (1 - given.answerable) * (reply is not None and said),
    }


def _is_apart(reading: Reading, index: int, span: Span) -> bool:
    """Whether a value stands in a sentence that names other subjects, and not its own.

    A subject that is the value of another record, too, is passed by.
    """
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    values = {record.value for record in reading.facts.values()}
    own = reading.record(index).subject
    named = {
        subject
        for subject, hits in reading.subjects.items()
        if any(start <= hit.span[0] < end and not overlaps(hit.span, span) for hit in hits)
        and (subject == own or subject not in values)
    }
    return bool(named) and own not in named


def _is_proper(reading: Reading, index: int) -> bool:
    """Whether a value is a name written large, or a list of names."""
    value = reading.values[index][0]
    if isinstance(value, Number | Date | Boolean):
        return False
    return isinstance(value, NameList) or any(char.isupper() for char in reading.record(index).value)


def _words_said(reading: Reading, index: int) -> float:
    """The share of a value's words that the text has in some form."""
    said = frozenset(word.folded for word in reading.read.words)
    words = split_words(reading.record(index).value.replace("_", " "))
    return sum(is_covered(word.folded, said) for word in words) / len(words) if words else 0.0


def rival_mentions(reading: Reading, index: int) -> list[Span]:
    """Values of the same kind in the text that no record has."""
    return [
        span
        for span, mentions in reading.mentions.items()
        if reading.supports[span] is None
        and any(
            compare_values(value, mention.value) is Relation.DIFFERENT
            for value in reading.values[index]
            for mention in mentions
        )
    ]


def about_mention(reading: Reading, span: Span, answer: NliAnswer) -> Features:
    """What speaks for the data supporting a number, date or name of the text."""
    mentions = reading.mentions[span]
    value = mentions[0].value
    relation, share = reading.supports[span], _share_known(reading, span)
    unknown = relation is None
    entailed = logit(float(answer[ENTAILMENT]))
    return {
        "entailed": entailed,
        "contradiction": float(answer[CONTRADICTION]),
        "equal": float(relation is Relation.EQUAL),
        "coarser": float(relation is Relation.COARSER),
        "finer number": float(relation is Relation.FINER and isinstance(value, Number)),
        "finer date": float(relation is Relation.FINER and isinstance(value, Date)),
        "finer name": float(relation is Relation.FINER and isinstance(value, Name)),
        "unknown number": float(unknown and isinstance(value, Number)),
        "unknown date": float(unknown and isinstance(value, Date)),
        "unknown name": float(unknown and isinstance(value, Name)),
        "unknown count": float(unknown and _is_count(value, reading)),
        "clash": float(unknown and _clashes(reading, span)),
        "entailed, unknown": entailed * unknown,
        "words known": share if unknown and isinstance(value, Name) else 0.0,
        "unsure": float(unknown and not mentions[0].sure),
    }


def _clashes(reading: Reading, span: Span) -> bool:
    """Whether a number or date is another than that of a record which the text does not say."""
    return any(
        compare_values(value, mention.value) is Relation.DIFFERENT
        for index in reading.indices
        if not reading.hits[index]
        for value in reading.values[index]
        if isinstance(value, Number | Date)
        for mention in reading.mentions[span]
    )


def supporting_records(reading: Reading, span: Span) -> tuple[int, ...]:
    """The records whose value or subject a span says."""
    values = [index for index, hits in reading.hits.items() if any(says(hit, span) for hit in hits)]
    subjects = {subject for subject, hits in reading.subjects.items() if any(says(hit, span) for hit in hits)}
    return tuple(values or [index for index, fact in reading.facts.items() if fact.subject in subjects])


def _share_known(reading: Reading, span: Span) -> float:
    words = [word for word in reading.read.words if span[0] <= word.start < span[1]]
    known = sum(is_covered(word.folded, reading.data_words) for word in words)
    return known / len(words) if words else 0.0


def _is_count(value: Value, reading: Reading) -> bool:
    """Whether a number may count records rather than quote one."""
    plain = isinstance(value, Number) and not value.unit and value.value.denominator == 1
    return plain and isinstance(value, Number) and 0 < value.value <= max(2, len(reading.facts))


def about_sentence(
    reading: Reading, span: Span, answer: NliAnswer, mentions: Mapping[Span, float], misplaced: Sequence[Span]
) -> Features:
    """What speaks for a sentence being clean; `mentions` are the log odds of values being supported."""
    values = inside(list(mentions), span)
    words = [
        word
        for word in uncovered_words(reading, span)
        if not any(start <= word.start < end for start, end in values)
    ]
    return {
        "entailed": logit(float(answer[ENTAILMENT])),
        "contradiction": float(answer[CONTRADICTION]),
        "worst value": min([MAX_LOGIT / 2, *(mentions[each] for each in values)]),
        "strange words": len(words) / max(1, len(content_words(reading, span))),
        "number of strange words": float(min(5, len(words))),
        "misplaced": float(any(overlaps(each, span) for each in misplaced)),
    }


def about_verdict(facts: Sequence[float], sentences: Sequence[float]) -> Features:
    """What speaks for a text being OK: the log odds of the worst of its facts and sentences."""
    return {"worst": min([MAX_LOGIT, *facts, *sentences])}
