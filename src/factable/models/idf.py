"""How many items have each n-gram in their references, for CIDEr: one file of plain arrays.

See kernels.cider.Stored for how n-grams are numbered.
"""

import os
from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factable.io.checksum import sha256_of
from factable.kernels.cider import Stored
from factable.models.arrays import load_arrays, save_arrays, unpack, while_unchanged

FORMAT = "factable-idf-1"
WHAT = "an idf file"
REMEDY = "make one with: factable train idf TRAIN.jsonl OUT.idf"


@dataclass(frozen=True, slots=True, eq=False)
class Idf:
    """Document frequencies of n-grams, and how texts were read for them."""

    stored: Stored
    orders: int
    tokens: str
    stem: bool


def save_idf(idf: Idf, path: str | os.PathLike[str]) -> None:
    """Write an idf file; equal frequencies give equal bytes."""
    save_arrays(
        path,
        FORMAT,
        tokens=idf.tokens,
        # No word holds white space, so line feeds can separate them.
        words="\n".join(idf.stored.words),
        keys=np.frombuffer(idf.stored.keys, dtype=np.uint64),
        counts=np.frombuffer(idf.stored.counts, dtype=np.uint32),
        numbers=np.array([idf.stored.documents, idf.orders, idf.stem], dtype=np.int64),
    )


def load_idf(path: str) -> Idf:
    """An idf file made by `factable train idf`."""
    return while_unchanged(_load, path, what=WHAT, remedy=REMEDY)


def idf_checksum(path: str) -> str:
    """The sha256 of an idf file."""
    return while_unchanged(sha256_of, path, what=WHAT, remedy=REMEDY)


def _load(path: str) -> Idf:
    stored = load_arrays(path, FORMAT)
    words = unpack(stored["words"])
    keys = stored["keys"].astype(np.uint64, casting="safe")
    counts = stored["counts"].astype(np.uint32, casting="safe")
    documents, orders, stem = stored["numbers"].astype(np.int64, casting="safe").tolist()
    listed = words.split("\n") if words else []
    _check(listed, keys, counts, documents)
    frequencies = Stored(listed, array("Q", keys.tobytes()), array("I", counts.tobytes()), documents)
    return Idf(frequencies, orders, unpack(stored["tokens"]), bool(stem))


def _check(words: list[str], keys: NDArray[np.uint64], counts: NDArray[np.uint32], documents: int) -> None:
    """Refuse arrays that do not fit together: the compiled kernel trusts them."""
    if keys.ndim != 1 or counts.shape != (len(words) + len(keys),):
        raise ValueError("arrays of unequal lengths")
    if len(set(words)) != len(words) or "" in words or len(np.unique(keys)) != len(keys):
        raise ValueError("a repeated or empty n-gram")
    beginnings, last = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
    places = np.arange(len(words), len(counts), dtype=np.uint64)
    if np.any(last >= len(words)) or np.any(beginnings >= places):
        raise ValueError("an n-gram of unknown words")
    if not 0 < documents < 1 << 31 or np.any(counts < 1) or np.any(counts > documents):
        raise ValueError("counts out of range")
