"""Data-QuestEval: questions from the data answered by the text, and questions from the text by the data.

Rebuffel, Scialom, Soulier, Piwowarski, Lamprier, Staiano, Scoutheeten and Gallinari: Data-QuestEval: A
Referenceless Metric for Data-to-Text Semantic Evaluation. EMNLP 2021.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Literal

from factable.core.metric import Field, make_scores, missing_fields
from factable.core.params import require, require_choice
from factable.metrics.questeval.phrases import LIGHT, phrase_finder, phrases_identity
from factable.metrics.questeval.questions import (
    Asking,
    Comparison,
    Reply,
    load_questions,
    questions_checksum,
    reply_of,
    with_data,
    with_reference,
    word_questions,
)
from factable.metrics.questeval.scoring import (
    SIMILARITIES,
    UNANSWERABLE,
    Judgement,
    Marked,
    findings_of,
    judge,
    judge_as_released,
    similarities,
    worth,
)
from factable.models.qa import answer, qa_identity, writes_answers
from factable.models.seq2seq import writer_identity
from factable.models.token_encoder import token_encoder_identity
from factable.text.answers import answers_beside
from factable.text.linearise import linearise_by_entity
from factable.text.questions import linearise
from factable.types import Example, Finding, Scores

SOURCES = ("data", "references", "both")
COMPATS = ("", "questeval")
ENCODER = "embed"
NOTHING_ASKED = "no question can be asked about it"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestEval:
    """Questions asked of the data and of the text (Data-QuestEval, Rebuffel et al. 2021).

    source        what a text is compared with: its "data", its "references" (the best one), or the better of
                  "both"
    qa            "qa", which is embedded, a folder made by `factable train qa`, or a T5-like model (a folder
                  or a hub name; extra hf)
    questions     how facts become questions: "general" (one form for all), "learnt" or a JSON file
    writer        a T5-like model that writes all questions instead (a folder or a hub name; extra hf)
    answers       what in a text is asked for: "light" (names, numbers, dates, noun phrases by rules of our
                  own), or entities and noun chunks by a pipeline of spaCy (a name or a folder; extra spacy)
    similarity    how answers are compared: as "values", by common words ("f1"), or by "bertscore"
    unanswerable  what a question is worth that has likely no answer: "zero" (and others as much as it is
                  probable that they have one), or "ignore" (as much as any)
    compat        "questeval" scores questions and answers as that program does
    """

    name: ClassVar[str] = "questeval"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall")
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"
    slow: ClassVar[bool] = True

    source: str = "data"
    qa: str = "qa"
    questions: str = "general"
    writer: str = ""
    answers: str = LIGHT
    similarity: str = "values"
    unanswerable: str = "zero"
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "source", SOURCES)
        require_choice(self, "similarity", SIMILARITIES)
        require_choice(self, "unanswerable", UNANSWERABLE)
        require_choice(self, "compat", COMPATS)
        for parameter in ("qa", "questions", "writer", "answers"):
            require(self, parameter, isinstance(getattr(self, parameter), str), "a text")

    @property
    def needs(self) -> frozenset[Field]:
        """Data, references or both."""
        wanted: dict[str, tuple[Field, ...]] = {"data": ("table",), "references": ("references",)}
        return frozenset(wanted.get(self.source, ("table", "references")))

    def checksums(self) -> dict[str, str]:
        """Checksums of the models and of the questions."""
        found = {"qa": qa_identity(self.qa), "questions": questions_checksum(self.questions)}
        if self.writer:
            found["writer"] = writer_identity(self.writer)
        if self.answers != LIGHT:
            found["answers"] = phrases_identity(self.answers)
        if self.compat or self.similarity == "bertscore":
            found["encoder"] = token_encoder_identity(ENCODER)
        return found

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, NaN for one about which nothing can be asked."""
        judgements = self._judge(examples)
        values = array("d", [one.value for one in judgements])
        parts = {part: array("d", [getattr(one, part) for one in judgements]) for part in self.parts}
        reasons = {index: NOTHING_ASKED for index, value in enumerate(values) if math.isnan(value)}
        return make_scores(self, examples, values, parts, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Every question with its expected and its given answer."""
        return tuple(tuple(findings_of(one)) for one in self._judge(examples))

    def _judge(self, examples: Sequence[Example]) -> list[Judgement]:
        """The best comparison of each example; one without any, where there is nothing to compare with."""
        asking = self._asking()
        comparisons = [self._comparisons(example, asking) for example in examples]
        together = [one for some in comparisons for one in some]
        judged = iter(self._judge_all(word_questions(together, self.writer) if self.writer else together))
        nothing = judge([], [])
        return [max([nothing, *islice(judged, len(some))], key=_worst_first) for some in comparisons]

    def _asking(self) -> Asking:
        find = phrase_finder(self.answers)
        return Asking(
            load_questions(self.questions),
            # That program takes what is found as it is, and asks twice for what was found twice.
            lambda text, facts: find(text) if self.compat else answers_beside(text, find(text), facts),
            linearise_by_entity if writes_answers(self.qa) else linearise,
            self.writer,
        )

    def _comparisons(self, example: Example, asking: Asking) -> list[Comparison]:
        if missing_fields(self, example):
            return []
        with_facts = [with_data(example, asking)] if self.source != "references" else []
        references = example.references if self.source != "data" else ()
        return with_facts + [with_reference(example, one, asking) for one in references if one.strip()]

    def _judge_all(self, comparisons: Sequence[Comparison]) -> list[Judgement]:
        """All questions of all comparisons, asked together."""
        exchanges = [(one, asked) for one in comparisons for asked in (*one.of_text, *one.of_other)]
        answers = answer(self.qa, [exchange.asked for _, exchange in exchanges])
        replies = [reply_of(*exchange, found) for exchange, found in zip(exchanges, answers, strict=True)]
        marked = iter(self._mark(replies))
        return [
            self._combine(list(islice(marked, len(one.of_text))), list(islice(marked, len(one.of_other))))
            for one in comparisons
        ]

    def _mark(self, replies: Sequence[Reply]) -> list[Marked]:
        if self.compat:
            columns = [[reply.answer.answerable for reply in replies]]
            columns += [similarities(replies, how) for how in ("bertscore", "f1")]
            rows = zip(*columns, strict=True)
            return [Marked(reply, numbers) for reply, numbers in zip(replies, rows, strict=True)]
        alike = similarities(replies, self.similarity)
        return [
            Marked(reply, (worth(value, reply.answer.answerable, self.unanswerable),))
            for reply, value in zip(replies, alike, strict=True)
        ]

    def _combine(self, of_text: list[Marked], of_other: list[Marked]) -> Judgement:
        return (judge_as_released if self.compat else judge)(of_text, of_other)


def _worst_first(judgement: Judgement) -> float:
    return -1.0 if math.isnan(judgement.value) else judgement.value
