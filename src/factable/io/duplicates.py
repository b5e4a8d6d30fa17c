"""Finds repeated keys in a stream at 8 bytes per key."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.io.limits import MAX_NESTING
from factable.io.malformed import Malformed, shorten


class SeenKeys:
    """Remembers 64-bit keys in sorted runs that are merged as they grow, so that looking up stays fast."""

    # Two different keys with one fingerprint: 3 in 10^8 for a million examples, and then a fault that
    # names both lines, never a wrong number.
    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    def add(self, keys: bytes) -> list[int]:
        """Remember packed 8-byte keys; return the positions of those seen before."""
        added = np.frombuffer(keys, dtype=np.uint64)
        order = np.argsort(added, kind="stable")
        run = added[order]
        repeated = np.zeros(len(run), dtype=bool)
        repeated[1:] = run[1:] == run[:-1]
        for known in self._runs:
            index = np.searchsorted(known, run)
            inside = index < len(known)
            repeated[inside] |= known[index[inside]] == run[inside]
        self._merge(run)
        return sorted(order[repeated].tolist())

    def _merge(self, run: NDArray[np.uint64]) -> None:
        while self._runs and len(self._runs[-1]) <= 4 * len(run):
            run = np.concatenate([self._runs.pop(), run])
            # Stable sorting merges two sorted runs in one pass.
            run.sort(kind="stable")
        self._runs.append(run)


def refuse_repeats(raw: bytes | str, value: object) -> None:
    """Refuse JSON, given as it was and as it was parsed, in which an object has a name twice."""
    colons = raw.count(b":") if isinstance(raw, bytes) else raw.count(":")
    # Every name has a colon after it, so that as many colons as names leave none for a repeat; more of them
    # may well be in texts, and then a slower parser has to look.
    if colons == _count_names(value):
        return
    try:
        json.loads(raw.decode() if isinstance(raw, bytes) else raw, object_pairs_hook=_refuse_twice)
    except RecursionError:
        raise Malformed(f"nested deeper than {MAX_NESTING} levels", "flatten it") from None


def _count_names(value: object) -> int:
    count = 0
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            count += len(inner)
            waiting.extend(inner.values())
        elif type(inner) is list:
            waiting.extend(inner)
    return count


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    """Nothing is made of the pairs: only their names are looked at."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise Malformed(f"{shorten(name)} stands twice in one object", "give each name once")
        seen.add(name)
