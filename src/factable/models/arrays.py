"""Files of plain arrays (NumPy's .npz without any pickled object), read once and again when they change."""

import os
import zipfile
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.io.limits import FREE_BYTES, MOST_RATIO

T = TypeVar("T")


def save_arrays(path: str | os.PathLike[str], file_format: str, **parts: NDArray[Any] | str) -> None:
    """Write arrays and texts, whole or not at all; equal content gives equal bytes."""
    packed = {name: pack(part) if isinstance(part, str) else part for name, part in parts.items()}
    with open_output(path) as stream:
        np.savez_compressed(stream, format=pack(file_format), **packed)  # type: ignore[arg-type]


def load_arrays(path: str, file_format: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file of that format; anything else raises ValueError or what NumPy thinks of it."""
    _refuse_bomb(path)
    # Opened here, because NumPy leaves a damaged file open.
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise ValueError("no archive of arrays")
        found = unpack(stored["format"])
        if found != file_format:
            raise ValueError(f"format {found[:40]!r}, not {file_format!r}")
        return dict(stored.items())


def _refuse_bomb(path: str) -> None:
    """Refuse an archive that says of itself that it unpacks to very much more than it is."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > max(FREE_BYTES, MOST_RATIO * os.path.getsize(path)):
        raise ValueError(f"it unpacks to more than {MOST_RATIO} times its size")


def pack(text: str) -> NDArray[np.uint8]:
    """A text as bytes of an array."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def unpack(packed: NDArray[Any]) -> str:
    """The text that `pack` made an array of."""
    return packed.astype(np.uint8, casting="safe").tobytes().decode("utf-8", "surrogatepass")


def while_unchanged(work: Callable[[str], T], path: str, *, what: str, remedy: str) -> T:
    """What `work` makes of a file, done once as long as the file stays as it is; a fault if it cannot."""
    try:
        state = os.stat(path)
        return cast(T, _kept(work, path, state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise DataError([Fault(path, None, error.strerror or str(error), remedy)]) from None
    except Exception as error:
        # Whatever zipfile, zlib and NumPy raise on a damaged file: there is no end of kinds.
        raise DataError([Fault(path, None, f"not {what} ({error})", remedy)]) from None


@lru_cache(maxsize=8)
def _kept(work: Callable[[str], object], path: str, _changed: int, _size: int) -> object:
    return work(path)
