"""An NLI model as int8 ONNX, run by onnxruntime on the CPU.

Every pair is run on its own, several side by side in threads. Quantised activations have a scale that is
computed from what is run together, so in a batch an answer would depend on its neighbours; alone it does
not, and nothing is padded.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.models.manifest import REMEDY, Manifest, check_files, read_manifest
from factable.models.protocols import LABELS, Advance, TextPair

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
PAIRS_AT_ONCE = 512


class OnnxNli:
    """The model in a folder; `threads` pairs are run at a time, as many as there are cores if not given."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._manifest = read_manifest(folder)
        check_files(self._manifest)
        self.identity = self._manifest.identity
        self.window = self._manifest.window
        self._threads = threads or len(os.sched_getaffinity(0))
        self._tokenizer = _load_tokenizer(self._manifest)
        self._session = _load_session(self._manifest)
        self._order = [self._manifest.labels.index(label) for label in LABELS]

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(pairs))]

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        found = np.empty((len(pairs), len(LABELS)))
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(pairs), PAIRS_AT_ONCE):
                some = list(pairs[start : start + PAIRS_AT_ONCE])
                rows = pool.map(self._run, self._tokenizer.encode_batch(some))
                found[start : start + len(some)] = list(rows)
                advance(len(some))
        return found

    def _run(self, encoding: "Encoding") -> NDArray[np.float64]:
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        arrays = {name: np.array([numbers], dtype=np.int64) for name, numbers in inputs.items()}
        (scores,) = self._session.run(None, arrays)
        return softmax(scores[0].astype(np.float64) / self._manifest.temperature)[self._order]


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of scores along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def _load_tokenizer(manifest: Manifest) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(manifest.folder / TOKENIZER))
    except Exception as error:  # tokenizers raises bare Exception
        raise _not_loaded(manifest, TOKENIZER, error) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _load_session(manifest: Manifest) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Threads run different pairs; inside one pair they would wait for each other.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    path = str(manifest.folder / MODEL)
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base class
        raise _not_loaded(manifest, MODEL, error) from None


def _not_loaded(manifest: Manifest, name: str, error: Exception) -> DataError:
    reason = " ".join(str(error).split())[:200]
    return DataError([Fault(str(manifest.folder / name), None, f"cannot be loaded ({reason})", REMEDY)])
