"""From SQuAD to a model that asks and answers about texts and data: aligned, trained and exported."""

import json
import random

import pytest
from click.testing import CliRunner

from factable.cli.main import cli
from factable.errors import DataError, UsageError
from factable.metrics.questeval.metric import QuestEval
from factable.models.qa import QuestionInText, answer_questions
from factable.models.runtime.progress import no_progress
from factable.models.seq2seq import UNANSWERABLE, AnswerInText, load_seq2seq, write_questions
from factable.train.options import QuestevalOptions
from factable.train.questeval import (
    AlignedQuestion,
    Seq2SeqTask,
    Seq2SeqTraining,
    align,
    answering_tasks,
    read_questions,
    save_questions,
    squad_tasks,
    train_questeval,
    writing_tasks,
)
from factable.train.t5_export import export_t5
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


TASKS = [
    task
    for asked, answer in zip(ASKED, ALIGNED, strict=True)
    for task in writing_tasks([AlignedQuestion(asked, *answer)])
]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    texts = [text for task in TASKS for text in task]
    return make_t5_folder(tmp_path_factory.mktemp("t5") / "base", ["answer:", *texts], dropout=0.02)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "people.jsonl"
    rows = [
        {"id": one.item, "data": [list(record) for record in one.table.records], "references": one.references}
        for one in EXAMPLES
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture(scope="module")
def squad(tmp_path_factory):
    """The same questions about the same texts, as SQuAD has them."""
    path = tmp_path_factory.mktemp("squad") / "squad.json"
    paragraphs = [
        {
            "context": answer.in_text.text,
            "qas": [
                {
                    "question": asked,
                    "answers": [
                        {
                            "text": answer.in_text.answer,
                            "answer_start": answer.in_text.text.index(answer.in_text.answer),
                        }
                    ],
                }
            ],
        }
        for asked, answer in zip(ASKED, ALIGNED, strict=True)
    ]
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    return str(path)


def run(files, out, base, options=FAST, writer="", log=lambda _: None):
    train_questeval(files, out, options, writer=writer, base=str(base), about="", threads=1, log=log)


def test_answers_stand_in_the_text_and_in_the_data():
    (found,) = align(example_of("Alan Turing"))
    assert found.in_text == AnswerInText("Maida Vale", "The town of birth is Maida Vale .")
    assert found.in_data == AnswerInText("Maida Vale", "entity [ Alan Turing ] , birthPlace [ Maida Vale ]")


def test_what_the_text_does_not_say_is_not_asked_for():
    table = Table((Record("Ada", "born", "1815-12-10"), Record("Ada", "died", "1852")))
    found = list(align(Example("1", "", "", table, ("Ada was born on 10 December 1815.",))))
    pairs = [(one.in_text.answer, one.in_data.answer) for one in found]
    assert pairs == [("Ada", "Ada"), ("10 December 1815", "1815 - 12 - 10")]


def test_tasks_on_both_sides():
    written = [
        AlignedQuestion(
            f"{n} ?", AnswerInText(f"<{n}>", f"It is <{n}> ."), AnswerInText(f"<{n}>", f"p [ <{n}> ]")
        )
        for n in range(100)
    ]
    assert writing_tasks(written)[:2] == [
        Seq2SeqTask("ask: <0> </s> It is <0> .", "0 ?"),
        Seq2SeqTask("ask: <0> </s> p [ <0> ]", "0 ?"),
    ]
    tasks = answering_tasks(written, random.Random(0))
    answered = [task for task in tasks if task.writes != UNANSWERABLE]
    assert answered[:2] == [
        Seq2SeqTask("answer: 0 ? </s> It is <0> .", "<0>"),
        Seq2SeqTask("answer: 0 ? </s> p [ <0> ]", "<0>"),
    ]
    assert len(answered) == 200
    without = [task for task in tasks if task.writes == UNANSWERABLE]
    assert 20 < len(without) < 80
    for task in without:
        question, text = task.reads.removeprefix("answer: ").split(" ? </s> ")
        assert f"<{question}>" not in text
    assert answering_tasks(written, random.Random(0)) == tasks != answering_tasks(written, random.Random(1))


def test_lower_case_is_that_of_a_system():
    assert Seq2SeqTask("ask: Ada </s> Ada Lovelace .", "Who is Ada?").lowered() == Seq2SeqTask(
        "ask: ada </s> ada lovelace .", "Who is ada?"
    )


def test_squad_is_asked_and_answered(squad):
    tasks = squad_tasks([squad], max_questions=3, seed=0)
    assert {task.reads.split(":")[0] for task in tasks} == {"ask", "answer"}
    assert sum(task.reads.startswith("answer: ") for task in tasks) == 3


@pytest.mark.train
def test_the_model_asks_and_answers_about_texts_and_data(base, squad, corpus, tmp_path):
    """All four steps: what it has learnt it does from ONNX, without torch."""
    out, lines = tmp_path / "model", []
    run([squad, corpus], out, base, log=lines.append)
    assert "4 answers found in both a reference and its data" in lines
    rows = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    assert rows
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines if "loss" in line]
    assert losses[0] > 4 * min(losses)
    right = 0
    for context, expected in (("text", "answer"), ("data", "answer_in_data")):
        asked = [QuestionInText(row["question"], row[context]) for row in rows]
        answers = answer_questions(str(out), asked)
        right += sum(answer.text == row[expected] for answer, row in zip(answers, rows, strict=True))
        answered = [AnswerInText(row[expected], row[context]) for row in rows]
        questions = write_questions(str(out), answered)
        right += sum(question == row["question"] for question, row in zip(questions, rows, strict=True))
    assert right > 2 * len(rows)
    assert "questions answered back" in (out / "CARD.md").read_text()


