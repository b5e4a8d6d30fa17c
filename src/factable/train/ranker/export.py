"""From a trained bi-encoder to a model folder: int8 ONNX with manifest and card."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factable.models.manifest import CARD, EMBEDDER
from factable.train.onnx import write_manifest, write_onnx
from factable.train.ranker.training import Figures, Settings

if TYPE_CHECKING:
    import torch

INPUTS = ("input_ids", "attention_mask")


def export(model: "torch.nn.Module", base: Path, folder: Path, *, about: str) -> None:
    """Write the model folder, all but its card."""
    import torch

    # Two texts, so that no size is taken for a constant.
    ids = torch.ones((2, 16), dtype=torch.int64)
    write_onnx(model, (ids, ids), INPUTS, base, folder)
    write_manifest(folder, {"kind": EMBEDDER, "about": about, "labels": [], "temperature": 1.0})


def write_card(folder: Path, text: str) -> None:
    """Write the model card."""
    (folder / CARD).write_text(text, encoding="utf-8")


def make_card(
    settings: Settings, texts: tuple[int, int], figures: Sequence[Figures], int8: Figures, minutes: float
) -> str:
    """What the model is, what it was made from and how well it does."""
    rows = "\n".join(
        f"| {f'epoch {epoch}' if epoch else 'before training'} | {one.table:.4f} | {one.references:.4f} |"
        for epoch, one in enumerate(figures)
    )
    return f"""# Ranker

A sentence encoder (mean pooling) that puts texts near the facts they tell and near texts about like tables,
as int8 ONNX with weights of seven bits. Made by `factable train ranker`.

## Training

{texts[0]:,} texts to learn from and {texts[1]:,} of other tables held out. {settings.epochs} epochs at most,
batches of {settings.batch} texts, learning rate {settings.rate:g} with warm-up and linear decay, bf16, frozen
word embeddings, seed {settings.seed}; {minutes:.0f} minutes.

## Mean average precision on held-out texts

| | facts of the table | like texts |
|---|---|---|
{rows}
| the best, as int8 | {int8.table:.4f} | {int8.references:.4f} |
"""
