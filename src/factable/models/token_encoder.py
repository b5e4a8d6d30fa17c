"""Encoders of tokens by name: a vector for each token of a text, from one layer of a model."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, groupby
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.runtime.cache import replace_surrogates
from factable.models.runtime.folders import (
    ModelLoader,
    hf_not_loaded,
    hf_window,
    import_torch,
    load_hf_tokenizer,
    load_hf_weights,
    use_best_device,
)
from factable.models.runtime.manifest import (
    EMBEDDER,
    EMBEDDERS,
    MODEL,
    model_fault,
    read_manifest,
    verify_files,
)
from factable.models.runtime.session import load_session, load_tokenizer, not_loaded
from factable.models.runtime.threads import thread_count


class Window(NamedTuple):
    """Tokens that are read at once: their ids, and which of them are special tokens."""

    ids: tuple[int, ...]
    special: tuple[bool, ...]


class TokenEncoder(Protocol):
    """A model that gives a vector for each token, from one of its layers."""

    @property
    def layer(self) -> int:
        """The number of the layer; 0 is the input of the first."""
        ...

    def read(self, text: str) -> list[Window]:
        """The tokens of a text with special tokens, in as many windows as it needs."""
        ...

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window, a row per token."""
        ...


# Layers that the authors of BERTScore found best on WMT16; for other models the last one.
BEST_LAYERS = {
    "bert-base-multilingual-cased": 9,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "deberta-base-mnli": 9,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
}
# Larger batches are not faster on a CPU.
TOKENS_AT_ONCE = 1024
# Weights that are only used for sentence vectors.
UNUSED = ("pooler.",)
TRIED_LENGTHS = (32, 16, 8, 4)
TRIED_TEXTS = (2, 8)


