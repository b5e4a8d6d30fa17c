cimport cython

from factable.kernels._sequences cimport NgramCounts, Ngrams
from factable.kernels._tokens cimport Lexicon


@cython.final
cdef class Counts:
    cdef dict vocabulary
    cdef Py_buffer[4] buffers
    cdef int held
    cdef Py_ssize_t rows
    cdef const unsigned int* totals
    cdef const long long* starts
    cdef const unsigned int* columns
    cdef const unsigned int* pairs

    cdef double share(self, int row, unsigned int column) noexcept
    cdef int hold(self, object source, Py_ssize_t size, bytes codes) except? -1


@cython.final
cdef class Entailment:
    cdef Counts counts
    # No weights at all; else probabilities (of the counts) or the share of tokens that the table has.
    cdef bint plain
    cdef bint chances
    # The first tokens of the example, as many as `known`, are those of the table.
    cdef unsigned int known
    # Per token its number in the counts and its probability, and the tokens of the table that are counted.
    cdef int* outside
    cdef double* chance
    cdef unsigned int* rows
    cdef size_t tokens_room
    # Per n-gram the sum, or the product, over its tokens; done for the first n-grams, as many as `ready`.
    cdef double* entailed
    cdef size_t room
    cdef unsigned int ready

    cdef int begin(self, Lexicon lexicon, unsigned int known, Ngrams ngrams) except? -1
    cdef void extend(self, Ngrams ngrams) noexcept
    cdef double precision(self, NgramCounts text, NgramCounts reference, int order) noexcept
    cdef double recall(self, NgramCounts text, NgramCounts reference, int order) noexcept
    cdef double weight(self, unsigned int ngram, int order) noexcept
    cdef int look_up(self, Lexicon lexicon) except? -1
    cdef int fit(self, size_t tokens, size_t ngrams) except? -1
