"""An NLI model as int8 ONNX, run by onnxruntime on the CPU.

Every pair is run on its own, several side by side in threads. Quantised activations have a scale that is
computed from what is run together, so in a batch an answer would depend on its neighbours; alone it does
not, and nothing is padded.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from factable.models.manifest import MODEL, NLI, check_files, read_manifest
from factable.models.onnx_session import load_session, load_tokenizer, not_loaded
from factable.models.protocols import LABELS, Advance, TextPair
from factable.models.threads import thread_count

if TYPE_CHECKING:
    from tokenizers import Encoding

PAIRS_AT_ONCE = 512


class OnnxNli:
    """The model in a folder; `threads` pairs are run at a time, as FACTABLE_THREADS says if not given."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._manifest = read_manifest(folder, NLI)
        check_files(self._manifest)
        self.identity = self._manifest.identity
        self.window = self._manifest.window
        self._threads = threads or thread_count()
        self._order = [self._manifest.labels.index(label) for label in LABELS]
        self._tokenizer = load_tokenizer(self._manifest)
        self._session = load_session(self._manifest)
        self._try()

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(self._encode(pair).ids) for pair in pairs]

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        found = np.empty((len(pairs), len(LABELS)))
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(pairs), PAIRS_AT_ONCE):
                some = pairs[start : start + PAIRS_AT_ONCE]
                found[start : start + len(some)] = list(pool.map(self._answer, some))
                advance(len(some))
        return found

    def _encode(self, pair: TextPair) -> "Encoding":
        # One by one: a batch starts threads of its own, which do not live through a fork.
        return self._tokenizer.encode(pair.premise, pair.hypothesis)

    def _answer(self, pair: TextPair) -> NDArray[np.float64]:
        return softmax(self._scores(pair) / self._manifest.temperature)[self._order]

    def _scores(self, pair: TextPair) -> NDArray[np.float64]:
        encoding = self._encode(pair)
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        arrays = {name: np.array([numbers], dtype=np.int64) for name, numbers in inputs.items()}
        ((scores,),) = self._session.run(None, arrays)
        return np.asarray(scores, dtype=np.float64)

    def _try(self) -> None:
        """Refuse a model that takes something else than pairs, or gives something else than three scores."""
        try:
            scores = self._scores(TextPair("", ""))
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(self._manifest, MODEL, error) from None
        if scores.shape != (len(LABELS),) or not np.isfinite(scores).all():
            raise not_loaded(self._manifest, MODEL, f"it does not give {len(LABELS)} numbers")


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of scores along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities
