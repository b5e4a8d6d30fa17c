# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of mteval.py: each rule is one pass over the characters."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.libc.stdlib import calloc, free, malloc

from factable.kernels.mteval import SYMBOLS

_BLANK = cython.declare(cython.uint, ord(" "))
_DASH = cython.declare(cython.uint, ord("-"))
_symbols = cython.declare(cython.p_uchar, cython.cast(cython.p_uchar, calloc(128, 1)))
for _symbol in SYMBOLS:
    _symbols[cython.cast(cython.int, ord(_symbol))] = 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_digit(character: cython.uint) -> cython.bint:
    return 48 <= character <= 57


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_mark(character: cython.uint) -> cython.bint:
    """Whether a character is a full stop or a comma."""
    return character == 46 or character == 44


@cython.cfunc
@cython.exceptval(check=False)
def spread_symbols(text: object, length: cython.size_t, to: cython.p_uint) -> cython.size_t:
    """The first rule, and white space at both ends; how many characters there are then."""
    width: cython.int = PyUnicode_KIND(text)
    characters: cython.p_void = PyUnicode_DATA(text)
    size: cython.size_t = 1
    index: cython.size_t
    to[0] = _BLANK
    for index in range(length):
        character: cython.uint = PyUnicode_READ(width, characters, index)
        if character < 128 and _symbols[character]:
            to[size] = _BLANK
            to[size + 1] = character
            to[size + 2] = _BLANK
            size += 3
        else:
            to[size] = character
            size += 1
    to[size] = _BLANK
    return size + 1


@cython.cfunc
@cython.exceptval(check=False)
def spread_pairs(
    source: cython.p_uint, length: cython.size_t, to: cython.p_uint, rule: cython.int
) -> cython.size_t:
    """One of the rules about two neighbours; a pair that was changed is passed over as a whole."""
    size: cython.size_t = 0
    index: cython.size_t = 0
    while index < length:
        here: cython.uint = source[index]
        after: cython.uint = source[index + 1] if index + 1 < length else 0
        applies: cython.bint = index + 1 < length
        if rule == 1:
            applies = applies and is_mark(after) and not is_digit(here)
        elif rule == 2:
            applies = applies and is_mark(here) and not is_digit(after)
        else:
            applies = applies and after == _DASH and is_digit(here)
        if not applies:
            to[size] = here
            size += 1
            index += 1
            continue
        # The second rule has its blanks around the first of the two, the others around the second.
        to[size] = _BLANK if rule == 2 else here
        to[size + 1] = here if rule == 2 else _BLANK
        to[size + 2] = _BLANK if rule == 2 else after
        to[size + 3] = after if rule == 2 else _BLANK
        size += 4
        index += 2
    return size


def separate(text: str):
    """The text with white space around everything that is a token."""
    length: cython.size_t = len(text)
    # A symbol becomes three characters, a pair four.
    source: cython.p_uint = cython.cast(cython.p_uint, malloc(4 * (3 * length + 2)))
    if source == cython.NULL:
        raise MemoryError("no memory left for scoring")
    length = spread_symbols(text, length, source)
    rule: cython.int
    for rule in range(1, 4):
        target: cython.p_uint = cython.cast(cython.p_uint, malloc(4 * 2 * length))
        if target == cython.NULL:
            free(source)
            raise MemoryError("no memory left for scoring")
        length = spread_pairs(source, length, target, rule)
        free(source)
        source = target
    try:
        return PyUnicode_FromKindAndData(4, source, length)
    finally:
        free(source)
