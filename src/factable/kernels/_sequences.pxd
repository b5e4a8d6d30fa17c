cimport cython


@cython.final
cdef class Ngrams:
    cdef readonly int orders
    # N-grams in use; the first are the single tokens.
    cdef unsigned int used
    cdef size_t room
    # Of each longer n-gram: the number of the n-gram without its last token, times 2^32, plus that token.
    cdef unsigned long long* keys
    # Hash table: n-gram number by key; a slot counts only if its generation is the present one.
    cdef unsigned int* slots
    cdef unsigned int* slot_generation
    cdef size_t slots_size
    cdef unsigned int generation

    cdef int begin(self, unsigned int tokens, size_t length) except? -1
    cdef unsigned int longer(self, unsigned int ngram, unsigned int token) noexcept
    cdef int hold(self, size_t room) except? -1


@cython.final
cdef class NgramCounts:
    cdef int orders
    cdef size_t length
    # How often the sequence has each n-gram; zero for all n-grams that it has not.
    cdef int* counts
    cdef size_t room
    # The different n-grams in order of appearance, a row of `length` per order, and how many each row holds.
    cdef unsigned int* listed
    cdef size_t listed_room
    cdef unsigned int* distinct

    cdef int count(self, Ngrams ngrams, const unsigned int* sequence, size_t length) except? -1
    cdef int fit(self, Ngrams ngrams, size_t length) except? -1
    cdef void forget(self) noexcept


@cython.final
cdef class Indices:
    # Per token its last place in the text, -1 for none; per place the earlier place of the same token.
    cdef int* latest
    cdef size_t tokens_room
    cdef int* earlier
    cdef int* thresholds
    cdef size_t places_room

    cdef int mark(self, const unsigned int* text, size_t length, unsigned int tokens) except? -1
    cdef void unmark(self, const unsigned int* text, size_t length) noexcept
    cdef size_t common_length(self, const unsigned int* other, size_t length) noexcept
    cdef int fit(self, size_t length, unsigned int tokens) except? -1
