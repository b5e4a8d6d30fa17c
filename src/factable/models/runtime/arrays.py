"""Files of plain arrays (NumPy's .npz without any pickled object), read once and again when they change."""

import os
import zipfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.io.limits import FREE_BYTES, MAX_RATIO

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
    if unpacked > max(FREE_BYTES, MAX_RATIO * os.path.getsize(path)):
        raise ValueError(f"it unpacks to more than {MAX_RATIO} times its size")


def pack(text: str) -> NDArray[np.uint8]:
    """A text as bytes of an array."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def unpack(packed: NDArray[Any]) -> str:
    """The text that `pack` made an array of."""
    return packed.astype(np.uint8, casting="safe").tobytes().decode("utf-8", "surrogatepass")


def cached_by_mtime(work: Callable[[str], T], path: str, *, what: str, remedy: str) -> T:
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


_KINDS = {"F16": np.float16, "F32": np.float32}
_METADATA = "__metadata__"
_LENGTH = 8


def write_tensors(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[np.float16]], metadata: Mapping[str, str]
) -> None:
    """Write arrays and texts about them; equal content gives equal bytes."""
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    pieces, index = [], 0
    for name, array in sorted(arrays.items()):
        piece = array.astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": [index, index + len(piece)]}
        pieces.append(piece)
        index += len(piece)
    told = orjson.dumps(header, option=orjson.OPT_SORT_KEYS)
    told += b" " * (-len(told) % _LENGTH)
    with open_output(path) as stream:
        stream.write(len(told).to_bytes(_LENGTH, "little") + told + b"".join(pieces))


def read_tensors(content: bytes) -> tuple[dict[str, NDArray[np.float32]], dict[str, str]]:
    """The arrays, as 32-bit numbers, and the texts of a file; ValueError if it is another kind of file."""
    size = int.from_bytes(content[:_LENGTH], "little")
    if not 0 < size <= len(content) - _LENGTH:
        raise ValueError("no header")
    header = orjson.loads(content[_LENGTH : _LENGTH + size])
    metadata = header.pop(_METADATA, {})
    arrays = {}
    for name, told in header.items():
        start, end = (_LENGTH + size + offset for offset in told["data_offsets"])
        kind = np.dtype(_KINDS[told["dtype"]]).newbyteorder("<")
        arrays[name] = np.frombuffer(content[start:end], kind).reshape(told["shape"]).astype(np.float32)
    return arrays, metadata
