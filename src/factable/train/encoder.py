"""The encoder that a training begins with."""

from pathlib import Path
from typing import TYPE_CHECKING

from factable.errors import MissingExtraError

if TYPE_CHECKING:
    import torch


def load_base(folder: Path) -> "torch.nn.Module":
    """The encoder in a folder (config.json and model.safetensors), without what pools its states."""
    try:
        from transformers import AutoModel
    except ImportError:
        raise MissingExtraError("training", "train") from None
    encoder: torch.nn.Module = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        attn_implementation="eager",
    )
    if hasattr(encoder, "pooler"):
        encoder.pooler = None  # type: ignore[assignment, unused-ignore]
    return encoder
