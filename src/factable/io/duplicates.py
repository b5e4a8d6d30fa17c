"""Repeated ids in a stream of examples, and repeated names in a JSON object."""

import json
from array import array
from typing import Any

from factable.io.faults import Malformed, shorten
from factable.io.limits import MAX_NESTING
from factable.kernels import count_colons, count_names, put_keys

KEY_BYTES = 8


class SeenKeys:
    """64-bit keys seen so far, in a hash table that is at most three quarters full; 0 is no key."""

    # A million examples have two equal fingerprints with probability 3 in 10^8; the result is then a fault
    # that names both lines, never a wrong number.
    def __init__(self) -> None:
        self._table = _empty_table(1024)
        self._used = 0

    def add(self, keys: bytes) -> list[int]:
        """Add packed 8-byte keys; return the indices of those seen before."""
        added = len(keys) // KEY_BYTES
        size = len(self._table)
        while 4 * (self._used + added) > 3 * size:
            size *= 2
        if size > len(self._table):
            earlier, self._table = self._table, _empty_table(size)
            put_keys(self._table, earlier.tobytes())
        repeated = put_keys(self._table, keys)
        self._used += added - len(repeated)
        return repeated


def _empty_table(size: int) -> "array[int]":
    return array("Q", bytes(KEY_BYTES * size))


def check_unique_names(raw: bytes | str, value: object) -> None:
    """Refuse JSON in which an object has a name twice; `value` is what `raw` was parsed to."""
    # Each name is followed by a colon: as many as there are names in the parsed value means no repeat.
    names = count_names(value)
    content = raw if isinstance(raw, bytes) else raw.encode("utf-8", "replace")
    if names == content.count(b":") or names == count_colons(content):
        return
    try:
        json.loads(raw.decode() if isinstance(raw, bytes) else raw, object_pairs_hook=_refuse_twice)
    except RecursionError:
        raise Malformed(f"nested deeper than {MAX_NESTING} levels", "flatten it") from None


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    """Hook of the JSON parser: only looks at the names."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise Malformed(f"{shorten(name)} occurs twice in one object", "give each name once")
        seen.add(name)
