# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How far a table entails the n-grams of a text, and PARENT's precision and recall of one order."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.buffer import (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._sequences import NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.libc.math import pow as power
from cython.cimports.libc.stdlib import free


@cython.cclass
class Counts:
    """Co-occurrence counts as C arrays; metrics/parent/counts.py has checked that they fit together."""

    def __cinit__(self, counts):
        self.vocabulary = counts.vocabulary
        self.hold(counts.totals, 4, b"IL")
        self.hold(counts.starts, 8, b"lq")
        self.hold(counts.columns, 4, b"IL")
        self.hold(counts.pairs, 4, b"IL")
        self.rows = self.buffers[0].shape[0]
        self.totals = cython.cast(cython.p_uint, self.buffers[0].buf)
        self.starts = cython.cast(cython.p_longlong, self.buffers[1].buf)
        self.columns = cython.cast(cython.p_uint, self.buffers[2].buf)
        self.pairs = cython.cast(cython.p_uint, self.buffers[3].buf)

    def __dealloc__(self):
        index: cython.int
        for index in range(self.held):
            PyBuffer_Release(cython.address(self.buffers[index]))

    @cython.cfunc
    @cython.exceptval(-1)
    def hold(self, source: object, size: cython.Py_ssize_t, codes: bytes) -> cython.int:
        """Take the buffer of an array; memory views would do it too, but make every import slower."""
        PyObject_GetBuffer(source, cython.address(self.buffers[self.held]), PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
        buffer = cython.address(self.buffers[self.held])
        self.held += 1
        if buffer.ndim != 1 or buffer.itemsize != size or buffer.format[0] not in codes:
            raise ValueError(f"counts need an array of one dimension and {size}-byte whole numbers")
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def share(self, row: cython.int, column: cython.uint) -> cython.double:
        """How often the text has `column` where the table has `row`."""
        low: cython.longlong = self.starts[row]
        end: cython.longlong = self.starts[row + 1]
        high: cython.longlong = end
        while low < high:
            middle: cython.longlong = (low + high) // 2
            if self.columns[middle] < column:
                low = middle + 1
            else:
                high = middle
        if low < end and self.columns[low] == column and self.totals[row]:
            return cython.cast(cython.double, self.pairs[low]) / self.totals[row]
        return 0.0


@cython.cclass
class Entailment:
    """w(g) for the n-grams of one example at a time."""

    def __cinit__(self, entailment, counts):
        self.plain = entailment == "none"
        self.chances = entailment == "cooccurrence"
        if self.chances:
            if counts is None:
                raise ValueError('entailment="cooccurrence" needs counts')
            self.counts = Counts(counts)

    def __dealloc__(self):
        free(self.outside)
        free(self.chance)
        free(self.rows)
        free(self.entailed)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self, lexicon: Lexicon, known: cython.uint, ngrams: Ngrams) -> cython.int:
        """Weigh the single tokens of an example, of which the first, as many as `known`, are the table's."""
        self.known = known
        self.ready = lexicon.tokens
        if self.plain:
            return 0
        self.fit(lexicon.tokens, ngrams.room)
        if self.chances:
            self.look_up(lexicon)
        token: cython.uint
        for token in range(lexicon.tokens):
            self.entailed[token] = (
                self.chance[token] if self.chances else cython.cast(cython.double, token < known)
            )
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def look_up(self, lexicon: Lexicon) -> cython.int:
        """P(token | table) of every token by the co-occurrence model."""
        counts: Counts = self.counts
        token: cython.uint
        rows: cython.size_t = 0
        for token in range(lexicon.tokens):
            number: cython.int = counts.vocabulary.get(lexicon.token_text(token), -1)
            if number >= counts.rows:
                raise ValueError("a token of the counts has no row")
            self.outside[token] = number
            if token < self.known and number >= 0:
                self.rows[rows] = number
                rows += 1
        for token in range(lexicon.tokens):
            best: cython.double = 1.0 if token < self.known else 0.0
            if best == 0.0 and self.outside[token] >= 0:
                row: cython.size_t
                for row in range(rows):
                    best = max(best, counts.share(self.rows[row], self.outside[token]))
            self.chance[token] = best
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def extend(self, ngrams: Ngrams) -> cython.void:
        """Weigh the n-grams that were numbered since; each goes on from one that is weighed already."""
        if self.plain:
            return
        ngram: cython.uint
        for ngram in range(self.ready, ngrams.used):
            begun: cython.double = self.entailed[ngrams.keys[ngram] >> 32]
            token: cython.uint = cython.cast(cython.uint, ngrams.keys[ngram])
            if self.chances:
                self.entailed[ngram] = begun * self.chance[token]
            else:
                self.entailed[ngram] = begun + cython.cast(cython.double, token < self.known)
        self.ready = ngrams.used

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def weight(self, ngram: cython.uint, order: cython.int) -> cython.double:
        if self.chances:
            return power(self.entailed[ngram], 1.0 / order)
        return self.entailed[ngram] / order

    @cython.cfunc
    @cython.exceptval(check=False)
    def precision(self, text: NgramCounts, reference: NgramCounts, order: cython.int) -> cython.double:
        if text.length < cython.cast(cython.size_t, order):
            return 0.0
        listed: cython.p_uint = text.listed + (order - 1) * text.length
        rewarded: cython.double = 0.0
        index: cython.size_t
        for index in range(text.distinct[order - 1]):
            ngram: cython.uint = listed[index]
            count: cython.double = text.counts[ngram]
            matched: cython.double = min(1.0, reference.counts[ngram] / count)
            weight: cython.double = 0.0 if self.plain else self.weight(ngram, order)
            rewarded += count * (matched + (1 - matched) * weight)
        return rewarded / (text.length - order + 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def recall(self, text: NgramCounts, reference: NgramCounts, order: cython.int) -> cython.double:
        listed: cython.p_uint = reference.listed + (order - 1) * reference.length
        matched: cython.double = 0.0
        total: cython.double = 0.0
        index: cython.size_t
        for index in range(reference.distinct[order - 1]):
            ngram: cython.uint = listed[index]
            count: cython.double = reference.counts[ngram]
            weight: cython.double = count * (1.0 if self.plain else self.weight(ngram, order))
            matched += weight * min(1.0, text.counts[ngram] / count)
            total += weight
        return matched / total if total != 0.0 else 1.0

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, tokens: cython.size_t, ngrams: cython.size_t) -> cython.int:
        if ngrams > self.room:
            self.entailed = cython.cast(cython.p_double, grown(self.entailed, ngrams, 8))
            self.room = ngrams
        if self.chances and tokens > self.tokens_room:
            tokens = room_for(tokens, self.tokens_room)
            self.outside = cython.cast(cython.p_int, grown(self.outside, tokens, 4))
            self.chance = cython.cast(cython.p_double, grown(self.chance, tokens, 8))
            self.rows = cython.cast(cython.p_uint, grown(self.rows, tokens, 4))
            self.tokens_room = tokens
        return 0
