"""Models that read data and a sentence together and mark the words that the data does not support."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import ModelLoader
from factable.models.runtime.manifest import MARKS, MARKS_MODELS
from factable.models.runtime.progress import Advance, no_progress
from factable.models.runtime.session import OnnxModel
from factable.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# How the probability of a word is stored: from 0 to this.
_SCALE = 65535
_STORED = np.dtype("<u2")


class MarkedSentence(NamedTuple):
    """The tokens of a sentence, and the probability of each that it says what the data does not."""

    spans: tuple[Span, ...]
    probabilities: tuple[float, ...]


class EncodedSentence(NamedTuple):
    """Token numbers of evidence and sentence; `first` and `last` are the tokens of the sentence."""

    ids: list[int]
    types: list[int]
    first: int
    last: int
    offsets: list[Span]


def encode_sentence(tokenizer: "Tokenizer", evidence: str, sentence: str, window: int) -> EncodedSentence:
    """Evidence and sentence as tokens; evidence that is too long is cut, and then the end of the sentence."""
    second = tokenizer.encode(sentence, add_special_tokens=False)
    size = min(len(second.ids), window // 2)
    first = tokenizer.encode(evidence, add_special_tokens=False)
    room = window - size - 3
    start, end = _special_tokens(tokenizer)
    evidence_ids = first.ids[:room]
    ids = [start, *evidence_ids, end, *second.ids[:size], end]
    types = [0] * (len(evidence_ids) + 2) + [1] * (size + 1)
    begin = len(evidence_ids) + 2
    return EncodedSentence(ids, types, begin, begin + size - 1, second.offsets[:size])


def _special_tokens(tokenizer: "Tokenizer") -> tuple[int, int]:
    ids = tokenizer.encode("").ids
    return ids[0], ids[-1]


class OnnxMarks(OnnxModel):
    """A model in a folder with a manifest."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        super().__init__(folder, MARKS, threads=threads)
        self._try()

    def mark(self, pairs: Sequence[tuple[str, str]], advance: Advance) -> list[MarkedSentence]:
        """Marks for pairs of evidence and sentence."""
        return self._map(self._mark, pairs, advance)

    def _mark(self, pair: tuple[str, str]) -> MarkedSentence:
        encoded = encode_sentence(self._tokenizer, *pair, self._manifest.window)
        if encoded.last < encoded.first:
            return MarkedSentence((), ())
        scores = self._run(
            input_ids=encoded.ids, attention_mask=[1] * len(encoded.ids), token_type_ids=encoded.types
        )
        inside = scores[encoded.first : encoded.last + 1, 0] / self._manifest.temperature
        chances = 1 / (1 + np.exp(-np.clip(inside, -30, 30)))
        return MarkedSentence(tuple(encoded.offsets), tuple(float(chance) for chance in chances))

    def _try(self) -> None:
        """Refuse a model that does not take pairs or does not give one score for each token."""
        try:
            marked = self._mark(("a", "b"))
        except Exception as error:  # onnxruntime has no common base class
            raise self._not_loaded(error) from None
        if len(marked.spans) != len(marked.probabilities) or not np.isfinite(marked.probabilities).all():
            raise self._not_loaded("it does not give a number for each token")


_MODELS: ModelLoader[OnnxMarks] = ModelLoader(
    embedded=MARKS_MODELS, made_by="factable train marks", onnx={MARKS: OnnxMarks}
)
load_marks = _MODELS.load
marks_identity = _MODELS.identity


def mark_sentences(
    name: str, pairs: Sequence[tuple[str, str]], advance: Advance = no_progress
) -> list[MarkedSentence]:
    """Which words of each sentence its evidence does not support; cached on disk."""

    def predict_bytes(batch: Sequence[tuple[str, str]]) -> list[bytes]:
        return list(map(_to_bytes, load_marks(name).mark(batch, advance)))

    inputs = [(replace_surrogates(evidence), replace_surrogates(sentence)) for evidence, sentence in pairs]
    stored = cached_inference(
        "marks", marks_identity(name), inputs, predict_bytes, is_valid=_is_marked_sentence, advance=advance
    )
    return list(map(_from_bytes, stored))


def _is_marked_sentence(stored: bytes) -> bool:
    return len(stored) == 4 + (8 + _STORED.itemsize) * int.from_bytes(stored[:4], "little")


def _to_bytes(marked: MarkedSentence) -> bytes:
    spans = np.array(marked.spans, dtype="<u4").tobytes()
    chances = np.rint(np.array(marked.probabilities) * _SCALE).astype(_STORED).tobytes()
    stored: bytes = len(marked.spans).to_bytes(4, "little") + spans + chances
    return stored


def _from_bytes(stored: bytes) -> MarkedSentence:
    count = int.from_bytes(stored[:4], "little")
    spans = np.frombuffer(stored, "<u4", 2 * count, 4).reshape(count, 2)
    chances = np.frombuffer(stored, _STORED, count, 4 + 8 * count) / _SCALE
    return MarkedSentence(
        tuple((int(start), int(end)) for start, end in spans), tuple(float(chance) for chance in chances)
    )
