"""Growth of C arrays, and reading ahead in them."""

from libc.stdlib cimport realloc


cdef inline void* grown(void* block, size_t count, size_t size) except NULL:
    """The block with room for `count` elements of `size` bytes; the caller's pointer holds if this fails."""
    cdef void* larger = realloc(block, count * size)
    if larger == NULL:
        raise MemoryError("no memory left for scoring")
    return larger


cdef inline size_t room_for(size_t needed, size_t room) noexcept:
    """Twice the old room, so that slow growth costs little, or what is needed if that is more."""
    return max(needed, 2 * room)


cdef inline size_t table_size(size_t entries) noexcept:
    """The power of two, 1024 or more, that leaves at least half of a hash table empty."""
    cdef size_t size = 1024
    while size < 2 * entries:
        size *= 2
    return size


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define FACTABLE_PREFETCH(place) __builtin_prefetch(place)
    #else
    #define FACTABLE_PREFETCH(place) ((void) (place))
    #endif
    """
    # Begin to fetch a place that will be read soon: waits for memory then overlap.
    void prefetch "FACTABLE_PREFETCH" (const void* index) noexcept
