"""Answers of models kept on disk, so that no model is asked the same twice.

SQLite files, keyed by the model's identity and the texts asked about. FACTABLE_CACHE names their folder;
"off" keeps nothing. Whatever is wrong with a file, answers are only slower to come by.
"""

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from factable.models.protocols import Advance

VARIABLE = "FACTABLE_CACHE"
OFF = "off"
# Raise it when the same model would answer otherwise, such as with another rule for windows.
RULES = "1"
KEYS_AT_ONCE = 500
# How long to wait for another process that is writing.
SECONDS = 10
# What is kept, by the name of its file.
KINDS = {
    "nli": "answers of NLI models",
    "embeddings": "embeddings",
    "qa": "answers to questions",
    "seq2seq": "written questions",
    "likelihoods": "likelihoods",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"


def cache_file(name: str = "nli") -> Path | None:
    """Where answers of one kind are kept; None where they are not."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen == OFF:
        return None
    base = chosen or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "factable")
    return Path(os.path.expanduser(base)) / f"{name}.sqlite"


def mend_surrogates(text: str) -> str:
    """A text without halves of surrogate pairs, which are no text to a tokeniser."""
    return _SURROGATE.sub("\ufffd", text)


def key_of(identity: str, asked: Sequence[str]) -> bytes:
    """What an answer is kept under."""
    texts = [part.encode() for part in (RULES, identity, *asked)]
    # Lengths in front, so that no two questions run together to the same bytes.
    told = b"".join(len(text).to_bytes(8, "little") + text for text in texts)
    return hashlib.blake2b(told, digest_size=16).digest()


def recall(path: Path, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """The answers that are known; a file that cannot be read knows none."""
    found: dict[bytes, object] = {}
    if not path.is_file():
        return {}
    try:
        with closing(sqlite3.connect(path, timeout=SECONDS)) as file:
            for start in range(0, len(keys), KEYS_AT_ONCE):
                some = keys[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM answers WHERE key IN ({marks})"  # noqa: S608 (marks only)
                found.update(file.execute(query, some))
    except sqlite3.Error:
        return {}
    return {key: value for key, value in found.items() if isinstance(value, bytes)}


def keep(path: Path, answers: Mapping[bytes, bytes]) -> None:
    """Keep answers for later; where that fails (a full disk, no right to write) they are not kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=SECONDS)) as file, file:
            file.execute(_TABLE)
            file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", list(answers.items()))
    except (sqlite3.Error, OSError):
        return


ASKED_PER_SAVE = 4096
# A few dozen megabytes.
MAX_REMEMBERED = 100_000
_remembered: dict[bytes, bytes] = {}
Asked = TypeVar("Asked", bound=tuple[str, ...])


def cached_inference(
    kind: str,
    identity: str,
    asked: Sequence[Asked],
    ask: Callable[[Sequence[Asked]], Sequence[bytes]],
    *,
    size: int = 0,
    remember: bool = True,
    advance: Advance,
) -> list[bytes]:
    """The answer to each thing asked, as bytes; equal ones are asked once, and known ones not at all.

    `kind` names the file that answers are kept in, `identity` the model. Kept answers of another `size`, if
    one is given, are not used.
    """
    keys = {one: key_of(identity, one) for one in dict.fromkeys(asked)}
    path = cache_file(kind)
    known = {key: _remembered[key] for key in keys.values() if key in _remembered}
    kept = recall(path, [key for key in keys.values() if key not in known]) if path else {}
    known |= {key: answer for key, answer in kept.items() if not size or len(answer) == size}
    unknown = [one for one, key in keys.items() if key not in known]
    advance(len(keys) - len(unknown))
    for start in range(0, len(unknown), ASKED_PER_SAVE):
        some = unknown[start : start + ASKED_PER_SAVE]
        answers = dict(zip((keys[one] for one in some), ask(some), strict=True))
        known |= answers
        if remember:
            _remember(answers)
        if path:
            keep(path, answers)
    return [known[keys[one]] for one in asked]


def _remember(answers: dict[bytes, bytes]) -> None:
    """Keep answers in memory, so that nothing is asked twice soon even where nothing is kept on disk."""
    if len(_remembered) + len(answers) > MAX_REMEMBERED:
        _remembered.clear()
    _remembered.update(answers)
