"""The tokens of an int8 ONNX sentence encoder, each text on its own as in onnx_nli.

The graph gives the mean of the last layer's states. The states themselves are in the graph too, those of
earlier layers as well, but are no output of it. An ONNX file is a protocol-buffer message, and two such
messages one after the other are read as one that has all of both: so the wanted output is named in some bytes
behind those of the file, and neither weights nor file change.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.manifest import EMBEDDER, MODEL, check_files, model_fault, read_manifest
from factable.models.onnx_session import load_session, load_tokenizer, not_loaded
from factable.models.threads import thread_count
from factable.models.token_protocol import Window

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
