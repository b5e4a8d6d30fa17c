cimport cython

from factable.kernels._sequences cimport NgramCounts, Ngrams
from factable.kernels._tokens cimport Lexicon


@cython.final
cdef class Matcher:
    cdef Lexicon lexicon
    cdef Ngrams ngrams
    cdef NgramCounts in_text
    cdef NgramCounts in_reference
    cdef int orders
    cdef bint characters
    cdef size_t length
    # Reference i lies between ends[i] and ends[i + 1] of the sequence; the text lies before all.
    cdef size_t* ends
    cdef size_t ends_room
    # Of each n-gram of the text, in the order of its list: the most that one reference has of it.
    cdef int* most
    cdef size_t most_room

    cdef int begin(self, object text, tuple references) except? -1
    cdef int add(self, object text) except? -1
    cdef int count_reference(self, size_t index) except? -1
    cdef int matches(self, int order) noexcept
    cdef int gather(self, size_t references) except? -1
    cdef int clipped(self, int order) noexcept
    cdef int closest(self, size_t references) noexcept
