"""Training a small T5 that writes and answers questions about texts and data (Data-QuestEval).

The four steps of the paper: a model learns from SQuAD to ask about texts (1); it asks about the references of
data sets (2); each question is carried over to the data of its text, if it is answered back (3); and the
model goes on to learn from both sides (4). What is to be done is told by the first words of an input.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from factable.errors import DataError, Fault, UsageError
from factable.io.files import open_input
from factable.io.read import iter_examples
from factable.models.qa import QuestionInText, answer_questions
from factable.models.runtime.folders import hf_identity, import_torch, load_hf_tokenizer, load_hf_weights
from factable.models.runtime.manifest import has_manifest, model_fault
from factable.models.runtime.progress import Advance
from factable.models.seq2seq import (
    ANSWER,
    ASK,
    SEPARATOR,
    UNANSWERABLE,
    AnswerInText,
    seq2seq_folder,
    write_questions,
)
from factable.text.answers import token_f1
from factable.text.linearise import linearise_by_entity
from factable.text.templates import facts_of
from factable.text.values import parse_text
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.options import QuestevalOptions
from factable.train.qa_questions import cut_passages, find_answer, read_squad
from factable.train.t5_export import export_t5
from factable.train.trainer import (
    Log,
    Schedule,
    TrainingResult,
    half_precision,
    pad_rows,
    plan_batches,
    train_model,
    work_folder,
)
from factable.types import Example, Record

# Share of questions that are also asked of a text or data that does not answer them.
SHARE_UNANSWERABLE = 0.25
# Share of tasks in lower case.
SHARE_LOWER = 0.25
# A question is answered back if the answer has so much in common with the one it was written for.
ENOUGH_ANSWERED = 0.5
# And if it is so probable that there is an answer.
ENOUGH_PROBABLE = 0.5
MAX_OUTPUT_TOKENS = 64
# Questions and answers are short: padded to 32, most of them would be padding.
OUTPUT_MULTIPLE = 8
# The label of padding, which the loss leaves out.
IGNORED = -100
QUESTIONS = "questions.jsonl"
QUESTION_KEYS = ("question", "answer", "text", "answer_in_data", "data")
QUESTIONS_PER_LINE = 1000


def train_questeval(
    files: Sequence[str],
    out: Path,
    options: QuestevalOptions,
    *,
    writer: str,
    base: str,
    further: Sequence[str] = (),
    about: str,
    threads: int,
    log: Log,
) -> None:
    """Train a model that asks and answers, and write its folder; checkpoints are beside it, in `OUT.work`.

    Files are SQuAD (.json), for step 1, and converted data sets. With a `writer`, a model that writes
    questions about texts, step 1 is left out. Files of `further` questions, by other writers, are learnt
    with its own. Called again, it resumes.
    """
    squad = [file for file in files if ".json" in Path(file).suffixes]
    corpora = [file for file in files if file not in squad]
    if not corpora or bool(squad) == bool(writer):
        raise UsageError(
            "questions are learnt from SQuAD or written by a model; "
            "give a SQuAD file (.json) or a writer, and converted data sets (.jsonl)"
        )
    work = work_folder(out)
    training = Seq2SeqTraining(seq2seq_folder(base), options, threads=threads, log=log)
    counts = []
    if squad:
        text_tasks = squad_tasks(squad, max_questions=options.max_squad, seed=options.seed)
        learnt = training.learn(text_tasks, "text", work)
        text_model = work / "text"
        if not has_manifest(text_model):
            export_t5(training.model, training.tokenizer, text_model, about="asks and answers about texts")
        writer = str(text_model)
        counts.append(("tasks of SQuAD", learnt))
    aligned = align_files(corpora, max_answers=options.max_answers, seed=options.seed)
    log(f"{len(aligned):,} answers found in both a reference and its data")
    questions = ask_about(aligned, writer, _report_progress(len(aligned), log))
    log(f"{len({row.question for row in questions}):,} different questions")
    counts += [
        ("answers in a reference and its data", len(aligned)),
        ("questions about them", len(questions)),
    ]
    if squad:
        questions = keep_answered(questions, writer)
        log(f"{len(questions):,} questions answered back")
        counts.append(("questions answered back", len(questions)))
    if further:
        added = [row for file in further for row in read_questions(file)]
        log(f"{len(added):,} further questions")
        counts.append(("further questions", len(added)))
        questions = list(dict.fromkeys([*questions, *added]))
    if not questions:
        problem, remedy = "no question to learn from was written", "learn more from SQuAD, or name a writer"
        raise DataError([Fault("training set", None, problem, remedy)])
    out.mkdir(parents=True, exist_ok=True)
    save_questions(questions, out / QUESTIONS)
    draw = random.Random(options.seed)  # noqa: S311
    tasks = lower_some([*writing_tasks(questions), *answering_tasks(questions, draw)], draw)
    counts.append(("tasks of texts and data", training.learn(tasks, "data", work)))
    export_t5(training.model, training.tokenizer, out, about=about)
    _write_card(out, options, counts, training.results)


def squad_tasks(files: Sequence[str], *, max_questions: int, seed: int) -> list["Seq2SeqTask"]:
    """Questions of SQuAD with some sentences of their paragraph: to be written, and to be answered."""
    draw = random.Random(seed)  # noqa: S311
    questions = [row for file in files for row in cut_passages(read_squad(file), draw)]
    tasks = []
    for row in draw.sample(questions, min(max_questions, len(questions))):
        answer = row.context[slice(*row.answer)] if row.answer else ""
        if answer:
            tasks.append(asking_task(AnswerInText(answer, row.context), row.question))
        tasks.append(answering_task(row.question, row.context, answer or UNANSWERABLE))
    return lower_some(tasks, draw)


def lower_some(tasks: Sequence["Seq2SeqTask"], draw: random.Random) -> list["Seq2SeqTask"]:
    """The tasks, a share of them in lower case."""
    return [task.lowered() if draw.random() < SHARE_LOWER else task for task in tasks]


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


def keep_answered(questions: Sequence[AlignedQuestion], model: str) -> list[AlignedQuestion]:
    """The questions to which a model probably finds, in the text, the answer that they were written for."""
    answers = answer_questions(model, [QuestionInText(row.question, row.in_text.text) for row in questions])
    return [
        row
        for row, answer in zip(questions, answers, strict=True)
        if answer.probability >= ENOUGH_PROBABLE
        and token_f1(answer.text, row.in_text.answer) >= ENOUGH_ANSWERED
    ]


class Seq2SeqTask(NamedTuple):
    """What a model reads and what it should write."""

    reads: str
    writes: str

    def lowered(self) -> "Seq2SeqTask":
        """The same in lower case, as some systems write; a question still begins with a capital."""
        writes = self.writes.lower()
        return Seq2SeqTask(self.reads.lower(), writes.capitalize() if writes.endswith("?") else writes)


def asking_task(answer: AnswerInText, question: str) -> Seq2SeqTask:
    """From an answer and its text or data to the question."""
    return Seq2SeqTask(ASK + SEPARATOR.join(answer), question)


def answering_task(question: str, context: str, answer: str) -> Seq2SeqTask:
    """From a question and a text or data to the answer."""
    return Seq2SeqTask(f"{ANSWER}{question}{SEPARATOR}{context}", answer)


def writing_tasks(questions: Sequence[AlignedQuestion]) -> list[Seq2SeqTask]:
    """From an answer and its text or data to the question; each once."""
    return list(dict.fromkeys(asking_task(side, row.question) for row in questions for side in row.sides))


def answering_tasks(questions: Sequence[AlignedQuestion], draw: random.Random) -> list[Seq2SeqTask]:
    """From a question and a text or data to the answer; for some there is none."""
    tasks = []
    for row in questions:
        for number, side in enumerate(row.sides):
            tasks.append(answering_task(row.question, side.text, side.answer))
            other = draw.choice(questions)
            if draw.random() < SHARE_UNANSWERABLE and not _may_answer(other, row):
                tasks.append(answering_task(row.question, other.sides[number].text, UNANSWERABLE))
    return list(dict.fromkeys(tasks))


def _may_answer(other: AlignedQuestion, question: AlignedQuestion) -> bool:
    """Whether the text or data of another question may have the answer to this one."""
    texts = [side.text.lower() for side in other.sides]
    return any(side.answer.lower() in text for side in question.sides for text in texts)


class Seq2SeqTraining:
    """The T5 in a folder, trained in place by one set of tasks after the other."""

    def __init__(self, base: Path, options: QuestevalOptions, *, threads: int, log: Log) -> None:
        import_torch(str(base))
        from transformers import AutoModelForSeq2SeqLM

        self.tokenizer = load_hf_tokenizer(base)
        self.model = load_hf_weights(base, AutoModelForSeq2SeqLM)
        if self.model.config.model_type != "t5":
            raise model_fault(
                base, f"a model of type {self.model.config.model_type}", "start from a T5 model"
            )
        # Frozen: the word embeddings and the weights of the output are good for any task.
        for embeddings in (self.model.get_input_embeddings(), self.model.get_output_embeddings()):
            embeddings.weight.requires_grad = False
        self._base, self._options, self._threads, self._log = base, options, threads, log
        self._learnt: list[str] = []
        self.results: list[TrainingResult] = []

    def learn(self, tasks: Sequence[Seq2SeqTask], name: str, work: Path) -> int:
        """Train on tasks that are not too long, resuming from the checkpoint in `work`; how many they are."""
        options = self._options
        read, written = (self.tokenizer(list(texts))["input_ids"] for texts in zip(*tasks, strict=True))
        encoded = [
            pair
            for pair in zip(read, written, strict=True)
            if len(pair[0]) <= options.max_tokens and len(pair[1]) <= MAX_OUTPUT_TOKENS
        ]

        def batches(epoch: int) -> list[list[int]]:
            lengths = [len(ids) for ids, _ in encoded]
            return plan_batches(lengths, options.batch_size, options.seed + epoch - 1)

        def loss(indices: list[int]) -> Any:
            return _seq2seq_loss(self.model, [encoded[index] for index in indices])

        self._log(f"{name}: {len(encoded):,} tasks")
        settings = {
            "epochs": options.epochs,
            "batch": options.batch_size,
            "rate": options.learning_rate,
            "seed": options.seed,
            "tokens": options.max_tokens,
            "base": hf_identity(self._base),
            "tasks": "+".join([*self._learnt, _checksum(tasks)]),
        }
        result = train_model(
            self.model,
            batches,
            loss,
            Schedule.of(options),
            work / f"{name}.work",
            settings=settings,
            threads=self._threads,
            log=self._log,
        )
        self.results.append(result)
        self._learnt.append(_checksum(tasks))
        return len(encoded)


def _seq2seq_loss(model: Any, tasks: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Any:
    import torch

    inputs, outputs = zip(*tasks, strict=True)
    labels = pad_rows(outputs, value=IGNORED, multiple=OUTPUT_MULTIPLE)
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


def save_questions(questions: Sequence[AlignedQuestion], path: Path) -> None:
    """Write questions as JSON lines, which `read_questions` reads."""
    rows = (
        dict(zip(QUESTION_KEYS, (row.question, *row.in_text, *row.in_data), strict=True)) for row in questions
    )
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))


def read_questions(path: str) -> list[AlignedQuestion]:
    """The questions in a file of JSON lines."""
    questions = []
    with open_input(path) as stream:
        for number, line in enumerate(stream.read().splitlines(), 1):
            try:
                row = orjson.loads(line)
                question, *sides = (row[key] for key in QUESTION_KEYS)
            except (orjson.JSONDecodeError, KeyError, TypeError):
                question, sides = None, []
            if not isinstance(question, str) or not all(isinstance(part, str) for part in sides):
                remedy = f"give a JSON object with the strings {', '.join(QUESTION_KEYS)} on each line"
                raise DataError([Fault(path, number, "no question with its answers", remedy)])
            questions.append(AlignedQuestion(question, AnswerInText(*sides[:2]), AnswerInText(*sides[2:])))
    return questions


def _write_card(
    folder: Path,
    options: QuestevalOptions,
    counts: Sequence[tuple[str, int]],
    results: Sequence[TrainingResult],
) -> None:
    write_card(
        folder,
        title="Questions and answers",
        summary=(
            "Writes the question to an answer in a text or in linearised data, and answers questions from "
            "them, or says that there is no answer: a small T5."
        ),
        command="factable train questeval",
        sections={
            "Data": markdown_table(("what", "number"), [(name, f"{number:,}") for name, number in counts]),
            "Training": describe_training(
                "One pass over the tasks, first those of SQuAD, if any, then those of texts and data"
                if options.epochs == 1
                else f"{options.epochs} passes over the tasks",
                batch_size=options.batch_size,
                learning_rates=[options.learning_rate],
                seed=options.seed,
                results=results,
                max_tokens=options.max_tokens,
            ),
        },
    )
