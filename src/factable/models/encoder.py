"""Sentence encoders by name, and their cached embeddings."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import ModelLoader
from factable.models.runtime.manifest import EMBEDDER, EMBEDDERS
from factable.models.runtime.progress import Advance, no_progress
from factable.models.runtime.session import OnnxModel, load_tokenizer

# Embeddings are whole multiples of 1/SCALE. Products of two, and all sums of such products, are then whole
# numbers below 2**24, which float32 holds exactly: cosines do not depend on the order of a sum.
SCALE = 2048
# How rows are stored: whole numbers up to SCALE.
_STORED = np.dtype("<i2")


class OnnxEmbedder(OnnxModel):
    """A model in a folder with a manifest: similar texts get similar vectors."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        super().__init__(folder, EMBEDDER, threads=threads)
        # Longer texts come in several windows.
        self._tokenizer = load_tokenizer(self._manifest, window=self._manifest.window)
        self._width = self._try()

    def embed(self, texts: Sequence[str], advance: Advance) -> NDArray[np.float32]:
        """A vector of length 1 for each text, in whole multiples of 1/SCALE; zeros for a blank text."""
        rows = self._map(self._embed, texts, advance)
        return np.array(rows, dtype=np.float32).reshape(len(texts), self._width)

    def _embed(self, text: str) -> NDArray[np.float64]:
        """The mean of all windows, weighted by their number of tokens."""
        if not text.strip():
            return np.zeros(self._width)
        encoding = self._tokenizer.encode(text)
        windows = [encoding.ids, *(window.ids for window in encoding.overflowing)]
        vector = sum(len(ids) * self._vector(ids) for ids in windows)
        return np.rint(vector / (np.linalg.norm(vector) or 1.0) * SCALE)

    def _vector(self, ids: Sequence[int]) -> NDArray[np.float64]:
        return self._run(input_ids=ids, attention_mask=[1] * len(ids))

    def _try(self) -> int:
        """The width of the vectors; refuse a model that takes or gives something else."""
        try:
            vector = self._vector(self._tokenizer.encode("a").ids)
        except Exception as error:  # onnxruntime has no common base class
            raise self._not_loaded(error) from None
        if vector.ndim != 1 or not np.isfinite(vector).all():
            raise self._not_loaded("it does not give a row of numbers")
        return len(vector)


_MODELS: ModelLoader[OnnxEmbedder] = ModelLoader(
    embedded=EMBEDDERS, made_by="factable train ranker", onnx={EMBEDDER: OnnxEmbedder}
)
load_embedder = _MODELS.load
embedder_identity = _MODELS.identity


def embed(
    name: str, texts: Sequence[str], advance: Advance = no_progress, *, in_memory: bool = False
) -> NDArray[np.float32]:
    """A row of whole numbers for each text (see `OnnxEmbedder.embed`); cached on disk.

    Rows that will be needed again soon can be kept in memory, too.
    """

    def predict_bytes(batch: Sequence[tuple[str]]) -> list[bytes]:
        rows = load_embedder(name).embed([text for (text,) in batch], advance)
        return [row.tobytes() for row in rows.astype(_STORED)]

    inputs = [(replace_surrogates(text),) for text in texts]
    identity = embedder_identity(name)
    rows = cached_inference(
        "embeddings",
        identity,
        inputs,
        predict_bytes,
        is_valid=_is_embedding,
        in_memory=in_memory,
        advance=advance,
    )
    return np.array([np.frombuffer(row, _STORED) for row in rows], dtype=np.float32)


def _is_embedding(stored: bytes) -> bool:
    if len(stored) % _STORED.itemsize:
        return False
    row = np.frombuffer(stored, _STORED).astype(np.float64)
    # Each number was rounded by half at most; a blank text has zeros.
    return not row.any() or bool(abs(np.linalg.norm(row) - SCALE) <= 0.5 * len(row) ** 0.5)
