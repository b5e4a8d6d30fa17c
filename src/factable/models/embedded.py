"""Models that ship with factable."""

from importlib.resources import files
from pathlib import Path

EMBEDDED = ("nli",)


def embedded_folder(name: str) -> Path:
    """Where an embedded model is."""
    return Path(str(files(__package__).joinpath("embedded_models", name)))
