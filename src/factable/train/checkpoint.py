"""Checkpoints of a training: a safetensors file, which runs no code when read, and a JSON file about it.

`checkpoint.json` is replaced last, so a training that is killed while it saves resumes from the checkpoint
before. `best.safetensors` has the weights of the best epoch of a training that validates.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from factable.errors import UsageError

if TYPE_CHECKING:
    import torch

CHECKPOINT = "checkpoint.json"
BEST = "best.safetensors"
# What AdamW keeps for each parameter, besides the number of steps.
MOMENTS = ("exp_avg", "exp_avg_sq")


class Validation(NamedTuple):
    """How good a model is on held-out data: a score (higher is better), in words, and all figures."""

    score: float
    summary: str
    figures: tuple[float, ...] = ()


class TrainingProgress(NamedTuple):
    """How far a training has come: steps, minutes over all runs, one validation per epoch, mean losses."""

    step: int
    minutes: float
    history: Sequence[Validation]
    losses: Sequence[float] = ()


class CheckpointFolder:
    """Saves and restores the trained weights and the state of the optimiser.

    `settings` identify the training: a folder with checkpoints of other settings is refused.
    """

    def __init__(
        self,
        folder: Path,
        model: "torch.nn.Module",
        optimiser: "torch.optim.Optimizer",
        settings: Mapping[str, object],
    ) -> None:
        self._folder, self._optimiser = folder, optimiser
        self._settings = orjson.loads(orjson.dumps(settings))
        # Parameters that a model uses twice are listed once.
        self._parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}

    def save(self, progress: TrainingProgress) -> None:
        """Write a checkpoint and remove the one before."""
        tensors = {f"model.{name}": value for name, value in self._parameters.items()}
        for name, parameter in self._parameters.items():
            state = self._optimiser.state[parameter]
            tensors |= {f"{moment}.{name}": state[moment] for moment in MOMENTS if moment in state}
        current = f"step-{progress.step}.safetensors"
        self._write(tensors, current)
        content = {
            "step": progress.step,
            "minutes": progress.minutes,
            "history": [list(validation) for validation in progress.history],
            "losses": progress.losses,
            "settings": self._settings,
        }
        new = self._folder / "checkpoint.new"
        new.write_bytes(orjson.dumps(content))
        new.replace(self._folder / CHECKPOINT)
        for path in self._folder.glob("step-*.safetensors"):
            if path.name != current:
                path.unlink()

    def load(self) -> TrainingProgress:
        """Restore the last checkpoint; without one the training starts at step 0."""
        import torch

        path = self._folder / CHECKPOINT
        if not path.exists():
            return TrainingProgress(0, 0.0, [])
        content = orjson.loads(path.read_bytes())
        self._check(content.get("settings", {}))
        step: int = content["step"]
        tensors = self._read(f"step-{step}.safetensors")
        self._restore({name: tensors[f"model.{name}"] for name in self._parameters})
        for name, parameter in self._parameters.items():
            keys = {moment: f"{moment}.{name}" for moment in MOMENTS}
            moments = {moment: tensors[key] for moment, key in keys.items() if key in tensors}
            if moments:
                self._optimiser.state[parameter] = {"step": torch.tensor(float(step)), **moments}
        history = [
            Validation(score, summary, tuple(figures)) for score, summary, figures in content["history"]
        ]
        return TrainingProgress(step, content["minutes"], history, content["losses"])

    def save_best(self) -> None:
        """Keep the weights as those of the best epoch so far."""
        self._write(self._parameters, BEST)

    def load_best(self) -> None:
        """Restore the weights of the best epoch."""
        self._restore(self._read(BEST))

    def _check(self, settings: Mapping[str, Any]) -> None:
        """Refuse checkpoints of another training."""
        for name, value in self._settings.items():
            if settings.get(name) != value:
                difference = f"{name} {settings.get(name)}, now {value}"
                raise UsageError(
                    f"{self._folder}: holds checkpoints of another training ({difference}); "
                    "remove it, or choose another output folder"
                )

    def _restore(self, weights: Mapping[str, "torch.Tensor"]) -> None:
        import torch

        with torch.no_grad():
            for name, parameter in self._parameters.items():
                parameter.copy_(weights[name])

    def _write(self, tensors: Mapping[str, "torch.Tensor"], name: str) -> None:
        from safetensors.torch import save_file

        self._folder.mkdir(parents=True, exist_ok=True)
        save_file({key: value.detach().contiguous() for key, value in tensors.items()}, self._folder / name)

    def _read(self, name: str) -> dict[str, "torch.Tensor"]:
        from safetensors.torch import load_file

        tensors: dict[str, torch.Tensor] = load_file(self._folder / name)
        return tensors
