"""The steps of Data-QuestEval: questions about texts, taken over to data, and models trained on them."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from factable.models.folders import model_folder
from factable.models.protocols import Advance
from factable.train.questeval.questions import (
    Written,
    align_files,
    answering_tasks,
    write_about,
    writing_tasks,
)
from factable.train.questeval.training import Settings, train_model
from factable.train.steps import Log

WRITER, QA, QUESTIONS = "writer", "qa", "questions.jsonl"
QUESTIONS_PER_LINE = 1000


def train_questeval(
    files: Sequence[str],
    out: Path,
    settings: Settings,
    *,
    writer: str,
    base: str,
    threads: int,
    log: Log,
) -> None:
    """Train both models into a folder; their checkpoints are beside it, in `OUT.work`.

    Questions that the writer has written before are known, so that only the training goes on.
    """
    base_folder = model_folder(base)
    aligned = align_files(files, most=settings.most, seed=settings.seed)
    log(f"{len(aligned):,} answers that stand in a reference and in its data")
    written = write_about(aligned, writer, _counter(len(aligned), log))
    log(f"{len({one.question for one in written}):,} different questions")
    out.mkdir(parents=True, exist_ok=True)
    _keep(written, out / QUESTIONS)
    work = out.with_name(out.name + ".work")
    tasks = {WRITER: writing_tasks(written), QA: answering_tasks(written, seed=settings.seed)}
    for name, some in tasks.items():
        train_model(base_folder, some, out / name, settings, work / name, threads=threads, log=log)


def _counter(total: int, log: Log) -> Advance:
    """Says now and then how many questions are written."""
    done = 0

    def advance(number: int) -> None:
        nonlocal done
        before, done = done, done + number
        if done // QUESTIONS_PER_LINE > before // QUESTIONS_PER_LINE:
            log(f"{done:,} of {total:,} questions written")

    return advance


def _keep(written: Sequence[Written], path: Path) -> None:
    """Note the questions, to be read."""
    rows = (
        {
            "question": one.question,
            "answer": one.in_text.answer,
            "text": one.in_text.text,
            "answer_in_data": one.in_data.answer,
            "data": one.in_data.text,
        }
        for one in written
    )
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
