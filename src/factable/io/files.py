"""Opening files for reading (compressed or not, or stdin) and writing them whole or not at all."""

import gzip
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from factable.errors import DataError, Fault
from factable.io.zstd import open_zstd

STDIN_NAME = "stdin"
COMPRESSION_ENDINGS = (".gz", ".xz", ".zst")


@contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; gz, xz and zst are known by their first bytes, `-` is stdin."""
    name = source_name(path)
    try:
        with _open_raw(path) as raw, _decompress(raw) as stream:
            yield stream
    except IsADirectoryError:
        raise DataError([Fault(name, None, "is a folder", "name a file")]) from None
    except OSError as error:
        # gzip and lzma say what is wrong in the message, the system in strerror.
        found = error.strerror or str(error)
        remedy = "check the path" if error.errno else "the file is damaged; fetch or make it again"
        raise DataError([Fault(name, None, found, remedy)]) from None
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(
            [Fault(name, None, str(error), "the file is damaged; fetch or make it again")]
        ) from None


def source_name(path: str | os.PathLike[str]) -> str:
    """How messages name a source."""
    return STDIN_NAME if str(path) == "-" else str(path)


def _open_raw(path: str | os.PathLike[str]) -> BufferedReader:
    if str(path) != "-":
        return open(path, "rb")
    if sys.stdin is None:
        raise DataError([Fault(STDIN_NAME, None, "is closed", "pipe the data in or name a file")])
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb")


def _decompress(raw: BufferedReader) -> IO[bytes]:
    magic = raw.peek(6)[:6]
    if magic.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(raw))
    if magic == b"\xfd7zXZ\x00":
        return cast(IO[bytes], lzma.open(raw))
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return cast(IO[bytes], open_zstd(raw))
    return raw


def plain_suffix(path: str | os.PathLike[str]) -> str:
    """The file's ending below any compression: `.csv` for `x.csv.gz`."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_ENDINGS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def iter_whole_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a text file with their ends, split at line feeds only; memory holds one at a time."""
    with open_input(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                found = f"byte {error.start + 1} of the line is not UTF-8"
                raise DataError([Fault(source_name(path), number, found, "save the file as UTF-8")]) from None


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
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise DataError(
            [Fault(str(path), None, f"cannot write: {error.strerror}", "check the path")]
        ) from None
    try:
        with os.fdopen(descriptor, "wb") as raw, _compress(raw, target.suffix.lower()) as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
