# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of matches.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.cpython.array import array as c_array
from cython.cimports.cpython.array import clone
from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.factable.kernels._letters import EMPTY_HASH, hash_on, write_letter
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._sequences import NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memset

from factable.kernels.matches import UNITS
from factable.kernels.tokens import TOKENIZERS

# Splits as str.split() does.
_SPLIT = cython.declare(cython.int, TOKENIZERS.index("whitespace-cased"))
_ints = cython.declare(c_array, array("i"))


@cython.cclass
class Matcher:
    """One text with its references at a time, as numbered tokens; buffers are reused."""

    def __cinit__(self, orders: cython.int, unit: str):
        self.characters = UNITS.index(unit) == UNITS.index("characters")
        self.orders = orders
        self.lexicon = Lexicon()
        self.ngrams = Ngrams(orders)
        self.in_text = NgramCounts(orders)
        self.in_reference = NgramCounts(orders)

    def __dealloc__(self):
        free(self.ends)
        free(self.most)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self, text: object, references: tuple) -> cython.int:
        """Number the tokens of a text and its references, and count the n-grams of the text."""
        lexicon: Lexicon = self.lexicon
        lexicon.begin()
        self.add(text)
        self.length = lexicon.used
        needed: cython.size_t = len(references) + 1
        if needed > self.ends_room:
            needed = room_for(needed, self.ends_room)
            self.ends = cython.cast(cython.p_size_t, grown(self.ends, needed, cython.sizeof(cython.size_t)))
            self.ends_room = needed
        self.ends[0] = lexicon.used
        index: cython.size_t = 0
        for reference in references:
            self.add(reference)
            index += 1
            self.ends[index] = lexicon.used
        self.ngrams.begin(lexicon.tokens, lexicon.used)
        return self.in_text.count(self.ngrams, lexicon.sequence, self.length)

    @cython.cfunc
    @cython.exceptval(-1)
    def add(self, text: object) -> cython.int:
        if not self.characters:
            return self.lexicon.add_text(text, _SPLIT)
        if not isinstance(text, str):
            raise TypeError(f"a text must be a str, not {type(text).__name__}")
        lexicon: Lexicon = self.lexicon
        length: cython.size_t = PyUnicode_GET_LENGTH(text)
        lexicon.reserve(4 * length, length)
        width: cython.int = PyUnicode_KIND(text)
        characters: cython.p_void = PyUnicode_DATA(text)
        index: cython.size_t
        for index in range(length):
            character: cython.uint = PyUnicode_READ(width, characters, index)
            end: cython.size_t = write_letter(lexicon.letters, lexicon.letters_used, character)
            lexicon.add_token(lexicon.letters_used, end, hash_on(EMPTY_HASH, character))
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def count_reference(self, index: cython.size_t) -> cython.int:
        begin: cython.size_t = self.ends[index]
        length: cython.size_t = self.ends[index + 1] - begin
        return self.in_reference.count(self.ngrams, self.lexicon.sequence + begin, length)

    @cython.cfunc
    @cython.exceptval(check=False)
    def matches(self, order: cython.int) -> cython.int:
        """How many n-grams of the text the present reference has."""
        ngrams: cython.p_uint = self.in_text.listed + order * self.in_text.length
        in_text: cython.p_int = self.in_text.counts
        in_reference: cython.p_int = self.in_reference.counts
        total: cython.int = 0
        index: cython.uint
        for index in range(self.in_text.distinct[order]):
            total += min(in_text[ngrams[index]], in_reference[ngrams[index]])
        return total

    @cython.cfunc
    @cython.exceptval(-1)
    def gather(self, references: cython.size_t) -> cython.int:
        """Find for each n-gram of the text the most that one reference has of it."""
        size: cython.size_t = self.orders * self.length
        if size > self.most_room:
            room: cython.size_t = room_for(size, self.most_room)
            self.most = cython.cast(cython.p_int, grown(self.most, room, 4))
            self.most_room = room
        if size > 0:
            memset(self.most, 0, 4 * size)
        reference: cython.size_t
        order: cython.int
        index: cython.uint
        for reference in range(references):
            self.count_reference(reference)
            for order in range(self.orders):
                row: cython.size_t = order * self.length
                for index in range(self.in_text.distinct[order]):
                    count: cython.int = self.in_reference.counts[self.in_text.listed[row + index]]
                    if count > self.most[row + index]:
                        self.most[row + index] = count
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def clipped(self, order: cython.int) -> cython.int:
        """How many n-grams of the text all references together have."""
        row: cython.size_t = order * self.length
        total: cython.int = 0
        index: cython.uint
        for index in range(self.in_text.distinct[order]):
            total += min(self.in_text.counts[self.in_text.listed[row + index]], self.most[row + index])
        return total

    @cython.cfunc
    @cython.exceptval(check=False)
    def closest(self, references: cython.size_t) -> cython.int:
        """The length of the reference closest to the text's, the shorter one of two; 0 of none."""
        length: cython.int = cython.cast(cython.int, self.length)
        best: cython.int = 0
        reference: cython.size_t
        for reference in range(references):
            size: cython.int = cython.cast(cython.int, self.ends[reference + 1] - self.ends[reference])
            nearer: cython.int = abs(size - length) - abs(best - length)
            if reference == 0 or nearer < 0 or (nearer == 0 and size < best):
                best = size
        return best


# Another thread may shorten a list meanwhile.
@cython.boundscheck(True)
def count_clipped(texts, references, orders, unit):
    """Against all references of a text at once, a row per text, as BLEU counts."""
    matcher: Matcher = Matcher(orders, unit)
    if len(texts) != len(references):
        raise ValueError("there must be references for each text")
    size: cython.Py_ssize_t = len(texts)
    width: cython.Py_ssize_t = 2 + matcher.orders
    rows: c_array = clone(_ints, size * width, False)
    row: cython.p_int = rows.data.as_ints
    index: cython.Py_ssize_t
    order: cython.int
    for index in range(size):
        others: tuple = tuple(references[index])
        count: cython.size_t = len(others)
        matcher.begin(texts[index], others)
        matcher.gather(count)
        row[0] = cython.cast(cython.int, matcher.length)
        row[1] = matcher.closest(count)
        for order in range(matcher.orders):
            row[2 + order] = matcher.clipped(order)
        row += width
    return rows


@cython.boundscheck(True)
def count_each(texts, references, orders, unit):
    """Against each reference, a row per pair, text after text: both numbers of tokens, matches per order."""
    matcher: Matcher = Matcher(orders, unit)
    if len(texts) != len(references):
        raise ValueError("there must be references for each text")
    # Tuples, which cannot grow while their rows are written.
    groups: list = [tuple(group) for group in references]
    width: cython.Py_ssize_t = 2 + matcher.orders
    rows: c_array = clone(_ints, sum(map(len, groups)) * width, False)
    row: cython.p_int = rows.data.as_ints
    index: cython.Py_ssize_t
    reference: cython.size_t
    order: cython.int
    for index in range(len(groups)):
        others: tuple = groups[index]
        count: cython.size_t = len(others)
        matcher.begin(texts[index], others)
        for reference in range(count):
            matcher.count_reference(reference)
            row[0] = cython.cast(cython.int, matcher.length)
            row[1] = cython.cast(cython.int, matcher.ends[reference + 1] - matcher.ends[reference])
            for order in range(matcher.orders):
                row[2 + order] = matcher.matches(order)
            row += width
    return rows
