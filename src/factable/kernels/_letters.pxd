"""Characters as UTF-8 bytes, and a hash over characters."""

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)


cdef inline size_t write_letter(unsigned char* letters, size_t index, unsigned int code) noexcept:
    """Put the UTF-8 bytes of a character (also of half a surrogate pair) at a place; the place after them."""
    cdef unsigned char* to = letters + index
    if code < 0x80:
        to[0] = code
        return index + 1
    if code < 0x800:
        to[0] = 0xC0 | (code >> 6)
        to[1] = 0x80 | (code & 0x3F)
        return index + 2
    if code < 0x10000:
        to[0] = 0xE0 | (code >> 12)
        to[1] = 0x80 | ((code >> 6) & 0x3F)
        to[2] = 0x80 | (code & 0x3F)
        return index + 3
    to[0] = 0xF0 | (code >> 18)
    to[1] = 0x80 | ((code >> 12) & 0x3F)
    to[2] = 0x80 | ((code >> 6) & 0x3F)
    to[3] = 0x80 | (code & 0x3F)
    return index + 4


cdef enum:
    # Any start would do; this one fits in an int.
    EMPTY_HASH = 0x11C9DC5


cdef inline unsigned int hash_on(unsigned int hashed, unsigned int character) noexcept:
    """One step of the hash of Fowler, Noll and Vo."""
    return (hashed ^ character) * 16777619
