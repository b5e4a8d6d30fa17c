"""Training a sequence-to-sequence model: batches by length, bf16, checkpoints from which it goes on."""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from factable.models.protocols import Advance
from factable.models.runtime.folders import (
    folder_identity,
    import_torch,
    load_hf_tokenizer,
    load_weights,
    model_folder,
    quietly,
    window_of,
)
from factable.train.questeval.questions import (
    Task,
    Written,
    align_files,
    answering_tasks,
    write_about,
    writing_tasks,
)
from factable.train.trainer import Log, TrainingState, plan_batches

if TYPE_CHECKING:
    import torch


MAX_WRITTEN = 64
# Stands where nothing is to be written.
NOTHING = -100


class Settings(NamedTuple):
    """Most answers of each file, and how fast to learn from them."""

    most: int = 100_000
    epochs: int = 1
    batch: int = 16
    rate: float = 3e-4
    warm_up: float = 0.05
    every: int = 250
    seed: int = 0


class Encoded(NamedTuple):
    """Tasks as token numbers."""

    reads: Sequence[Sequence[int]]
    writes: Sequence[Sequence[int]]


def train_model(
    base: Path, tasks: Sequence[Task], out: Path, settings: Settings, work: Path, *, threads: int, log: Log
) -> None:
    """Train the model of a folder into another; what is in `work` is gone on with."""
    torch = import_torch(str(base))
    from transformers import AutoModelForSeq2SeqLM

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    tokenizer = load_hf_tokenizer(base)
    model = load_weights(base, AutoModelForSeq2SeqLM)
    window = window_of(base, tokenizer.model_max_length, model.config)
    encoded = Encoded(
        tokenizer([task.reads for task in tasks], truncation=True, max_length=window)["input_ids"],
        tokenizer([task.writes for task in tasks], truncation=True, max_length=MAX_WRITTEN)["input_ids"],
    )
    lengths = [len(reads) for reads in encoded.reads]
    batches = [
        batch
        for epoch in range(settings.epochs)
        for batch in plan_batches(lengths, settings.batch, settings.seed + epoch)
    ]
    # Shared weights, which a checkpoint may hold once only, are one parameter.
    weights = torch.nn.ParameterList(model.parameters())
    state = TrainingState(
        weights,
        work,
        rate=settings.rate,
        warm_up=settings.warm_up,
        steps=len(batches),
        settings={**settings._asdict(), "base": folder_identity(base), "tasks": _checksum(tasks)},
    )
    log(f"{out.name}: {len(tasks):,} tasks, {len(batches):,} steps")
    _take_steps(model, encoded, batches, state, settings, log)
    with quietly():
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)


def _checksum(tasks: Sequence[Task]) -> str:
    return hashlib.sha256("\n".join(text for task in tasks for text in task).encode()).hexdigest()


def _take_steps(
    model: Any,
    encoded: Encoded,
    batches: Sequence[Sequence[int]],
    state: TrainingState,
    settings: Settings,
    log: Log,
) -> None:
    import torch

    start, minutes, _ = state.load()
    model.train()
    losses: list[float] = []
    began = time.monotonic()
    for step in range(start, len(batches)):
        # Drawn anew in each step, so that a run that goes on equals one that was never stopped.
        torch.manual_seed(settings.seed + step)
        inputs = to_tensors(encoded, batches[step], padding=model.config.pad_token_id)
        with torch.autocast("cpu", torch.bfloat16):
            scores = model(**inputs).logits
        loss = torch.nn.functional.cross_entropy(
            scores.float().flatten(0, 1), inputs["labels"].flatten(), ignore_index=NOTHING
        )
        losses.append(state.take_step(loss, step))
        if (step + 1) % settings.every == 0 or step + 1 == len(batches):
            seconds = time.monotonic() - began
            state.save(step + 1, minutes + seconds / 60)
            rate = (step + 1 - start) * settings.batch / seconds
            log(f"step {step + 1:,}: loss {np.mean(losses):.4f}, {rate:.1f} tasks/s")
            losses.clear()
    model.eval()


def to_tensors(encoded: Encoded, indices: Sequence[int], *, padding: int) -> dict[str, "torch.Tensor"]:
    """The inputs of the model for some tasks."""
    import torch

    reads = [encoded.reads[index] for index in indices]
    writes = [encoded.writes[index] for index in indices]
    tokens = np.full((len(indices), max(map(len, reads))), padding, np.int64)
    mask = np.zeros_like(tokens)
    labels = np.full((len(indices), max(map(len, writes))), NOTHING, np.int64)
    for row, (read, written) in enumerate(zip(reads, writes, strict=True)):
        tokens[row, : len(read)] = read
        mask[row, : len(read)] = 1
        labels[row, : len(written)] = written
    arrays = {"input_ids": tokens, "attention_mask": mask, "labels": labels}
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


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
