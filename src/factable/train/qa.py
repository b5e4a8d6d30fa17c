"""Training the QA model, which finds answers to questions in texts and in data."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.metrics.questeval.questions import load_questions
from factable.models.qa import EncodedQuestion, OnnxQa, QaAnswer, QuestionInText, encode_question
from factable.models.runtime.manifest import QA
from factable.models.runtime.progress import no_progress
from factable.text.answers import token_f1
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.encoder import (
    EncodedPairs,
    copy_weights,
    find_base,
    load_base_tokenizer,
    load_encoder,
    train_on_pairs,
)
from factable.train.export import export_model, set_temperature
from factable.train.options import QaOptions
from factable.train.qa_questions import QaQuestion, make_questions
from factable.train.trainer import Log, Schedule, TrainingResult, work_folder
from factable.types import Span

if TYPE_CHECKING:
    import torch

# A question without an answer points at the first token, which is not a word.
NO_ANSWER = (0, 0)
TEMPERATURES = np.round(np.arange(0.5, 6.0001, 0.25), 2)
MAX_HELD_OUT = 3000


class QaFigures(NamedTuple):
    """Scores on held-out questions.

    `exact` and `f1` compare answers to questions that have one; `answerable` is the share of questions for
    which the model is right about whether they have one.
    """

    questions: int
    exact: float
    f1: float
    answerable: float


def train_qa(
    files: Sequence[str],
    held_out: Sequence[str],
    base: Path | None,
    out: Path,
    options: QaOptions,
    *,
    questions: str,
    about: str,
    threads: int,
    log: Log,
    start: Path | None = None,
) -> None:
    """Train a model and write its folder; checkpoints are beside it, in `OUT.work`.

    `start` is the folder of a QA model with the same encoder, whose weights to start from.
    """
    base = find_base(base)
    templates = load_questions(questions)
    questions_by_file = make_questions(
        files,
        templates,
        per_text=options.per_text,
        max_questions=options.max_questions,
        seed=options.seed,
        relations=options.relations,
    )
    for name, asked in questions_by_file.items():
        log(f"{name}: {len(asked):,} questions, {_unanswerable_share(asked):.0%} without an answer")
    model = load_qa_model(base, seed=options.seed)
    if start is not None:
        copy_weights(start, model, head=True)
    everything = [question for asked in questions_by_file.values() for question in asked]
    result = train_on_questions(model, everything, base, work_folder(out), options, threads=threads, log=log)
    export_model(model, base, out, kind=QA, about=about)
    tests = make_questions(
        held_out,
        templates,
        per_text=1,
        max_questions=MAX_HELD_OUT,
        seed=options.seed + 1,
        relations=options.relations,
    )
    answers = {name: predict_answers(out, asked) for name, asked in tests.items()}
    figures = {name: measure_answers(asked, answers[name]) for name, asked in tests.items()}
    for name, row in figures.items():
        log(f"{name}: exact {row.exact:.3f}, F1 {row.f1:.3f}, answerable {row.answerable:.3f}")
    if tests:
        temperature = calibrate_qa(
            [question for asked in tests.values() for question in asked],
            [answer for of_file in answers.values() for answer in of_file],
        )
        log(f"temperature {temperature}")
        set_temperature(out, temperature)
    _write_card(out, options, questions_by_file, figures, result)


def load_qa_model(base: Path, *, seed: int = 0) -> "torch.nn.Module":
    """The encoder in a folder, with a new linear layer that gives two scores per token: start and end."""
    return load_encoder(base, outputs=2, mean=False, seed=seed)


def train_on_questions(
    model: "torch.nn.Module",
    questions: Sequence[QaQuestion],
    base: Path,
    work: Path,
    options: QaOptions,
    *,
    threads: int,
    log: Log,
) -> TrainingResult:
    """Train a model in place by one pass over questions, resuming from the checkpoint in `work`."""
    return train_on_pairs(
        model,
        encode_questions(base, questions, options.max_tokens),
        _cross_entropy,
        Schedule.of(options),
        work,
        batch_size=options.batch_size,
        settings={"rate": options.learning_rate, "seed": options.seed},
        threads=threads,
        log=log,
    )


def encode_questions(base: Path, questions: Sequence[QaQuestion], max_tokens: int) -> EncodedPairs:
    """Questions as token numbers with first and last token of the answer, without those that are too long."""
    tokenizer = load_base_tokenizer(base)
    tokens, types, labels = [], [], []
    for question in questions:
        encoded = encode_question(tokenizer, question.question, question.context)
        label = answer_tokens(encoded, question.answer)
        if len(encoded.ids) <= max_tokens and label is not None:
            tokens.append(encoded.ids)
            types.append(encoded.types)
            labels.append(label)
    return EncodedPairs(tokens, types, labels)


def answer_tokens(encoded: EncodedQuestion, answer: Span | None) -> tuple[int, int] | None:
    """The first and last token of an answer; None if it has no token of the context."""
    if answer is None:
        return NO_ANSWER
    inside = [
        index
        for index in range(encoded.first, encoded.last + 1)
        if encoded.offsets[index][0] < answer[1] and answer[0] < encoded.offsets[index][1]
    ]
    return (inside[0], inside[-1]) if inside else None


def _cross_entropy(scores: "torch.Tensor", labels: Sequence[tuple[int, int]]) -> "torch.Tensor":
    """The loss of start and end; the classes are the tokens (axes: question, token, start or end)."""
    import torch

    return torch.nn.functional.cross_entropy(scores, torch.tensor(labels))


def predict_answers(folder: Path, questions: Sequence[QaQuestion]) -> list[QaAnswer]:
    """What an exported model answers."""
    asked = [QuestionInText(question.question, question.context) for question in questions]
    return OnnxQa(folder).answers(asked, no_progress)


def measure_answers(questions: Sequence[QaQuestion], answers: Sequence[QaAnswer]) -> QaFigures:
    """How good answers to held-out questions are."""
    pairs = list(zip(questions, answers, strict=True))
    f1 = [
        token_f1(question.context[slice(*question.answer)], answer.text)
        for question, answer in pairs
        if question.answer
    ]
    right = [(answer.answerable >= 0.5) == (question.answer is not None) for question, answer in pairs]
    exact = [value == 1 for value in f1]
    return QaFigures(len(questions), float(np.mean(exact)), float(np.mean(f1)), float(np.mean(right)))


def calibrate_qa(questions: Sequence[QaQuestion], answers: Sequence[QaAnswer]) -> float:
    """The temperature that makes it most likely which questions have an answer."""
    margins = np.array([_log_odds(answer.answerable) for answer in answers])
    signs = np.array([1 if question.answer else -1 for question in questions])

    def loss(temperature: float) -> float:
        return float(np.logaddexp(0, -signs * margins / temperature).mean())

    return float(min(TEMPERATURES, key=loss))


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-15), 1 - 1e-15)
    return math.log(clipped / (1 - clipped))


def _unanswerable_share(questions: Sequence[QaQuestion]) -> float:
    return sum(question.answer is None for question in questions) / len(questions)


def _write_card(
    folder: Path,
    options: QaOptions,
    questions_by_file: Mapping[str, Sequence[QaQuestion]],
    figures: Mapping[str, QaFigures],
    result: TrainingResult,
) -> None:
    measured = markdown_table(
        ("file", "questions", "exact", "F1", "answerable"),
        [
            (
                Path(name).name,
                f"{row.questions:,}",
                f"{row.exact:.3f}",
                f"{row.f1:.3f}",
                f"{row.answerable:.3f}",
            )
            for name, row in figures.items()
        ],
    )
    write_card(
        folder,
        title="Question answering",
        summary=(
            "Finds the answer to a question, or the words for a blank in a sentence, in a text or in "
            "linearised data, and says how likely there is one: a small encoder and two scores per token."
        ),
        command="factable train qa",
        sections={
            "Data": markdown_table(
                ("file", "questions", "without an answer"),
                [
                    (Path(name).name, f"{len(asked):,}", f"{_unanswerable_share(asked):.0%}")
                    for name, asked in questions_by_file.items()
                ],
            ),
            "Training": describe_training(
                "One pass over all questions",
                batch_size=options.batch_size,
                learning_rates=[options.learning_rate],
                seed=options.seed,
                results=[result],
                max_tokens=options.max_tokens,
            ),
            "Held-out questions": (
                "Exact matches and F1 (words in common) of answers to questions that have one; how often\n"
                f"the model is right about whether there is one.\n\n{measured}"
            ),
        },
    )
