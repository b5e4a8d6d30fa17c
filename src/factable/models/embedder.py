"""Sentence encoders by name, one of each per process, asked without asking twice."""

import os
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError, did_you_mean
from factable.models.answers import cache_file, keep_bytes, key_of, mend_surrogates, recall_bytes
from factable.models.embedded import EMBEDDERS, embedded_folder
from factable.models.manifest import EMBEDDER, read_manifest
from factable.models.onnx_embedder import OnnxEmbedder
from factable.models.protocols import Advance, Embedder, tell_nobody

TEXTS_PER_SAVE = 4096
# How rows are kept: whole numbers up to SCALE.
_STORED = np.dtype("<i2")
_loading = threading.Lock()


def load_embedder(name: str) -> Embedder:
    """The encoder of that name: an embedded one, or a folder made by `factable train ranker`."""
    folder = _folder(name)
    with _loading:
        # A forked process must not use what its parent loaded, and a folder may hold another model by now.
        return _load(folder, embedder_identity(name), os.getpid())


@cache
def _load(folder: Path, _identity: str, _process: int) -> Embedder:
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


def embed(name: str, texts: Sequence[str], advance: Advance = tell_nobody) -> NDArray[np.float32]:
    """A row of whole numbers for each text (see protocols.SCALE); what is on disk is not computed again."""
    identity = embedder_identity(name)
    texts = list(map(mend_surrogates, texts))
    keys = {text: key_of(identity, (text,)) for text in dict.fromkeys(texts)}
    path = cache_file("embeddings")
    kept = recall_bytes(path, list(keys.values())) if path else {}
    known = {key: np.frombuffer(value, _STORED) for key, value in kept.items()}
    unknown = [text for text, key in keys.items() if key not in known]
    advance(len(keys) - len(unknown))
    for start in range(0, len(unknown), TEXTS_PER_SAVE):
        some = unknown[start : start + TEXTS_PER_SAVE]
        rows = load_embedder(name).embed(some, advance).astype(_STORED)
        new = dict(zip((keys[text] for text in some), rows, strict=True))
        known |= new
        if path:
            keep_bytes(path, {key: row.tobytes() for key, row in new.items()})
    return np.array([known[keys[text]] for text in texts], dtype=np.float32)
