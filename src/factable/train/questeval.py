"""Training sequence-to-sequence models that write and answer questions about data (Data-QuestEval).

A model writes questions about texts; each question is carried over to the data of its text, and two models
are trained on both sides: one that writes questions and one that answers them.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.read import iter_examples
from factable.models.runtime.folders import (
    hf_identity,
    hf_window,
    import_torch,
    load_hf_tokenizer,
    load_hf_weights,
    quiet_transformers,
)
from factable.models.runtime.progress import Advance
from factable.models.seq2seq import SEPARATOR, UNANSWERABLE, AnswerInText, seq2seq_folder, write_questions
from factable.text.linearise import linearise_by_entity
from factable.text.templates import facts_of
from factable.text.values import parse_text
from factable.train.options import QuestevalOptions
from factable.train.qa_questions import find_answer
from factable.train.trainer import (
    Log,
    Schedule,
    half_precision,
    pad_rows,
    plan_batches,
    train_model,
    work_folder,
)
from factable.types import Example, Record

# Share of questions that are also asked of a text or data that does not answer them.
SHARE_UNANSWERABLE = 0.25
MAX_OUTPUT_TOKENS = 64
# The label of padding, which the loss leaves out.
IGNORED = -100
WRITER, QA, QUESTIONS = "writer", "qa", "questions.jsonl"
QUESTIONS_PER_LINE = 1000


def train_questeval(
    files: Sequence[str],
    out: Path,
    options: QuestevalOptions,
    *,
    writer: str,
    base: str,
    threads: int,
    log: Log,
) -> None:
    """Train both models and write their folders; checkpoints are beside them, in `OUT.work`.

    The questions of the writer are cached, so a second call only resumes the training.
    """
    base_folder = seq2seq_folder(base)
    aligned = align_files(files, max_answers=options.max_answers, seed=options.seed)
    log(f"{len(aligned):,} answers found in both a reference and its data")
    questions = ask_about(aligned, writer, _report_progress(len(aligned), log))
    log(f"{len({row.question for row in questions}):,} different questions")
    out.mkdir(parents=True, exist_ok=True)
    _write_questions(questions, out / QUESTIONS)
    tasks = {WRITER: writing_tasks(questions), QA: answering_tasks(questions, seed=options.seed)}
    for name, model_tasks in tasks.items():
        work = work_folder(out) / name
        train_seq2seq(base_folder, model_tasks, out / name, options, work, threads=threads, log=log)


class AlignedAnswer(NamedTuple):
    """An answer in a text, and the same answer in the data of the text."""

    in_text: AnswerInText
    in_data: AnswerInText


class AlignedQuestion(NamedTuple):
    """A question with its answer in a text and in the data of the text."""

    question: str
    in_text: AnswerInText
    in_data: AnswerInText

    @property
    def sides(self) -> tuple[AnswerInText, AnswerInText]:
        """The answer in the text and in the data."""
        return self.in_text, self.in_data


def align_files(files: Sequence[str], *, max_answers: int, seed: int) -> list[AlignedAnswer]:
    """The answers in all references of converted data sets; at most `max_answers` of each, at random."""
    answers: list[AlignedAnswer] = []
    for file in files:
        draw = random.Random(seed)  # noqa: S311
        aligned = [answer for example in iter_examples(file, need_text=False) for answer in align(example)]
        if not aligned:
            remedy = "give converted data sets with references"
            raise DataError([Fault(file, None, "no reference states a value of its data", remedy)])
        answers += draw.sample(aligned, max_answers) if len(aligned) > max_answers else aligned
    return answers


def align(example: Example) -> Iterator[AlignedAnswer]:
    """Every subject and value of the data that a reference states."""
    facts = facts_of(example.table)
    data = linearise_by_entity(facts)
    for reference in example.references:
        reading = parse_text(reference)
        for entry in data.positions:
            record = facts[entry.record]
            span = find_answer(record if entry.is_value else Record("", "", record.subject), reading)
            if span and entry.start < entry.end:
                in_data = AnswerInText(data.text[entry.start : entry.end], data.text)
                yield AlignedAnswer(AnswerInText(reference[slice(*span)], reference), in_data)


def ask_about(answers: Sequence[AlignedAnswer], writer: str, advance: Advance) -> list[AlignedQuestion]:
    """The questions that a writer asks about the texts, each once."""
    questions = write_questions(writer, [answer.in_text for answer in answers], advance)
    asked = (
        AlignedQuestion(question, *answer)
        for question, answer in zip(questions, answers, strict=True)
        if question
    )
    return list(dict.fromkeys(asked))


class Seq2SeqTask(NamedTuple):
    """What a model reads and what it should write."""

    reads: str
    writes: str


def writing_tasks(questions: Sequence[AlignedQuestion]) -> list[Seq2SeqTask]:
    """From an answer and its text or data to the question; each once."""
    tasks = (Seq2SeqTask(SEPARATOR.join(side), row.question) for row in questions for side in row.sides)
    return list(dict.fromkeys(tasks))


def answering_tasks(questions: Sequence[AlignedQuestion], *, seed: int) -> list[Seq2SeqTask]:
    """From a question and a text or data to the answer; for some there is none."""
    draw = random.Random(seed)  # noqa: S311
    tasks = []
    for row in questions:
        for number, side in enumerate(row.sides):
            tasks.append(Seq2SeqTask(f"{row.question}{SEPARATOR}{side.text}", side.answer))
            other = draw.choice(questions)
            if draw.random() < SHARE_UNANSWERABLE and not _may_answer(other, row):
                tasks.append(
                    Seq2SeqTask(f"{row.question}{SEPARATOR}{other.sides[number].text}", UNANSWERABLE)
                )
    return list(dict.fromkeys(tasks))


def _may_answer(other: AlignedQuestion, question: AlignedQuestion) -> bool:
    """Whether the text or data of another question may have the answer to this one."""
    texts = [side.text.lower() for side in other.sides]
    return any(side.answer.lower() in text for side in question.sides for text in texts)


def train_seq2seq(
    base: Path,
    tasks: Sequence[Seq2SeqTask],
    out: Path,
    options: QuestevalOptions,
    work: Path,
    *,
    threads: int,
    log: Log,
) -> None:
    """Train the model in the folder `base` and write it to `out`, resuming from the checkpoint in `work`."""
    import_torch(str(base))
    from transformers import AutoModelForSeq2SeqLM

    tokenizer = load_hf_tokenizer(base)
    model = load_hf_weights(base, AutoModelForSeq2SeqLM)
    window = hf_window(base, tokenizer.model_max_length, model.config)
    inputs, outputs = (
        tokenizer(texts, truncation=True, max_length=max_length)["input_ids"]
        for texts, max_length in (
            ([task.reads for task in tasks], window),
            ([task.writes for task in tasks], MAX_OUTPUT_TOKENS),
        )
    )

    def batches(epoch: int) -> list[list[int]]:
        return plan_batches([len(row) for row in inputs], options.batch_size, options.seed + epoch - 1)

    def loss(indices: list[int]) -> Any:
        return _seq2seq_loss(
            model, [inputs[index] for index in indices], [outputs[index] for index in indices]
        )

    log(f"{out.name}: {len(tasks):,} tasks")
    settings = {
        "epochs": options.epochs,
        "batch": options.batch_size,
        "rate": options.learning_rate,
        "seed": options.seed,
        "base": hf_identity(base),
        "tasks": _checksum(tasks),
    }
    train_model(model, batches, loss, Schedule.of(options), work, settings=settings, threads=threads, log=log)
    with quiet_transformers():
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)


def _seq2seq_loss(model: Any, inputs: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]]) -> Any:
    import torch

    labels = pad_rows(outputs, value=IGNORED)
    with half_precision():
        scores = model(
            input_ids=pad_rows(inputs, value=model.config.pad_token_id),
            attention_mask=pad_rows([[1] * len(row) for row in inputs]),
            labels=labels,
        ).logits
    return torch.nn.functional.cross_entropy(
        scores.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED
    )


def _checksum(tasks: Sequence[Seq2SeqTask]) -> str:
    return hashlib.sha256("\n".join(text for task in tasks for text in task).encode()).hexdigest()


def _report_progress(total: int, log: Log) -> Advance:
    """Logs from time to time how many questions are written."""
    done = 0

    def advance(number: int) -> None:
        nonlocal done
        before, done = done, done + number
        if done // QUESTIONS_PER_LINE > before // QUESTIONS_PER_LINE:
            log(f"{done:,} of {total:,} questions written")

    return advance


def _write_questions(questions: Sequence[AlignedQuestion], path: Path) -> None:
    rows = (
        {
            "question": row.question,
            "answer": row.in_text.answer,
            "text": row.in_text.text,
            "answer_in_data": row.in_data.answer,
            "data": row.in_data.text,
        }
        for row in questions
    )
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
