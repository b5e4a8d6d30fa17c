"""From a trained reader to a model folder: int8 ONNX, calibrated, measured, with manifest and card."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.models.manifest import CARD, QA
from factable.models.onnx_qa import OnnxQa
from factable.models.protocols import Answer, AskedText, tell_nobody
from factable.text.similarity import token_f1
from factable.train.nli.export import INPUTS
from factable.train.onnx import write_manifest, write_onnx
from factable.train.qa.asked import Asked
from factable.train.qa.settings import Settings

if TYPE_CHECKING:
    import torch

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
    return OnnxQa(folder).answers([AskedText(one.question, one.context) for one in held_out], tell_nobody)


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
