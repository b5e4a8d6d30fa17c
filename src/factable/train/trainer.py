"""Training an encoder on pairs of texts: batches by length, bf16, checkpoints from which it goes on."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from factable.errors import UsageError

if TYPE_CHECKING:
    import torch


POINTER = "checkpoint.json"
OF_OPTIMISER = ("exp_avg", "exp_avg_sq")
WEIGHT_DECAY = 0.01
MAX_GRADIENT = 1.0


class Reached(NamedTuple):
    """How far a training has come: steps, minutes in all runs together, and what else was kept."""

    step: int
    minutes: float
    notes: Mapping[str, Any]


class TrainingState:
    """Model, optimiser and learning rate; kept in safetensors files, which run no code when read."""

    def __init__(
        self,
        model: "torch.nn.Module",
        work: Path,
        *,
        rate: float,
        warm_up: float,
        steps: int,
        settings: Mapping[str, object],
    ) -> None:
        import torch

        self._model, self._steps, self._work, self._rate = model, steps, work, rate
        self._settings = {"steps": steps, **settings}
        self._warm = max(1, round(warm_up * steps))
        self._trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(self._trained, lr=rate, weight_decay=WEIGHT_DECAY, fused=True)

    def take_step(self, loss: "torch.Tensor", step: int) -> float:
        """Learn from one loss, with a rate that rises at first and then falls to 0."""
        import torch

        share = min((step + 1) / self._warm, (self._steps - step) / max(1, self._steps - self._warm))
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * share
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        torch.nn.utils.clip_grad_norm_(self._trained, MAX_GRADIENT)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        return float(loss.detach())

    def save(self, step: int, minutes: float, notes: Mapping[str, Any] | None = None) -> None:
        """Keep everything under the number of the step, then point to it."""
        from safetensors.torch import save_file

        self._work.mkdir(parents=True, exist_ok=True)
        tensors = {f"model.{name}": value.contiguous() for name, value in self._model.state_dict().items()}
        for index, parameter in enumerate(self._trained):
            state = self._optimiser.state[parameter]
            tensors |= {f"{key}.{index}": state[key] for key in OF_OPTIMISER}
        save_file(tensors, self._work / f"step-{step}.safetensors")
        new = self._work / "checkpoint.new"
        new.write_bytes(
            orjson.dumps({"step": step, "minutes": minutes, "notes": notes or {}, **self._settings})
        )
        new.replace(self._work / POINTER)
        for old in self._work.glob("step-*.safetensors"):
            if old.name != f"step-{step}.safetensors":
                old.unlink()

    def load(self) -> Reached:
        """Go back to where the last checkpoint was; to the beginning without one."""
        import torch
        from safetensors.torch import load_file

        pointer = self._work / POINTER
        if not pointer.exists():
            return Reached(0, 0.0, {})
        content = orjson.loads(pointer.read_bytes())
        self._check(content)
        step: int = content["step"]
        tensors = load_file(self._work / f"step-{step}.safetensors")
        model = {
            name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")
        }
        self._model.load_state_dict(model)
        for index, parameter in enumerate(self._trained):
            self._optimiser.state[parameter] = {
                "step": torch.tensor(float(step)),
                **{key: tensors[f"{key}.{index}"] for key in OF_OPTIMISER},
            }
        return Reached(step, content["minutes"], content.get("notes", {}))

    def _check(self, content: Mapping[str, Any]) -> None:
        """Whether a checkpoint is one of this training."""
        for name, value in self._settings.items():
            if content.get(name, value) != value:
                found = f"checkpoints of another training ({name} {content[name]}, now {value})"
                raise UsageError(f"{self._work}: holds {found}; remove it, or give another OUT")


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
        cut = [group[index : index + size] for index in range(0, len(group), size)]
        draw.shuffle(cut)
        batches += cut
    return batches


def to_tensors(encoded: Encoded, indices: Sequence[int]) -> dict[str, "torch.Tensor"]:
    """The inputs of the model for some pairs."""
    import torch

    longest = max(len(encoded.tokens[index]) for index in indices)
    width = -(-longest // LENGTH_STEP) * LENGTH_STEP
    arrays = {
        name: np.zeros((len(indices), width), np.int64)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    for row, index in enumerate(indices):
        size = len(encoded.tokens[index])
        arrays["input_ids"][row, :size] = encoded.tokens[index]
        arrays["attention_mask"][row, :size] = 1
        arrays["token_type_ids"][row, :size] = encoded.types[index]
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
        indices = batches[step]
        with torch.autocast("cpu", torch.bfloat16):
            scores = model(**to_tensors(encoded, indices))
        loss = loss_of(scores.float(), [encoded.labels[index] for index in indices])
        losses.append(state.take_step(loss, step))
        if (step + 1) % schedule.every == 0 or step + 1 == len(batches):
            state.save(step + 1, minutes + (time.monotonic() - began) / 60)
            rate = (step + 1 - start) * schedule.batch / (time.monotonic() - began)
            log(f"step {step + 1:,}: loss {np.mean(losses):.4f}, {rate:.1f} pairs/s")
            losses.clear()
    return Trained(model, minutes + (time.monotonic() - began) / 60)
