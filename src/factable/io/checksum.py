"""The checksum by which files are known again."""

import hashlib
import os
from typing import IO

CHUNK_BYTES = 1 << 18


def sha256_of(source: str | os.PathLike[str] | IO[bytes]) -> str:
    """The sha256 of a file, by its path, or of all that is left in a stream; memory holds a chunk of it."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as stream:
            return sha256_of(stream)
    told = hashlib.sha256()
    while chunk := source.read(CHUNK_BYTES):
        told.update(chunk)
    return told.hexdigest()
