"""A sentence encoder as int8 ONNX, run by onnxruntime on the CPU, each text on its own as in onnx_nli."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.models.manifest import EMBEDDER, MODEL, check_files, read_manifest
from factable.models.onnx_session import load_session, load_tokenizer, not_loaded
from factable.models.protocols import SCALE, Advance
from factable.models.threads import thread_count

TEXTS_AT_ONCE = 512


class OnnxEmbedder:
    """The model in a folder; `threads` texts are run at a time, as FACTABLE_THREADS says if not given."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._manifest = read_manifest(folder, EMBEDDER)
        check_files(self._manifest)
        self.identity = self._manifest.identity
        self._threads = threads or thread_count()
        self._tokenizer = load_tokenizer(self._manifest)
        # What is longer comes in several windows.
        self._tokenizer.enable_truncation(self._manifest.window)
        self._session = load_session(self._manifest)
        self._width = self._try()

    def embed(self, texts: Sequence[str], advance: Advance) -> NDArray[np.float32]:
        """A row of whole numbers for each text, zeros for a blank one."""
        rows = np.empty((len(texts), self._width), dtype=np.float32)
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(texts), TEXTS_AT_ONCE):
                some = texts[start : start + TEXTS_AT_ONCE]
                rows[start : start + len(some)] = list(pool.map(self._embed, some))
                advance(len(some))
        return rows

    def _embed(self, text: str) -> NDArray[np.float64]:
        """The mean of all windows, each weighing as much as it has tokens."""
        if not text.strip():
            return np.zeros(self._width)
        encoding = self._tokenizer.encode(text)
        windows = [encoding.ids, *(more.ids for more in encoding.overflowing)]
        point = sum(len(ids) * self._run(ids) for ids in windows)
        return np.rint(point / (np.linalg.norm(point) or 1.0) * SCALE)

    def _run(self, ids: Sequence[int]) -> NDArray[np.float64]:
        tokens = np.array([ids], dtype=np.int64)
        ((point,),) = self._session.run(None, {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})
        return np.asarray(point, dtype=np.float64)

    def _try(self) -> int:
        """How many numbers the model gives; refuse one that takes or gives something else."""
        try:
            point = self._run(self._tokenizer.encode("a").ids)
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(self._manifest, MODEL, error) from None
        if point.ndim != 1 or not np.isfinite(point).all():
            raise not_loaded(self._manifest, MODEL, "it does not give a row of numbers")
        return len(point)
