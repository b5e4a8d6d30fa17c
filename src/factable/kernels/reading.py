"""Records of triples in JSON, and fingerprints of examples; `_reading.py` is fast and equal."""

from collections.abc import Sequence

from factable.types import Example, Record


def make_records(rows: list[object]) -> tuple[Record, ...] | None:
    """Records of a list of three-string lists; None if any row is something else."""
    for row in rows:
        if type(row) is not list or len(row) != 3 or any(type(part) is not str for part in row):
            return None
    return tuple(map(Record._make, rows))  # type: ignore[arg-type]


# The hash of Fowler, Noll and Vo over UTF-8 bytes in 64 bits, then two rounds of mixing.
START, STEP = 0xCBF29CE484222325, 0x100000001B3
MIX_1, MIX_2 = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
# A byte that UTF-8 never has, between item and system.
BOUNDARY = 0xFF
MASK = (1 << 64) - 1


def fingerprints(examples: Sequence[Example]) -> bytes:
    """Eight bytes for each example, one after the other."""
    return b"".join(_fingerprint(example).to_bytes(8, "little") for example in examples)


def _fingerprint(example: Example) -> int:
    item = example.item.encode("utf-8", "surrogatepass")
    system = example.system.encode("utf-8", "surrogatepass")
    key = START
    for byte in (*item, BOUNDARY, *system):
        key = ((key ^ byte) * STEP) & MASK
    key = ((key ^ (key >> 33)) * MIX_1) & MASK
    key = ((key ^ (key >> 33)) * MIX_2) & MASK
    return key ^ (key >> 33)
