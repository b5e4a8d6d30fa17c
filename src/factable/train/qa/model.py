"""The reader: an encoder reads question and context; two scores per token say where the answer is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factable.train.encoder import load_base

if TYPE_CHECKING:
    import torch

DROPOUT = 0.1


def load_reader(folder: Path, *, seed: int = 0) -> "torch.nn.Module":
    """A reader on the encoder in a folder (config.json and model.safetensors), its head drawn anew."""
    encoder = load_base(folder)
    import torch

    torch.manual_seed(seed)

    class Reader(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.dropout = torch.nn.Dropout(DROPOUT)
            self.head = torch.nn.Linear(encoder.config.hidden_size, 2)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            return self.head(self.dropout(states))

    return Reader()
