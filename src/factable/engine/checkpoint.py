"""Checkpoints: scored units are written to disk as they come, so that a stopped run can be resumed."""

import errno
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from io import FileIO
from itertools import chain
from typing import NamedTuple

from factable.core.signature import settings_of
from factable.engine.checkpoint_format import (
    CheckpointEntry,
    decode_words,
    describe_run,
    digest_of,
    encode_words,
    find_difference,
    pack,
    unpack,
)
from factable.engine.collect import refuse_mixture
from factable.engine.plan import AnyUnit, Plan, Scored
from factable.engine.sources import Corpus
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
    """The checkpoint file: length-prefixed, checksummed entries; locked while it is open."""

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
        """The header; None if the file is empty or its header is incomplete."""
        mark = self._read(len(MARK))
        if mark != MARK and not MARK.startswith(mark):
            ours = mark.startswith(MARK_OF_ANY_VERSION)
            problem = "was made by another version" if ours else "holds something else than results to resume"
            raise DataError([Fault(self._name, None, problem, f"give {ANOTHER}")])
        return self._read_frame()

    def begin(self, header: bytes) -> None:
        """Write the header of a new file."""
        self._file.seek(0)
        self._file.truncate()
        self._write(MARK + _frame(header))
        self.sync()

    def read_entries(self) -> Iterator[bytes]:
        """Every complete entry after the header; an incomplete one at the end is cut off."""
        end = self._file.tell()
        while (content := self._read_frame()) is not None:
            end = self._file.tell()
            yield content
        self._file.seek(end)
        self._file.truncate()

    def append(self, content: bytes) -> None:
        """Add an entry; it survives a crash of the process at once, and a power loss after a few seconds."""
        self._write(_frame(content))
        if time.monotonic() - self._synced > SECONDS_BETWEEN_SYNCS:
            self.sync()

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _read_frame(self) -> bytes | None:
        """The content of the next frame; None at the end or if the frame is incomplete."""
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
            problem = f"cannot write: {error.strerror}"
            remedy = "once that is mended, the same command goes on from here"
            raise DataError([Fault(self._name, None, problem, remedy)]) from None


def _frame(content: bytes) -> bytes:
    length = len(content).to_bytes(BYTES_PER_LENGTH, "little")
    return length + sha256(length + content).digest() + content


def _open_alone(name: str) -> tuple[FileIO, tuple[int, int]]:
    """Open the file, creating it if missing, and lock it; also return its device and inode."""
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
    """Try to lock the file for this process; worker processes do not inherit the lock."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network file systems know no locks.
        return error.errno not in (errno.EACCES, errno.EAGAIN)
    return True


# Units in, scored units out in the same order.
Engine = Callable[[Iterable[AnyUnit]], Generator[Scored]]
Path = str | os.PathLike[str]


class Checkpoint(NamedTuple):
    """The results of a run so far, on disk."""

    name: str
    file: ResumeFile
    settings: list[list[str]]


@contextmanager
def open_checkpoint(path: Path, corpus: Corpus, plan: Plan) -> Iterator[Checkpoint]:
    """Open a checkpoint file, new or of the same run; a file of another run is refused."""
    name = os.fspath(path)
    asked = describe_run(corpus, plan)
    with ResumeFile(name) as file:
        known = file.read_header()
        if known is None:
            file.begin(encode_words(asked))
        else:
            _refuse_other_run(name, known, asked)
        yield Checkpoint(name, file, [settings_of(signature) for _, signature in asked["metrics"]])
        file.sync()


def resume_scoring(kept: Checkpoint, run: Engine, units: Iterator[AnyUnit]) -> Generator[Scored]:
    """Yield the stored results, checked against the data unit by unit; then score and store the rest."""
    for entry in _read_entries(kept):
        unit = next(units, None)
        if unit is None or digest_of(unit) != entry.digest:
            raise _other_data(kept.name, entry.scored)
        yield entry.scored
    first = next(units, None)
    if first is None:
        return
    digests: deque[bytes] = deque()
    with closing(run(_noting_digests(chain([first], units), digests))) as rest:
        for scored in rest:
            # What was made with other files would mix with the other results in every later run.
            for settings, piece in zip(kept.settings, scored.pieces, strict=True):
                refuse_mixture(settings, piece)
            kept.file.append(pack(CheckpointEntry(digests.popleft(), scored)))
            yield scored


def _noting_digests(units: Iterable[AnyUnit], digests: deque[bytes]) -> Iterator[AnyUnit]:
    """Pass units on and remember them: an engine takes some ahead of what it gives back."""
    for unit in units:
        digests.append(digest_of(unit))
        yield unit


def _read_entries(kept: Checkpoint) -> Iterator[CheckpointEntry]:
    for packed in kept.file.read_entries():
        try:
            entry = unpack(packed)
        except ValueError:
            raise _damaged(kept.name) from None
        if [settings_of(piece.signature) for piece in entry.scored.pieces] != kept.settings:
            raise _damaged(kept.name)
        yield entry


def _refuse_other_run(name: str, known: bytes, asked: dict[str, object]) -> None:
    try:
        difference = find_difference(decode_words(known), asked)
    except (ValueError, TypeError, KeyError):
        raise _damaged(name) from None
    if difference:
        raise UsageError(str(Fault(name, None, difference, f"give the same data and options, or {ANOTHER}")))


def _other_data(name: str, scored: Scored) -> UsageError:
    position = (
        f"{scored.source} from {scored.row_kind} {scored.lines[0]} on" if scored.lines else scored.source
    )
    problem = f"holds results of other data than {position}"
    return UsageError(str(Fault(name, None, problem, f"give the same data, or {ANOTHER}")))


def _damaged(name: str) -> DataError:
    return DataError([Fault(name, None, "is damaged", f"delete it, or give {ANOTHER}")])
