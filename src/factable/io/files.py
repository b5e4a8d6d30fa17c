"""Opening files for reading (compressed or not, or stdin) and writing them whole or not at all."""

import gzip
import hashlib
import lzma
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from factable.errors import DataError, Fault, MissingFileError
from factable.io.limits import FREE_BYTES, MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, MAX_RATIO

# Small, because a malicious kilobyte may unpack to 32 megabytes.
PACKED_BYTES = 1 << 12
# Of a zst file, one after the other: each takes as long as a page of text.
MAX_EMPTY_FRAMES = 1000


class _Unpacked(RawIOBase):
    """The content of a zstd stream of one or more frames."""

    # zstandard's own stream reader takes a truncated file for a complete one.
    def __init__(self, packed: IO[bytes], zstandard: Any) -> None:
        self._packed = packed
        self._zstandard = zstandard
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._empty_frames = 0
        self._waiting = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer; 0 at the end."""
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
                self._frame = self._decompressor.decompressobj()
            try:
                content = self._frame.decompress(chunk)
            except self._zstandard.ZstdError as error:
                raise EOFError(str(error)) from None
            unpacked.append(content)
            chunk = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
                self._empty_frames = 0 if content else self._empty_frames + 1
            if self._empty_frames > MAX_EMPTY_FRAMES:
                raise EOFError(f"more than {MAX_EMPTY_FRAMES} empty frames")
        return b"".join(unpacked)


def open_zstd(packed: IO[bytes]) -> BufferedReader:
    """Open a zstd stream for reading; damage raises EOFError, as for gz and xz."""
    import zstandard

    return BufferedReader(_Unpacked(packed, zstandard), buffer_size=1 << 17)


BUFFER_BYTES = 1 << 17


class UnpackedTooLargeError(EOFError):
    """The unpacked content is too large for the size of the packed file."""


class _Counted(RawIOBase):
    """A stream that counts the bytes read from it; pipes have no position."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer; 0 at the end."""
        size: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self.count += size
        return size


class _Bounded(_Counted):
    """Unpacked content that must not grow too large for its packed size."""

    def __init__(self, unpacked: IO[bytes], packed: _Counted) -> None:
        super().__init__(unpacked)
        self._packed = packed

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer, unless there was too much already."""
        size = super().readinto(buffer)
        if self.count > FREE_BYTES and self.count > MAX_RATIO * self._packed.count:
            raise UnpackedTooLargeError(f"unpacks to more than {MAX_RATIO} times its size")
        return size

    def close(self) -> None:
        """Close the decompressor with it."""
        self._stream.close()
        super().close()


def decompress(raw: BufferedReader) -> IO[bytes]:
    """The content of a gz, xz or zst stream; any other stream as it is."""
    magic = raw.peek(6)[:6]
    unpacked: IO[bytes]
    packed = _Counted(cast(IO[bytes], raw))
    source = cast(IO[bytes], BufferedReader(packed))
    if magic.startswith(b"\x1f\x8b"):
        unpacked = cast(IO[bytes], gzip.GzipFile(fileobj=source))
    elif magic == b"\xfd7zXZ\x00":
        unpacked = cast(IO[bytes], lzma.LZMAFile(source))  # noqa: SIM115 (closed by its wrapper)
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        unpacked = open_zstd(source)
    else:
        return raw
    return BufferedReader(_Bounded(unpacked, packed), BUFFER_BYTES)


STDIN_NAME = "stdin"
COMPRESSION_ENDINGS = (".gz", ".xz", ".zst")


@contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; gz, xz and zst are known by their first bytes, `-` is stdin."""
    name = source_name(path)
    try:
        with _open_raw(path) as raw, decompress(raw) as stream:
            before = _state(raw)
            yield stream
            if _state(raw) != before:
                raise DataError([changed_while_read(name)])
    except IsADirectoryError:
        raise MissingFileError([Fault(name, None, "is a folder", "name a file")]) from None
    except OSError as error:
        # gzip and lzma say what is wrong in the message, the system in strerror.
        problem = error.strerror or str(error)
        if error.errno:
            raise MissingFileError([Fault(name, None, problem, "check the path")]) from None
        remedy = "the file is damaged; download or create it again"
        raise DataError([Fault(name, None, problem, remedy)]) from None
    except UnpackedTooLargeError as error:
        raise DataError([Fault(name, None, str(error), "unpack it yourself if you trust it")]) from None
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(
            [Fault(name, None, str(error), "the file is damaged; download or create it again")]
        ) from None


def changed_while_read(name: str) -> Fault:
    """The fault of a file that changed while it was read."""
    return Fault(name, None, "changed while it was read", "run again when nothing writes to it")


