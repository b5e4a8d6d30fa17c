"""Compressed files: known by their first bytes, and refused where little would unpack to very much."""

import gzip
import lzma
from io import BufferedReader, RawIOBase
from typing import IO, Any, cast

from factable.io.limits import FREE_BYTES, MOST_RATIO
from factable.io.zstd import open_zstd

BUFFER_BYTES = 1 << 17


class UnpackedTooLargeError(EOFError):
    """What is unpacked is out of all proportion to what is packed."""


class _Counted(RawIOBase):
    """A stream that knows how many bytes were read of it; pipes have no position."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer with what comes next; 0 at the end."""
        size: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self.count += size
        return size


class _Bounded(_Counted):
    """Unpacked content that must stay in proportion to the packed."""

    def __init__(self, unpacked: IO[bytes], packed: _Counted) -> None:
        super().__init__(unpacked)
        self._packed = packed

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer with what comes next, unless there was too much already."""
        size = super().readinto(buffer)
        if self.count > FREE_BYTES and self.count > MOST_RATIO * self._packed.count:
            raise UnpackedTooLargeError(f"unpacks to more than {MOST_RATIO} times its size")
        return size

    def close(self) -> None:
        """Close the decompressor with it."""
        self._stream.close()
        super().close()


def decompress(raw: BufferedReader) -> IO[bytes]:
    """The content of a gz, xz or zst stream, or of whatever else the stream itself."""
    magic = raw.peek(6)[:6]
    unpacked: IO[bytes]
    packed = _Counted(cast(IO[bytes], raw))
    source = cast(IO[bytes], BufferedReader(packed))
    if magic.startswith(b"\x1f\x8b"):
        unpacked = cast(IO[bytes], gzip.GzipFile(fileobj=source))
    elif magic == b"\xfd7zXZ\x00":
        unpacked = cast(IO[bytes], lzma.LZMAFile(source))  # noqa: SIM115 (closed by what is around it)
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        unpacked = open_zstd(source)
    else:
        return raw
    return BufferedReader(_Bounded(unpacked, packed), BUFFER_BYTES)
