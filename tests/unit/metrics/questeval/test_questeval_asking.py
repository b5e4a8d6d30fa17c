"""Questions that a model writes, data in the form that such models read, and answers chosen by spaCy."""

import pytest

from factable.metrics.questeval.metric import QuestEval
from factable.metrics.questeval.questions import (
    QuestionOptions,
    questions_with_data,
    questions_with_reference,
    reply_of,
    rewrite_questions,
)
from factable.models.qa import QaAnswer
from factable.models.seq2seq import AnswerInText, write_questions
from factable.text.answers import answer_spans
from factable.text.linearise import linearise_by_entity
from factable.text.questions import Questions
from factable.types import Example, Record, Table
from helpers.t5 import make_t5_folder

TABLE = Table((Record("Ada_Lovelace", "born", "1815-12-10"), Record("Ada_Lovelace", "field", "mathematics")))
EXAMPLE = Example("1", "", "Ada Lovelace met Charles Babbage in London.", TABLE, ("Ada lived in London.",))
LINE = "entity [ Ada Lovelace ] , born [ 1815 - 12 - 10 ] , field [ mathematics ]"


def options(writer):
    return QuestionOptions(Questions(), lambda text, _: answer_spans(text), linearise_by_entity, writer)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    texts = [LINE, EXAMPLE.text, *EXAMPLE.references]
    return str(make_t5_folder(tmp_path_factory.mktemp("t5") / "model", texts))


def test_values_are_asked_for_and_subjects_by_a_writer():
    plain, written = (questions_with_data(EXAMPLE, options(writer)) for writer in ("", "model"))
    assert [question.expected for question in plain.of_text] == ["1815-12-10", "mathematics"]
    assert [question.expected for question in written.of_text] == [
        "Ada Lovelace",
        "1815-12-10",
        "mathematics",
    ]
    assert [question.source for question in written.of_text] == [
        AnswerInText(answer, LINE) for answer in ("Ada Lovelace", "1815 - 12 - 10", "mathematics")
    ]
    assert [question.record for question in written.of_text] == [0, 0, 1]
    assert [question.attribute for question in written.of_text] == ["", "born", "field"]
    assert {question.asked.context for question in written.of_other} == {LINE}
    assert written.of_other[0].source == AnswerInText("Ada Lovelace", EXAMPLE.text)


def test_an_answer_from_the_data_is_the_value_as_the_data_has_it():
    questions = questions_with_data(EXAMPLE, options(""))
    question = questions.of_other[0]
    start = LINE.index("1815")
    whole = reply_of(questions, question, QaAnswer("1815 - 12 - 10", (start, start + 14), 1.0))
    assert (whole.answer.text, whole.record, whole.attribute) == ("1815-12-10", 0, "born")
    part = reply_of(questions, question, QaAnswer("1815", (start, start + 4), 1.0))
    assert (part.answer.text, part.record) == ("1815", 0)
    subject = reply_of(questions, question, QaAnswer("Ada Lovelace", (9, 21), 1.0))
    assert (subject.answer.text, subject.record, subject.attribute) == ("Ada Lovelace", 0, "")


@pytest.mark.packages
def test_a_writer_words_the_questions_of_both_sides(model):
    sets = [
        questions_with_data(EXAMPLE, options(model)),
        questions_with_reference(EXAMPLE, "Ada lived.", options(model)),
    ]
    rewritten = rewrite_questions(sets, model)
    for before, after in zip(sets, rewritten, strict=True):
        for old, new in ((before.of_text, after.of_text), (before.of_other, after.of_other)):
            questions = write_questions(model, [question.source for question in old])
            assert [question.asked.question for question in new] == questions
            assert [question.asked.context for question in new] == [
                question.asked.context for question in old
            ]
            assert [question.expected for question in new] == [question.expected for question in old]


@pytest.mark.packages
@pytest.mark.parametrize("source", ["data", "references", "both"])
def test_scores_do_not_depend_on_neighbours(model, source):
    metric = QuestEval(qa=model, writer=model, source=source, similarity="f1", unanswerable="ignore")
    other = Example("2", "", "Charles Babbage met Ada Lovelace.", TABLE, ("Charles lived in London.",))
    together = metric.score([EXAMPLE, other, EXAMPLE])
    assert together.values[0] == together.values[2] == metric.score([EXAMPLE]).values[0]
    assert together.values[1] == metric.score([other]).values[0]
    assert all(0 <= value <= 1 for value in together.values)


@pytest.mark.packages
def test_answers_by_a_pipeline_of_spacy(model, tmp_path):
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "CITY", "pattern": "London"}])
    pipeline.to_disk(tmp_path / "cities")
    metric = QuestEval(qa=model, answers=str(tmp_path / "cities"), similarity="f1")
    ((*findings,),) = metric.score([EXAMPLE], explain=True).findings
    asked = [finding for finding in findings if finding.span and 'expected "London"' in finding.note]
    assert [EXAMPLE.text[slice(*finding.span)] for finding in asked] == ["London"]
    assert "Babbage" not in "".join(finding.note.partition("expected")[2] for finding in findings)
    assert "|answers:cities@" in metric.score([EXAMPLE]).signature