class HfTokenEncoder:
    """An encoder of Hugging Face, on a GPU if there is one; of an encoder-decoder model, its encoder."""

    def __init__(self, folder: Path, layer: int | None, name: str) -> None:
        import_torch(name)
        from transformers import AutoModel

        self._tokenizer = load_hf_tokenizer(folder)
        if not self._tokenizer.is_fast:
            raise hf_not_loaded(folder, "no fast tokenizer")
        model = load_hf_weights(folder, AutoModel, unused=UNUSED)
        self._window = hf_window(folder, self._tokenizer.model_max_length, model.config)
        self.layer = _choose_hf_layer(name, layer, model.config)
        self._model = model.get_encoder() if model.config.is_encoder_decoder else model
        self._all_layers_run = not _drop_upper_layers(self._model, self.layer)
        self._device = use_best_device(self._model)
        self._min_batched_length = 0 if self._device == "cuda" else self._find_min_batched_length()

    def read(self, text: str) -> list[Window]:
        """The tokens of a text with special tokens, in as many windows as it needs."""
        # If tokens include a leading space: makes the first word the same token as inside a text.
        spaced = f" {text}" if text and getattr(self._tokenizer, "add_prefix_space", True) is False else text
        encoding = self._tokenizer(
            spaced,
            truncation=True,
            max_length=self._window,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        pairs = zip(encoding["input_ids"], encoding["special_tokens_mask"], strict=True)
        return [Window(tuple(ids), tuple(map(bool, special))) for ids, special in pairs]

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window, a row per token."""
        # Long ones first: if they do not fit into memory, it shows at once.
        order = sorted(range(len(windows)), key=lambda index: -len(windows[index]))
        states: dict[int, NDArray[np.float32]] = {}
        for length, group in groupby(order, key=lambda index: len(windows[index])):
            indices, batch_size = list(group), max(1, TOKENS_AT_ONCE // length)
            if length < self._min_batched_length:
                batch_size = 1
            for start in range(0, len(indices), batch_size):
                batch = indices[start : start + batch_size]
                states.update(zip(batch, self._run([windows[index] for index in batch]), strict=True))
        return [states[index] for index in range(len(windows))]

    def _run(self, windows: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            tokens = torch.tensor(windows, device=self._device)
            output = self._model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                output_hidden_states=self._all_layers_run,
            )
        last = output.hidden_states[self.layer] if self._all_layers_run else output.last_hidden_state
        states: NDArray[np.float32] = last.float().cpu().numpy()
        return states

    def _find_min_batched_length(self) -> int:
        """The length from which a text's numbers are the same alone and in a batch.

        Kernels may sum in another order if there are few tokens in all, depending on the machine.
        """
        shortest = self._window + 1
        for length in TRIED_LENGTHS:
            if self._neighbours_matter(length):
                break
            shortest = length
        return shortest

    def _neighbours_matter(self, length: int) -> bool:
        ids = tuple(index % self._model.config.vocab_size for index in range(length))
        (alone,) = self._run([ids])
        batched = (self._run([*[ids[::-1]] * (texts - 1), ids])[-1] for texts in TRIED_TEXTS)
        return not all(np.array_equal(states, alone) for states in batched)


def _choose_hf_layer(name: str, layer: int | None, config: Any) -> int:
    """The given layer, else the one known to be best, else the last."""
    layers: int = config.num_hidden_layers
    if layer is None:
        return min(BEST_LAYERS.get(Path(name).name, layers), layers)
    if not 0 <= layer <= layers:
        raise UsageError(f"no layer {layer} in {name}; it has layers 0 to {layers}")
    return layer


def _drop_upper_layers(model: Any, layer: int) -> bool:
    """Remove the layers above the given one; False if the model does not hold them in a list."""
    import torch

    for part in model.modules():
        for name, child in part.named_children():
            if isinstance(child, torch.nn.ModuleList) and len(child) == model.config.num_hidden_layers:
                setattr(part, name, child[:layer])
                return True
    return False


# The output of a layer, counted from 0, in graphs that torch writes for `factable train ranker`.
OUTPUT_OF_LAYER = "/encoder/encoder/layer.{}/output/LayerNorm/LayerNormalization_output_0"
# Protobuf field numbers: the graph of a model, an output of a graph, the name of an output.
_GRAPH, _OUTPUT, _NAME = 7, 12, 1


class OnnxTokenEncoder:
    """An encoder in a folder with a manifest; runs as many texts at a time as FACTABLE_THREADS says."""

    def __init__(self, folder: Path, layer: int | None, _name: str) -> None:
        manifest = read_manifest(folder, EMBEDDER)
        verify_files(manifest)
        # Longer texts come in several windows.
        self._tokenizer = load_tokenizer(manifest, window=manifest.window)
        self.layer = _choose_layer(folder, layer)
        self._output = OUTPUT_OF_LAYER.format(self.layer - 1)
        self._session = load_session(manifest, extra_output(self._output))
        try:
            self._run((0, 1))
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(manifest, MODEL, error) from None

    def read(self, text: str) -> list[Window]:
        """The tokens of a text with special tokens, in as many windows as it needs."""
        encoding = self._tokenizer.encode(text)
        parts = [encoding, *encoding.overflowing]
        return [Window(tuple(part.ids), tuple(map(bool, part.special_tokens_mask))) for part in parts]

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window, a row per token."""
        with ThreadPoolExecutor(thread_count()) as pool:
            return list(pool.map(self._run, windows))

    def _run(self, ids: tuple[int, ...]) -> NDArray[np.float32]:
        tokens = np.array([ids], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        ((states,),) = self._session.run([self._output], inputs)
        return np.asarray(states, dtype=np.float32)


def _choose_layer(folder: Path, layer: int | None) -> int:
    """The given layer, or the last one."""
    content = (folder / MODEL).read_bytes()
    layers = next(number for number in count() if OUTPUT_OF_LAYER.format(number).encode() not in content)
    if not layers:
        raise model_fault(folder / MODEL, "no vectors of tokens in it", "use an encoder of the BERT family")
    if layer is not None and not 1 <= layer <= layers:
        raise UsageError(f"no layer {layer} in {folder.name}; it has layers 1 to {layers}")
    return layers if layer is None else layer


def extra_output(name: str) -> bytes:
    """The bytes that declare one more output of the graph when they are appended to an ONNX file."""
    return _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name.encode())))


