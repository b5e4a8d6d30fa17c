# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of reading.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.array import array as c_array
from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.factable.kernels._letters import write_letter
from cython.cimports.factable.kernels._objects import named_tuple
from cython.cimports.libc.string import memchr, memcpy

from factable.kernels.reading import BOUNDARY, MIX_1, MIX_2, START, STEP, NoRecordError, to_text
from factable.types import Record

uint64 = cython.typedef(cython.ulonglong)

_START = cython.declare(uint64, START)
_STEP = cython.declare(uint64, STEP)
_MIX_1 = cython.declare(uint64, MIX_1)
_MIX_2 = cython.declare(uint64, MIX_2)
_BOUNDARY = cython.declare(uint64, BOUNDARY)


def make_records(rows: list):
    """Records of a list of three-string lists; None where any row is something else."""
    size: cython.Py_ssize_t = len(rows)
    records: list = [None] * size
    index: cython.Py_ssize_t
    position: cython.Py_ssize_t
    for index in range(size):
        row = rows[index]
        if type(row) is not list or len(cython.cast(list, row)) != 3:
            return None
        for position in range(3):
            if type(cython.cast(list, row)[position]) is not str:
                return None
        records[index] = named_tuple(
            Record, cython.cast(list, row)[0], cython.cast(list, row)[1], cython.cast(list, row)[2]
        )
    return tuple(records)


def flatten(
    data: object,
    subject: str,
    max_records: cython.Py_ssize_t,
    max_depth: cython.int,
    max_name: cython.Py_ssize_t,
):
    """Records of an object, with paths as attributes, at most so many."""
    records: list = []
    _flatten(data, subject, "", 0, records, max_records, max_depth, max_name)
    return tuple(records)


def flatten_rows(
    rows: list, max_records: cython.Py_ssize_t, max_depth: cython.int, max_name: cython.Py_ssize_t
):
    """Records of the rows of a table, at most so many; the first column of a row is its subject."""
    records: list = []
    for row in rows:
        if len(records) >= max_records:
            break
        first = True
        for key in row:
            header = row[key]
            break
        if (
            len(row) < 2
            or header is None
            or isinstance(header, (dict, list, tuple))
            or (isinstance(header, float) and header != header)
        ):
            _flatten(row, "", "", 0, records, max_records, max_depth, max_name)
            continue
        subject: str = _to_text(header, "a row")
        for key, value in row.items():
            if first:
                first = False
            elif len(records) < max_records:
                _flatten(value, subject, str(key), 1, records, max_records, max_depth, max_name)
    return tuple(records)


@cython.cfunc
@cython.exceptval(-1)
def _flatten(
    value: object,
    subject: str,
    path: str,
    depth: cython.int,
    records: list,
    max_records: cython.Py_ssize_t,
    max_depth: cython.int,
    max_name: cython.Py_ssize_t,
) -> cython.int:
    """Append the records of a value until there are enough."""
    index: cython.Py_ssize_t
    name: str
    if depth > max_depth:
        raise NoRecordError("depth")
    if isinstance(value, str):
        records.append(named_tuple(Record, subject, path, value))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if len(records) >= max_records:
                return 0
            name = _check_name(f"{path}.{key}", max_name) if path else str(key)
            _flatten(inner, subject, name, depth + 1, records, max_records, max_depth, max_name)
    elif isinstance(value, (list, tuple)):
        index = 0
        for inner in value:
            if len(records) >= max_records:
                return 0
            name = path
            if isinstance(inner, (dict, list, tuple)):
                name = _check_name(f"{path}[{index}]", max_name)
            _flatten(inner, subject, name, depth + 1, records, max_records, max_depth, max_name)
            index += 1
    elif value is not None and not (isinstance(value, float) and value != value):
        records.append(named_tuple(Record, subject, path, _to_text(value, path)))
    return 0


@cython.cfunc
def _check_name(name: str, max_name: cython.Py_ssize_t) -> str:
    if len(name) > max_name:
        raise NoRecordError("name", name)
    return name


