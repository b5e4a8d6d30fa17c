"""Steps of an optimiser, kept on disk now and then, so that a training that was stopped goes on."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from factable.errors import UsageError

if TYPE_CHECKING:
    import torch

POINTER = "checkpoint.json"
OF_OPTIMISER = ("exp_avg", "exp_avg_sq")
WEIGHT_DECAY = 0.01
MOST_GRADIENT = 1.0


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
        torch.nn.utils.clip_grad_norm_(self._trained, MOST_GRADIENT)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        return float(loss.detach())

    def save(self, step: int, minutes: float, notes: Mapping[str, Any] | None = None) -> None:
        """Keep everything under the number of the step, then point to it."""
        from safetensors.torch import save_file

        self._work.mkdir(parents=True, exist_ok=True)
        tensors = {f"model.{name}": value.contiguous() for name, value in self._model.state_dict().items()}
        for place, parameter in enumerate(self._trained):
            state = self._optimiser.state[parameter]
            tensors |= {f"{key}.{place}": state[key] for key in OF_OPTIMISER}
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
        for place, parameter in enumerate(self._trained):
            self._optimiser.state[parameter] = {
                "step": torch.tensor(float(step)),
                **{key: tensors[f"{key}.{place}"] for key in OF_OPTIMISER},
            }
        return Reached(step, content["minutes"], content.get("notes", {}))

    def _check(self, content: Mapping[str, Any]) -> None:
        """Whether a checkpoint is one of this training."""
        for name, value in self._settings.items():
            if content.get(name, value) != value:
                found = f"checkpoints of another training ({name} {content[name]}, now {value})"
                raise UsageError(f"{self._work}: holds {found}; remove it, or give another OUT")
