"""The file of `--resume`: a mark, a header and entries, each whole or not there, used by one run at a time.

A frame is a length (8 bytes, little-endian), the SHA-256 of length and content, and the content. Frames are
only ever added. A run that is killed leaves at most one that is torn, the last, and the next run cuts it off.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from io import FileIO

from factable.errors import DataError, Fault, UsageError

if sys.platform != "win32":
    import fcntl

MARK_OF_ANY_VERSION = b"factable resume "
MARK = MARK_OF_ANY_VERSION + b"1\n"
BYTES_PER_LENGTH = 8
BYTES_BEFORE_CONTENT = BYTES_PER_LENGTH + sha256().digest_size
# What a machine that loses power may cost; a process that is killed loses no entry.
SECONDS_BETWEEN_SYNCS = 5
ANOTHER = "another file to begin anew"
# A lock belongs to the process, so it does not keep one process from using a file twice.
_used_here: set[tuple[int, int]] = set()


class ResumeFile:
    """Frames on disk, for this run alone until it is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._file, self._identity = _open_alone(name)
        self._synced = time.monotonic()

    def __enter__(self) -> "ResumeFile":
        return self

    def __exit__(self, *raised: object) -> None:
        _used_here.discard(self._identity)
        self._file.close()

    def read_header(self) -> bytes | None:
        """The header; None where nothing, or not even a whole header, was ever written."""
        mark = self._read(len(MARK))
        if mark != MARK and not MARK.startswith(mark):
            ours = mark.startswith(MARK_OF_ANY_VERSION)
            found = "was made by another version" if ours else "holds something else than results to resume"
            raise DataError([Fault(self._name, None, found, f"give {ANOTHER}")])
        return self._read_frame()

    def begin(self, header: bytes) -> None:
        """Write the header of a new file."""
        self._file.seek(0)
        self._file.truncate()
        self._write(MARK + _frame(header))
        self.sync()

    def read_entries(self) -> Iterator[bytes]:
        """Every whole entry after the header; a torn one at the end is cut off, so that others can follow."""
        end = self._file.tell()
        while (content := self._read_frame()) is not None:
            end = self._file.tell()
            yield content
        self._file.seek(end)
        self._file.truncate()

    def append(self, content: bytes) -> None:
        """Add an entry; it outlives the process at once and a loss of power within seconds."""
        self._write(_frame(content))
        if time.monotonic() - self._synced > SECONDS_BETWEEN_SYNCS:
            self.sync()

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _read_frame(self) -> bytes | None:
        """The next content; None at the end, or where what follows is not whole."""
        start = self._read(BYTES_BEFORE_CONTENT)
        length = int.from_bytes(start[:BYTES_PER_LENGTH], "little")
        left = os.fstat(self._file.fileno()).st_size - self._file.tell()
        # Looked at first, because a torn length may be any number.
        if len(start) < BYTES_BEFORE_CONTENT or length > left:
            return None
        content = self._read(length)
        return content if _frame(content) == start + content else None

    def _read(self, count: int) -> bytes:
        pieces = []
        while count and (piece := self._file.read(count)):
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            found = f"cannot write: {error.strerror}"
            remedy = "once that is mended, the same command goes on from here"
            raise DataError([Fault(self._name, None, found, remedy)]) from None


def _frame(content: bytes) -> bytes:
    length = len(content).to_bytes(BYTES_PER_LENGTH, "little")
    return length + sha256(length + content).digest() + content


def _open_alone(name: str) -> tuple[FileIO, tuple[int, int]]:
    """The file, made where it is missing, and locked; with what the system knows it by."""
    # Before it is opened: closing a second descriptor would give the lock away.
    if os.path.exists(name) and _identity_of(os.stat(name)) in _used_here:
        raise _in_use(name)
    try:
        file = FileIO(os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
    except OSError as error:
        fault = Fault(name, None, f"cannot write: {error.strerror}", "check the path of the file to resume")
        raise DataError([fault]) from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise DataError([Fault(name, None, "is no plain file", f"give {ANOTHER}")])
    if not _lock(file):
        file.close()
        raise _in_use(name)
    identity = _identity_of(status)
    _used_here.add(identity)
    return file, identity


def _identity_of(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _in_use(name: str) -> UsageError:
    remedy = f"wait until that ends, or give {ANOTHER}"
    return UsageError(str(Fault(name, None, "another run is using it", remedy)))


def _lock(file: FileIO) -> bool:
    """Whether the file is ours; worker processes have no part in this lock, so it ends with the run."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network file systems know no locks.
        return error.errno not in (errno.EACCES, errno.EAGAIN)
    return True
