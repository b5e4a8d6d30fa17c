"""The bi-encoder: a text becomes the mean of an encoder's states."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factable.train.encoder import load_base

if TYPE_CHECKING:
    import torch


def load_encoder(folder: Path) -> "torch.nn.Module":
    """The encoder in a folder (config.json and model.safetensors), with mean pooling."""
    encoder = load_base(folder)
    import torch

    class Embedder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            there = attention_mask.unsqueeze(-1).to(states.dtype)
            return (states * there).sum(1) / there.sum(1)

    return Embedder()
