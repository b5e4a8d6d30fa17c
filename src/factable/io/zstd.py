"""Reading zstd files, with an error where one breaks off."""

from io import BufferedReader, RawIOBase
from typing import IO, Any

# Small, because a malicious kilobyte may unpack to 32 megabytes.
PACKED_BYTES = 1 << 12


class _Unpacked(RawIOBase):
    """The content of a zstd stream of one or more frames."""

    # zstandard's own stream reader takes a file that breaks off for one that ends.
    def __init__(self, packed: IO[bytes], zstandard: Any) -> None:
        self._packed = packed
        self._zstandard = zstandard
        self._frame: Any = None
        self._waiting = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer with what comes next; 0 at the end."""
        while not self._waiting:
            chunk = self._packed.read(PACKED_BYTES)
            if not chunk:
                if self._frame is not None:
                    raise EOFError("compressed file ends before its end mark")
                return 0
            self._waiting = memoryview(self._unpack(chunk))
        size = min(len(buffer), len(self._waiting))
        buffer[:size] = self._waiting[:size]
        self._waiting = self._waiting[size:]
        return size

    def _unpack(self, chunk: bytes) -> bytes:
        unpacked = []
        while chunk:
            if self._frame is None:
                self._frame = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                unpacked.append(self._frame.decompress(chunk))
            except self._zstandard.ZstdError as error:
                raise EOFError(str(error)) from None
            chunk = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        return b"".join(unpacked)


def open_zstd(packed: IO[bytes]) -> BufferedReader:
    """Open a zstd stream for reading; damage raises EOFError, as for gz and xz."""
    import zstandard

    return BufferedReader(_Unpacked(packed, zstandard), buffer_size=1 << 17)
