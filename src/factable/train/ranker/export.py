"""From a trained bi-encoder to a model folder: int8 ONNX with manifest and card."""

from pathlib import Path
from typing import TYPE_CHECKING

from factable.models.manifest import CARD, EMBEDDER
from factable.train.onnx import write_manifest, write_onnx
from factable.train.ranker.figures import DECOYS, MOST_HELD_OUT, Figures
from factable.train.ranker.training import Settings, Trained

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


def make_card(settings: Settings, texts: tuple[int, int], trained: Trained, int8: Figures) -> str:
    """What the model is, what it was made from and how well it does."""
    names = ["before training", *(f"epoch {epoch}" for epoch in range(1, len(trained.figures)))]
    rows = "\n".join(
        f"| {name} | {one.table:.4f} | {one.with_decoys:.4f} | {one.references:.4f} |"
        for name, one in zip([*names, "the best, as int8"], [*trained.figures, int8], strict=True)
    )
    return f"""# Ranker

A sentence encoder (mean pooling) that puts texts near the facts they tell and near texts about like tables,
as int8 ONNX with weights of seven bits. Made by `factable train ranker`.

## Training

{texts[0]:,} texts to learn from and {texts[1]:,} of other tables held out. Epochs at most: {settings.epochs};
batches of {settings.batch} texts, learning rate {settings.rate:g} with warm-up and linear decay, bf16, frozen
word embeddings, seed {settings.seed}; {trained.minutes:.0f} minutes.

## Mean average precision on held-out texts

{MOST_HELD_OUT} texts at most; {DECOYS} decoys for each fact.

| | facts of the table | beside decoys | like texts |
|---|---|---|---|
{rows}
"""
