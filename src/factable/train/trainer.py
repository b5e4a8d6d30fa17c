"""The training loop of all neural models: batches by length, checkpoints to resume from, validation."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from factable.errors import MissingExtraError
from factable.train.checkpoint import CheckpointFolder, TrainingProgress, Validation
from factable.train.options import TrainingOptions

if TYPE_CHECKING:
    import torch

# Batches are cut from this many rows sorted by length, so that little is padded.
ROWS_SORTED = 1600
# Batches are padded to a multiple of this: every new shape costs compilation, so there should be few.
LENGTH_MULTIPLE = 32
LOG_EVERY = 50

BatchT = TypeVar("BatchT")
Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to train.

    `warm_up` is the share of steps over which the learning rate rises to its maximum; after that it falls to
    0. None keeps it constant. A checkpoint is saved every `save_every` steps. With `patience`, training stops
    when that many epochs in a row are no better than the best one.
    """

    learning_rate: float
    epochs: int = 1
    warm_up: float | None = 0.05
    weight_decay: float = 0.01
    max_gradient_norm: float = 1.0
    save_every: int = 250
    patience: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, options: TrainingOptions, **changes: Any) -> "Schedule":
        """The schedule in the options of a training, with changes."""
        names = {field.name for field in fields(cls)}
        values = {name: value for name, value in options._asdict().items() if name in names}
        return cls(**values, **changes)


class TrainingResult(NamedTuple):
    """Minutes over all runs; a validation before training and one per epoch, if the training validates.

    `losses` are the mean losses between two lines of the log, in order.
    """

    minutes: float
    history: Sequence[Validation]
    losses: Sequence[float]
    threads: int

    @property
    def best_epoch(self) -> int:
        """The epoch with the highest score, the last of equal ones; 0 is before training."""
        return find_best(self.history)


def train_model(
    model: "torch.nn.Module",
    batches: Callable[[int], Sequence[BatchT]],
    loss: Callable[[BatchT], "torch.Tensor"],
    schedule: Schedule,
    work: Path,
    *,
    settings: Mapping[str, object],
    threads: int,
    log: Log,
    validate: Callable[[], Validation] | None = None,
) -> TrainingResult:
    """Train a model in place, resuming from the checkpoint in `work`; with `validate`, keep the best epoch.

    `batches` gives the batches of an epoch (1, 2 …), always the same ones for the same number. A resumed run
    ends with the same weights as one that was never stopped. `settings` identify the training.
    """
    require_torch()
    import torch

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    steps = sum(len(batches(epoch)) for epoch in range(1, schedule.epochs + 1))
    training = _Training(model, loss, schedule, work, steps=steps, settings=settings, log=log)
    if validate and not training.history:
        training.record(validate())
    first_step = 0
    for epoch in range(1, schedule.epochs + 1):
        if training.out_of_patience:
            break
        planned = batches(epoch)
        for batch in planned[max(0, training.step - first_step) :]:
            training.take_step(batch)
        first_step += len(planned)
        if validate and len(training.history) == epoch:
            training.record(validate())
    return training.finish(threads)


