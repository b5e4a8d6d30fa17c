"""Data-QuestEval: questions from the data answered by the text, and questions from the text by the data.

Rebuffel, Scialom, Soulier, Piwowarski, Lamprier, Staiano, Scoutheeten and Gallinari: Data-QuestEval: A
Referenceless Metric for Data-to-Text Semantic Evaluation. EMNLP 2021.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import islice

from factable.core.metric import REFERENCES, TABLE, Field, Metric, metric, missing_fields, param
from factable.core.results import Analysis
from factable.metrics.questeval.phrases import LIGHT, phrase_finder, phrases_identity
from factable.metrics.questeval.questions import (
    QuestionOptions,
    QuestionSet,
    Reply,
    load_questions,
    questions_checksum,
    questions_with_data,
    questions_with_reference,
    reply_of,
    rewrite_questions,
)
from factable.metrics.questeval.scoring import (
    SIMILARITIES,
    QuestEvalResult,
    ScoredReply,
    answer_score,
    combine_directions,
    combine_like_questeval,
    findings_of,
    similarities,
)
from factable.metrics.tables import columns_of
from factable.models.qa import answer_questions, qa_identity, writes_answers
from factable.models.runtime.manifest import QA
from factable.models.seq2seq import seq2seq_identity, writes_and_answers
from factable.models.token_encoder import token_encoder_identity
from factable.text.answers import answers_beside
from factable.text.linearise import linearise, linearise_by_entity
from factable.types import Example

NEEDS_OF: dict[str, frozenset[Field]] = {
    "data": TABLE,
    "references": REFERENCES,
    "both": TABLE | REFERENCES,
}
ENCODER = "embed"
# Forms of the metric: our own, that of the paper, and that of the authors' program.
PAPER, PROGRAM = "paper", "questeval"
SIMILARITY_OF = {"": "values", PAPER: "bertscore", PROGRAM: "values"}
WRITER_REMEDY = "make one: sh recipes/questeval.sh DATA FOLDER"
NOTHING_ASKED = "no question can be asked about it"


@metric
class QuestEval(Metric):
    """Whether text and data answer the same questions alike (Data-QuestEval, Rebuffel et al. 2021)."""

    name = "questeval"
    parts = ("precision", "recall")
    slow = True

    source: str = param(
        "data",
        "what a text is compared with; the best reference counts, or the better of both",
        choices=NEEDS_OF,
    )
    qa: str = param(
        QA,
        'the model that answers: "qa", which is embedded, a folder made by `factable train qa`, or a T5-like '
        "model (a folder or a hub name; extra hf)",
        file=True,
    )
    questions: str = param(
        "general",
        'how facts become questions: "general" (one form for all), "learnt" or a JSON file',
        example="learnt",
    )
    writer: str = param(
        "",
        "a model that writes all questions instead: a folder made by `factable train questeval`, or a "
        "T5-like model (a folder or a hub name; extra hf)",
        file=True,
    )
    answers: str = param(
        LIGHT,
        'what in a text is asked for: "light" (names, numbers, dates and noun phrases by our own rules), or '
        "entities and noun chunks by a spaCy pipeline (a name or a folder; extra spacy)",
        file=True,
    )
    similarity: str = param(
        "",
        'how answers are compared: by the rules for "values", by common words ("f1"), or by "bertscore"; '
        "follows from compat if not given",
        choices=SIMILARITIES,
        follows=("compat", SIMILARITY_OF),
    )
    unanswerable: str = param(
        "zero",
        'the score of a question that probably has no answer: "zero" (other scores are weighted by the '
        'probability of an answer), or "ignore" (scored like any other)',
        choices=("zero", "ignore"),
    )
    compat: str = param(
        "",
        '"paper": the `writer` asks, and answers too unless `qa` is given; answers are compared by '
        'BERTScore, a missing one counts 0; "questeval" scores questions and answers as that program does',
        choices=SIMILARITY_OF,
    )

    def check(self) -> None:
        """In the paper a model writes the questions, and one without an answer counts 0."""
        if self.compat == PAPER and self.unanswerable != "zero":
            raise self.bad("unanswerable", 'zero with compat="paper"')
        if self.compat == PAPER and not self.writer:
            raise self.bad("writer", f'the folder of a model that asks with compat="paper"; {WRITER_REMEDY}')

    @property
    def needs(self) -> frozenset[Field]:
        """Data, references or both."""
        return NEEDS_OF[self.source]

    @property
    def _answerer(self) -> str:
        """The model that answers: in the paper's form the writer, if it can and no other is named."""
        asks_and_answers = self.compat == PAPER and self.qa == QA and writes_and_answers(self.writer)
        return self.writer if asks_and_answers else self.qa

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the models and of the questions."""
        checksums = {"qa": qa_identity(self._answerer), "questions": questions_checksum(self.questions)}
        if self.writer:
            checksums["writer"] = seq2seq_identity(self.writer)
        if self.answers != LIGHT:
            checksums["answers"] = phrases_identity(self.answers)
        if self.compat == PROGRAM or self.similarity == "bertscore":
            checksums["encoder"] = token_encoder_identity(ENCODER)
        return checksums

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """How well questions are answered, both ways; each with its expected and its given answer."""
        results = self._best_results(self.question_sets(examples))
        values, parts, reasons = columns_of(results, self.parts, NOTHING_ASKED)
        return Analysis(values, parts, reasons, find=lambda: list(map(findings_of, results)))

    def question_sets(self, examples: Sequence[Example]) -> list[list[QuestionSet]]:
        """For each example the questions between its text and each of what that is compared with."""
        find = phrase_finder(self.answers)
        options = QuestionOptions(
            load_questions(self.questions),
            # That program takes what is found as it is, and asks twice for what was found twice.
            lambda text, facts: (
                find(text) if self.compat == PROGRAM else answers_beside(text, find(text), facts)
            ),
            linearise_by_entity if writes_answers(self._answerer) else linearise,
            self.writer,
        )
        return [[] if missing_fields(self, each) else self._sets_of(each, options) for each in examples]

    def _sets_of(self, example: Example, options: QuestionOptions) -> list[QuestionSet]:
        sets = [questions_with_data(example, options)] if self.source != "references" else []
        references = filter(str.strip, example.references) if self.source != "data" else ()
        return sets + [questions_with_reference(example, reference, options) for reference in references]

    def _best_results(self, sets: Sequence[Sequence[QuestionSet]]) -> list[QuestEvalResult]:
        """The best result of each example; NaN where there is nothing to compare with."""
        flat = [each for of_example in sets for each in of_example]
        results = iter(self._ask(rewrite_questions(flat, self.writer) if self.writer else flat))
        nothing = combine_directions([], [])
        return [max([nothing, *islice(results, len(of_example))], key=_nan_lowest) for of_example in sets]

    def _ask(self, sets: Sequence[QuestionSet]) -> list[QuestEvalResult]:
        """The result of each set of questions; all are asked together."""
        questions = [(each, question) for each in sets for question in each.all]
        answers = answer_questions(self._answerer, [question.asked for _, question in questions])
        replies = [reply_of(*question, given) for question, given in zip(questions, answers, strict=True)]
        scored = iter(self._score_replies(replies))
        combine = combine_like_questeval if self.compat == PROGRAM else combine_directions
        return [
            combine(list(islice(scored, len(each.of_text))), list(islice(scored, len(each.of_other))))
            for each in sets
        ]

    def _score_replies(self, replies: Sequence[Reply]) -> list[ScoredReply]:
        if self.compat == PROGRAM:
            columns = [[reply.answer.answerable for reply in replies]]
            columns += [similarities(replies, method) for method in ("bertscore", "f1")]
            return list(map(ScoredReply, replies, zip(*columns, strict=True)))
        rule = PAPER if self.compat == PAPER else self.unanswerable
        return [
            ScoredReply(reply, (answer_score(similarity, reply.answer, rule),))
            for reply, similarity in zip(replies, similarities(replies, self.similarity), strict=True)
        ]


def _nan_lowest(result: QuestEvalResult) -> float:
    return -1.0 if math.isnan(result.value) else result.value
