"""From a trained cross-encoder to a model folder: int8 ONNX, calibrated, measured, with manifest and card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.manifest import CARD, NLI
from factable.models.onnx_nli import OnnxNli, softmax
from factable.models.protocols import LABELS, TextPair
from factable.train.nli.pairs import Pair
from factable.train.nli.training import encode, predict
from factable.train.onnx import WINDOW, write_onnx
from factable.train.onnx import write_manifest as write_model_manifest
from factable.train.steps import Log

if TYPE_CHECKING:
    import torch

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Temperatures tried, from sharper to flatter.
TEMPERATURES = np.round(np.arange(0.5, 3.0001, 0.05), 2)


class Figures(NamedTuple):
    """How well a model does on one held-out set."""

    pairs: int
    accuracy_fp32: float
    accuracy_int8: float


def export(model: "torch.nn.Module", base: Path, folder: Path) -> None:
    """Write the model as int8 ONNX, with the tokenizer of its base."""
    import torch

    # Two pairs, so that no size is taken for a constant.
    ids = torch.ones((2, 16), dtype=torch.int64)
    write_onnx(model, (ids, ids, torch.zeros_like(ids)), INPUTS, base, folder)


def write_manifest(folder: Path, about: str, temperature: float) -> None:
    """Say what the model is, with checksums of its files."""
    write_model_manifest(folder, {"kind": NLI, "about": about, "labels": LABELS, "temperature": temperature})


def finish(
    model: "torch.nn.Module",
    held_out: Mapping[str, Sequence[Pair]],
    base: Path,
    folder: Path,
    *,
    about: str,
    log: Log,
) -> dict[str, Figures]:
    """Export, calibrate and measure a trained model."""
    export(model, base, folder)
    write_manifest(folder, about, 1.0)
    small = OnnxNli(folder)
    figures, answers, labels = {}, [], []
    for name, pairs in held_out.items():
        short = _that_fit(small, pairs)
        found = small.probabilities(
            [TextPair(pair.premise, pair.hypothesis) for pair in short], lambda _: None
        )
        wanted = np.array([pair.label for pair in short])
        large = predict(model, encode(base, short, WINDOW))
        figures[name] = Figures(
            len(short), float((large.argmax(1) == wanted).mean()), float((found.argmax(1) == wanted).mean())
        )
        log(f"{name}: {figures[name]}")
        answers.append(np.log(found))
        labels.append(wanted)
    temperature = best_temperature(answers, labels)
    log(f"temperature {temperature}")
    write_manifest(folder, about, temperature)
    return figures


def _that_fit(model: OnnxNli, pairs: Sequence[Pair]) -> list[Pair]:
    sizes = model.count_tokens([TextPair(pair.premise, pair.hypothesis) for pair in pairs])
    return [pair for pair, size in zip(pairs, sizes, strict=True) if size <= model.window]


def best_temperature(scores: Sequence[NDArray[np.float64]], labels: Sequence[NDArray[Any]]) -> float:
    """The temperature that makes held-out labels most likely, each set of them counting the same."""

    def surprise(temperature: float) -> float:
        return sum(
            float(-np.log(softmax(rows / temperature)[np.arange(len(rows)), wanted]).mean())
            for rows, wanted in zip(scores, labels, strict=True)
        )

    return float(min(TEMPERATURES, key=surprise))


def write_card(folder: Path, text: str) -> None:
    """Write the model card."""
    (folder / CARD).write_text(text, encoding="utf-8")
