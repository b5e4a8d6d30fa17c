# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of nist.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array
from math import fsum

from cython.cimports.cpython.array import array as c_array
from cython.cimports.cpython.array import clone
from cython.cimports.factable.kernels._frequencies import Frequencies
from cython.cimports.factable.kernels._matches import Matcher
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.libc.math import log2
from cython.cimports.libc.stdlib import free

uint64 = cython.typedef(cython.ulonglong)

_UNKNOWN = cython.declare(cython.uint, 0xFFFFFFFF)
_doubles = cython.declare(c_array, array("d"))


@cython.final
@cython.cclass
class Scorer:
    """One call of sum_information: buffers for the n-grams of a text."""

    frequencies: Frequencies
    matcher: Matcher
    # Of each n-gram of the present text: its number among those counted, and how often it was.
    numbers: cython.p_uint
    counts: cython.p_uint
    room: cython.size_t

    def __cinit__(self, frequencies: Frequencies):
        self.frequencies = frequencies
        self.matcher = Matcher(frequencies.orders, "words")

    def __dealloc__(self):
        free(self.numbers)
        free(self.counts)

    @cython.cfunc
    @cython.exceptval(-1)
    def score(self, text: object, references: tuple, row: cython.p_double) -> cython.int:
        """Fill a row."""
        matcher: Matcher = self.matcher
        size: cython.size_t = len(references)
        matcher.begin(text, references)
        matcher.gather(size)
        if matcher.ngrams.room > self.room:
            room: cython.size_t = room_for(matcher.ngrams.room, self.room)
            self.numbers = cython.cast(cython.p_uint, grown(self.numbers, room, 4))
            self.counts = cython.cast(cython.p_uint, grown(self.counts, room, 4))
            self.room = room
        self.find_words()
        order: cython.int
        for order in range(matcher.orders):
            row[order] = self.sum_matches(order)
        row[matcher.orders] = cython.cast(cython.double, matcher.length)
        row[matcher.orders + 1] = cython.cast(cython.double, matcher.ends[size] - matcher.ends[0])
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_words(self) -> cython.void:
        """Find all words of the text and its references among those counted."""
        token: cython.uint
        for token in range(self.matcher.lexicon.tokens):
            number: cython.uint = self.frequencies.find_word(self.matcher.lexicon, token)
            self.numbers[token] = number
            self.counts[token] = 0 if number == _UNKNOWN else self.frequencies.word_counts[number]

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_longer(self, ngram: cython.uint) -> cython.void:
        """Find a longer n-gram among those counted, its beginning and words being found."""
        key: uint64 = self.matcher.ngrams.keys[ngram]
        begun: cython.uint = self.numbers[key >> 32]
        last: cython.uint = self.numbers[cython.cast(cython.uint, key)]
        slot: cython.size_t = self.frequencies.slot_of((cython.cast(uint64, begun) << 32) | last)
        self.counts[ngram] = self.frequencies.slots[slot].count
        self.numbers[ngram] = self.frequencies.slots[slot].number if self.counts[ngram] else _UNKNOWN

    @cython.cfunc
    @cython.exceptval(-1.0)
    def sum_matches(self, order: cython.int) -> cython.double:
        """The information of the matching n-grams of one order; those of the order before are found."""
        matcher: Matcher = self.matcher
        begin: cython.size_t = order * matcher.length
        parts: list = []
        index: cython.size_t
        for index in range(begin, begin + matcher.in_text.distinct[order]):
            ngram: cython.uint = matcher.in_text.listed[index]
            above: cython.uint = self.frequencies.total
            if order > 0:
                self.find_longer(ngram)
                above = self.counts[matcher.ngrams.keys[ngram] >> 32]
            times: cython.int = min(matcher.in_text.counts[ngram], matcher.most[index])
            if times and self.counts[ngram]:
                ratio: cython.double = cython.cast(cython.double, above) / self.counts[ngram]
                parts.append(log2(ratio) * times)
        return fsum(parts)


# Another thread may shorten a list meanwhile.
@cython.boundscheck(True)
def sum_information(texts, references, frequencies):
    """What the n-grams that a text shares with its references say, a row per text."""
    scorer: Scorer = Scorer(frequencies)
    if len(texts) != len(references):
        raise ValueError("there must be references for each text")
    size: cython.Py_ssize_t = len(texts)
    width: cython.Py_ssize_t = scorer.matcher.orders + 2
    rows: c_array = clone(_doubles, size * width, False)
    index: cython.Py_ssize_t
    for index in range(size):
        scorer.score(texts[index], tuple(references[index]), rows.data.as_doubles + index * width)
    return rows