def _field(number: int, content: bytes) -> bytes:
    """A protobuf field that holds bytes or another message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    """A protobuf integer: seven bits per byte, lowest first; the eighth says that more follow."""
    digits = [number >> shift & 127 for shift in range(0, max(1, number.bit_length()), 7)]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


# Vectors are whole multiples of 1/GRAIN, 24 bits, which float32 holds. In float64 products of two, and all
# sums of them, are then exact: a cosine depends neither on the order of a sum nor on its neighbours.
GRAIN = 1 << 24
# Vectors kept in memory, so that a reference that many texts share is encoded once.
MAX_CACHED_BYTES = 256 << 20


class EncodedTokens(NamedTuple):
    """The tokens of a text, and for each a vector of length 1 in steps of 1/GRAIN."""

    ids: NDArray[np.int64]
    special: NDArray[np.bool_]
    vectors: NDArray[np.float32]


_MODELS: ModelLoader[TokenEncoder] = ModelLoader(
    embedded=EMBEDDERS,
    made_by="factable train ranker",
    onnx={EMBEDDER: OnnxTokenEncoder},
    hf=HfTokenEncoder,
)
token_encoder_identity = _MODELS.identity


def load_token_encoder(name: str, layer: int | None = None) -> TokenEncoder:
    """The encoder of that name at that layer; by default the layer known to be best, or the last."""
    return _MODELS.load(name, layer, name)


def read_tokens(encoder: TokenEncoder, text: str, *, truncate: bool = False) -> list[Window]:
    """The tokens of a text in windows; only the first window with `truncate`."""
    windows = encoder.read(replace_surrogates(text).strip())
    return windows[:1] if truncate else windows


def encode_tokens(
    name: str, texts: Sequence[str], *, layer: int | None = None, truncate: bool = False
) -> dict[str, EncodedTokens]:
    """Each distinct text with its tokens and their vectors; windows of equal tokens are run once."""
    encoder = load_token_encoder(name, layer)
    windows_of = {text: read_tokens(encoder, text, truncate=truncate) for text in dict.fromkeys(texts)}
    distinct = dict.fromkeys(window.ids for windows in windows_of.values() for window in windows)
    vectors = _vectors(encoder, token_encoder_identity(name), layer, list(distinct))
    return {
        text: EncodedTokens(
            np.concatenate([window.ids for window in windows]),
            np.concatenate([window.special for window in windows]),
            np.concatenate([vectors[window.ids] for window in windows]),
        )
        for text, windows in windows_of.items()
    }


_cached: dict[tuple[str, int | None, tuple[int, ...]], NDArray[np.float32]] = {}
_cached_bytes = 0


def _vectors(
    encoder: TokenEncoder, identity: str, layer: int | None, windows: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], NDArray[np.float32]]:
    """The vectors of each window, from memory if they are cached."""
    global _cached_bytes
    known = {ids: _cached[identity, layer, ids] for ids in windows if (identity, layer, ids) in _cached}
    missing = [ids for ids in windows if ids not in known]
    computed = dict(zip(missing, map(_normalise, encoder.states(missing)), strict=True))
    size = sum(vectors.nbytes for vectors in computed.values())
    if _cached_bytes + size > MAX_CACHED_BYTES:
        _cached.clear()
        _cached_bytes = 0
    if size <= MAX_CACHED_BYTES:
        _cached.update({(identity, layer, ids): vectors for ids, vectors in computed.items()})
        _cached_bytes += size
    return known | computed


def _normalise(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1 in steps of 1/GRAIN; rows of zeros stay."""
    rows = states.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    vectors: NDArray[np.float64] = np.rint(rows / np.where(lengths, lengths, 1.0) * GRAIN) / GRAIN
    return vectors.astype(np.float32)
