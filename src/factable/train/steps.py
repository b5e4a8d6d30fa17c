"""Training an encoder on pairs of texts: batches by length, bf16, checkpoints from which it goes on."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from factable.train.checkpoints import TrainingState

if TYPE_CHECKING:
    import torch

# Batches are cut from so many pairs sorted by length, so that little is padded.
PAIRS_SORTED = 1600
# Shapes are compiled once each, so there should be few.
LENGTH_STEP = 16
Log = Callable[[str], None]
# The loss of a batch, from what the model says and what is to be learnt.
Loss = Callable[["torch.Tensor", Sequence[Any]], "torch.Tensor"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Pairs as token numbers, and what is to be learnt of each."""

    tokens: Sequence[Sequence[int]]
    types: Sequence[Sequence[int]]
    labels: Sequence[Any]


class Schedule(NamedTuple):
    """How fast to learn, in batches of which size, and after how many steps to keep a checkpoint."""

    rate: float
    warm_up: float
    batch: int
    seed: int
    every: int


class Trained(NamedTuple):
    """A trained model, and how long it took in all runs together."""

    model: "torch.nn.Module"
    minutes: float


def plan_batches(lengths: Sequence[int], size: int, seed: int) -> list[list[int]]:
    """Places of pairs, batch by batch: shuffled, but of like length within a batch."""
    draw = random.Random(seed)  # noqa: S311
    order = list(range(len(lengths)))
    draw.shuffle(order)
    batches = []
    for start in range(0, len(order), PAIRS_SORTED):
        group = sorted(order[start : start + PAIRS_SORTED], key=lengths.__getitem__)
        cut = [group[place : place + size] for place in range(0, len(group), size)]
        draw.shuffle(cut)
        batches += cut
    return batches


def to_tensors(encoded: Encoded, places: Sequence[int]) -> dict[str, "torch.Tensor"]:
    """The inputs of the model for some pairs."""
    import torch

    longest = max(len(encoded.tokens[place]) for place in places)
    width = -(-longest // LENGTH_STEP) * LENGTH_STEP
    arrays = {
        name: np.zeros((len(places), width), np.int64)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    for row, place in enumerate(places):
        size = len(encoded.tokens[place])
        arrays["input_ids"][row, :size] = encoded.tokens[place]
        arrays["attention_mask"][row, :size] = 1
        arrays["token_type_ids"][row, :size] = encoded.types[place]
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def train_steps(
    model: "torch.nn.Module",
    encoded: Encoded,
    loss_of: Loss,
    schedule: Schedule,
    work: Path,
    *,
    threads: int,
    log: Log,
) -> Trained:
    """Train a model by one pass over all pairs; what is in `work` is gone on with."""
    import torch

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    batches = plan_batches([len(tokens) for tokens in encoded.tokens], schedule.batch, schedule.seed)
    model.encoder.embeddings.requires_grad_(False)  # type: ignore[union-attr, unused-ignore]
    state = TrainingState(
        model,
        work,
        rate=schedule.rate,
        warm_up=schedule.warm_up,
        steps=len(batches),
        settings={"rate": schedule.rate, "seed": schedule.seed},
    )
    start, minutes, _ = state.load()
    log(f"{len(encoded.labels):,} pairs, {len(batches):,} steps, from step {start:,}")
    model.train()
    losses: list[float] = []
    began = time.monotonic()
    for step in range(start, len(batches)):
        # Drawn anew in each step, so that a run that goes on equals one that was never stopped.
        torch.manual_seed(schedule.seed + step)
        places = batches[step]
        with torch.autocast("cpu", torch.bfloat16):
            scores = model(**to_tensors(encoded, places))
        loss = loss_of(scores.float(), [encoded.labels[place] for place in places])
        losses.append(state.take_step(loss, step))
        if (step + 1) % schedule.every == 0 or step + 1 == len(batches):
            state.save(step + 1, minutes + (time.monotonic() - began) / 60)
            rate = (step + 1 - start) * schedule.batch / (time.monotonic() - began)
            log(f"step {step + 1:,}: loss {np.mean(losses):.4f}, {rate:.1f} pairs/s")
            losses.clear()
    return Trained(model, minutes + (time.monotonic() - began) / 60)
