"""Files that metrics stand on: loaded by name, checked, kept once per process."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factable.models.protocols import Nli


def load(name: str) -> "Nli":
    """The model of that name, one of each per process: embedded, in a folder, or a Hugging Face model."""
    from factable.models.nli import load_nli

    return load_nli(name)
