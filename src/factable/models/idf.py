"""How many items have each n-gram in their references, for CIDEr: one file, a zip of plain arrays.

NumPy's .npz without any pickled object; see kernels.cider.Stored for how n-grams are numbered.
"""

import os
from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.kernels.cider import Stored

FORMAT = "factable-idf-1"
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
    with open_output(path) as stream:
        np.savez_compressed(
            stream,
            format=_pack(FORMAT),
            tokens=_pack(idf.tokens),
            # No word holds white space, so line feeds can separate them.
            words=_pack("\n".join(idf.stored.words)),
            keys=np.frombuffer(idf.stored.keys, dtype=np.uint64),
            counts=np.frombuffer(idf.stored.counts, dtype=np.uint32),
            numbers=np.array([idf.stored.documents, idf.orders, idf.stem], dtype=np.int64),
        )


def _pack(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


@lru_cache(maxsize=2)
def load_idf(path: str) -> Idf:
    """An idf file made by `factable train idf`."""
    try:
        return _load(path)
    except OSError as error:
        raise DataError([Fault(path, None, error.strerror or str(error), REMEDY)]) from None
    except Exception as error:
        # Whatever zipfile, zlib and NumPy raise on a damaged file: there is no end of kinds.
        raise DataError([Fault(path, None, f"not an idf file ({error})", REMEDY)]) from None


def _load(path: str) -> Idf:
    # Opened here, because NumPy leaves a damaged file open.
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as loaded:
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise ValueError("no archive of arrays")
        if _unpack(loaded["format"]) != FORMAT:
            raise ValueError(f"format {_unpack(loaded['format'])[:40]!r}, not {FORMAT!r}")
        words = _unpack(loaded["words"])
        keys = loaded["keys"].astype(np.uint64, casting="safe")
        counts = loaded["counts"].astype(np.uint32, casting="safe")
        documents, orders, stem = loaded["numbers"].astype(np.int64, casting="safe").tolist()
        tokens = _unpack(loaded["tokens"])
    listed = words.split("\n") if words else []
    _check(listed, keys, counts, documents)
    stored = Stored(listed, array("Q", keys.tobytes()), array("I", counts.tobytes()), documents)
    return Idf(stored, orders, tokens, bool(stem))


def _unpack(packed: NDArray[Any]) -> str:
    return packed.astype(np.uint8, casting="safe").tobytes().decode("utf-8", "surrogatepass")


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
