"""How a model that answers questions is trained."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from factable.metrics.questeval.questions import load_questions
from factable.models.protocols import Answer, AskedText, no_progress
from factable.models.qa import OnnxQa, QaInput, encode_question
from factable.models.runtime.manifest import CARD, QA
from factable.text.answers import token_f1
from factable.train.export import load_base, write_manifest, write_onnx
from factable.train.nli.training import INPUTS, find_base
from factable.train.qa.questions import Asked
from factable.train.qa.synthetic import questions_of
from factable.train.trainer import Encoded, Log, Schedule, train_steps

if TYPE_CHECKING:
    import torch


class Settings(NamedTuple):
    """Questions made of each reference, most questions of each file, and how fast to learn from them."""

    per_text: int = 3
    most: int = 48_000
    batch: int = 32
    rate: float = 1.5e-4
    seed: int = 0
    warm_up: float = 0.05
    most_tokens: int = 160
    every: int = 250


DROPOUT = 0.1


def load_reader(folder: Path, *, seed: int = 0) -> "torch.nn.Module":
    """A reader on the encoder in a folder (config.json and model.safetensors), its head drawn anew."""
    encoder = load_base(folder)
    import torch

    torch.manual_seed(seed)

    class Reader(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.dropout = torch.nn.Dropout(DROPOUT)
            self.head = torch.nn.Linear(encoder.config.hidden_size, 2)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            return self.head(self.dropout(states))

    return Reader()


# Where there is no answer, the first token, which is no word, is to be pointed at.
NO_ANSWER = (0, 0)


def encode(base: Path, questions: Sequence[Asked], most_tokens: int) -> Encoded:
    """Questions as token numbers, with first and last token of their answers; long ones are left out."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokens, types, labels = [], [], []
    for asked in questions:
        one = encode_question(tokenizer, asked.question, asked.context)
        label = tokens_of(one, asked.answer)
        if len(one.ids) <= most_tokens and label is not None:
            tokens.append(one.ids)
            types.append(one.types)
            labels.append(label)
    return Encoded(tokens, types, labels)


def tokens_of(encoded: QaInput, answer: tuple[int, int] | None) -> tuple[int, int] | None:
    """The first and last token of an answer; None where no token of the context is in it."""
    if answer is None:
        return NO_ANSWER
    inside = [
        index
        for index in range(encoded.first, encoded.last + 1)
        if encoded.offsets[index][0] < answer[1] and answer[0] < encoded.offsets[index][1]
    ]
    return (inside[0], inside[-1]) if inside else None


def loss_of(scores: "torch.Tensor", labels: Sequence[tuple[int, int]]) -> "torch.Tensor":
    """How far the two pointers are from the answers."""
    import torch

    wanted = torch.tensor(labels)
    # Tokens are the classes: batch, tokens, pointer.
    return torch.nn.functional.cross_entropy(scores, wanted)


TEMPERATURES = np.round(np.arange(0.5, 6.0001, 0.25), 2)


class Figures(NamedTuple):
    """How well a model does on held-out questions.

    `exact` and `f1` are those of answers to questions that have one, `answerable` is the share of questions
    of which it says rightly whether they have one.
    """

    questions: int
    exact: float
    f1: float
    answerable: float


def export(model: "torch.nn.Module", base: Path, folder: Path, *, about: str) -> None:
    """Write the model as int8 ONNX, with the tokenizer of its base."""
    import torch

    # Two questions, so that no size is taken for a constant.
    ids = torch.ones((2, 16), dtype=torch.int64)
    write_onnx(model, (ids, ids, torch.zeros_like(ids)), INPUTS, base, folder)
    tell(folder, about, 1.0)


def tell(folder: Path, about: str, temperature: float) -> None:
    """Write the manifest."""
    write_manifest(folder, {"kind": QA, "about": about, "labels": [], "temperature": temperature})


def reply(folder: Path, held_out: Sequence[Asked]) -> list[Answer]:
    """What the exported model answers."""
    return OnnxQa(folder).answers([AskedText(one.question, one.context) for one in held_out], no_progress)


