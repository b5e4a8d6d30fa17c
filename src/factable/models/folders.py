"""Where the files of a model are: embedded, in a folder, or on the Hugging Face hub."""

import re
from collections.abc import Sequence
from pathlib import Path

from factable.errors import UsageError, did_you_mean
from factable.models.embedded import embedded_folder
from factable.models.hf_files import CONFIG, hub_folder
from factable.models.manifest import MANIFEST, model_fault

# "t5-small" or "owner/model"; a plain word is rather a misspelt name of ours.
_HUB_NAME = re.compile(r"(?=.*[-/])\w[\w.-]*(/\w[\w.-]*)?")


def model_folder(name: str, *, embedded: Sequence[str] = (), made_by: str = "") -> Path:
    """The folder of a model by its name; `made_by` is the command that makes folders with a manifest."""
    if name in embedded:
        return embedded_folder(name)
    path = Path(name)
    if path.exists():
        wanted = (MANIFEST, CONFIG) if made_by else (CONFIG,)
        if not any((path / file).is_file() for file in wanted):
            ours = f"one made by {made_by}, or " if made_by else ""
            found = f"no model folder: it has no {' and no '.join(wanted)}"
            raise model_fault(path, found, f"name {ours}a Hugging Face model")
        return path.resolve()
    if not _HUB_NAME.fullmatch(name):
        ours = f"embedded ones are {', '.join(embedded)}; or " if embedded else ""
        raise UsageError(
            f"no model {name!r}; {did_you_mean(name, embedded)}{ours}name a folder or a hub model"
        )
    return hub_folder(name)


def has_manifest(folder: Path) -> bool:
    """Whether a folder was made by factable."""
    return (folder / MANIFEST).is_file()
