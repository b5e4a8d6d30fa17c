"""Answers of NLI models kept on disk, so that no model is asked the same twice.

A SQLite file, keyed by the model's identity and both texts. FACTABLE_CACHE names its folder; "off" keeps
nothing.
"""

import hashlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import TextPair

VARIABLE = "FACTABLE_CACHE"
OFF = "off"
KEYS_AT_ONCE = 500
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"


def cache_file() -> Path | None:
    """Where answers are kept; None where they are not."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen == OFF:
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(chosen) if chosen else (Path(base) if base else Path.home() / ".cache") / "factable"
    return folder / "nli.sqlite"


def key_of(identity: str, pair: TextPair) -> bytes:
    """What an answer is kept under."""
    texts = [part.encode("utf-8", "surrogatepass") for part in (identity, *pair)]
    # Lengths in front, so that no two pairs run together to the same bytes.
    told = b"".join(len(text).to_bytes(8, "little") + text for text in texts)
    return hashlib.blake2b(told, digest_size=16).digest()


def recall(path: Path, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float64]]:
    """The answers that are known; a file that cannot be read knows none."""
    found: dict[bytes, NDArray[np.float64]] = {}
    try:
        with closing(_open(path)) as file:
            for start in range(0, len(keys), KEYS_AT_ONCE):
                some = keys[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM answers WHERE key IN ({marks})"  # noqa: S608 (marks only)
                found |= {key: np.frombuffer(value) for key, value in file.execute(query, some)}
    except (sqlite3.Error, OSError, ValueError):
        return {}
    return {key: answer for key, answer in found.items() if answer.shape == (3,)}


def keep(path: Path, answers: Mapping[bytes, NDArray[np.float64]]) -> None:
    """Keep answers for later; where that fails (a full disk, no right to write) they are not kept."""
    try:
        with closing(_open(path)) as file, file:
            rows = ((key, answer.tobytes()) for key, answer in answers.items())
            file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
    except (sqlite3.Error, OSError):
        return


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(path, timeout=30)
    # Readers and a writer in other processes do not wait for each other.
    file.execute("PRAGMA journal_mode=WAL")
    file.execute("PRAGMA synchronous=OFF")
    file.execute(_TABLE)
    return file