class _Training(Generic[BatchT]):
    """A training in progress."""

    def __init__(
        self,
        model: "torch.nn.Module",
        loss: Callable[[BatchT], "torch.Tensor"],
        schedule: Schedule,
        work: Path,
        *,
        steps: int,
        settings: Mapping[str, object],
        log: Log,
    ) -> None:
        import torch

        self._model, self._loss, self._schedule, self._steps, self._log = model, loss, schedule, steps, log
        self._parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(
            self._parameters, lr=schedule.learning_rate, weight_decay=schedule.weight_decay, fused=True
        )
        self._checkpoints = CheckpointFolder(work, model, self._optimiser, {**settings, "steps": steps})
        self.step, self._minutes_before, history, losses = self._checkpoints.load()
        self.history, self._mean_losses = list(history), list(losses)
        self._first_step, self._started, self._losses = self.step, time.monotonic(), list[float]()
        log(f"{steps:,} steps, from step {self.step:,}")

    def take_step(self, batch: BatchT) -> None:
        """Learn from one batch."""
        import torch

        # Seeded in each step, so that a resumed run draws what it would have drawn.
        torch.manual_seed(self._schedule.seed + self.step)
        for group in self._optimiser.param_groups:
            group["lr"] = self._schedule.learning_rate * self._rate_share()
        self._model.train()
        loss = self._loss(batch)
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        torch.nn.utils.clip_grad_norm_(self._parameters, self._schedule.max_gradient_norm)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        self._losses.append(float(loss.detach()))
        self.step += 1
        is_last = self.step == self._steps
        to_save = is_last or self.step % self._schedule.save_every == 0
        to_log = to_save or self.step % LOG_EVERY == 0
        if to_log:
            self._mean_losses.append(float(np.mean(self._losses)))
            self._losses.clear()
        if to_save:
            self._save()
        if to_log:
            self._log_loss()

    def _rate_share(self) -> float:
        """Share of the maximal learning rate in this step."""
        if self._schedule.warm_up is None:
            return 1.0
        warm_up = max(1, round(self._schedule.warm_up * self._steps))
        return min((self.step + 1) / warm_up, (self._steps - self.step) / max(1, self._steps - warm_up))

    def record(self, validation: Validation) -> None:
        """Add a validation to the history, and keep the weights if they are the best so far."""
        epoch = len(self.history)
        self.history.append(validation)
        if find_best(self.history) == epoch:
            self._checkpoints.save_best()
        self._save()
        self._log(f"epoch {epoch}: {validation.summary}" if epoch else f"untrained: {validation.summary}")

    @property
    def out_of_patience(self) -> bool:
        """Whether the last epochs brought nothing."""
        patience = self._schedule.patience
        if patience is None or not self.history:
            return False
        return len(self.history) - 1 - find_best(self.history) >= patience

    def finish(self, threads: int) -> TrainingResult:
        """The result, with the weights of the best epoch in the model."""
        if self.history:
            self._checkpoints.load_best()
        self._model.eval()
        return TrainingResult(self._minutes(), self.history, self._mean_losses, threads)

    def _minutes(self) -> float:
        return self._minutes_before + (time.monotonic() - self._started) / 60

    def _save(self) -> None:
        progress = TrainingProgress(self.step, self._minutes(), self.history, self._mean_losses)
        self._checkpoints.save(progress)

    def _log_loss(self) -> None:
        pace = (self.step - self._first_step) / (time.monotonic() - self._started)
        loss = self._mean_losses[-1]
        self._log(f"step {self.step:,} of {self._steps:,}: loss {loss:.4f}, {pace:.1f} steps/s")


def find_best(history: Sequence[Validation]) -> int:
    """The index of the highest score, the last of equal ones."""
    return max(range(len(history)), key=lambda index: (history[index].score, index))


def require_torch() -> None:
    """Make sure that torch is installed."""
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("training", "train") from None


def half_precision() -> AbstractContextManager[object]:
    """Compute the forward pass of a model in bf16 where that is safe and the CPU has instructions for it."""
    import torch

    # Without them bf16 is several times slower than fp32.
    has_bf16 = bool(torch.cpu._is_avx512_bf16_supported())
    context: AbstractContextManager[object] = torch.autocast("cpu", torch.bfloat16, enabled=has_bf16)
    return context


def work_folder(out: Path) -> Path:
    """The folder of the checkpoints of a training that writes `out`."""
    return out.with_name(f"{out.name}.work")


def plan_batches(lengths: Sequence[int], size: int, seed: int) -> list[list[int]]:
    """Indices of rows, batch by batch: shuffled, but of similar length within a batch."""
    generator = random.Random(seed)  # noqa: S311
    order = list(range(len(lengths)))
    generator.shuffle(order)
    batches = []
    for start in range(0, len(order), ROWS_SORTED):
        rows = sorted(order[start : start + ROWS_SORTED], key=lengths.__getitem__)
        cut = [rows[index : index + size] for index in range(0, len(rows), size)]
        generator.shuffle(cut)
        batches += cut
    return batches


def group_by_length(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Indices of rows in groups of similar length, for inference."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return [order[start : start + size] for start in range(0, len(order), size)]


def pad_rows(
    rows: Sequence[Sequence[int]], *, value: int = 0, multiple: int = LENGTH_MULTIPLE
) -> "torch.Tensor":
    """Rows of numbers as a matrix whose width is a multiple of a number."""
    import torch

    width = -(-max(map(len, rows)) // multiple) * multiple
    matrix = np.full((len(rows), width), value, np.int64)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = row
    return torch.from_numpy(matrix)
