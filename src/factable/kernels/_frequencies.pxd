cimport cython

from factable.kernels._sequences cimport NgramCounts, Ngrams
from factable.kernels._tokens cimport Lexicon
from factable.kernels._words cimport Words


cdef struct Slot:
    unsigned long long key
    unsigned int number
    # How often the n-gram was counted; zero in an empty slot.
    unsigned int count


@cython.final
cdef class Frequencies:
    cdef readonly object reading
    cdef readonly int orders
    # Documents counted, or words.
    cdef readonly unsigned int total
    # All words, and how often each was counted.
    cdef Lexicon known
    cdef unsigned int* word_counts
    cdef size_t words_room
    # Hash table of all longer n-grams: everything about one in one place, so that it costs one cache line.
    cdef Slot* slots
    cdef size_t size
    cdef int shift
    cdef unsigned int longer
    # The present texts, and the number of each of their n-grams among those of all.
    cdef Words words
    cdef Ngrams ngrams
    cdef NgramCounts in_reference
    cdef unsigned int* numbers
    cdef size_t numbers_room

    cdef int count_words(self) except? -1
    cdef int grow_total(self, size_t more) except? -1
    cdef int begin_ngrams(self) except? -1
    cdef int count_longer(self, unsigned int fresh, unsigned int times) except? -1
    cdef unsigned int find_word(self, Lexicon lexicon, unsigned int token) noexcept
    cdef unsigned int add_word(self, Lexicon lexicon, unsigned int token) except? 0xFFFFFFFF
    cdef void look_ahead(self, unsigned long long key) noexcept
    cdef size_t slot_of(self, unsigned long long key) noexcept
    cdef unsigned int put(self, unsigned long long key, unsigned int count) except? 0xFFFFFFFF
    cdef int hold(self, size_t size) except? -1
