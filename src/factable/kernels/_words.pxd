cimport cython

from factable.kernels._tokens cimport Lexicon


@cython.final
cdef class Words:
    cdef Lexicon lexicon
    cdef object reading
    cdef int mode
    cdef bint words_only
    cdef bint stems
    # What each token counts as: a token number, UNASKED or NOTHING.
    cdef unsigned int* counted_as
    cdef unsigned int ready
    cdef size_t room
    # The words of text i of the example lie between ends[i] and ends[i + 1] of the sequence.
    cdef size_t* ends
    cdef size_t texts
    cdef size_t texts_room

    cdef int begin(self) except? -1
    cdef int add(self, object text) except? -1
    cdef int close(self, size_t end) except? -1
    cdef void keep(self, size_t texts) noexcept
    cdef unsigned int ask(self, unsigned int token) except? 0xFFFFFFFD
    cdef bint is_plain(self, unsigned int token) noexcept
    cdef int fit(self) except? -1
