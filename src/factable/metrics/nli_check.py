"""The questions that the NLI check asks of a model about one example, and what it makes of the answers."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import CONTRADICTION, ENTAILMENT, TextPair
from factable.text.sentences import sentence_spans
from factable.text.templates import BACKOFF, SUBJECT, VALUE, Templates, facts_of
from factable.types import Example, Finding, Kind, Record

Answer = NDArray[np.float64]
Asked = Literal["facts to text", "text to facts", "text to fact"]


class Question(NamedTuple):
    """A pair to ask the model about; `place` is the record, for questions about one fact."""

    kind: Asked
    pair: TextPair
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One example ready to be checked: its text, and its facts as sentences by their place in the table."""

    text: str
    sentences: dict[int, str]
    required: frozenset[int]
    direction: str
    compat: str

    @classmethod
    def of(
        cls, example: Example, templates: Templates, *, optional: frozenset[str], direction: str, compat: str
    ) -> "Check":
        """The check of an example."""
        facts = facts_of(example.table)
        write = _sentence_like_nlgi if compat else Templates.sentence
        return cls(
            text=example.text.strip(),
            sentences={place: write(templates, record) for place, record in facts.items()},
            required=frozenset(place for place, record in facts.items() if not _names(record) & optional),
            direction=direction,
            compat=compat,
        )

    @property
    def facts(self) -> str:
        """All facts as one text."""
        return " ".join(self.sentences.values())

    @property
    def required_facts(self) -> str:
        """The facts that must be said, as one text."""
        return " ".join(sentence for place, sentence in self.sentences.items() if place in self.required)


def _names(record: Record) -> set[str]:
    """What an optional fact may be called."""
    return {record.attribute, f"{record.attribute}={record.value}"}


def _sentence_like_nlgi(templates: Templates, record: Record) -> str:
    """A fact as the original program writes it: case kept, a space at each hump, underscores opened last."""
    (template, *_) = templates.choices(record)
    if template == BACKOFF:
        template = template.replace("<predicate>", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", record.attribute))
    value = record.value
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    filled = {SUBJECT: record.subject, VALUE: value, "<predicate>": record.attribute}
    return re.sub("|".join(filled), lambda place: filled[place[0]], template).replace("_", " ")


def questions_of(check: Check) -> list[Question]:
    """What is asked about an example; nothing where there is no text or no fact."""
    if not check.text or not check.sentences:
        return []
    questions = []
    if check.direction != "omission":
        questions.append(Question("facts to text", TextPair(check.facts, check.text)))
    if check.direction != "hallucination":
        if check.compat and check.required:
            questions.append(Question("text to facts", TextPair(check.text, check.required_facts)))
        questions += [
            Question("text to fact", TextPair(check.text, sentence), place)
            for place, sentence in check.sentences.items()
            if place in check.required
        ]
    return questions


@dataclass(frozen=True, slots=True)
class Decision:
    """What the answers mean: probabilities of entailment, and 1 or 0 for what was found."""

    check: Check
    value: float
    confidence: float
    facts_to_text: float
    text_to_facts: float
    hallucination: float
    omission: float
    facts: dict[int, Answer]


def decide(check: Check, answers: Sequence[Answer]) -> Decision:
    """The decision about one example."""
    if not check.sentences:
        return _without_answers(check, value=math.nan, omission=math.nan)
    if not check.text:
        # Nothing said: nothing made up, and everything left out that had to be said.
        return _without_answers(check, value=0.0, omission=float(bool(check.required)))
    questions = questions_of(check)
    asked = list(zip(questions, answers, strict=True))
    facts = {question.place: answer for question, answer in asked if question.place is not None}
    one = {question.kind: answer for question, answer in asked if question.place is None}
    forth = float(one["facts to text"][ENTAILMENT]) if "facts to text" in one else math.nan
    back = float(np.mean([answer[ENTAILMENT] for answer in facts.values()])) if facts else 1.0
    back = math.nan if check.direction == "hallucination" else back
    omitted = any(not _entails(answer) for kind, answer in one.items() if kind == "text to facts")
    omitted = omitted or any(not _entails(answer) for answer in facts.values())
    confidence = min((float(answer[ENTAILMENT]) for answer in answers), default=1.0)
    soft = float(np.nanmean([forth, back]))
    return Decision(
        check=check,
        value=confidence if check.compat else soft,
        confidence=confidence,
        facts_to_text=forth,
        text_to_facts=back,
        hallucination=float("facts to text" in one and not _entails(one["facts to text"])),
        omission=float(omitted),
        facts=facts,
    )


def _without_answers(check: Check, *, value: float, omission: float) -> Decision:
    """A decision for which no model was asked."""
    return Decision(
        check=check,
        value=value,
        confidence=value,
        facts_to_text=value,
        text_to_facts=value,
        hallucination=value,
        omission=omission,
        facts={},
    )


def _entails(answer: Answer) -> bool:
    return int(answer.argmax()) == ENTAILMENT


def sentence_pairs(check: Check) -> list[TextPair]:
    """Whether the facts entail each sentence of the text, asked to say where a hallucination is."""
    if not check.text or not check.sentences or check.direction == "omission":
        return []
    return [TextPair(check.facts, check.text[start:end]) for start, end in sentence_spans(check.text)]


def explain_check(decision: Decision, sentences: Sequence[Answer]) -> tuple[Finding, ...]:
    """The facts and sentences behind a decision."""
    check = decision.check
    findings = [_about_fact(place, answer) for place, answer in decision.facts.items()]
    if check.sentences and not check.text and check.direction != "hallucination":
        findings = [
            Finding("omitted", record=place, note="there is no text") for place in sorted(check.required)
        ]
    # Spans are those of the text as it was given, white space in front included.
    for span, answer in zip(sentence_spans(check.text) if sentences else (), sentences, strict=True):
        if not _entails(answer):
            findings.append(
                Finding(
                    _kind(answer, "unsupported"),
                    span=span,
                    score=float(answer[ENTAILMENT]),
                    note=_note(answer),
                )
            )
    return tuple(findings)


def _about_fact(place: int, answer: Answer) -> Finding:
    kind: Kind = "supported" if _entails(answer) else _kind(answer, "omitted")
    return Finding(kind, record=place, score=float(answer[ENTAILMENT]), note=_note(answer))


def _kind(answer: Answer, otherwise: Kind) -> Kind:
    return "contradicted" if int(answer.argmax()) == CONTRADICTION else otherwise


def _note(answer: Answer) -> str:
    return f"entailed with probability {answer[ENTAILMENT]:.2f}"
