cimport cython


@cython.final
cdef class Lexicon:
    # Bytes of all tokens of the example, and for each token its place, length and hash.
    cdef unsigned char* letters
    cdef size_t letters_used
    cdef size_t letters_room
    cdef unsigned int* token_index
    cdef unsigned int* token_length
    cdef unsigned int* token_hash
    cdef unsigned int tokens
    cdef size_t tokens_room
    # Hash table: token number by hash; a slot counts only if its generation is the present one.
    cdef unsigned int* slots
    cdef unsigned int* slot_generation
    cdef size_t slots_size
    cdef unsigned int generation
    # Token numbers of all texts of the example, one text after the other.
    cdef unsigned int* sequence
    cdef size_t used
    cdef size_t sequence_room

    cdef int begin(self) except? -1
    cdef int add_text(self, object text, int mode) except? -1
    cdef int add_name(self, str name) except? -1
    cdef str token_text(self, unsigned int token)
    cdef int add_ascii(self, const unsigned char* characters, size_t length, int mode) except? -1
    cdef int add_wide(self, object text, size_t length, int mode) except? -1
    cdef int add_token(self, size_t start, size_t end, unsigned int hashed) except? -1
    cdef unsigned int number(self, size_t start, size_t end, unsigned int hashed) except? 0xFFFFFFFF
    cdef int reserve(self, size_t letters, size_t tokens) except? -1
    cdef int hold_tokens(self, size_t room) except? -1
    cdef int hold_slots(self, size_t size) except? -1