def test_a_few_steps_of_the_command(base, corpus, tmp_path):
    out = tmp_path / "out"
    command = ["train", "questeval", corpus, str(out), "--writer", str(base), "--base", str(base)]
    ran = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    lines = ran.stderr.splitlines()
    assert lines[-1] == f"model written to {out}"
    check_metric(str(out))
    # Called again, it finds everything trained; other options are another training.
    weights = [(out / name).read_bytes() for name in ("encoder.onnx", "decoder.onnx")]
    again = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert "from step 0" not in again.stderr
    assert [(out / name).read_bytes() for name in ("encoder.onnx", "decoder.onnx")] == weights
    with pytest.raises(UsageError, match=r"holds checkpoints of another training \(rate 0.0003, now 0.001\)"):
        CliRunner().invoke(cli, [*command, "--rate", "0.001"], catch_exceptions=False)


def test_further_questions_are_learnt_too(base, squad, corpus, tmp_path):
    """They are saved with the model's own, which are few after so short a training."""
    further = [AlignedQuestion(asked, *answer) for asked, answer in zip(ASKED, ALIGNED, strict=True)]
    files = [tmp_path / "some.jsonl", tmp_path / "others.jsonl"]
    save_questions(further[:3], files[0])
    save_questions(further[2:], files[1])
    out = tmp_path / "out"
    named = [part for file in files for part in ("--questions", str(file))]
    command = ["train", "questeval", squad, corpus, str(out), "--base", str(base), *named]
    ran = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert "5 further questions" in ran.stderr.splitlines()
    assert "| further questions | 5 |" in (out / "CARD.md").read_text()
    learnt = read_questions(str(out / "questions.jsonl"))
    assert [row for row in learnt if row in further] == further


@pytest.mark.parametrize("line", ["{", "[]", '{"question": "Who?"}', '{"question": 1, "answer": "x"}', "3"])
def test_what_is_no_question_is_refused(line, tmp_path):
    path = tmp_path / "bad.jsonl"
    save_questions([AlignedQuestion(ASKED[0], *ALIGNED[0])], path)
    with path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(DataError, match=r"bad.jsonl:2: no question with its answers; give a JSON object"):
        read_questions(str(path))


def check_metric(model):
    """The paper's form asks and answers with the model, and with no other."""
    table = EXAMPLES[0].table
    metric = QuestEval(compat="paper", writer=model)
    scores = metric.score([Example("1", "", "The town of birth is London .", table)], explain=True)
    assert 0 <= scores.values[0] <= 1
    # Subjects are asked for as well.
    assert 'expected "Ada Lovelace"' in " ".join(finding.note for finding in scores.findings[0])
    assert metric.checksums()["qa"] == metric.checksums()["writer"]


def test_graphs_write_what_the_model_writes(base, tmp_path):
    """Two graphs, one of them run step by step, and transformers: the same tokens."""
    training = Seq2SeqTraining(base, FAST, threads=1, log=lambda _: None)
    export_t5(training.model, training.tokenizer, tmp_path / "onnx", about="")
    texts = [task.reads for task in TASKS]
    exported = load_seq2seq(str(tmp_path / "onnx")).generate("", texts, no_progress)
    original = load_seq2seq(str(base)).generate("", texts, no_progress)
    for one, other in zip(exported, original, strict=True):
        assert one.unanswerable == pytest.approx(other.unanswerable, abs=0.02)
        # Eight bits may change a token somewhere in a long row.
        assert one.text.split()[:2] == other.text.split()[:2]


def test_questions_need_one_source(base, squad, corpus, tmp_path):
    for files, writer in (([corpus], ""), ([squad, corpus], str(base)), ([squad], "")):
        with pytest.raises(UsageError, match=r"give a SQuAD file \(.json\) or a writer, and converted data"):
            run(files, tmp_path / "out", base, writer=writer)


def test_references_that_say_nothing_are_refused(base, tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text(
        json.dumps({"id": "1", "data": [["Ada", "born", "1815"]], "references": ["Nothing."]}) + "\n"
    )
    with pytest.raises(DataError, match="no reference states a value of its data; give converted data sets"):
        run([str(path)], tmp_path / "out", base, writer=str(base))
