"""Models and data files that ship with factable."""

import hashlib
from importlib.resources import files
from pathlib import Path

from factable.errors import DataError, Fault
from factable.models.checksums import CHECKSUMS

NLI_MODELS = ("nli",)
# Encoders: as it came, and trained to rank.
EMBEDDERS = ("embed", "trained")
QA_MODELS = ("qa",)
EMBEDDED = (*NLI_MODELS, *EMBEDDERS, *QA_MODELS)


def embedded_folder(name: str) -> Path:
    """Where an embedded model is."""
    return Path(str(files("factable") / "data" / "models" / name))


def read_shipped(name: str) -> bytes:
    """A data file of the package, by its path in there; refused if it is not the one that was shipped."""
    try:
        content = files("factable").joinpath(name).read_bytes()
    except OSError as error:
        raise DataError([Fault(name, None, error.strerror or str(error), "install factable again")]) from None
    found = hashlib.sha256(content).hexdigest()
    if found != CHECKSUMS[name]:
        damage = f"damaged: its sha256 is {found[:12]}…, not {CHECKSUMS[name][:12]}…"
        remedy = "install factable again, or run tools/update_checksums.py if you changed it"
        raise DataError([Fault(name, None, damage, remedy)])
    return content
