"""Files of plain arrays in the layout of safetensors: a JSON header, then the bytes of each array."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.io.files import open_output

_KINDS = {"F16": np.float16, "F32": np.float32}
_METADATA = "__metadata__"
_LENGTH = 8


def write_tensors(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[np.float16]], metadata: Mapping[str, str]
) -> None:
    """Write arrays and texts about them; equal content gives equal bytes."""
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    pieces, place = [], 0
    for name, array in sorted(arrays.items()):
        piece = array.astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": [place, place + len(piece)]}
        pieces.append(piece)
        place += len(piece)
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
