"""Training the cross-encoder on pairs and their labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factable.train.nli.pairs import Pair
from factable.train.nli.recipe import Recipe
from factable.train.steps import Encoded, Log, Schedule, Trained, to_tensors, train_steps

if TYPE_CHECKING:
    import torch


def encode(base: Path, pairs: Sequence[Pair], most_tokens: int) -> Encoded:
    """Pairs as token numbers; those longer than the window are left out."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoded = tokenizer.encode_batch([(pair.premise, pair.hypothesis) for pair in pairs])
    kept = [
        (one, pair.label) for one, pair in zip(encoded, pairs, strict=True) if len(one.ids) <= most_tokens
    ]
    return Encoded(
        [one.ids for one, _ in kept], [one.type_ids for one, _ in kept], [label for _, label in kept]
    )


def train(
    model: "torch.nn.Module",
    recipe: Recipe,
    pairs: Sequence[Pair],
    base: Path,
    work: Path,
    *,
    threads: int,
    log: Log,
) -> Trained:
    """Train a model on the pairs; what is in `work` is gone on with."""
    encoded = encode(base, pairs, recipe.most_tokens)
    log(f"{len(encoded.labels):,} pairs of {len(pairs):,} are short enough")
    schedule = Schedule(recipe.rate, recipe.warm_up, recipe.batch, recipe.seed, recipe.every)
    return train_steps(model, encoded, _loss, schedule, work, threads=threads, log=log)


def _loss(scores: "torch.Tensor", labels: Sequence[int]) -> "torch.Tensor":
    import torch

    return torch.nn.functional.cross_entropy(scores, torch.tensor(labels))


def predict(model: "torch.nn.Module", encoded: Encoded, batch: int = 64) -> np.ndarray[Any, Any]:
    """Scores before softmax of every pair, in order."""
    import torch

    model.eval()
    order = sorted(range(len(encoded.tokens)), key=lambda place: len(encoded.tokens[place]))
    found = np.zeros((len(order), 3))
    with torch.no_grad():
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            found[places] = model(**to_tensors(encoded, places)).float().numpy()
    return found
