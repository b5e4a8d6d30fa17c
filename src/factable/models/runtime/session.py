"""What all ONNX models share: tokenizer and session, loaded from a folder or refused in one line."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError
from factable.models.runtime.manifest import (
    MODEL,
    MODEL_REMEDY,
    TOKENIZER,
    WORD_EMBEDDINGS,
    WORD_EMBEDDINGS_TENSOR,
    WORD_EMBEDDINGS_WIDTH,
    Manifest,
    model_fault,
    read_manifest,
    read_shipped,
    verify_files,
)
from factable.models.runtime.progress import Advance, chunks
from factable.models.runtime.threads import thread_count

if TYPE_CHECKING:
    from tokenizers import Tokenizer

T = TypeVar("T")
R = TypeVar("R")
INPUTS_AT_ONCE = 512
TELEMETRY_OFF = "ORT_DISABLE_TELEMETRY"
# An addition and a layer normalisation take a quarter of the time of the fused operation of onnxruntime.
SLOWER_FUSIONS = ["SkipLayerNormFusion"]


class OnnxModel:
    """A model in a folder with a manifest: its files checked, its tokenizer and session loaded.

    `threads` inputs are run at a time, by default as many as FACTABLE_THREADS says.
    """

    def __init__(self, folder: Path, kind: str, *, threads: int = 0, file: str = MODEL) -> None:
        self._manifest = read_manifest(folder, kind)
        verify_files(self._manifest)
        self._threads = threads or thread_count()
        self._tokenizer = load_tokenizer(self._manifest)
        self._session = load_session(self._manifest, file=file)

    def _run(self, **inputs: Sequence[int]) -> NDArray[np.float64]:
        """The output of the model for one input: a row of numbers for each of its arguments."""
        arrays = {name: np.array([numbers], dtype=np.int64) for name, numbers in inputs.items()}
        try:
            ((output,),) = self._session.run(None, arrays)
        except Exception as error:  # onnxruntime has no common base class
            raise self._not_loaded(error) from None
        return np.asarray(output, dtype=np.float64)

    def _map(self, run: Callable[[T], R], inputs: Sequence[T], advance: Advance) -> list[R]:
        """The results of `run` for all inputs, in order, computed in several threads."""
        results: list[R] = []
        with ThreadPoolExecutor(self._threads) as pool:
            for batch in chunks(inputs, INPUTS_AT_ONCE):
                results += pool.map(run, batch)
                advance(len(batch))
        return results

    def _not_loaded(self, reason: Exception | str) -> DataError:
        return not_loaded(self._manifest, MODEL, reason)


def load_tokenizer(manifest: Manifest, *, window: int = 0) -> "Tokenizer":
    """The tokenizer of a model, without padding; it splits texts into windows of so many tokens if asked to.

    Models with the same file share it. A forked process must not use what its parent loaded.
    """
    try:
        content = (manifest.folder / TOKENIZER).read_text(encoding="utf-8")
        return _parse_tokenizer(content, window, os.getpid())
    except Exception as error:  # tokenizers raises bare Exception
        raise not_loaded(manifest, TOKENIZER, error) from None


@lru_cache(maxsize=4)
def _parse_tokenizer(content: str, window: int, _process: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(content)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if window:
        tokenizer.enable_truncation(window)
    return tokenizer


def import_onnxruntime() -> Any:
    """The package onnxruntime, without its telemetry.

    Left alone it makes an identifier of the machine in the user's home and sends reports to its makers.
    """
    # Read when the package is imported; what can be set later, for a caller who has imported it, does less.
    os.environ[TELEMETRY_OFF] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def load_session(manifest: Manifest, appended: bytes = b"", *, file: str = MODEL) -> Any:
    """A session of a file of the model that uses one thread; `appended` is added to the end of the file."""
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    # Different texts run in different threads; threads inside one run would wait for each other.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if manifest.shared:
        options.add_external_initializers([WORD_EMBEDDINGS_TENSOR], [_word_embeddings()])
    path = manifest.folder / file
    try:
        model = path.read_bytes() + appended if appended else str(path)
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER_FUSIONS
        )
    except Exception as error:  # onnxruntime has no common base class
        raise not_loaded(manifest, file, error) from None


@cache
def _word_embeddings() -> Any:
    """The table that embedded models share, in memory once."""
    table = np.frombuffer(read_shipped(WORD_EMBEDDINGS), dtype=np.uint8).reshape(-1, WORD_EMBEDDINGS_WIDTH)
    return import_onnxruntime().OrtValue.ortvalue_from_numpy(table)


def not_loaded(manifest: Manifest, file: str, error: Exception | str) -> DataError:
    """The error for a file of a model that cannot be loaded."""
    reason = " ".join(str(error).split())[:200]
    return model_fault(manifest.folder / file, f"cannot be loaded ({reason})", MODEL_REMEDY)
