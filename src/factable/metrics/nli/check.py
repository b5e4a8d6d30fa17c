"""The questions that the NLI check asks of a model about one example, and what it makes of the answers."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.selection import Selection
from factable.models.nli import CONTRADICTION, ENTAILMENT, LABELS, TextPair
from factable.text.sentences import sentence_spans
from factable.text.templates import ATTRIBUTE, SUBJECT, VALUE, Templates, clean_value, facts_of
from factable.types import Example, Finding, Kind, Record

Answer = NDArray[np.float64]
# How much probabilities are flattened in the value, as by a temperature; 1.5 to 3 are about as good on the
# WebNLG 2017 ratings.
SOFTNESS = 2
Asked = Literal["facts to text", "text to facts", "text to fact"]
# Forms of the check: our own, that of the paper, and that of the authors' program.
PAPER, NLGI = "paper", "nlgi"
COMPATS = ("", PAPER, NLGI)


@dataclass(frozen=True, slots=True)
class Check:
    """One example ready to be checked: its text, and its facts as sentences by their place in the table."""

    text: str
    sentences: dict[int, str]
    required: frozenset[int]
    direction: str = "both"
    compat: str = ""

    @classmethod
    def of(
        cls, example: Example, templates: Templates, selection: Selection, *, direction: str, compat: str
    ) -> "Check":
        """The check of an example; a record without a value says nothing and is no fact."""
        facts = facts_of(example.table)
        if compat != NLGI:
            facts = {index: record for index, record in facts.items() if clean_value(record.value)}
        write = _sentence_like_nlgi if compat == NLGI else Templates.sentence
        return cls(
            text=example.text,
            sentences={index: write(templates, record) for index, record in facts.items()},
            required=frozenset(index for index, record in facts.items() if selection.requires(record)),
            direction=direction,
            compat=compat,
        )

    @property
    def facts(self) -> str:
        """All facts as one text."""
        return " ".join(self.sentences.values())

    @property
    def required_sentences(self) -> dict[int, str]:
        """The facts that must be said."""
        return {index: sentence for index, sentence in self.sentences.items() if index in self.required}

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to read; the original program asks its model all the same."""
        return not self.text.strip() and self.compat != NLGI


def _sentence_like_nlgi(templates: Templates, record: Record) -> str:
    """A fact as the original program writes it: case kept, a space at each hump, underscores opened last."""
    value = record.value
    if len(value) > 1 and value[0] in "\"'" and value[-1] in "\"'":
        value = value[1:-1]
    attribute = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", record.attribute)
    filled = {SUBJECT: record.subject, ATTRIBUTE: attribute, VALUE: value}
    template = templates.choices(record)[0]
    return re.sub("|".join(filled), lambda index: filled[index[0]], template).replace("_", " ")


class Question(NamedTuple):
    """A pair to ask the model about; `record` is its index, for questions about one fact."""

    kind: Asked
    pair: TextPair
    record: int | None = None


def questions_of(check: Check) -> list[Question]:
    """What is asked about an example; nothing where there is no text or no fact."""
    if check.is_silent or not check.sentences:
        return []
    text = check.text.strip()
    questions = []
    if check.direction != "omission":
        questions.append(Question("facts to text", TextPair(check.facts, text)))
    if check.direction != "hallucination":
        together = " ".join(check.required_sentences.values())
        # Where nothing has to be said there is nothing to ask, but the original program asks. The paper does
        # not ask about all facts together.
        if (together and check.compat != PAPER) or check.compat == NLGI:
            questions.append(Question("text to facts", TextPair(text, together)))
        questions += [
            Question("text to fact", TextPair(text, sentence), index)
            for index, sentence in check.required_sentences.items()
        ]
    return questions


@dataclass(frozen=True, slots=True)
class Decision:
    """What the answers mean: probabilities of entailment, and 1 or 0 for what was found.

    `facts` are the answers about single facts, by their place in the table. What a direction does not ask is
    NaN; all is NaN where there are no facts.
    """

    check: Check
    value: float = math.nan
    confidence: float = math.nan
    facts_to_text: float = math.nan
    text_to_facts: float = math.nan
    hallucination: float = math.nan
    omission: float = math.nan
    facts: dict[int, Answer] | None = None