def measure(held_out: Sequence[Asked], answers: Sequence[Answer]) -> Figures:
    """How good answers are."""
    pairs = [
        (one.context[one.answer[0] : one.answer[1]], answer.text)
        for one, answer in zip(held_out, answers, strict=True)
        if one.answer
    ]
    f1 = [token_f1(*pair) for pair in pairs]
    right = [
        (answer.answerable >= 0.5) == (one.answer is not None)
        for one, answer in zip(held_out, answers, strict=True)
    ]
    return Figures(
        len(held_out), float(np.mean([value == 1 for value in f1])), float(np.mean(f1)), float(np.mean(right))
    )


def best_temperature(held_out: Sequence[Asked], answers: Sequence[Answer]) -> float:
    """The temperature that makes it likeliest which questions have an answer."""
    margins = np.array([_log_odds(answer.answerable) for answer in answers])
    signs = np.array([1 if one.answer else -1 for one in held_out])

    def surprise(temperature: float) -> float:
        return float(np.logaddexp(0, -signs * margins / temperature).mean())

    return float(min(TEMPERATURES, key=surprise))


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 1e-15), 1 - 1e-15)
    return math.log(kept / (1 - kept))


def write_card(
    folder: Path,
    settings: Settings,
    made: Mapping[str, Sequence[Asked]],
    figures: Mapping[str, Figures],
    minutes: float,
) -> None:
    """Say what the model is, what it was made from and how well it does."""
    data = "\n".join(
        f"| {Path(name).name} | {len(some):,} | {sum(one.answer is None for one in some) / len(some):.0%} |"
        for name, some in made.items()
    )
    measured = "\n".join(
        f"| {Path(name).name} | {one.questions:,} | {one.exact:.3f} | {one.f1:.3f} | {one.answerable:.3f} |"
        for name, one in figures.items()
    )
    text = f"""# Question answering

Finds the answer to a question, or what is missing from a sentence with a blank, in a text or in linearised
data, and says how likely there is one: a small encoder and two scores for each token, as int8 ONNX with
weights of seven bits. Made by `factable train qa`.

## Data

| file | questions | without an answer |
|---|---|---|
{data}

## Training

One pass over all questions, batch {settings.batch}, learning rate {settings.rate:g} with warm-up and linear
decay, bf16, frozen word embeddings, seed {settings.seed}, {settings.most_tokens} tokens at most;
{minutes:.0f} minutes.

## Held-out questions

Exact and F1 (words in common) of answers to questions that have one; how often it is right about whether
there is one.

| file | questions | exact | F1 | answerable |
|---|---|---|---|---|
{measured}
"""
    (folder / CARD).write_text(text, encoding="utf-8")


MAX_HELD_OUT = 3000


def train_qa(
    files: Sequence[str],
    held_out: Sequence[str],
    base: Path | None,
    out: Path,
    settings: Settings,
    *,
    questions: str,
    about: str,
    threads: int,
    log: Log,
) -> None:
    """Train a model into a folder; its checkpoints are beside it, in `OUT.work`."""
    base = find_base(base)
    asking = load_questions(questions)
    made = questions_of(files, asking, per_text=settings.per_text, most=settings.most, seed=settings.seed)
    for name, some in made.items():
        log(f"{name}: {len(some):,} questions, {_share(some):.0%} without an answer")
    encoded = encode(base, [one for some in made.values() for one in some], settings.most_tokens)
    schedule = Schedule(settings.rate, settings.warm_up, settings.batch, settings.seed, settings.every)
    work = out.with_name(out.name + ".work")
    trained = train_steps(
        load_reader(base, seed=settings.seed), encoded, loss_of, schedule, work, threads=threads, log=log
    )
    export(trained.model, base, out, about=about)
    tried = questions_of(held_out, asking, per_text=1, most=MAX_HELD_OUT, seed=settings.seed + 1)
    answers = {name: reply(out, some) for name, some in tried.items()}
    figures = {name: measure(some, answers[name]) for name, some in tried.items()}
    for name, one in figures.items():
        log(f"{name}: {one}")
    if tried:
        together = [one for some in tried.values() for one in some]
        temperature = best_temperature(together, [one for some in answers.values() for one in some])
        log(f"temperature {temperature}")
        tell(out, about, temperature)
    write_card(out, settings, made, figures, trained.minutes)


def _share(some: Sequence[Asked]) -> float:
    return sum(one.answer is None for one in some) / len(some)
