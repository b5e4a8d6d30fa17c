"""Sentence encoders by name, one of each per process, asked without asking twice."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError, did_you_mean
from factable.models.answers import mend_surrogates
from factable.models.asking import ask_once
from factable.models.embedded import EMBEDDERS, embedded_folder
from factable.models.manifest import EMBEDDER, read_manifest
from factable.models.one_each import one_each
from factable.models.onnx_embedder import OnnxEmbedder
from factable.models.protocols import Advance, Embedder, tell_nobody

# How rows are kept: whole numbers up to SCALE.
_STORED = np.dtype("<i2")


def load_embedder(name: str) -> Embedder:
    """The encoder of that name: an embedded one, or a folder made by `factable train ranker`."""
    return _load(_folder(name), embedder_identity(name))


@one_each
def _load(folder: Path, _identity: str) -> Embedder:
    return OnnxEmbedder(folder)


def embedder_identity(name: str) -> str:
    """The checksum of all that can move an encoder's points, without loading it."""
    return read_manifest(_folder(name), EMBEDDER).identity


def _folder(name: str) -> Path:
    if name in EMBEDDERS:
        return embedded_folder(name)
    path = Path(name)
    if not path.exists():
        hint = did_you_mean(name, EMBEDDERS)
        raise UsageError(
            f"no encoder {name!r}; {hint}embedded ones are {', '.join(EMBEDDERS)}; or name a folder"
        )
    return path.resolve()


def embed(
    name: str, texts: Sequence[str], advance: Advance = tell_nobody, *, remember: bool = False
) -> NDArray[np.float32]:
    """A row of whole numbers for each text (see protocols.SCALE); what is on disk is not computed again.

    Rows that other texts will soon ask for can be remembered besides.
    """
    asked = [(mend_surrogates(text),) for text in texts]

    def answer(some: Sequence[tuple[str]]) -> list[bytes]:
        rows = load_embedder(name).embed([text for (text,) in some], advance)
        return [row.tobytes() for row in rows.astype(_STORED)]

    identity = embedder_identity(name)
    found = ask_once("embeddings", identity, asked, answer, remember=remember, advance=advance)
    return np.array([np.frombuffer(row, _STORED) for row in found], dtype=np.float32)
