"""Files of plain arrays (.npz without pickled objects, safetensors), and a cache of files by their mtime."""

import os
import zipfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.io.limits import FREE_BYTES, MAX_RATIO

T = TypeVar("T")


def save_arrays(path: str | os.PathLike[str], file_format: str, **parts: NDArray[Any] | str) -> None:
    """Write arrays and texts, whole or not at all; equal content gives equal bytes."""
    packed = {name: text_to_array(part) if isinstance(part, str) else part for name, part in parts.items()}
    with open_output(path) as stream:
        np.savez_compressed(stream, format=text_to_array(file_format), **packed)  # type: ignore[arg-type]


def load_arrays(path: str, file_format: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file of that format; any other file raises ValueError or an error of NumPy."""
    _refuse_bomb(path)
    # Opened here, because NumPy leaves a damaged file open.
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise ValueError("no archive of arrays")
        stored_format = array_to_text(stored["format"])
        if stored_format != file_format:
            raise ValueError(f"format {stored_format[:40]!r}, not {file_format!r}")
        return dict(stored.items())


def _refuse_bomb(path: str) -> None:
    """Refuse an archive whose directory declares far more content than its size allows."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > max(FREE_BYTES, MAX_RATIO * os.path.getsize(path)):
        raise ValueError(f"it unpacks to more than {MAX_RATIO} times its size")


def text_to_array(text: str) -> NDArray[np.uint8]:
    """A text as an array of bytes."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def array_to_text(packed: NDArray[Any]) -> str:
    """The text of an array made by `text_to_array`."""
    return packed.astype(np.uint8, casting="safe").tobytes().decode("utf-8", "surrogatepass")


class FileKind(NamedTuple):
    """What a file should be, such as "a data set", and what to do if it is not; for messages."""

    name: str
    remedy: str


DATA_SET = FileKind("a data set", "name a converted data set, such as the training set")


def cached_by_mtime(load: Callable[[str], T], path: str, kind: FileKind) -> T:
    """`load(path)`, done once as long as the file does not change; all its errors become a fault."""
    try:
        state = os.stat(path)
        return cast(T, _load_cached(load, path, state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise DataError([Fault(path, None, error.strerror or str(error), kind.remedy)]) from None
    except Exception as error:
        # zipfile, zlib and NumPy raise many kinds of errors on a damaged file.
        raise DataError([Fault(path, None, f"not {kind.name} ({error})", kind.remedy)]) from None


@lru_cache(maxsize=8)
def _load_cached(load: Callable[[str], object], path: str, _mtime: int, _size: int) -> object:
    return load(path)


_DTYPES = {"F16": np.float16, "F32": np.float32}
_METADATA = "__metadata__"
# The file begins with the length of its header, in so many bytes.
_LENGTH_BYTES = 8


def write_tensors(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[np.float16]], metadata: Mapping[str, str]
) -> None:
    """Write arrays and metadata as safetensors; equal content gives equal bytes."""
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    pieces, offset = [], 0
    for name, array in sorted(arrays.items()):
        piece = array.astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": [offset, offset + len(piece)]}
        pieces.append(piece)
        offset += len(piece)
    encoded = orjson.dumps(header, option=orjson.OPT_SORT_KEYS)
    encoded += b" " * (-len(encoded) % _LENGTH_BYTES)
    with open_output(path) as stream:
        stream.write(len(encoded).to_bytes(_LENGTH_BYTES, "little") + encoded + b"".join(pieces))


def read_tensors(content: bytes) -> tuple[dict[str, NDArray[np.float32]], dict[str, str]]:
    """The arrays, as 32-bit numbers, and the metadata of a safetensors file; else ValueError."""
    size = int.from_bytes(content[:_LENGTH_BYTES], "little")
    if not 0 < size <= len(content) - _LENGTH_BYTES:
        raise ValueError("no header")
    header = orjson.loads(content[_LENGTH_BYTES : _LENGTH_BYTES + size])
    metadata = header.pop(_METADATA, {})
    arrays = {}
    for name, entry in header.items():
        start, end = (_LENGTH_BYTES + size + offset for offset in entry["data_offsets"])
        dtype = np.dtype(_DTYPES[entry["dtype"]]).newbyteorder("<")
        arrays[name] = np.frombuffer(content[start:end], dtype).reshape(entry["shape"]).astype(np.float32)
    return arrays, metadata
