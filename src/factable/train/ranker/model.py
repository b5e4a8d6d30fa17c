"""The bi-encoder: a text becomes the mean of an encoder's states."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factable.errors import MissingExtraError

if TYPE_CHECKING:
    import torch


def load_encoder(folder: Path) -> "torch.nn.Module":
    """The encoder in a folder (config.json and model.safetensors), with mean pooling."""
    try:
        import torch
        from transformers import AutoModel
    except ImportError:
        raise MissingExtraError("training", "train") from None
    encoder = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        attn_implementation="eager",
    )
    if hasattr(encoder, "pooler"):
        encoder.pooler = None

    class Embedder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            there = attention_mask.unsqueeze(-1).to(states.dtype)
            return (states * there).sum(1) / there.sum(1)

    return Embedder()