def _state(raw: BufferedReader) -> tuple[int, int] | None:
    """Size and time of the last change; None for pipes, which change by being read."""
    status = os.fstat(raw.fileno())
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def source_name(path: str | os.PathLike[str]) -> str:
    """The name of a source in messages."""
    return STDIN_NAME if str(path) == "-" else str(path)


def _open_raw(path: str | os.PathLike[str]) -> BufferedReader:
    if "\0" in str(path):
        raise DataError([Fault(str(path), None, "not a valid file name", "check the path")])
    if str(path) != "-":
        return open(path, "rb")
    if sys.stdin is None:
        raise DataError([Fault(STDIN_NAME, None, "is closed", "pipe the data in or name a file")])
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb")


def plain_size(paths: Sequence[str | os.PathLike[str]]) -> int | None:
    """The size of all files; None where there are none, or one is compressed, missing or stdin."""
    files = list(map(Path, paths))
    if not files or any(path.suffix in COMPRESSION_ENDINGS or not path.is_file() for path in files):
        return None
    return sum(path.stat().st_size for path in files)


def plain_suffix(path: str | os.PathLike[str]) -> str:
    """The file's ending below any compression: `.csv` for `x.csv.gz`."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_ENDINGS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """All of a file that is small enough to be in memory at once."""
    with open_input(path) as stream:
        content = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        problem = f"larger than {MAX_DOCUMENT_BYTES >> 20} MB"
        raise DataError([Fault(source_name(path), None, problem, "check that it is the right file")])
    return content


def line_too_long(name: str, line: int) -> Fault:
    """The fault of a line longer than any example."""
    problem = f"a line of {MAX_LINE_BYTES >> 20} MB or more"
    return Fault(name, line, problem, "write one example per line, and end lines with line feeds")


def iter_whole_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a text file with their ends, split at line feeds only; memory holds one at a time."""
    with open_input(path) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES), b""), 1):
            if len(line) == MAX_LINE_BYTES:
                raise DataError([line_too_long(source_name(path), number)])
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8"
                fault = Fault(source_name(path), number, problem, "save the file as UTF-8")
                raise DataError([fault]) from None


def iter_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a text file without their ends; a final line feed ends the last line."""
    for line in iter_whole_lines(path):
        yield line.removesuffix("\n").removesuffix("\r")


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """All lines of a text file, without their ends."""
    return list(iter_lines(path))


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes under a temporary name that becomes `path` only on success.

    The ending .gz, .xz or .zst compresses; `-` is stdout.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_dir():
        raise DataError([Fault(str(path), None, "is a folder", "name a file to write")])
    if target.exists() and not target.is_file():
        # A device or pipe, such as /dev/null: renaming a file over it would destroy it.
        with open(target, "wb") as device:
            yield device
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    # Noted before there is such a file: an interrupt may come between any two steps.
    _UNFINISHED.add(temporary)
    try:
        with _create(temporary, str(path)) as raw, _compress(raw, target.suffix.lower()) as stream:
            yield stream
        os.replace(temporary, target)
    finally:
        _remove(temporary)


# Temporary names of the outputs that are being written.
_UNFINISHED: set[Path] = set()


def remove_unfinished() -> None:
    """Delete the temporary files of outputs that an interrupt kept `open_output` from deleting."""
    for path in list(_UNFINISHED):
        _remove(path)


def _remove(temporary: Path) -> None:
    temporary.unlink(missing_ok=True)
    _UNFINISHED.discard(temporary)


def _create(temporary: Path, output: str) -> BufferedWriter:
    try:
        return BufferedWriter(_OutputFile(temporary, output))
    except OSError as error:
        raise DataError([Fault(output, None, f"cannot write: {error.strerror}", "check the path")]) from None


class _OutputFile(FileIO):
    """A new file under a temporary name; write errors, such as a full disk, name the output file."""

    def __init__(self, temporary: Path, output: str) -> None:
        super().__init__(temporary, "xb")
        self._output = output

    def write(self, content: Any) -> int:
        """Write, and name the output in errors."""
        try:
            return super().write(content)
        except OSError as error:
            problem = f"cannot write: {error.strerror}"
            raise DataError([Fault(self._output, None, problem, "make room, or write elsewhere")]) from None


@contextmanager
def _compress(raw: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        # No name and time inside, so that equal content gives equal files.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
            yield cast(IO[bytes], stream)
    elif suffix == ".xz":
        with lzma.open(raw, "wb") as packed:
            yield cast(IO[bytes], packed)
    elif suffix == ".zst":
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as written:
            yield cast(IO[bytes], written)
    else:
        yield raw


CHUNK_BYTES = 1 << 18


def sha256_of(source: str | os.PathLike[str] | IO[bytes]) -> str:
    """The sha256 of a file, or of the rest of a stream, read in chunks."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as stream:
            return sha256_of(stream)
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()
