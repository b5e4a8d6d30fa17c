"""What is asked of an encoder of tokens."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.runtime.cache import mend_surrogates
from factable.models.runtime.folders import (
    folder_identity,
    has_manifest,
    hf_not_loaded,
    import_torch,
    load_hf_tokenizer,
    load_weights,
    model_folder,
    window_of,
)
from factable.models.runtime.manifest import (
    EMBEDDER,
    EMBEDDERS,
    MODEL,
    check_files,
    model_fault,
    read_manifest,
)
from factable.models.runtime.session import load_session, load_tokenizer, not_loaded, per_process_cache
from factable.models.runtime.threads import thread_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Window(NamedTuple):
    """Tokens that are read at once: their numbers, and which of them are marks that stand for no text."""

    ids: tuple[int, ...]
    marks: tuple[bool, ...]


class TokenEncoder(Protocol):
    """A model that gives a point for each token, at one of its layers."""

    @property
    def layer(self) -> int:
        """Which one; 0 is what goes into the first."""
        ...

    def read(self, text: str) -> list[Window]:
        """The tokens of a text, with marks; more than one window if it is longer than that."""
        ...

    def states(self, windows: "Sequence[tuple[int, ...]]") -> "list[NDArray[np.float32]]":
        """For each window a row per token."""
        ...


# Layers that the authors found best on WMT16; for other models the last one.
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
# Only of use for sentences.
UNUSED = ("pooler.",)
TRIED_LENGTHS = (32, 16, 8, 4)
TRIED_TEXTS = (2, 8)


class HfTokenEncoder:
    """The encoder in a folder, on a GPU where there is one; of a model that also writes, its encoder."""

    def __init__(self, folder: Path, name: str, layer: int | None) -> None:
        torch = import_torch(name)
        from transformers import AutoModel

        self._tokenizer = load_hf_tokenizer(folder)
        if not self._tokenizer.is_fast:
            raise hf_not_loaded(folder, "no fast tokenizer")
        model = load_weights(folder, AutoModel, unused=UNUSED)
        self._window = window_of(folder, self._tokenizer.model_max_length, model.config)
        self.layer = _choose_hf_layer(name, layer, model.config)
        self._model = model.get_encoder() if model.config.is_encoder_decoder else model
        self._all_layers_run = not _drop_upper_layers(self._model, self.layer)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        if self._device == "cpu":
            torch.set_num_threads(thread_count())
        self._shortest_in_batches = 0 if self._device == "cuda" else self._find_shortest_in_batches()

    def read(self, text: str) -> list[Window]:
        """The tokens of a text, with marks; more than one window if it is longer than that."""
        # Where tokens begin with spaces: a word is then the same token at the start of a text as inside it.
        spaced = f" {text}" if text and getattr(self._tokenizer, "add_prefix_space", True) is False else text
        found = self._tokenizer(
            spaced,
            truncation=True,
            max_length=self._window,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        pairs = zip(found["input_ids"], found["special_tokens_mask"], strict=True)
        return [Window(tuple(ids), tuple(map(bool, marks))) for ids, marks in pairs]

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window a row per token."""
        # Long ones first: what does not fit the memory shows at once.
        order = sorted(range(len(windows)), key=lambda index: -len(windows[index]))
        found: dict[int, NDArray[np.float32]] = {}
        for length, group in groupby(order, key=lambda index: len(windows[index])):
            indices, at_once = list(group), max(1, TOKENS_AT_ONCE // length)
            if length < self._shortest_in_batches:
                at_once = 1
            for start in range(0, len(indices), at_once):
                some = indices[start : start + at_once]
                found.update(zip(some, self._run([windows[index] for index in some]), strict=True))
        return [found[index] for index in range(len(windows))]

    def _run(self, windows: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            tokens = torch.tensor(windows, device=self._device)
            found = self._model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                output_hidden_states=self._all_layers_run,
            )
        last = found.hidden_states[self.layer] if self._all_layers_run else found.last_hidden_state
        states: NDArray[np.float32] = last.float().cpu().numpy()
        return states

    def _find_shortest_in_batches(self) -> int:
        """The length from which on a text's numbers are the same alone and beside others.

        This machine's kernels may sum in another order where there are few tokens in all.
        """
        shortest = self._window + 1
        for length in TRIED_LENGTHS:
            if self._neighbours_matter(length):
                break
            shortest = length
        return shortest

    def _neighbours_matter(self, length: int) -> bool:
        one = tuple(index % self._model.config.vocab_size for index in range(length))
        (alone,) = self._run([one])
        beside = (self._run([*[one[::-1]] * (texts - 1), one])[-1] for texts in TRIED_TEXTS)
        return not all(np.array_equal(found, alone) for found in beside)


def _choose_hf_layer(name: str, layer: int | None, config: Any) -> int:
    """The layer that is asked for or known to be good, else the last."""
    layers: int = config.num_hidden_layers
    if layer is None:
        return min(BEST_LAYERS.get(Path(name).name, layers), layers)
    if not 0 <= layer <= layers:
        raise UsageError(f"no layer {layer} in {name}; it has layers 0 to {layers}")
    return layer


def _drop_upper_layers(model: Any, layer: int) -> bool:
    """Leave out the layers above the wanted one; False if they do not stand in a list."""
    import torch

    for part in model.modules():
        for name, child in part.named_children():
            if isinstance(child, torch.nn.ModuleList) and len(child) == model.config.num_hidden_layers:
                setattr(part, name, child[:layer])
                return True
    return False


# What torch names the output of a layer, counted from 0, in a graph that `factable train ranker` writes.
OUTPUT_OF_LAYER = "/encoder/encoder/layer.{}/output/LayerNorm/LayerNormalization_output_0"
# Numbers of the fields graph (of a model), output (of a graph) and name (of an output).
_GRAPH, _OUTPUT, _NAME = 7, 12, 1


class OnnxTokenEncoder:
    """The model in a folder; texts run side by side in as many threads as FACTABLE_THREADS says."""

    def __init__(self, folder: Path, layer: int | None) -> None:
        manifest = read_manifest(folder, EMBEDDER)
        check_files(manifest)
        self._tokenizer = load_tokenizer(manifest)
        # What is longer comes in several windows.
        self._tokenizer.enable_truncation(manifest.window)
        self.layer = _choose_layer(folder, layer)
        self._output = OUTPUT_OF_LAYER.format(self.layer - 1)
        self._session = load_session(manifest, one_more_output(self._output))
        try:
            self._run((0, 1))
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(manifest, MODEL, error) from None

    def read(self, text: str) -> list[Window]:
        """The tokens of a text, with marks; more than one window if it is longer than that."""
        encoding = self._tokenizer.encode(text)
        pieces = [encoding, *encoding.overflowing]
        return [Window(tuple(one.ids), tuple(map(bool, one.special_tokens_mask))) for one in pieces]

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window a row per token."""
        with ThreadPoolExecutor(thread_count()) as pool:
            return list(pool.map(self._run, windows))

    def _run(self, ids: tuple[int, ...]) -> NDArray[np.float32]:
        tokens = np.array([ids], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        ((states,),) = self._session.run([self._output], inputs)
        return np.asarray(states, dtype=np.float32)


def _choose_layer(folder: Path, layer: int | None) -> int:
    """The layer that is asked for, or the last one."""
    content = (folder / MODEL).read_bytes()
    layers = next(number for number in count() if OUTPUT_OF_LAYER.format(number).encode() not in content)
    if not layers:
        raise model_fault(folder / MODEL, "no states of tokens in it", "take an encoder of BERT's kind")
    if layer is not None and not 1 <= layer <= layers:
        raise UsageError(f"no layer {layer} in {folder.name}; it has layers 1 to {layers}")
    return layers if layer is None else layer


def one_more_output(name: str) -> bytes:
    """What stands for one more output of a graph, at the end of an ONNX file."""
    return _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name.encode())))


def _field(number: int, content: bytes) -> bytes:
    """A field of a message that holds bytes or another message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    digits = [number >> shift & 127 for shift in range(0, max(1, number.bit_length()), 7)]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


# Points are whole multiples of 1/GRAIN, 24 bits, which float32 holds. In float64 products of two, and all
# sums of them, are then exact: a cosine depends neither on the order of a sum nor on what is beside it.
GRAIN = 1 << 24
# What is kept of texts encoded before, so that a reference that many texts share is encoded once.
MAX_KEPT_BYTES = 256 << 20


class Encoded(NamedTuple):
    """The tokens of a text, and for each a row of length 1 in steps of 1/GRAIN."""

    ids: NDArray[np.int64]
    marks: NDArray[np.bool_]
    points: NDArray[np.float32]


def load_token_encoder(name: str, layer: int | None = None) -> TokenEncoder:
    """The encoder of that name at that layer, one of each per process.

    An embedded one, a folder made by `factable train ranker`, or with the extra `hf` any encoder of Hugging
    Face: a local folder, or a name on the hub. Without a layer, the one known to be good, or the last.
    """
    folder = _folder(name)
    return _load(folder, name, layer, _identity(folder))


@per_process_cache
def _load(folder: Path, name: str, layer: int | None, _identity: str) -> TokenEncoder:
    if has_manifest(folder):
        return OnnxTokenEncoder(folder, layer)
    return HfTokenEncoder(folder, name, layer)


def token_encoder_identity(name: str) -> str:
    """The checksum of all that can move an encoder's points, without loading it."""
    return _identity(_folder(name))


def _identity(folder: Path) -> str:
    return read_manifest(folder, EMBEDDER).identity if has_manifest(folder) else folder_identity(folder)


def _folder(name: str) -> Path:
    return model_folder(name, embedded=EMBEDDERS, made_by="factable train ranker")


def read_tokens(encoder: TokenEncoder, text: str, *, cut: bool = False) -> list[Window]:
    """The tokens of a text in windows; the first window alone if the rest is cut off."""
    windows = encoder.read(mend_surrogates(text).strip())
    return windows[:1] if cut else windows


def encode_tokens(
    name: str, texts: Sequence[str], *, layer: int | None = None, cut: bool = False
) -> dict[str, Encoded]:
    """Each distinct text with its tokens and their points; windows of equal tokens are run once."""
    encoder = load_token_encoder(name, layer)
    read = {text: read_tokens(encoder, text, cut=cut) for text in dict.fromkeys(texts)}
    wanted = dict.fromkeys(window.ids for windows in read.values() for window in windows)
    points = _points(encoder, token_encoder_identity(name), layer, list(wanted))
    return {
        text: Encoded(
            np.concatenate([window.ids for window in windows]),
            np.concatenate([window.marks for window in windows]),
            np.concatenate([points[window.ids] for window in windows]),
        )
        for text, windows in read.items()
    }


_kept: dict[tuple[str, int | None, tuple[int, ...]], NDArray[np.float32]] = {}
_kept_bytes = 0


def _points(
    encoder: TokenEncoder, identity: str, layer: int | None, windows: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], NDArray[np.float32]]:
    """The points of each window, from memory where they are known."""
    global _kept_bytes
    known = {ids: _kept[identity, layer, ids] for ids in windows if (identity, layer, ids) in _kept}
    unknown = [ids for ids in windows if ids not in known]
    fresh = dict(zip(unknown, map(_unit, encoder.states(unknown)), strict=True))
    size = sum(points.nbytes for points in fresh.values())
    if _kept_bytes + size > MAX_KEPT_BYTES:
        _kept.clear()
        _kept_bytes = 0
    if size <= MAX_KEPT_BYTES:
        _kept.update({(identity, layer, ids): points for ids, points in fresh.items()})
        _kept_bytes += size
    return known | fresh


def _unit(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1 in steps of 1/GRAIN; rows of zeros stay."""
    rows = states.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    points: NDArray[np.float64] = np.rint(rows / np.where(lengths, lengths, 1.0) * GRAIN) / GRAIN
    return points.astype(np.float32)
