# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of frequencies.py.

Words are numbered across texts by their bytes, longer n-grams by the pair (number of the n-gram without
its last word, last word), so counts are exact. Numbers of longer n-grams have their highest bit set, so that
words and n-grams can come in any order.
"""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.factable.kernels._frequencies import Slot
from cython.cimports.factable.kernels._memory import grown, prefetch, room_for
from cython.cimports.factable.kernels._sequences import NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.factable.kernels._words import Words
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcmp, memcpy, memset

from factable.kernels.frequencies import Stored

uint64 = cython.typedef(cython.ulonglong)

# 2^64 over the golden ratio: a multiplier that spreads neighbouring keys over the high bits.
_GOLDEN = cython.declare(uint64, 0x9E3779B97F4A7C15)
_LONGER = cython.declare(cython.uint, 0x80000000)
_UNKNOWN = cython.declare(cython.uint, 0xFFFFFFFF)
_MOST = cython.declare(cython.uint, 0x7FFFFFF0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def key_among_all(key: uint64, numbers: cython.p_uint) -> uint64:
    """The key of an n-gram of one document as one of all documents, its beginning and words being known."""
    return (cython.cast(uint64, numbers[key >> 32]) << 32) | numbers[cython.cast(cython.uint, key)]


@cython.cclass
class Frequencies:
    """How many documents (sets of references) have each n-gram, or how often it occurs in all texts."""

    def __cinit__(self, reading, orders: cython.int):
        self.reading = reading
        self.orders = orders
        self.known = Lexicon()
        self.words = Words(reading)
        self.ngrams = Ngrams(orders)
        self.in_reference = NgramCounts(orders)
        self.hold(1024)

    def __dealloc__(self):
        free(self.word_counts)
        free(self.slots)
        free(self.numbers)

    def __reduce__(self):
        """Pickled as plain arrays."""
        return restore_frequencies, (self.store(), self.reading, self.orders)

    def add_document(self, references):
        """Count each n-gram of a set of references once."""
        self.grow_total(1)
        words: Words = self.words
        words.begin()
        for reference in references:
            words.add(reference)
        self.begin_ngrams()
        self.count_words()
        text: cython.size_t
        for text in range(words.texts):
            begin: cython.size_t = words.ends[text]
            fresh: cython.uint = self.ngrams.used
            self.in_reference.count(self.ngrams, words.lexicon.sequence + begin, words.ends[text + 1] - begin)
            self.count_longer(fresh, 0)

    def add_text(self, text, times: cython.uint):
        """Count every occurrence of each n-gram of a text, which comes so many times."""
        words: Words = self.words
        words.begin()
        words.add(text)
        lexicon: Lexicon = words.lexicon
        self.grow_total(lexicon.used * cython.cast(cython.size_t, times))
        self.begin_ngrams()
        token: cython.uint
        for token in range(lexicon.tokens):
            self.numbers[token] = _UNKNOWN
        index: cython.size_t
        for index in range(lexicon.used):
            token = lexicon.sequence[index]
            if self.numbers[token] == _UNKNOWN:
                self.numbers[token] = self.add_word(lexicon, token)
            self.word_counts[self.numbers[token]] += times
        self.in_reference.count(self.ngrams, lexicon.sequence, lexicon.used)
        self.count_longer(0, times)

    @cython.cfunc
    @cython.exceptval(-1)
    def grow_total(self, more: cython.size_t) -> cython.int:
        if self.total + more > _MOST:
            raise OverflowError("more than two billion documents or words cannot be counted")
        self.total += cython.cast(cython.uint, more)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def begin_ngrams(self) -> cython.int:
        """Forget the n-grams of the texts before, and make room for those of the present ones."""
        self.ngrams.begin(self.words.lexicon.tokens, self.words.lexicon.used)
        if self.ngrams.room > self.numbers_room:
            self.numbers = cython.cast(cython.p_uint, grown(self.numbers, self.ngrams.room, 4))
            self.numbers_room = self.ngrams.room
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def count_words(self) -> cython.int:
        """Count each different word of the present document once."""
        lexicon: Lexicon = self.words.lexicon
        memset(self.numbers, 0xFF, 4 * cython.cast(cython.size_t, lexicon.tokens))
        index: cython.size_t
        for index in range(lexicon.used):
            token: cython.uint = lexicon.sequence[index]
            if self.numbers[token] == _UNKNOWN:
                self.numbers[token] = self.add_word(lexicon, token)
                self.word_counts[self.numbers[token]] += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def count_longer(self, fresh: cython.uint, times: cython.uint) -> cython.int:
        """Count the longer n-grams of a text from number `fresh` on, order after order.

        Each once, or as often as the text has it, and that so many times.
        """
        numbers: cython.p_uint = self.numbers
        keys: cython.pointer[uint64] = self.ngrams.keys
        order: cython.size_t
        index: cython.size_t
        for order in range(1, cython.cast(cython.size_t, self.orders)):
            listed: cython.p_uint = self.in_reference.listed + order * self.in_reference.length
            size: cython.size_t = self.in_reference.distinct[order]
            for index in range(size):
                if listed[index] >= fresh:
                    self.look_ahead(key_among_all(keys[listed[index]], numbers))
            for index in range(size):
                if listed[index] >= fresh:
                    count: cython.uint = times * self.in_reference.counts[listed[index]] if times else 1
                    numbers[listed[index]] = self.put(key_among_all(keys[listed[index]], numbers), count)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_word(self, lexicon: Lexicon, token: cython.uint) -> cython.uint:
        """The number of a word of another lexicon, which has the same hash, or _UNKNOWN."""
        known: Lexicon = self.known
        hashed: cython.uint = lexicon.token_hash[token]
        length: cython.uint = lexicon.token_length[token]
        slot: cython.size_t = hashed & (known.slots_size - 1)
        while known.slot_generation[slot] == known.generation:
            number: cython.uint = known.slots[slot]
            if (
                known.token_hash[number] == hashed
                and known.token_length[number] == length
                and memcmp(
                    known.letters + known.token_index[number],
                    lexicon.letters + lexicon.token_index[token],
                    length,
                )
                == 0
            ):
                return number
            slot = (slot + 1) & (known.slots_size - 1)
        return _UNKNOWN

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFF)
    def add_word(self, lexicon: Lexicon, token: cython.uint) -> cython.uint:
        """The number of a word of another lexicon, a new one where need be."""
        known: Lexicon = self.known
        number: cython.uint = self.find_word(lexicon, token)
        if number != _UNKNOWN:
            return number
        length: cython.size_t = lexicon.token_length[token]
        known.reserve(length, 1)
        start: cython.size_t = known.letters_used
        memcpy(known.letters + start, lexicon.letters + lexicon.token_index[token], length)
        number = known.number(start, start + length, lexicon.token_hash[token])
        if number >= self.words_room:
            room: cython.size_t = room_for(number + 1024, self.words_room)
            self.word_counts = cython.cast(cython.p_uint, grown(self.word_counts, room, 4))
            self.words_room = room
        self.word_counts[number] = 0
        return number

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def look_ahead(self, key: uint64) -> cython.void:
        """Begin to fetch the slot of a key."""
        prefetch(cython.address(self.slots[(key * _GOLDEN) >> self.shift]))

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def slot_of(self, key: uint64) -> cython.size_t:
        """Where a key stands, or where it would."""
        slot: cython.size_t = (key * _GOLDEN) >> self.shift
        while self.slots[slot].count != 0 and self.slots[slot].key != key:
            slot = (slot + 1) & (self.size - 1)
        return slot

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFF)
    def put(self, key: uint64, count: cython.uint) -> cython.uint:
        """Add to the count of a longer n-gram; its number."""
        slot: cython.size_t = self.slot_of(key)
        if self.slots[slot].count != 0:
            self.slots[slot].count += count
            return self.slots[slot].number
        if self.longer >= _MOST:
            raise OverflowError("more than two billion different n-grams cannot be counted")
        number: cython.uint = _LONGER | self.longer
        self.slots[slot].key = key
        self.slots[slot].number = number
        self.slots[slot].count = count
        self.longer += 1
        # Three quarters full at most.
        if 4 * cython.cast(cython.size_t, self.longer) > 3 * self.size:
            self.hold(2 * self.size)
        return number

    @cython.cfunc
    @cython.exceptval(-1)
    def hold(self, size: cython.size_t) -> cython.int:
        """Make the table that large, a power of two, and put all n-grams back in."""
        old: cython.pointer[Slot] = self.slots
        old_size: cython.size_t = self.size
        fresh: cython.pointer[Slot] = cython.cast(cython.pointer[Slot], calloc(size, cython.sizeof(Slot)))
        if fresh == cython.NULL:
            raise MemoryError("no memory left for scoring")
        self.slots = fresh
        self.size = size
        self.shift = 64
        while size > 1:
            self.shift -= 1
            size //= 2
        index: cython.size_t
        for index in range(old_size):
            if old[index].count != 0:
                self.slots[self.slot_of(old[index].key)] = old[index]
        free(old)
        return 0

    def store(self):
        """The same as plain arrays."""
        known: Lexicon = self.known
        words: cython.uint = known.tokens
        names = [known.token_text(token) for token in range(words)]
        keys = array("Q", bytes(8 * self.longer))
        counts = array("I", [self.word_counts[token] for token in range(words)])
        counts.frombytes(bytes(4 * self.longer))
        index: cython.size_t
        for index in range(self.size):
            if self.slots[index].count != 0:
                position: cython.size_t = self.slots[index].number & ~_LONGER
                key: uint64 = self.slots[index].key
                if key >> 63:
                    key = (key & ~(cython.cast(uint64, _LONGER) << 32)) + (cython.cast(uint64, words) << 32)
                keys[position] = key
                counts[words + position] = self.slots[index].count
        return Stored(names, keys, counts, self.total)

    def restore(self, stored):
        """Take stored frequencies in place of those counted so far; they must fit together."""
        self.known.begin()
        self.longer = 0
        self.size = 0
        self.hold(1024)
        self.words.begin()
        lexicon: Lexicon = self.words.lexicon
        words: uint64 = len(stored.words)
        total: uint64 = stored.total
        number: uint64
        for number in range(words):
            lexicon.begin()
            lexicon.add_name(stored.words[number])
            if not lexicon.used or self.add_word(lexicon, 0) != number:
                raise ValueError("an empty or repeated word")
            if not 0 < stored.counts[number] <= stored.total:
                raise ValueError("a word counted more often than all")
            self.word_counts[number] = stored.counts[number]
        index: uint64 = 0
        for key in stored.keys:
            prefix: uint64 = key >> 32
            last: uint64 = key & 0xFFFFFFFF
            count: uint64 = stored.counts[words + index]
            if last >= words or prefix >= words + index or not 0 < count <= total:
                raise ValueError("an n-gram that does not fit")
            if prefix >= words:
                prefix = _LONGER | (prefix - words)
            if self.put((prefix << 32) | last, cython.cast(cython.uint, count)) != (_LONGER | index):
                raise ValueError("a repeated n-gram")
            index += 1
        self.total = cython.cast(cython.uint, total)


def count_documents(documents, reading, orders):
    """How many documents, each of which is a set of references, have each n-gram."""
    frequencies: Frequencies = Frequencies(reading, orders)
    for references in documents:
        frequencies.add_document(references)
    return frequencies


def count_occurrences(texts, reading, orders):
    """How often each n-gram occurs in texts, each of which comes so many times."""
    frequencies: Frequencies = Frequencies(reading, orders)
    for text, times in texts.items():
        frequencies.add_text(text, times)
    return frequencies


def restore_frequencies(stored, reading, orders):
    """Frequencies that were counted before."""
    frequencies: Frequencies = Frequencies(reading, orders)
    frequencies.restore(stored)
    return frequencies
