"""Encoders of tokens by name: each token of a text as a point that depends on the words around it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.answers import mend_surrogates
from factable.models.embedded import EMBEDDERS
from factable.models.folders import has_manifest, model_folder
from factable.models.hf_files import folder_identity
from factable.models.manifest import EMBEDDER, read_manifest
from factable.models.one_each import one_each
from factable.models.token_encoder_hf import HfTokenEncoder
from factable.models.token_encoder_onnx import OnnxTokenEncoder
from factable.models.token_protocol import TokenEncoder, Window

# Points are whole multiples of 1/GRAIN, 24 bits, which float32 holds. In float64 products of two, and all
# sums of them, are then exact: a cosine depends neither on the order of a sum nor on what is beside it.
GRAIN = 1 << 24
# What is kept of texts encoded before, so that a reference that many texts share is encoded once.
MOST_KEPT_BYTES = 256 << 20


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


@one_each
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
    if _kept_bytes + size > MOST_KEPT_BYTES:
        _kept.clear()
        _kept_bytes = 0
    if size <= MOST_KEPT_BYTES:
        _kept.update({(identity, layer, ids): points for ids, points in fresh.items()})
        _kept_bytes += size
    return known | fresh


def _unit(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1 in steps of 1/GRAIN; rows of zeros stay."""
    rows = states.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    points: NDArray[np.float64] = np.rint(rows / np.where(lengths, lengths, 1.0) * GRAIN) / GRAIN
    return points.astype(np.float32)
