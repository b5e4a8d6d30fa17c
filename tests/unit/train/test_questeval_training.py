"""From questions about texts to models that ask and answer about data: aligned and trained."""

import json

import pytest
from click.testing import CliRunner

from factable.cli.main import cli
from factable.errors import DataError, UsageError
from factable.metrics.questeval.metric import QuestEval
from factable.models.qa import QuestionInText, answer_questions
from factable.models.seq2seq import UNANSWERABLE, AnswerInText, write_questions
from factable.text.linearise import linearise_by_entity
from factable.train.options import QuestevalOptions
from factable.train.questeval import (
    AlignedQuestion,
    Seq2SeqTask,
    align,
    answering_tasks,
    train_questeval,
    train_seq2seq,
    writing_tasks,
)
from factable.types import Example, Record, Table
from helpers.t5 import make_t5_folder

pytest.importorskip("torch")
pytest.importorskip("transformers")

# One answer each, and subjects that the texts do not name: as much as a tiny model can learn in seconds.
TOWNS = {
    "Ada Lovelace": "London",
    "Alan Turing": "Maida Vale",
    "Kurt Goedel": "Brno",
    "Emmy Noether": "Erlangen",
}
FAST = QuestevalOptions(epochs=100, batch_size=4, learning_rate=1e-2, save_every=20)


def example_of(person):
    table = Table((Record(person, "birthPlace", TOWNS[person]),))
    return Example(person, "", "", table, (f"The town of birth is {TOWNS[person]} .",))


EXAMPLES = [example_of(person) for person in TOWNS]
ALIGNED = [answer for example in EXAMPLES for answer in align(example)]
ASKED = [f"where was {person} born ?" for person in TOWNS]


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    """A model that writes at random."""
    return make_t5(tmp_path_factory.mktemp("t5") / "untrained")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_t5(tmp_path_factory.mktemp("t5") / "base", dropout=0.02, varied=False)


def make_t5(folder, **options):
    texts = [text for answer in ALIGNED for side in answer for text in side]
    return make_t5_folder(folder, [*texts, *ASKED], **options)


@pytest.fixture(scope="module")
def writer(base, tmp_path_factory):
    """A model that has learnt to ask about texts."""
    folder = tmp_path_factory.mktemp("t5") / "writer"
    tasks = [
        Seq2SeqTask(" </s> ".join(answer.in_text), asked)
        for answer, asked in zip(ALIGNED, ASKED, strict=True)
    ]
    train_seq2seq(base, tasks, folder, FAST, folder.with_name("work"), threads=1, log=lambda _: None)
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "people.jsonl"
    rows = [
        {"id": one.item, "data": [list(record) for record in one.table.records], "references": one.references}
        for one in EXAMPLES
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(corpus, out, writer, base, log=lambda _: None):
    train_questeval([str(corpus)], out, FAST, writer=str(writer), base=str(base), threads=1, log=log)


def test_answers_stand_in_the_text_and_in_the_data():
    (found,) = align(example_of("Alan Turing"))
    assert found.in_text == AnswerInText("Maida Vale", "The town of birth is Maida Vale .")
    assert found.in_data == AnswerInText("Maida Vale", "entity [ Alan Turing ] , birthPlace [ Maida Vale ]")


def test_what_the_text_does_not_say_is_not_asked_for():
    table = Table((Record("Ada", "born", "1815-12-10"), Record("Ada", "died", "1852")))
    found = list(align(Example("1", "", "", table, ("Ada was born on 10 December 1815.",))))
    pairs = [(one.in_text.answer, one.in_data.answer) for one in found]
    assert pairs == [("Ada", "Ada"), ("10 December 1815", "1815 - 12 - 10")]


def test_tasks_of_both_models():
    written = [
        AlignedQuestion(
            f"{n} ?", AnswerInText(f"<{n}>", f"It is <{n}> ."), AnswerInText(f"<{n}>", f"p [ <{n}> ]")
        )
        for n in range(100)
    ]
    assert writing_tasks(written)[:2] == [
        Seq2SeqTask("<0> </s> It is <0> .", "0 ?"),
        Seq2SeqTask("<0> </s> p [ <0> ]", "0 ?"),
    ]
    tasks = answering_tasks(written, seed=0)
    answered = [task for task in tasks if task.writes != UNANSWERABLE]
    assert answered[:2] == [
        Seq2SeqTask("0 ? </s> It is <0> .", "<0>"),
        Seq2SeqTask("0 ? </s> p [ <0> ]", "<0>"),
    ]
    assert len(answered) == 200
    without = [task for task in tasks if task.writes == UNANSWERABLE]
    assert 20 < len(without) < 80
    for task in without:
        question, text = task.reads.split(" ? </s> ")
        assert f"<{question}>" not in text
    assert answering_tasks(written, seed=0) == tasks != answering_tasks(written, seed=1)


@pytest.mark.train
def test_both_models_learn_from_the_writer(base, writer, corpus, tmp_path):
    out, lines = tmp_path / "models", []
    run(corpus, out, writer, base, log=lines.append)
    rows = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    assert [row["question"] for row in rows] == ASKED
    assert lines[:2] == ["4 answers found in both a reference and its data", "4 different questions"]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines if "loss" in line]
    assert losses[0] > 4 * min(losses)
    for context, expected in (("text", "answer"), ("data", "answer_in_data")):
        asked = [QuestionInText(row["question"], row[context]) for row in rows]
        answers = answer_questions(str(out / "qa"), asked)
        assert [answer.text for answer in answers] == [row[expected] for row in rows]
        for answer, row in zip(answers, rows, strict=True):
            assert row[context][slice(*answer.span)] == answer.text
        assert min(answer.answerable for answer in answers) > 0.5
        answered = [AnswerInText(row[expected], row[context]) for row in rows]
        assert write_questions(str(out / "writer"), answered) == ASKED
    check_metric(out)


