"""Training a model that answers questions, for real but tiny: it learns, and gives a model folder."""

import json

import pytest

from factable.models.qa import OnnxQa, QaAnswer, QuestionInText, encode_question
from factable.models.runtime.manifest import QA
from factable.train.encoder import load_base_tokenizer
from factable.train.export import export_model
from factable.train.options import QaOptions
from factable.train.qa import (
    NO_ANSWER,
    QaFigures,
    answer_tokens,
    calibrate_qa,
    encode_questions,
    load_qa_model,
    measure_answers,
    predict_answers,
    train_on_questions,
    train_qa,
)
from factable.train.qa_questions import QaQuestion

pytest.importorskip("torch")
pytest.importorskip("transformers")


def letters(times):
    """The answer is the digit, wherever it is; without one there is none."""
    questions = []
    for index in range(4):
        for digit in "3457":
            words = ["a", "b", "c", "d"]
            words[index] = digit
            context = " ".join(words)
            start = context.index(digit)
            questions.append(QaQuestion("the", context, (start, start + 1)))
    without = [QaQuestion("the", f"{letter} b c d", None) for letter in "efgh"]
    return (questions + without) * times


def test_tokens_of_answers(tiny_encoder):
    encoded = encode_question(load_base_tokenizer(tiny_encoder), "the is", "a b c")
    assert answer_tokens(encoded, None) == NO_ANSWER
    first, last = answer_tokens(encoded, (2, 5))
    assert [encoded.offsets[index] for index in (first, last)] == [(2, 3), (4, 5)]
    assert answer_tokens(encoded, (7, 9)) is None
    short, long = QaQuestion("the", "a b c", (0, 1)), QaQuestion("the", "a " * 90, None)
    assert len(encode_questions(tiny_encoder, [short, long], 64).labels) == 1


@pytest.mark.train
def test_it_learns(tiny_encoder, tmp_path):
    model = load_qa_model(tiny_encoder)
    options = QaOptions(batch_size=16, learning_rate=1e-2, max_tokens=64)
    train_on_questions(model, letters(60), tiny_encoder, tmp_path / "work", options, threads=1, log=print)
    export_model(model, tiny_encoder, tmp_path / "out", kind=QA, about="letters")
    held_out = letters(1)
    figures = measure_answers(held_out, predict_answers(tmp_path / "out", held_out))
    assert figures.questions == 20
    assert figures.exact > 0.9
    assert figures.answerable > 0.9
    (answer,) = OnnxQa(tmp_path / "out").answers([QuestionInText("the", "a 5 c d")], lambda _: None)
    assert (answer.text, answer.span) == ("5", (2, 3))


def test_figures():
    questions = [QaQuestion("q", "a b", (0, 1)), QaQuestion("q", "a b", (2, 3)), QaQuestion("q", "a b", None)]
    answers = [QaAnswer("a", (0, 1), 0.9), QaAnswer("a", (0, 1), 0.9), QaAnswer("a", (0, 1), 0.6)]
    # "a" is an article, which SQuAD's F1 does not count; two sides without words are alike.
    assert measure_answers(questions, answers) == QaFigures(3, 0.5, 0.5, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("answerable", "temperature"),
    # Always right: as sure as possible. Never right: as unsure as possible. Sure at 0.98, right three times
    # of four: log odds of 3.9 become 1.1 if they are divided by 3.5.
    [((1, 1, 1, 1), 0.5), ((0, 0, 0, 0), 6.0), ((1, 1, 1, 0), 3.5)],
)
def test_how_sure_answers_are_is_calibrated(answerable, temperature):
    questions = [QaQuestion("q", "a", (0, 1) if one else None) for one in answerable]
    assert calibrate_qa(questions, [QaAnswer("a", (0, 1), 0.98)] * 4) == temperature


def test_a_few_steps_give_a_model_folder(tiny_encoder, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    rows = [
        {
            "id": str(number),
            "data": [["Ada", "a", str(number)], ["Ada", "b", f"x{number}"]],
            "references": [f"Ada is {number} and x{number}."],
        }
        for number in range(10, 40)
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out, lines = tmp_path / "model", []
    options = QaOptions(batch_size=8, max_questions=16)
    for _ in range(2):
        train_qa(
            [str(corpus)],
            [str(corpus)],
            tiny_encoder,
            out,
            options,
            questions="general",
            about="tiny",
            threads=1,
            log=lines.append,
        )
    # The second call finds everything trained.
    assert [line for line in lines if "from step" in line] == ["2 steps, from step 0", "2 steps, from step 2"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["kind"], manifest["about"]) == ("qa", "tiny")
    assert f"temperature {manifest['temperature']}" in lines
    assert "| corpus.jsonl | 16 |" in (out / "CARD.md").read_text()
    assert OnnxQa(out).answers([QuestionInText("the", "")], lambda _: None)[0].answerable == 0
