# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of reading.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.factable.kernels._letters import write_letter

from factable.kernels.reading import BOUNDARY, MIX_1, MIX_2, START, STEP
from factable.types import Record

uint64 = cython.typedef(cython.ulonglong)

_new_tuple = cython.declare(object, tuple.__new__)
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
        # A Record made as the tuple it is, without the Python code of its class.
        records[index] = _new_tuple(Record, row)
    return tuple(records)


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
        for byte in range(8):
            to[8 * index + byte] = cython.cast(cython.uchar, (key >> (8 * byte)) & 0xFF)
    return bytes(joined)