@cython.cfunc
def _to_text(value: object, path: str) -> str:
    return value if type(value) is str else to_text(value, path)


def count_colons(raw: bytes) -> int:
    """How many colons valid JSON has outside its strings."""
    size: cython.Py_ssize_t = len(raw)
    letters: cython.p_char = raw
    index: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    while index < size:
        letter: cython.char = letters[index]
        if letter == 34:  # a quotation mark: on to the one that ends the string
            index += 1
            while index < size and letters[index] != 34:
                # After a backslash, any character is part of the string.
                index += 2 if letters[index] == 92 else 1
        elif letter == 58:
            count += 1
        index += 1
    return count


def count_names(value: object) -> int:
    """How many names the objects in a parsed JSON value have together."""
    count: cython.Py_ssize_t = 0
    waiting: list = [value]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            count += len(cython.cast(dict, inner))
            for member in cython.cast(dict, inner).values():
                if type(member) is dict or type(member) is list:
                    waiting.append(member)
        elif type(inner) is list:
            for member in cython.cast(list, inner):
                if type(member) is dict or type(member) is list:
                    waiting.append(member)
    return count


@cython.cfunc
@cython.exceptval(0)
def hash_name(name: object, key: uint64) -> uint64:
    """The FNV hash in 64 bits, continued with the UTF-8 bytes of a name."""
    if not isinstance(name, str):
        raise TypeError(f"item and system must be str, not {type(name).__name__}")
    width: cython.int = PyUnicode_KIND(name)
    characters: cython.p_void = PyUnicode_DATA(name)
    letters = cython.declare(cython.uchar[4])
    index: cython.Py_ssize_t
    position: cython.size_t
    for index in range(PyUnicode_GET_LENGTH(name)):
        for position in range(write_letter(letters, 0, PyUnicode_READ(width, characters, index))):
            key = (key ^ letters[position]) * _STEP
    return key


@cython.boundscheck(True)
def fingerprints(examples):
    """Eight bytes for each example, one after the other."""
    size: cython.Py_ssize_t = len(examples)
    joined = bytearray(8 * size)
    to: cython.p_uchar = joined
    index: cython.Py_ssize_t
    byte: cython.int
    for index in range(size):
        example = examples[index]
        key: uint64 = hash_name(example.item, _START)
        key = hash_name(example.system, (key ^ _BOUNDARY) * _STEP)
        key = (key ^ (key >> 33)) * _MIX_1
        key = (key ^ (key >> 33)) * _MIX_2
        key ^= key >> 33
        if key == 0:
            key = 1
        for byte in range(8):
            to[8 * index + byte] = cython.cast(cython.uchar, (key >> (8 * byte)) & 0xFF)
    return bytes(joined)


def put_keys(table: c_array, keys: bytes):
    """Put packed 8-byte keys into a hash table; the indices of those that it had already."""
    if len(table) == 0 or table.ob_descr.itemsize != 8:
        raise TypeError("a table of keys is an array of 8-byte numbers")
    slots: cython.pointer[uint64] = cython.cast(cython.pointer[uint64], table.data.as_voidptr)
    last: cython.size_t = len(table) - 1
    count: cython.Py_ssize_t = len(keys) // 8
    letters: cython.p_char = keys
    known: list = []
    index: cython.Py_ssize_t
    key: uint64 = 0
    for index in range(count):
        memcpy(cython.address(key), letters + 8 * index, 8)
        slot: cython.size_t = key & last
        while slots[slot] != 0 and slots[slot] != key:
            slot = (slot + 1) & last
        if key != 0 and slots[slot] != 0:
            known.append(index)
        slots[slot] = key
    return known


def count_lines(lines: bytes) -> int:
    """How many line feeds there are."""
    place: cython.p_char = lines
    end: cython.p_char = place + len(lines)
    count: cython.Py_ssize_t = 0
    while True:
        place = cython.cast(cython.p_char, memchr(place, 10, end - place))
        if place == cython.NULL:
            return count
        count += 1
        place += 1