def decide(check: Check, answers: Sequence[Answer]) -> Decision:
    """The decision about one example, from the answers to its questions."""
    if not check.sentences:
        return Decision(check)
    if check.is_silent:
        # Nothing said: nothing made up, and everything left out that had to be said.
        return Decision(check, 0.0, 0.0, 0.0, 0.0, hallucination=0.0, omission=float(bool(check.required)))
    asked = list(zip(questions_of(check), answers, strict=True))
    found = {question.kind for question, answer in asked if not _entails(answer)}
    facts = {question.record: answer for question, answer in asked if question.record is not None}
    forth = [float(answer[ENTAILMENT]) for question, answer in asked if question.kind == "facts to text"]
    # Where nothing has to be said, nothing is left out.
    back = float(np.mean([answer[ENTAILMENT] for answer in facts.values()] or [1.0]))
    kinds = _kinds_that_decide(check)
    decisive = [float(answer[ENTAILMENT]) for question, answer in asked if question.kind in kinds]
    confidence = min(decisive, default=1.0)
    return Decision(
        check=check,
        value=confidence if check.compat else _value(check, asked),
        confidence=confidence,
        facts_to_text=forth[0] if forth else math.nan,
        text_to_facts=math.nan if check.direction == "hallucination" else back,
        hallucination=float("facts to text" in found),
        omission=float(bool(found & kinds - {"facts to text"})),
        facts=facts,
    )


def _kinds_that_decide(check: Check) -> set[Asked]:
    """The questions of the paper; the original program also decides by the one about all facts together."""
    kinds: set[Asked] = {"facts to text", "text to fact"}
    return kinds | {"text to facts"} if check.compat == NLGI else kinds


def _value(check: Check, asked: Sequence[tuple[Question, Answer]]) -> float:
    """The soft score: half for single facts, half for all facts and the text as wholes, both ways."""
    wholes = [soften(answer) for question, answer in asked if question.record is None]
    single = [soften(answer) for question, answer in asked if question.record is not None]
    halves = [single or [1.0]] if check.direction != "hallucination" else []
    halves += [wholes] if wholes else []
    return math.fsum(math.fsum(half) / len(half) for half in halves) / len(halves)


def soften(answer: Answer) -> float:
    """The probability of entailment of a less self-assured model, which tells degrees of wrong apart."""
    softened = answer ** (1 / SOFTNESS)
    return float(softened[ENTAILMENT] / softened.sum())


def _entails(answer: Answer) -> bool:
    return int(answer.argmax()) == ENTAILMENT


def sentence_pairs(decision: Decision) -> list[TextPair]:
    """Whether the facts entail each sentence of the text, asked to say where a hallucination is."""
    if decision.hallucination != 1 or decision.check.direction == "omission":
        return []
    check = decision.check
    return [TextPair(check.facts, check.text[start:end]) for start, end in sentence_spans(check.text)]


def explain_check(decision: Decision, sentences: Sequence[Answer]) -> tuple[Finding, ...]:
    """The facts and sentences behind a decision; `sentences` answers `sentence_pairs`."""
    return (*_about_facts(decision), *_about_sentences(decision, sentences))


def _about_facts(decision: Decision) -> list[Finding]:
    check = decision.check
    if check.direction == "hallucination":
        return []
    if decision.facts is None:
        return [Finding("omitted", record=index, note="no text") for index in sorted(check.required)]
    findings = [
        Finding(_kind(answer, "omitted"), record=index, score=float(answer[ENTAILMENT]), note=_note(answer))
        for index, answer in decision.facts.items()
    ]
    if decision.omission and all(map(_entails, decision.facts.values())):
        findings.append(Finding("omitted", note="each fact is entailed, but not all together"))
    return findings


def _about_sentences(decision: Decision, answers: Sequence[Answer]) -> list[Finding]:
    """The sentences that the facts do not entail; the whole text where they entail each."""
    spans = sentence_spans(decision.check.text) if answers else []
    findings = [
        Finding(_kind(answer, "unsupported"), span=span, score=float(answer[ENTAILMENT]), note=_note(answer))
        for span, answer in zip(spans, answers, strict=True)
        if not _entails(answer)
    ]
    if spans and not findings:
        whole = spans[0][0], spans[-1][1]
        note = "each sentence is entailed, but not all together"
        findings = [Finding("unsupported", span=whole, score=decision.facts_to_text, note=note)]
    return findings


def _kind(answer: Answer, otherwise: Kind) -> Kind:
    kinds: dict[int, Kind] = {ENTAILMENT: "supported", CONTRADICTION: "contradicted"}
    return kinds.get(int(answer.argmax()), otherwise)


def _note(answer: Answer) -> str:
    """What the model says, and how sure it is."""
    return f"{LABELS[int(answer.argmax())]} {answer.max():.2f}"
