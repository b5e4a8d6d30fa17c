"""The cross-encoder: an encoder reads premise and hypothesis together, its mean state says the label."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factable.train.encoder import load_base
from factable.models.protocols import LABELS

if TYPE_CHECKING:
    import torch

DROPOUT = 0.1


def load_encoder(folder: Path, *, seed: int = 0) -> "torch.nn.Module":
    """A cross-encoder on the encoder in a folder (config.json and model.safetensors), its head drawn anew."""
    encoder = load_base(folder)
    import torch

    torch.manual_seed(seed)

    class CrossEncoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.dropout = torch.nn.Dropout(DROPOUT)
            self.head = torch.nn.Linear(encoder.config.hidden_size, len(LABELS))

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            there = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * there).sum(1) / there.sum(1)
            return self.head(self.dropout(mean))

    return CrossEncoder()
