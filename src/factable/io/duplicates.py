"""Repeated ids in a stream of examples, and repeated names in a JSON object."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.io.faults import Malformed, shorten
from factable.io.limits import MAX_NESTING
from factable.kernels import count_colons, count_names


class SeenKeys:
    """64-bit keys seen so far, 8 bytes each, in sorted runs that are merged as they grow."""

    # A million examples have two equal fingerprints with probability 3 in 10^8; the result is then a fault
    # that names both lines, never a wrong number.
    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    def add(self, keys: bytes) -> list[int]:
        """Add packed 8-byte keys; return the indices of those seen before."""
        added = np.frombuffer(keys, dtype=np.uint64)
        order = np.argsort(added, kind="stable")
        run = added[order]
        repeated = np.zeros(len(run), dtype=bool)
        repeated[1:] = run[1:] == run[:-1]
        for earlier in self._runs:
            index = np.searchsorted(earlier, run)
            inside = index < len(earlier)
            repeated[inside] |= earlier[index[inside]] == run[inside]
        self._merge(run)
        return sorted(order[repeated].tolist())

    def _merge(self, run: NDArray[np.uint64]) -> None:
        while self._runs and len(self._runs[-1]) <= 4 * len(run):
            run = np.concatenate([self._runs.pop(), run])
            # Stable sorting merges two sorted runs in one pass.
            run.sort(kind="stable")
        self._runs.append(run)


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