def check_metric(out):
    """The metric asks and answers with the models."""
    table = EXAMPLES[0].table
    good = Example("1", "", "The town of birth is London .", table)
    bad = Example("2", "", "The town of birth is Brno .", table)
    metric = QuestEval(qa=str(out / "qa"), writer=str(out / "writer"), similarity="f1")
    scores = metric.score([good, bad], explain=True)
    assert 0 <= scores.values[1] < scores.values[0] <= 1
    notes = " ".join(finding.note for finding in scores.findings[0])
    assert '"where was Ada Lovelace born ?" expected "London", answered "London"' in notes
    # Subjects are asked for as well.
    assert 'expected "Ada Lovelace"' in notes
    assert "|writer:writer@" in scores.signature
    assert "|qa:qa@" in scores.signature


def test_a_few_steps_of_the_command(untrained, corpus, tmp_path):
    out = tmp_path / "out"
    command = [
        "train",
        "questeval",
        str(corpus),
        str(out),
        "--writer",
        str(untrained),
        "--base",
        str(untrained),
    ]
    options = ["--max-answers", "3", "--batch", "2"]
    ran = CliRunner().invoke(cli, [*command, *options], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    lines = ran.stderr.splitlines()
    assert lines[0] == "3 answers found in both a reference and its data"
    assert lines[-1] == f"models written to {out}"
    assert len([line for line in lines if line.endswith("from step 0")]) == 2
    data = linearise_by_entity(dict(enumerate(EXAMPLES[0].table.records))).text
    (found,) = answer_questions(str(out / "qa"), [QuestionInText("where ?", data)])
    assert 0 <= found.answerable <= 1
    # Called again, it finds everything trained; other options are another training.
    weights = [(out / name / "model.safetensors").read_bytes() for name in ("writer", "qa")]
    again = CliRunner().invoke(cli, [*command, *options], catch_exceptions=False)
    assert "from step 0" not in again.stderr
    assert [(out / name / "model.safetensors").read_bytes() for name in ("writer", "qa")] == weights
    with pytest.raises(UsageError, match=r"holds checkpoints of another training \(rate 0.0003, now 0.001\)"):
        CliRunner().invoke(cli, [*command, *options, "--rate", "0.001"], catch_exceptions=False)


def test_references_that_say_nothing_are_refused(untrained, tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text(
        json.dumps({"id": "1", "data": [["Ada", "born", "1815"]], "references": ["Nothing."]}) + "\n"
    )
    with pytest.raises(DataError, match="no reference states a value of its data; give converted data sets"):
        run(path, tmp_path / "out", untrained, untrained)
