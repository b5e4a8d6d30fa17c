"""Sentence encoders by name, one of each per process, asked without asking twice."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError, did_you_mean
from factable.models.protocols import SCALE, Advance, Embedder, no_progress
from factable.models.runtime.cache import cached_inference, mend_surrogates
from factable.models.runtime.manifest import (
    EMBEDDER,
    EMBEDDERS,
    MODEL,
    check_files,
    embedded_folder,
    read_manifest,
)
from factable.models.runtime.session import load_session, load_tokenizer, not_loaded, per_process_cache
from factable.models.runtime.threads import thread_count

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


# How rows are kept: whole numbers up to SCALE.
_STORED = np.dtype("<i2")


def load_embedder(name: str) -> Embedder:
    """The encoder of that name: an embedded one, or a folder made by `factable train ranker`."""
    return _load(_folder(name), embedder_identity(name))


@per_process_cache
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
    name: str, texts: Sequence[str], advance: Advance = no_progress, *, remember: bool = False
) -> NDArray[np.float32]:
    """A row of whole numbers for each text (see protocols.SCALE); what is on disk is not computed again.

    Rows that other texts will soon ask for can be remembered besides.
    """
    asked = [(mend_surrogates(text),) for text in texts]

    def answer(some: Sequence[tuple[str]]) -> list[bytes]:
        rows = load_embedder(name).embed([text for (text,) in some], advance)
        return [row.tobytes() for row in rows.astype(_STORED)]

    identity = embedder_identity(name)
    found = cached_inference("embeddings", identity, asked, answer, remember=remember, advance=advance)
    return np.array([np.frombuffer(row, _STORED) for row in found], dtype=np.float32)
