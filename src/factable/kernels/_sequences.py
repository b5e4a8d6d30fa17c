# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-grams and common subsequences of token numbers, for every metric that counts or compares them.

An n-gram is found by the pair (number of the n-gram without its last token, last token), so numbers are
exact, and an n-gram's number is higher than that of its beginning.
"""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.factable.kernels._memory import grown, room_for, table_size
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memset

uint64 = cython.typedef(cython.ulonglong)
p_uint64 = cython.typedef(cython.p_ulonglong)

# 2^64 over the golden ratio: a multiplier that spreads neighbouring keys.
_GOLDEN = cython.declare(uint64, 0x9E3779B97F4A7C15)
_MOST = cython.declare(cython.size_t, 0x7FFFFFFF)


@cython.cclass
class Ngrams:
    """Numbers for the n-grams of one example at a time, up to a length of `orders`."""

    def __cinit__(self, orders: cython.int):
        if orders < 1:
            raise ValueError("n-grams have at least one token")
        self.orders = orders
        self.hold(1024)

    def __dealloc__(self):
        free(self.keys)
        free(self.slots)
        free(self.slot_generation)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self, tokens: cython.uint, length: cython.size_t) -> cython.int:
        """Forget the example before; room for an example of so many different tokens and so many in all."""
        needed: cython.size_t = tokens + length * (self.orders - 1)
        if needed > _MOST:
            raise OverflowError("an example of more than two billion n-grams cannot be scored")
        self.generation += 1
        if needed > self.room:
            self.hold(room_for(needed, self.room))
        elif self.generation == 0:
            # After four billion examples the count starts again, and old slots must not look new.
            self.hold(self.room)
        self.used = tokens
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def longer(self, ngram: cython.uint, token: cython.uint) -> cython.uint:
        """The number of an n-gram that goes on with one more token."""
        key: uint64 = (cython.cast(uint64, ngram) << 32) | token
        last: cython.size_t = self.slots_size - 1
        slot: cython.size_t = ((key * _GOLDEN) >> 32) & last
        while self.slot_generation[slot] == self.generation:
            if self.keys[self.slots[slot]] == key:
                return self.slots[slot]
            slot = (slot + 1) & last
        new: cython.uint = self.used
        self.used = new + 1
        self.keys[new] = key
        self.slot_generation[slot] = self.generation
        self.slots[slot] = new
        return new

    @cython.cfunc
    @cython.exceptval(-1)
    def hold(self, room: cython.size_t) -> cython.int:
        """Room for that many n-grams, in an empty table."""
        size: cython.size_t = table_size(room)
        fresh: cython.p_uint = cython.cast(cython.p_uint, calloc(size, 4))
        if fresh == cython.NULL:
            raise MemoryError("no memory left for scoring")
        free(self.slot_generation)
        self.slot_generation = fresh
        self.slots = cython.cast(cython.p_uint, grown(self.slots, size, 4))
        self.keys = cython.cast(p_uint64, grown(self.keys, room, 8))
        self.slots_size = size
        self.room = room
        self.generation = 1
        return 0


@cython.cclass
class NgramCounts:
    """How often one sequence has each n-gram."""

    def __cinit__(self, orders: cython.int):
        if orders < 1:
            raise ValueError("n-grams have at least one token")
        self.orders = orders
        self.distinct = cython.cast(cython.p_uint, calloc(orders, 4))
        if self.distinct == cython.NULL:
            raise MemoryError("no memory left for scoring")

    def __dealloc__(self):
        free(self.counts)
        free(self.listed)
        free(self.distinct)

    @cython.cfunc
    @cython.exceptval(-1)
    def count(
        self,
        ngrams: Ngrams,
        sequence: cython.pointer[cython.const[cython.uint]],
        length: cython.size_t,
    ) -> cython.int:
        """Count the n-grams of a sequence in place of those before."""
        self.forget()
        self.fit(ngrams, length)
        # Kept out of self, which the compiler would read anew after every write.
        counts: cython.p_int = self.counts
        distinct: cython.p_uint = self.distinct
        start: cython.size_t
        order: cython.size_t
        for start in range(length):
            ngram: cython.uint = sequence[start]
            longest: cython.size_t = min(cython.cast(cython.size_t, self.orders), length - start)
            listed: cython.p_uint = self.listed
            for order in range(longest):
                if order > 0:
                    ngram = ngrams.longer(ngram, sequence[start + order])
                if counts[ngram] == 0:
                    listed[distinct[order]] = ngram
                    distinct[order] += 1
                counts[ngram] += 1
                listed += length
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, ngrams: Ngrams, length: cython.size_t) -> cython.int:
        """Room for every n-gram of the example, so that counts can be asked for those of other sequences."""
        if ngrams.room > self.room:
            self.counts = cython.cast(cython.p_int, grown(self.counts, ngrams.room, 4))
            memset(self.counts + self.room, 0, 4 * (ngrams.room - self.room))
            self.room = ngrams.room
        needed: cython.size_t = length * self.orders
        if needed > self.listed_room:
            needed = room_for(needed, self.listed_room)
            self.listed = cython.cast(cython.p_uint, grown(self.listed, needed, 4))
            self.listed_room = needed
        self.length = length
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def forget(self) -> cython.void:
        """Back to zero, at the cost of the n-grams that were counted."""
        order: cython.int
        index: cython.size_t
        for order in range(self.orders):
            for index in range(self.distinct[order]):
                self.counts[self.listed[order * self.length + index]] = 0
            self.distinct[order] = 0


@cython.cclass
class Indices:
    """Where a text has each token, to compare it with several other sequences."""

    def __dealloc__(self):
        free(self.latest)
        free(self.earlier)
        free(self.thresholds)

    @cython.cfunc
    @cython.exceptval(-1)
    def mark(
        self,
        text: cython.pointer[cython.const[cython.uint]],
        length: cython.size_t,
        tokens: cython.uint,
    ) -> cython.int:
        """Note the places of a text whose token numbers, and those of the others, are below `tokens`."""
        self.fit(length, tokens)
        index: cython.int
        for index in range(cython.cast(cython.int, length)):
            self.earlier[index] = self.latest[text[index]]
            self.latest[text[index]] = index
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def unmark(self, text: cython.pointer[cython.const[cython.uint]], length: cython.size_t) -> cython.void:
        """Forget a text, at the cost of its length."""
        index: cython.size_t
        for index in range(length):
            self.latest[text[index]] = -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def common_length(
        self, other: cython.pointer[cython.const[cython.uint]], length: cython.size_t
    ) -> cython.size_t:
        """Longest common subsequence by the places where tokens match (Hunt and Szymanski 1977)."""
        # thresholds[k]: the earliest position in the text where a common subsequence of k + 1 tokens can end.
        best: cython.size_t = 0
        index: cython.size_t
        for index in range(length):
            position: cython.int = self.latest[other[index]]
            while position >= 0:
                low: cython.size_t = 0
                high: cython.size_t = best
                while low < high:
                    middle: cython.size_t = (low + high) // 2
                    if self.thresholds[middle] < position:
                        low = middle + 1
                    else:
                        high = middle
                self.thresholds[low] = position
                if low == best:
                    best += 1
                position = self.earlier[position]
        return best

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, length: cython.size_t, tokens: cython.uint) -> cython.int:
        room: cython.size_t
        if tokens > self.tokens_room:
            room = room_for(tokens, self.tokens_room)
            self.latest = cython.cast(cython.p_int, grown(self.latest, room, 4))
            # All bits set is -1: no place.
            memset(self.latest + self.tokens_room, 0xFF, 4 * (room - self.tokens_room))
            self.tokens_room = room
        if length > self.places_room:
            room = room_for(length, self.places_room)
            self.earlier = cython.cast(cython.p_int, grown(self.earlier, room, 4))
            self.thresholds = cython.cast(cython.p_int, grown(self.thresholds, room, 4))
            self.places_room = room
        return 0
