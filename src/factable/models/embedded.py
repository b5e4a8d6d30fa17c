"""Models that ship with factable."""

from importlib.resources import files
from pathlib import Path

NLI_MODELS = ("nli",)
# Encoders: as it came, and trained to rank.
EMBEDDERS = ("embed", "trained")
QA_MODELS = ("qa",)
EMBEDDED = (*NLI_MODELS, *EMBEDDERS)


def embedded_folder(name: str) -> Path:
    """Where an embedded model is."""
    return Path(str(files(__package__).joinpath("embedded_models", name)))
