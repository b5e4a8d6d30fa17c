"""Records of JSON data, names in JSON, and fingerprints of examples; `_reading.py` is fast and equal."""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from math import isnan

from factable.types import Example, Record


def make_records(rows: list[object]) -> tuple[Record, ...] | None:
    """Records of a list of three-string lists; None if any row is something else."""
    for row in rows:
        if type(row) is not list or len(row) != 3 or any(type(part) is not str for part in row):
            return None
    return tuple(map(Record._make, rows))  # type: ignore[arg-type]


class NoRecordError(Exception):
    """Data that records cannot be made of: nested too deeply, a name too long, or a value of another type.

    `reason` is "depth", "name" or "value", `found` the name or the value, and `path` where it is.
    """

    def __init__(self, reason: str, found: object = None, path: str = "") -> None:
        super().__init__(reason, found, path)
        self.reason, self.found, self.path = reason, found, path


def flatten(
    data: object, subject: str, max_records: int, max_depth: int, max_name: int
) -> tuple[Record, ...]:
    """Records of an object, with paths as attributes, at most so many.

    A list gives one record per value, null none.
    """
    return tuple(islice(_flatten(data, subject, "", 0, max_depth, max_name), max_records))


def flatten_rows(
    rows: Sequence[dict[str, object]], max_records: int, max_depth: int, max_name: int
) -> tuple[Record, ...]:
    """Records of the rows of a table, at most so many; the first column of a row is its subject."""
    records = (record for row in rows for record in _flatten_row(row, max_depth, max_name))
    return tuple(islice(records, max_records))


def _flatten_row(row: dict[str, object], max_depth: int, max_name: int) -> Iterator[Record]:
    columns = list(row.items())
    header = columns[0][1] if len(columns) > 1 else None
    if _is_missing(header) or isinstance(header, dict | list | tuple):
        return _flatten(row, "", "", 0, max_depth, max_name)
    return _flatten(dict(columns[1:]), to_text(header, "a row"), "", 0, max_depth, max_name)


def _flatten(
    value: object, subject: str, path: str, depth: int, max_depth: int, max_name: int
) -> Iterator[Record]:
    if depth > max_depth:
        raise NoRecordError("depth")
    if isinstance(value, dict):
        for key, inner in value.items():
            name = _check_name(f"{path}.{key}", max_name) if path else str(key)
            yield from _flatten(inner, subject, name, depth + 1, max_depth, max_name)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            # Members of objects keep the index, so that facts of one row stay together.
            is_nested = isinstance(inner, dict | list | tuple)
            name = _check_name(f"{path}[{index}]", max_name) if is_nested else path
            yield from _flatten(inner, subject, name, depth + 1, max_depth, max_name)
    elif not _is_missing(value):
        yield Record(subject, path, to_text(value, path))


def _check_name(name: str, max_name: int) -> str:
    if len(name) > max_name:
        raise NoRecordError("name", name)
    return name


def _is_missing(value: object) -> bool:
    """Whether a value stands for none: null, or the NaN of data frames."""
    return value is None or (isinstance(value, float) and isnan(value))


def to_text(value: object, path: str) -> str:
    """The text of a string, number or boolean."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise NoRecordError("value", value, path)


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def count_colons(raw: bytes) -> int:
    """How many colons valid JSON has outside its strings: one after each name of an object."""
    return _STRING.sub(b"", raw).count(b":")


def count_names(value: object) -> int:
    """How many names the objects in a parsed JSON value have together."""
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


# The hash of Fowler, Noll and Vo over UTF-8 bytes in 64 bits, then two rounds of mixing.
START, STEP = 0xCBF29CE484222325, 0x100000001B3
MIX_1, MIX_2 = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
# A byte that UTF-8 never has, between item and system.
BOUNDARY = 0xFF
MASK = (1 << 64) - 1


def fingerprints(examples: Sequence[Example]) -> bytes:
    """Eight bytes for each example, one after the other; never all 0."""
    return b"".join(_fingerprint(example).to_bytes(8, "little") for example in examples)


def _fingerprint(example: Example) -> int:
    item = example.item.encode("utf-8", "surrogatepass")
    system = example.system.encode("utf-8", "surrogatepass")
    key = START
    for byte in (*item, BOUNDARY, *system):
        key = ((key ^ byte) * STEP) & MASK
    key = ((key ^ (key >> 33)) * MIX_1) & MASK
    key = ((key ^ (key >> 33)) * MIX_2) & MASK
    return key ^ (key >> 33) or 1


def put_keys(table: "array[int]", keys: bytes) -> list[int]:
    """Put packed 8-byte keys into a hash table; the indices of those that it had already.

    The table has a power of two of slots, more than it will hold; 0 is an empty slot, and no key.
    """
    last = len(table) - 1
    known = []
    for index, key in enumerate(memoryview(keys).cast("Q")):
        slot = key & last
        while table[slot] not in (0, key):
            slot = (slot + 1) & last
        if key and table[slot]:
            known.append(index)
        table[slot] = key
    return known


def count_lines(lines: bytes) -> int:
    """How many line feeds there are."""
    return lines.count(b"\n")
