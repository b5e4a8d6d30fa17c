"""Predictions cached on disk, so that no model is run twice on the same input.

SQLite files, keyed by the model's identity and the input texts. FACTABLE_CACHE names their folder; "off"
turns the cache off. A cache file that cannot be read or written only costs time.
"""

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from factable.models.runtime.progress import Advance

CACHE_VARIABLE = "FACTABLE_CACHE"
OFF = "off"
# Part of every key. Raise it when a model would predict otherwise, such as after a new rule for long texts.
CACHE_VERSION = "1"
KEYS_PER_QUERY = 500
# How long to wait for another process that is writing.
LOCK_SECONDS = 10
# The cached predictions, by the name of their file.
CACHED_KINDS = {
    "nli": "answers of NLI models",
    "embeddings": "embeddings",
    "qa": "answers to questions",
    "seq2seq": "written questions",
    "likelihoods": "likelihoods",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
INPUTS_PER_SAVE = 4096
# A few dozen megabytes.
MAX_IN_MEMORY = 100_000
_memory: dict[bytes, bytes] = {}
Input = TypeVar("Input", bound=tuple[str, ...])


def cached_inference(
    kind: str,
    identity: str,
    inputs: Sequence[Input],
    predict: Callable[[Sequence[Input]], Sequence[bytes]],
    *,
    size: int = 0,
    in_memory: bool = True,
    advance: Advance,
) -> list[bytes]:
    """The prediction for each input, as bytes; `predict` is called for distinct inputs that are not cached.

    `kind` names the cache file, `identity` the model. Cached predictions that do not have `size` bytes, if
    it is given, are ignored. With `in_memory` new predictions are kept in memory too.
    """
    keys = {item: cache_key(identity, item) for item in dict.fromkeys(inputs)}
    path = cache_file(kind)
    known = {key: _memory[key] for key in keys.values() if key in _memory}
    stored = get(path, [key for key in keys.values() if key not in known]) if path else {}
    known |= {key: value for key, value in stored.items() if not size or len(value) == size}
    missing = [item for item, key in keys.items() if key not in known]
    advance(len(keys) - len(missing))
    for start in range(0, len(missing), INPUTS_PER_SAVE):
        batch = missing[start : start + INPUTS_PER_SAVE]
        predictions = dict(zip((keys[item] for item in batch), predict(batch), strict=True))
        known |= predictions
        if in_memory:
            _put_in_memory(predictions)
        if path:
            put(path, predictions)
    return [known[keys[item]] for item in inputs]


def cache_file(kind: str = "nli") -> Path | None:
    """Where predictions of one kind are cached; None if the cache is off."""
    chosen = os.environ.get(CACHE_VARIABLE, "")
    if chosen == OFF:
        return None
    base = chosen or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "factable")
    return Path(os.path.expanduser(base)) / f"{kind}.sqlite"


def cache_key(identity: str, texts: Sequence[str]) -> bytes:
    """The key of the prediction of a model for some texts."""
    parts = [part.encode() for part in (CACHE_VERSION, identity, *texts)]
    # Lengths in front, so that no two inputs are joined to the same bytes.
    joined = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return hashlib.blake2b(joined, digest_size=16).digest()


def get(path: Path, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """The cached predictions among these keys; none if the file cannot be read."""
    values: dict[bytes, object] = {}
    if not path.is_file():
        return {}
    try:
        with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as file:
            for start in range(0, len(keys), KEYS_PER_QUERY):
                batch = keys[start : start + KEYS_PER_QUERY]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value FROM answers WHERE key IN ({marks})"  # noqa: S608 (marks only)
                values.update(file.execute(query, batch))
    except sqlite3.Error:
        return {}
    return {key: value for key, value in values.items() if isinstance(value, bytes)}


def put(path: Path, predictions: Mapping[bytes, bytes]) -> None:
    """Cache predictions; where that fails (a full disk, a read-only folder) nothing is cached."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as file, file:
            file.execute(_TABLE)
            file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", list(predictions.items()))
    except (sqlite3.Error, OSError):
        return


def _put_in_memory(predictions: dict[bytes, bytes]) -> None:
    if len(_memory) + len(predictions) > MAX_IN_MEMORY:
        _memory.clear()
    _memory.update(predictions)


def replace_surrogates(text: str) -> str:
    """The text with lone surrogates, which no tokenizer can encode, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
