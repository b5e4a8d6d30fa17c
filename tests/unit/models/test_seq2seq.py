"""Models that write answers and questions: real ones with random weights, and clear refusals."""

import json
import shutil
import sqlite3

import pytest

from factable.errors import DataError, UsageError
from factable.models.nli import LABELS
from factable.models.qa import (
    QuestionInText,
    Seq2SeqQa,
    answer_questions,
    first_occurrence,
    load_qa,
    qa_identity,
    writes_answers,
)
from factable.models.runtime.cache import CACHE_VERSION
from factable.models.runtime.progress import no_progress
from factable.models.seq2seq import MAX_NEW_TOKENS, AnswerInText, Seq2Seq, seq2seq_identity, write_questions
from helpers.nli_models import make_hf_folder
from helpers.t5 import make_t5_folder

pytestmark = pytest.mark.packages

TEXTS = ["Ada was born in London .", "Charles built a machine", "who was born in London ?", "Where ?"]
ASKED = [
    QuestionInText("who was born in London ?", "Ada was born in London ."),
    QuestionInText("Where ?", "Charles built a machine"),
    QuestionInText("Ada", ""),
    QuestionInText("Charles was ?", "London London London Ada built"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_t5_folder(tmp_path_factory.mktemp("t5") / "model", TEXTS)


@pytest.fixture(scope="module")
def model(folder):
    return load_qa(str(folder))


def by_hand(folder, question):
    """Text and first probabilities, token by token, from the whole text each time."""
    import torch
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = T5ForConditionalGeneration.from_pretrained(folder).eval()
    end = tokenizer.eos_token_id
    read = tokenizer(f"{question.question} </s> {question.context}")["input_ids"]
    # The mark is one token, and another stands at the end.
    assert read.count(end) >= 2
    written, first = [0], None
    with torch.inference_mode():
        while written[-1] != end and len(written) <= MAX_NEW_TOKENS:
            scores = network(torch.tensor([read]), decoder_input_ids=torch.tensor([written])).logits[0, -1]
            first = scores.double().softmax(0) if first is None else first
            written.append(int(scores.argmax()))
    none = first[tokenizer.convert_tokens_to_ids("▁unanswerable")]
    return tokenizer.decode(written, skip_special_tokens=True).strip(), 1 - float(none)


def test_the_likeliest_token_is_written_next(folder, model):
    assert isinstance(model, Seq2SeqQa)
    answers = model.answers(ASKED, no_progress)
    for question, answer in zip(ASKED, answers, strict=True):
        text, answerable = by_hand(folder, question)
        assert answer.text == text
        assert answer.answerable == pytest.approx(answerable, abs=1e-5)
        assert answer.span == first_occurrence(text, question.context)
    # Otherwise any question would do.
    assert len({answer.text for answer in answers}) > 1
    assert max(answer.answerable for answer in answers) > min(answer.answerable for answer in answers) + 1e-4


def test_answers_do_not_depend_on_neighbours(model):
    together = model.answers(ASKED, no_progress)
    assert model.answers(ASKED[::-1], no_progress) == together[::-1]
    assert [model.answers([question], no_progress)[0] for question in ASKED] == together
    assert model.answers([], no_progress) == []


def test_together_on_a_gpu_gives_the_same_texts(folder, monkeypatch):
    network = Seq2Seq(folder)
    model = Seq2SeqQa(network)
    alone = model.answers(ASKED, no_progress)
    monkeypatch.setattr(network, "_batch_size", 3)
    together = model.answers(ASKED, no_progress)
    assert [answer.text for answer in together] == [answer.text for answer in alone]
    for answer, other in zip(together, alone, strict=True):
        assert answer.answerable == pytest.approx(other.answerable, abs=1e-5)


def test_an_answer_stands_where_it_is_first_found():
    assert first_occurrence("Ada", "Is ADA ada?") == (3, 6)
    assert first_occurrence("A.a", "Ada A.A") == (4, 7)
    assert first_occurrence("Kurt", "Is ADA ada?") is None
    assert first_occurrence("", "Ada") is None


def test_a_model_that_asks_and_answers_is_not_mistaken(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path))
    answered = [AnswerInText(*question) for question in ASKED]
    questions = write_questions(str(folder), answered + answered)
    assert questions[: len(ASKED)] == questions[len(ASKED) :]
    # The same words in front of the same text: the same is written, and kept apart.
    assert [answer.text for answer in answer_questions(str(folder), ASKED)] == questions[: len(ASKED)]
    with sqlite3.connect(tmp_path / f"seq2seq-{CACHE_VERSION}.sqlite") as file:
        assert file.execute("SELECT count(*) FROM answers").fetchone() == (len(ASKED),)
    file.close()
    assert qa_identity(str(folder)) == seq2seq_identity(str(folder))
    assert writes_answers(str(folder))


def test_a_prefix_in_the_configuration_is_read_first(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "prefix": "Where ? </s> "}))
    question = QuestionInText("Ada", "London")
    (answer,) = load_qa(str(other)).answers([question], no_progress)
    assert (answer.text, pytest.approx(answer.answerable)) == by_hand(
        folder, QuestionInText("Where ? </s> Ada", "London")
    )
    assert (answer.text, pytest.approx(answer.answerable, rel=1e-5)) != by_hand(folder, question)


def test_long_texts_are_cut(model):
    question = QuestionInText("Where ?", "Ada was born in London . " * 100)
    (answer,) = model.answers([question], no_progress)
    (longer,) = model.answers([question._replace(context=question.context * 2)], no_progress)
    assert answer == longer


def test_other_models_are_refused(tmp_path):
    other = make_hf_folder(tmp_path / "bert", LABELS)
    with pytest.raises(DataError, match="this model cannot be loaded") as caught:
        load_qa(str(other))
    assert "\n" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"it has no manifest\.json and no config\.json; name a folder made by"
    ):
        load_qa(str(tmp_path / "empty"))
    with pytest.raises(
        DataError, match=r"it has no manifest\.json and no config\.json; name a folder made by"
    ):
        seq2seq_identity(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="no model 'q'; embedded ones are qa, qa-relations; or name"):
        load_qa("q")
