"""Predictions cached on disk, so that no model is run twice on the same input.

SQLite files, keyed by the model's identity and the input texts. FACTABLE_CACHE names their folder; "off"
turns the cache off. Every prediction has a checksum. A damaged file is set aside and made anew, and one that
cannot be read or written only costs time; either is told in a warning.
"""

import hashlib
import os
import re
import sqlite3
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from factable.errors import FactableWarning, printable
from factable.models.runtime.progress import Advance

CACHE_VARIABLE = "FACTABLE_CACHE"
OFF = "off"
# Part of every file name and key. Raise it when a model would predict otherwise, such as after a new rule for
# long texts, or when the files change.
CACHE_VERSION = "2"
KEYS_PER_QUERY = 500
# How long to wait for another process that is writing; a file that stays locked, or cannot be read or written
# for another reason, is left alone for a while, so that waiting never takes long in all.
LOCK_SECONDS = 2.0
RETRY_SECONDS = 120.0
# The oldest predictions go when a file is larger than this, and any that are older than this.
MAX_CACHE_BYTES = 1 << 30
MAX_CACHE_DAYS = 180
# The cached predictions, by the name of their file.
CACHED_KINDS = {
    "nli": "answers of NLI models",
    "embeddings": "embeddings",
    "marks": "marked sentences",
    "qa": "answers to questions",
    "seq2seq": "written questions",
    "likelihoods": "likelihoods",
    "judge": "answers of judges",
}
_FILE_NAME = re.compile(rf"({'|'.join(CACHED_KINDS)})(-\d+)?\.sqlite(-journal|-wal|-shm|\.damaged)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Rows are appended, so a smaller id is an older row.
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, "
    "checksum BLOB NOT NULL, day INTEGER NOT NULL, value BLOB NOT NULL)"
)
_INSERT = "INSERT OR REPLACE INTO answers (key, checksum, day, value) VALUES (?, ?, ?, ?)"
_DELETE_OLD = (
    "DELETE FROM answers WHERE id < "
    "coalesce((SELECT id FROM answers WHERE day >= ? ORDER BY id LIMIT 1), 9223372036854775807)"
)
_DELETE_TENTH = "DELETE FROM answers WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 10 FROM answers)"
INPUTS_PER_SAVE = 4096
# A few dozen megabytes.
MAX_IN_MEMORY = 100_000
_memory: dict[bytes, bytes] = {}
# When to try a file again that could not be used, by its path and whether it was written.
_retry_at: dict[tuple[Path, bool], float] = {}
T = TypeVar("T")
Input = TypeVar("Input", bound=tuple[str, ...])


def cached_inference(
    kind: str,
    identity: str,
    inputs: Sequence[Input],
    predict: Callable[[Sequence[Input]], Sequence[bytes]],
    *,
    is_valid: Callable[[bytes], bool],
    in_memory: bool = True,
    advance: Advance,
) -> list[bytes]:
    """The prediction for each input, as bytes; `predict` is called for distinct inputs that are not cached.

    `kind` names the cache file, `identity` the model. `is_valid` says whether bytes can be a prediction: no
    others are cached, and a file with others is damaged. With `in_memory` new predictions are kept in memory
    too.
    """
    keys = {item: cache_key(identity, item) for item in dict.fromkeys(inputs)}
    path = cache_file(kind)
    # Another thread may clear the memory at any time.
    known = {key: value for key in keys.values() if (value := _memory.get(key)) is not None}
    if path:
        known |= get(path, [key for key in keys.values() if key not in known], is_valid)
    missing = [item for item, key in keys.items() if key not in known]
    advance(len(keys) - len(missing))
    for start in range(0, len(missing), INPUTS_PER_SAVE):
        batch = missing[start : start + INPUTS_PER_SAVE]
        predictions = dict(zip((keys[item] for item in batch), predict(batch), strict=True))
        known |= predictions
        if in_memory:
            _put_in_memory(predictions)
        if path:
            put(path, {key: value for key, value in predictions.items() if is_valid(value)})
    return [known[keys[item]] for item in inputs]


def cache_folder() -> Path | None:
    """Where predictions are cached; None if the cache is off or there is no home directory."""
    chosen = os.environ.get(CACHE_VARIABLE, "")
    if chosen == OFF:
        return None
    # By its specification, XDG_CACHE_HOME does not count unless it is absolute.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    base = chosen or os.path.join(shared if os.path.isabs(shared) else "~/.cache", "factable")
    folder = os.path.expanduser(base)
    if folder.startswith("~") or not (chosen or os.path.isabs(folder)):
        _warn(f"no home directory for the cache {base}; answers are not cached: set {CACHE_VARIABLE}")
        return None
    return Path(folder)


def cache_file(kind: str = "nli") -> Path | None:
    """Where predictions of one kind are cached; None if they are not."""
    folder = cache_folder()
    return folder / f"{kind}-{CACHE_VERSION}.sqlite" if folder else None


