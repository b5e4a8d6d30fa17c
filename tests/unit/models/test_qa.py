"""The embedded model that answers questions: from texts and data, long or empty, the same in any company."""

import shutil

import pytest

from factable.errors import DataError, UsageError
from factable.models.qa import (
    MAX_QUESTION_WORDS,
    OnnxQa,
    QuestionInText,
    answer_questions,
    load_qa,
    qa_identity,
)
from factable.models.runtime.manifest import embedded_folder
from factable.text.linearise import linearise
from factable.text.questions import BLANK
from factable.types import Record

TEXT = "Ada Lovelace was born in London in 1815 and wrote the first program."
DATA = linearise(
    {
        0: Record("Ada Lovelace", "birthPlace", "London"),
        1: Record("Ada Lovelace", "birthYear", "1815"),
        2: Record("London", "country", "England"),
    }
).text


@pytest.fixture(scope="module")
def model():
    return OnnxQa(embedded_folder("qa"))


def ask(model, question, context):
    (answer,) = model.answers([QuestionInText(question, context)], lambda _: None)
    return answer


@pytest.mark.parametrize(
    ("question", "context", "expected"),
    [
        ("What is the birth place of Ada Lovelace?", TEXT, "London"),
        ("What is the birth year of Ada Lovelace?", TEXT, "1815"),
        ("Where was Ada Lovelace born?", TEXT, "London"),
        (f"Ada Lovelace was born in {BLANK}.", DATA, "London"),
        (f"{BLANK} was born in London.", DATA, "Ada Lovelace"),
        (f"London is in {BLANK}.", DATA, "England"),
    ],
)
def test_answers(model, question, context, expected):
    answer = ask(model, question, context)
    assert answer.text == expected == context[slice(*answer.span)]
    assert answer.answerable > 0.5


@pytest.mark.parametrize(
    ("question", "context"),
    [
        ("What is the death place of Ada Lovelace?", TEXT),
        ("What is the birth place of Charles Babbage?", TEXT),
        (f"Ada Lovelace died of {BLANK}.", DATA),
        ("Who?", ""),
        ("Who?", "   "),
    ],
)
def test_what_has_no_answer(model, question, context):
    assert ask(model, question, context).answerable < 0.5


def test_an_answer_is_no_more_than_one_part_of_a_fact(model):
    for question in ("What?", f"{BLANK} is there.", "Everything about Ada and London?"):
        assert "|" not in ask(model, question, DATA).text


def test_long_contexts_are_read_to_the_end(model):
    filler = "The weather was fine and nothing else happened on that day. " * 60
    answer = ask(model, "What is the birth place of Ada Lovelace?", filler + TEXT)
    assert answer.text == "London"
    assert answer.span[0] > len(filler)


def test_long_questions_are_cut_around_their_blank(model):
    before, after = (" ".join(f"{side}{n}" for n in range(100)) for side in ("l", "r"))
    cut = " ".join(
        [*before.split()[-MAX_QUESTION_WORDS // 2 :], BLANK, *after.split()[: MAX_QUESTION_WORDS // 2 - 1]]
    )
    assert ask(model, f"{before} {BLANK} {after}", DATA) == ask(model, cut, DATA)


def test_whatever_is_asked_fits_into_the_window(model):
    dotted = "a." * 300
    assert ask(model, dotted, DATA).answerable < 0.5
    ask(model, f"Where is {dotted[:400]} {BLANK}?", dotted * 3)
    ask(
        model,
        "Who is it?",
        "antidisestablishmentarianistically" * 2 + " x" * 505 + " unforgettablenesses " * 400,
    )


def test_answers_do_not_depend_on_neighbours_or_threads(model):
    questions = [
        QuestionInText(f"What is the birth {attribute} of Ada Lovelace?", TEXT * n)
        for attribute in ("place", "year")
        for n in (1, 3)
    ]
    together = OnnxQa(embedded_folder("qa"), threads=3).answers(questions * 5, lambda _: None)
    assert together[:4] == [ask(model, *question) for question in questions] == together[-4:]


def test_kept_answers_are_the_same(monkeypatch):
    questions = [QuestionInText("Where was Ada born?", TEXT), QuestionInText("Wo?", "Zürich 🏔 \ud83d")]
    first = answer_questions("qa", questions)
    monkeypatch.setattr("factable.models.runtime.cache._memory", {})
    monkeypatch.setattr("factable.models.qa.load_qa", lambda name: pytest.fail(name))
    assert answer_questions("qa", questions) == first


def test_a_damaged_model_is_refused(tmp_path):
    folder = tmp_path / "qa"
    shutil.copytree(embedded_folder("qa"), folder)
    assert qa_identity(str(folder)) == qa_identity("qa")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(DataError, match="damaged"):
        load_qa(str(folder))
    with pytest.raises(DataError, match="a model of kind 'nli'"):
        load_qa(str(embedded_folder("nli")))
    with pytest.raises(UsageError, match="no model 'qaa'"):
        load_qa("qaa")