def cache_files(folder: Path) -> list[Path]:
    """All files of a cache folder that factable wrote, damaged and outdated ones included."""
    names = os.listdir(folder) if folder.is_dir() else []
    return sorted(folder / name for name in names if _FILE_NAME.fullmatch(name))


def cache_key(identity: str, texts: Sequence[str]) -> bytes:
    """The key of the prediction of a model for some texts."""
    parts = [part.encode() for part in (CACHE_VERSION, identity, *texts)]
    # Lengths in front, so that no two inputs are joined to the same bytes.
    joined = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return hashlib.blake2b(joined, digest_size=16).digest()


def get(
    path: Path, keys: Sequence[bytes], is_valid: Callable[[bytes], bool] = lambda _: True
) -> dict[bytes, bytes]:
    """The cached predictions among these keys; none if the file cannot be read or one of them is damaged."""

    def select(file: sqlite3.Connection) -> dict[bytes, bytes]:
        values: dict[bytes, bytes] = {}
        for start in range(0, len(keys), KEYS_PER_QUERY):
            batch = keys[start : start + KEYS_PER_QUERY]
            marks = ",".join("?" * len(batch))
            query = f"SELECT key, checksum, value FROM answers WHERE key IN ({marks})"  # noqa: S608 (marks only)
            for key, checksum, value in file.execute(query, batch):
                if not isinstance(value, bytes) or checksum != _checksum(key, value) or not is_valid(value):
                    raise sqlite3.DatabaseError("an answer is not what was written")
                values[key] = value
        return values

    return _use(path, select, writing=False) or {} if keys else {}


def put(path: Path, predictions: Mapping[bytes, bytes]) -> None:
    """Cache predictions; where that fails (a full disk, a read-only folder) nothing is cached."""
    today = int(time.time() // 86400)
    rows = [(key, _checksum(key, value), today, value) for key, value in predictions.items()]

    def insert(file: sqlite3.Connection) -> None:
        file.execute(_TABLE)
        file.execute(_DELETE_OLD, [today - MAX_CACHE_DAYS])
        if _used_bytes(file) > MAX_CACHE_BYTES:
            file.execute(_DELETE_TENTH)
        file.executemany(_INSERT, rows)

    _use(path, insert, writing=True)


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(key + value, digest_size=8).digest()


def _used_bytes(file: sqlite3.Connection) -> int:
    """The size of a file without the pages that are free, which are filled first."""
    pages, free, size = (
        int(file.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _use(path: Path, work: Callable[[sqlite3.Connection], T], *, writing: bool) -> T | None:
    """The result of some work on a cache file; None, with a warning, where it cannot be used."""
    if time.monotonic() < _retry_at.get((path, writing), 0.0):
        return None
    inode = None
    try:
        if writing:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not path.is_file():
            return None
        inode = path.stat().st_ino if path.is_file() else None
        with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as file, file:
            return work(file)
    except sqlite3.Error as error:
        # An empty file is no damage; a process may have been killed before it wrote.
        if str(error).startswith("no such table"):
            return None
        if _is_damage(error):
            _set_aside(path, inode, error)
        else:
            _leave_alone(path, writing, error)
    except (OSError, ValueError) as error:
        _leave_alone(path, writing, error)
    return None


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether a file is not, or no longer, a cache: SQLite finds damage, or other tables than ours."""
    operational = isinstance(error, sqlite3.OperationalError)
    return not operational or "no such column" in str(error) or "has no column" in str(error)


def _set_aside(path: Path, inode: int | None, error: Exception) -> None:
    """Rename a damaged file, so that the next prediction starts a new one."""
    damaged = path.with_name(f"{path.name}.damaged")
    try:
        # Another process may have put a new file in its place.
        if path.stat().st_ino == inode:
            os.replace(path, damaged)
            Path(f"{path}-journal").unlink(missing_ok=True)
            _warn(f"{path}: damaged ({error}); set aside as {damaged.name}, answers are computed again")
    except OSError as problem:
        _leave_alone(path, True, problem)
        _leave_alone(path, False, problem)


def _leave_alone(path: Path, writing: bool, error: Exception) -> None:
    is_told = (path, True) in _retry_at or (path, False) in _retry_at
    _retry_at[path, writing] = time.monotonic() + RETRY_SECONDS
    if is_told:
        return
    verb = "written" if writing else "read"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    _warn(f"{path}: the cache cannot be {verb} ({reason}); answers are computed without it")


def _warn(message: str) -> None:
    warnings.warn(printable(message), FactableWarning, stacklevel=2)


def _put_in_memory(predictions: dict[bytes, bytes]) -> None:
    if len(_memory) + len(predictions) > MAX_IN_MEMORY:
        _memory.clear()
    _memory.update(predictions)


def forget_answers() -> None:
    """Drop all predictions that are kept in memory."""
    _memory.clear()


def replace_surrogates(text: str) -> str:
    """The text with lone surrogates, which no tokenizer can encode, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
