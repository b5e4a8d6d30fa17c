# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of tokens.py and parent.py.

Tokens are numbered per example by an exact hash table over their UTF-8 bytes, and longer n-grams by a hash
table over (number of the n-gram without its last token, last token), so nothing depends on a hash being free
of collisions. Tables are cleared by counting generations up, never by writing zeros.
"""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

import sys
from array import array

from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.libc.math import NAN, exp, log, pow
from cython.cimports.libc.stdlib import calloc, free, realloc
from cython.cimports.libc.string import memcmp

from factable.kernels.keys import BOUNDARY, MIX_1, MIX_2, START, STEP
from factable.kernels.parent import (
    EMPTY_VALUE,
    F_GUARD,
    MIXED_RECORDS,
    NO_RECORDS,
    NO_REFERENCES,
    PARTS,
    SCORED,
)
from factable.kernels.tokens import TOKENIZERS, attribute_token, character_class
from factable.kernels.tokens import tokenize as python_tokenize
from factable.types import Record

uint64 = cython.typedef(cython.ulonglong)
p_uint64 = cython.typedef(cython.p_ulonglong)

_new_tuple = cython.declare(object, tuple.__new__)
_SEPARATOR = cython.declare(cython.int, 1)
_INSIDE = cython.declare(cython.int, 2)
_WORDS = cython.declare(cython.int, 0)
_CASED = cython.declare(cython.int, 2)
_HASH_START = cython.declare(cython.uint, 2166136261)
# 2^64 over the golden ratio: a multiplier that spreads neighbouring keys.
_GOLDEN = cython.declare(uint64, 0x9E3779B97F4A7C15)
_START = cython.declare(uint64, START)
_STEP = cython.declare(uint64, STEP)
_MIX_1 = cython.declare(uint64, MIX_1)
_MIX_2 = cython.declare(uint64, MIX_2)
_BOUNDARY = cython.declare(uint64, BOUNDARY)
_SCORED = cython.declare(cython.int, SCORED)
_NO_REFERENCES = cython.declare(cython.int, NO_REFERENCES)
_NO_RECORDS = cython.declare(cython.int, NO_RECORDS)
_EMPTY_VALUE = cython.declare(cython.int, EMPTY_VALUE)
_MIXED_RECORDS = cython.declare(cython.int, MIXED_RECORDS)
_F_GUARD = cython.declare(cython.double, F_GUARD)
# Classes of characters, asked of tokens.py once each; 0 is not asked yet.
_word_classes = cython.declare(cython.p_uchar, cython.cast(cython.p_uchar, calloc(0x110000, 1)))
_space_classes = cython.declare(cython.p_uchar, cython.cast(cython.p_uchar, calloc(0x110000, 1)))
# Per tokeniser, the lower-case form of each ASCII character that stands inside words; 0 for all others.
_folded = cython.declare(cython.p_uchar, cython.cast(cython.p_uchar, calloc(3, 256)))
for _mode, _tokenizer in enumerate(TOKENIZERS):
    for _code in range(128):
        _inside = python_tokenize(f"a{chr(_code)}a", _tokenizer)
        if len(_inside) == 1:
            _folded[256 * cython.cast(cython.int, _mode) + cython.cast(cython.int, _code)] = ord(
                _inside[0][1]
            )


@cython.cfunc
@cython.exceptval(-1)
def learn_class(character: cython.uint, mode: cython.int) -> cython.int:
    """Ask the Python twin once what a character does, and remember."""
    kind: cython.int
    if mode == _WORDS:
        kind = character_class(chr(character))
        _word_classes[character] = kind
    else:
        kind = _SEPARATOR if chr(character).isspace() else _INSIDE
        _space_classes[character] = kind
    return kind


@cython.cfunc
def grown(block: cython.p_void, count: cython.size_t, size: cython.size_t) -> cython.p_void:
    """The block with room for `count` elements of `size` bytes."""
    larger: cython.p_void = realloc(block, count * size)
    if larger == cython.NULL:
        raise MemoryError("no memory left for scoring")
    return larger


@cython.cfunc
@cython.inline
def power_of_two_above(count: cython.size_t) -> cython.size_t:
    size: cython.size_t = 1024
    while size < count:
        size *= 2
    return size


@cython.cclass
class Workspace:
    """Buffers that are reused from one example to the next."""

    # Bytes of all tokens of the example, and for each token its place, length and hash.
    letters: cython.p_uchar
    letters_used: cython.size_t
    letters_room: cython.size_t
    token_place: cython.p_uint
    token_length: cython.p_uint
    token_hash: cython.p_uint
    tokens: cython.uint
    tokens_room: cython.size_t
    # Hash table: token number by hash; a slot counts only if its generation is the present one.
    slots: cython.p_uint
    slot_generation: cython.p_uint
    slots_size: cython.size_t
    generation: cython.uint
    # Token numbers of text, records and references, one sequence after the other.
    sequence: cython.p_uint
    sequence_used: cython.size_t
    sequence_room: cython.size_t
    # Per token: in the table?, probability, number in the counts, first place in the present text.
    known: cython.p_uchar
    chance: cython.p_double
    outside: cython.p_int
    last_place: cython.p_int
    earlier_place: cython.p_int
    thresholds: cython.p_int
    places_room: cython.size_t
    # Per n-gram: entailment so far, counts in text and reference. The first are the tokens themselves.
    entailed: cython.p_double
    in_text: cython.p_int
    in_reference: cython.p_int
    ngrams: cython.uint
    ngrams_room: cython.size_t
    pair_key: p_uint64
    pair_ngram: cython.p_uint
    pair_generation: cython.p_uint
    pairs_size: cython.size_t
    # Different n-grams in order of appearance: one row per order.
    text_ngrams: cython.p_uint
    text_distinct: cython.p_uint
    rows_room: cython.size_t
    reference_ngrams: cython.p_uint
    reference_distinct: cython.p_uint
    orders: cython.int

    def __cinit__(self, orders: cython.int):
        self.orders = orders
        self.text_distinct = cython.cast(cython.p_uint, grown(cython.NULL, orders, 4))
        self.reference_distinct = cython.cast(cython.p_uint, grown(cython.NULL, orders, 4))
        self.hold_tokens(1024)
        self.hold_slots(1024)
        self.hold_ngrams(1024)

    def __dealloc__(self):
        free(self.letters)
        free(self.token_place)
        free(self.token_length)
        free(self.token_hash)
        free(self.slots)
        free(self.slot_generation)
        free(self.sequence)
        free(self.known)
        free(self.chance)
        free(self.outside)
        free(self.last_place)
        free(self.earlier_place)
        free(self.thresholds)
        free(self.entailed)
        free(self.in_text)
        free(self.in_reference)
        free(self.pair_key)
        free(self.pair_ngram)
        free(self.pair_generation)
        free(self.text_ngrams)
        free(self.text_distinct)
        free(self.reference_ngrams)
        free(self.reference_distinct)

    @cython.cfunc
    @cython.exceptval(-1)
    def hold_tokens(self, room: cython.size_t) -> cython.int:
        self.token_place = cython.cast(cython.p_uint, grown(self.token_place, room, 4))
        self.token_length = cython.cast(cython.p_uint, grown(self.token_length, room, 4))
        self.token_hash = cython.cast(cython.p_uint, grown(self.token_hash, room, 4))
        self.known = cython.cast(cython.p_uchar, grown(self.known, room, 1))
        self.chance = cython.cast(cython.p_double, grown(self.chance, room, 8))
        self.outside = cython.cast(cython.p_int, grown(self.outside, room, 4))
        self.last_place = cython.cast(cython.p_int, grown(self.last_place, room, 4))
        self.tokens_room = room
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def hold_slots(self, size: cython.size_t) -> cython.int:
        """Make the token table larger and put the tokens of the present example back in."""
        self.slots = cython.cast(cython.p_uint, grown(self.slots, size, 4))
        free(self.slot_generation)
        self.slot_generation = cython.cast(cython.p_uint, calloc(size, 4))
        if self.slot_generation == cython.NULL:
            raise MemoryError("no memory left for scoring")
        self.slots_size = size
        self.generation = max(self.generation, 1)
        token: cython.uint
        for token in range(self.tokens):
            self.place_in_slot(token)
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1)
    def place_in_slot(self, token: cython.uint) -> cython.int:
        slot: cython.size_t = self.token_hash[token] & (self.slots_size - 1)
        while self.slot_generation[slot] == self.generation:
            slot = (slot + 1) & (self.slots_size - 1)
        self.slot_generation[slot] = self.generation
        self.slots[slot] = token
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def hold_ngrams(self, room: cython.size_t) -> cython.int:
        """Room for that many n-grams; the pair table is at most half full."""
        self.entailed = cython.cast(cython.p_double, grown(self.entailed, room, 8))
        self.in_text = cython.cast(cython.p_int, grown(self.in_text, room, 4))
        self.in_reference = cython.cast(cython.p_int, grown(self.in_reference, room, 4))
        self.ngrams_room = room
        self.pairs_size = power_of_two_above(2 * room)
        self.pair_key = cython.cast(p_uint64, grown(self.pair_key, self.pairs_size, 8))
        self.pair_ngram = cython.cast(cython.p_uint, grown(self.pair_ngram, self.pairs_size, 4))
        free(self.pair_generation)
        self.pair_generation = cython.cast(cython.p_uint, calloc(self.pairs_size, 4))
        if self.pair_generation == cython.NULL:
            raise MemoryError("no memory left for scoring")
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Forget the example before."""
        self.generation += 1
        if self.generation == 0:
            # After four billion examples the count starts again, and old slots must not look new.
            self.tokens = 0
            self.hold_slots(self.slots_size)
            self.hold_ngrams(self.ngrams_room)
        self.tokens = 0
        self.letters_used = 0
        self.sequence_used = 0
        return 0

    @cython.cfunc
    @cython.inline
    def number_token(self, start: cython.size_t, end: cython.size_t, hashed: cython.uint) -> cython.uint:
        """The number of the token in letters[start:end]; known letters are given back."""
        length: cython.uint = cython.cast(cython.uint, end - start)
        slot: cython.size_t = hashed & (self.slots_size - 1)
        token: cython.uint
        while self.slot_generation[slot] == self.generation:
            token = self.slots[slot]
            if (
                self.token_hash[token] == hashed
                and self.token_length[token] == length
                and memcmp(self.letters + self.token_place[token], self.letters + start, length) == 0
            ):
                self.letters_used = start
                return token
            slot = (slot + 1) & (self.slots_size - 1)
        token = self.tokens
        if token + 1 > self.tokens_room:
            self.hold_tokens(2 * self.tokens_room)
        self.token_place[token] = cython.cast(cython.uint, start)
        self.token_length[token] = length
        self.token_hash[token] = hashed
        self.known[token] = 0
        self.last_place[token] = -1
        self.slot_generation[slot] = self.generation
        self.slots[slot] = token
        self.letters_used = end
        self.tokens = token + 1
        if 2 * cython.cast(cython.size_t, self.tokens) > self.slots_size:
            self.hold_slots(2 * self.slots_size)
        return token

    @cython.cfunc
    @cython.exceptval(-1)
    def reserve(self, characters: cython.size_t) -> cython.int:
        """Room for the letters and tokens of a text of so many characters."""
        if self.letters_used + 4 * characters > self.letters_room:
            self.letters_room = 2 * (self.letters_used + 4 * characters)
            self.letters = cython.cast(cython.p_uchar, grown(self.letters, self.letters_room, 1))
        if self.sequence_used + characters > self.sequence_room:
            self.sequence_room = 2 * (self.sequence_used + characters)
            self.sequence = cython.cast(cython.p_uint, grown(self.sequence, self.sequence_room, 4))
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def add_text(self, text: str, mode: cython.int, ready: cython.bint) -> cython.int:
        """Append the token numbers of a text to the sequence; `ready` says that Python lower-cased it."""
        classes: cython.p_uchar = _word_classes if mode == _WORDS else _space_classes
        length: cython.Py_ssize_t = len(text)
        self.reserve(length)
        width: cython.int = PyUnicode_KIND(text)
        characters: cython.p_void = PyUnicode_DATA(text)
        # Kept out of self: a write through a byte pointer makes the compiler read self anew each time.
        letters: cython.p_uchar = self.letters
        cased: cython.bint = mode == _CASED
        first: cython.size_t = self.sequence_used
        start: cython.size_t = self.letters_used
        end: cython.size_t = start
        hashed: cython.uint = _HASH_START
        character: cython.uint = 0
        kind: cython.int
        folded: cython.p_uchar = _folded + 256 * mode
        narrow: cython.p_uchar = cython.cast(cython.p_uchar, characters)
        index: cython.Py_ssize_t = -1
        while index < length:
            index += 1
            # The common case in a loop of its own: letters inside an ASCII word.
            while width == 1 and index < length and folded[narrow[index]]:
                letters[end] = folded[narrow[index]]
                hashed = hash_on(hashed, letters[end])
                end += 1
                index += 1
            kind = _SEPARATOR
            if index < length:
                character = PyUnicode_READ(width, characters, index)
                if character >= 128 and not (ready or cased):
                    # Only Python knows how the world's letters lower; begin again with its answer.
                    self.sequence_used = first
                    return self.add_text(text.lower(), mode, True)
                kind = classes[character]
                if kind == 0:
                    kind = learn_class(character, mode)
            if kind != _INSIDE and end > start:
                self.add_token(start, end, hashed)
                start = end = self.letters_used
                hashed = _HASH_START
            if kind == _SEPARATOR:
                continue
            if 65 <= character <= 90 and not cased:
                character += 32
            if character < 128:
                letters[end] = cython.cast(cython.uchar, character)
                end += 1
            else:
                end = write_letter(letters, end, character)
            hashed = hash_on(hashed, character)
            if kind != _INSIDE:
                self.add_token(start, end, hashed)
                start = end = self.letters_used
                hashed = _HASH_START
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1)
    def add_token(self, start: cython.size_t, end: cython.size_t, hashed: cython.uint) -> cython.int:
        self.sequence[self.sequence_used] = self.number_token(start, end, hashed)
        self.sequence_used += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def add_known_name(self, name: str) -> cython.int:
        """Make a whole name, such as `birth_place`, one token that the table knows."""
        if not name:
            return 0
        self.reserve(len(name))
        start: cython.size_t = self.letters_used
        end: cython.size_t = start
        hashed: cython.uint = _HASH_START
        character: cython.uint
        index: cython.Py_ssize_t
        for index in range(len(name)):
            character = ord(name[index])
            end = write_letter(self.letters, end, character)
            hashed = hash_on(hashed, character)
        self.known[self.number_token(start, end, hashed)] = 1
        return 0

    @cython.cfunc
    def token_text(self, token: cython.uint) -> str:
        place: cython.p_char = cython.cast(cython.p_char, self.letters + self.token_place[token])
        return PyUnicode_DecodeUTF8(place, self.token_length[token], "surrogatepass")

    @cython.cfunc
    @cython.exceptval(-1)
    def know_since(self, first: cython.size_t) -> cython.int:
        """Mark the tokens added since then as known to the table."""
        index: cython.size_t
        for index in range(first, self.sequence_used):
            self.known[self.sequence[index]] = 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def look_up_chances(self, counts: Counts) -> cython.int:
        """P(token | table) of every token by the co-occurrence model."""
        token: cython.uint
        other: cython.uint
        for token in range(self.tokens):
            self.outside[token] = counts.vocabulary.get(self.token_text(token), -1)
        best: cython.double
        for token in range(self.tokens):
            best = 1.0 if self.known[token] else 0.0
            if best == 0.0 and self.outside[token] >= 0:
                for other in range(self.tokens):
                    if self.known[other] and self.outside[other] >= 0:
                        best = max(best, counts.share(self.outside[other], self.outside[token]))
            self.chance[token] = best
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def begin_ngrams(
        self, longest: cython.size_t, all_tokens: cython.size_t, chances: cython.bint
    ) -> cython.int:
        """Room for all n-grams of the example; single tokens become the first of them."""
        needed: cython.size_t = self.tokens + all_tokens * (self.orders - 1)
        if needed > self.ngrams_room:
            self.hold_ngrams(2 * needed)
        if longest * self.orders > self.rows_room:
            self.rows_room = 2 * longest * self.orders
            self.text_ngrams = cython.cast(cython.p_uint, grown(self.text_ngrams, self.rows_room, 4))
            self.reference_ngrams = cython.cast(
                cython.p_uint, grown(self.reference_ngrams, self.rows_room, 4)
            )
        token: cython.uint
        for token in range(self.tokens):
            self.entailed[token] = self.chance[token] if chances else self.known[token]
            self.in_text[token] = 0
            self.in_reference[token] = 0
        self.ngrams = self.tokens
        return 0

    @cython.cfunc
    @cython.inline
    def longer(self, ngram: cython.uint, token: cython.uint, chances: cython.bint) -> cython.uint:
        """The number of an n-gram that goes on with one more token."""
        key: uint64 = (cython.cast(uint64, ngram) << 32) | token
        slot: cython.size_t = ((key * _GOLDEN) >> 32) & (self.pairs_size - 1)
        while self.pair_generation[slot] == self.generation:
            if self.pair_key[slot] == key:
                return self.pair_ngram[slot]
            slot = (slot + 1) & (self.pairs_size - 1)
        new: cython.uint = self.ngrams
        self.ngrams += 1
        self.pair_generation[slot] = self.generation
        self.pair_key[slot] = key
        self.pair_ngram[slot] = new
        if chances:
            self.entailed[new] = self.entailed[ngram] * self.chance[token]
        else:
            self.entailed[new] = self.entailed[ngram] + self.known[token]
        self.in_text[new] = 0
        self.in_reference[new] = 0
        return new

    @cython.cfunc
    @cython.exceptval(-1)
    def count_ngrams(
        self,
        first: cython.size_t,
        length: cython.size_t,
        counts: cython.p_int,
        ngrams: cython.p_uint,
        distinct: cython.p_uint,
        chances: cython.bint,
    ) -> cython.int:
        """Count the n-grams of one sequence and list the different ones, a row of `length` per order."""
        order: cython.int
        start: cython.size_t
        ngram: cython.uint
        for order in range(self.orders):
            distinct[order] = 0
        for start in range(length):
            ngram = self.sequence[first + start]
            for order in range(self.orders):
                if order > 0:
                    if start + order >= length:
                        break
                    ngram = self.longer(ngram, self.sequence[first + start + order], chances)
                if counts[ngram] == 0:
                    ngrams[order * length + distinct[order]] = ngram
                    distinct[order] += 1
                counts[ngram] += 1
        return 0

    @cython.cfunc
    @cython.inline
    def weight(self, ngram: cython.uint, order: cython.int, chances: cython.bint) -> cython.double:
        """w(g): how far the table entails an n-gram."""
        if chances:
            return pow(self.entailed[ngram], 1.0 / order)
        return self.entailed[ngram] / order

    @cython.cfunc
    def precision(
        self, length: cython.size_t, order: cython.int, chances: cython.bint, plain: cython.bint
    ) -> cython.double:
        if length < cython.cast(cython.size_t, order):
            return 0.0
        rewarded: cython.double = 0.0
        index: cython.uint
        for index in range(self.text_distinct[order - 1]):
            ngram: cython.uint = self.text_ngrams[(order - 1) * length + index]
            count: cython.double = self.in_text[ngram]
            matched: cython.double = min(1.0, self.in_reference[ngram] / count)
            weight: cython.double = 0.0 if plain else self.weight(ngram, order, chances)
            rewarded += count * (matched + (1 - matched) * weight)
        return rewarded / (length - order + 1)

    @cython.cfunc
    def recall(
        self, length: cython.size_t, order: cython.int, chances: cython.bint, plain: cython.bint
    ) -> cython.double:
        found: cython.double = 0.0
        total: cython.double = 0.0
        index: cython.uint
        for index in range(self.reference_distinct[order - 1]):
            ngram: cython.uint = self.reference_ngrams[(order - 1) * length + index]
            count: cython.double = self.in_reference[ngram]
            weight: cython.double = count * (1.0 if plain else self.weight(ngram, order, chances))
            found += weight * min(1.0, self.in_text[ngram] / count)
            total += weight
        return found / total if total != 0.0 else 1.0

    @cython.cfunc
    @cython.exceptval(-1)
    def forget_reference(self, length: cython.size_t) -> cython.int:
        """Set the reference counts back to zero for the next reference."""
        order: cython.int
        index: cython.uint
        for order in range(self.orders):
            for index in range(self.reference_distinct[order]):
                self.in_reference[self.reference_ngrams[order * length + index]] = 0
        return 0

    @cython.cfunc
    def table_recall(
        self, first: cython.size_t, length: cython.size_t, ends: cython.p_int, records: cython.int
    ) -> cython.double:
        """The mean share of each record's tokens that sequence[first:first+length] has in the same order."""
        if length > self.places_room:
            self.places_room = 2 * length
            self.earlier_place = cython.cast(cython.p_int, grown(self.earlier_place, self.places_room, 4))
            self.thresholds = cython.cast(cython.p_int, grown(self.thresholds, self.places_room, 4))
        place: cython.int
        token: cython.uint
        for place in range(cython.cast(cython.int, length)):
            token = self.sequence[first + place]
            self.earlier_place[place] = self.last_place[token]
            self.last_place[token] = place
        total: cython.double = 0.0
        record: cython.int
        for record in range(records):
            begin: cython.int = ends[record]
            end: cython.int = ends[record + 1]
            total += cython.cast(cython.double, self.common_length(begin, end)) / (end - begin)
        for place in range(cython.cast(cython.int, length)):
            self.last_place[self.sequence[first + place]] = -1
        return total / records

    @cython.cfunc
    def common_length(self, begin: cython.int, end: cython.int) -> cython.int:
        """Longest common subsequence by the places where tokens match (Hunt and Szymanski 1977)."""
        # thresholds[k]: the earliest place in the text where a common subsequence of k + 1 tokens can end.
        best: cython.int = 0
        index: cython.int
        for index in range(begin, end):
            place: cython.int = self.last_place[self.sequence[index]]
            while place >= 0:
                low: cython.int = 0
                high: cython.int = best
                while low < high:
                    middle: cython.int = (low + high) // 2
                    if self.thresholds[middle] < place:
                        low = middle + 1
                    else:
                        high = middle
                self.thresholds[low] = place
                if low == best:
                    best += 1
                place = self.earlier_place[place]
        return best


@cython.cfunc
@cython.inline
def write_letter(letters: cython.p_uchar, place: cython.size_t, code: cython.uint) -> cython.size_t:
    """Put the UTF-8 bytes of a character at a place; the place after them."""
    to: cython.p_uchar = letters + place
    if code < 0x80:
        to[0] = code
        return place + 1
    if code < 0x800:
        to[0] = 0xC0 | (code >> 6)
        to[1] = 0x80 | (code & 0x3F)
        return place + 2
    if code < 0x10000:
        to[0] = 0xE0 | (code >> 12)
        to[1] = 0x80 | ((code >> 6) & 0x3F)
        to[2] = 0x80 | (code & 0x3F)
        return place + 3
    to[0] = 0xF0 | (code >> 18)
    to[1] = 0x80 | ((code >> 12) & 0x3F)
    to[2] = 0x80 | ((code >> 6) & 0x3F)
    to[3] = 0x80 | (code & 0x3F)
    return place + 4


@cython.cfunc
@cython.inline
def hash_on(hashed: cython.uint, character: cython.uint) -> cython.uint:
    """One step of the hash of Fowler, Noll and Vo."""
    return (hashed ^ character) * 16777619


@cython.cclass
class Counts:
    """Co-occurrence counts as C arrays."""

    vocabulary: dict
    totals: cython.uint[::1]
    starts: cython.longlong[::1]
    columns: cython.uint[::1]
    pairs: cython.uint[::1]

    def __init__(self, counts):
        self.vocabulary = counts.vocabulary
        self.totals = counts.totals
        self.starts = counts.starts
        self.columns = counts.columns
        self.pairs = counts.pairs

    @cython.cfunc
    def share(self, row: cython.int, column: cython.uint) -> cython.double:
        """How often the text has `column` where the table has `row`."""
        if self.totals[row] == 0:
            return 0.0
        low: cython.longlong = self.starts[row]
        end: cython.longlong = self.starts[row + 1]
        high: cython.longlong = end
        while low < high:
            middle: cython.longlong = (low + high) // 2
            if self.columns[middle] < column:
                low = middle + 1
            else:
                high = middle
        if low < end and self.columns[low] == column:
            return cython.cast(cython.double, self.pairs[low]) / self.totals[row]
        return 0.0


@cython.cfunc
def geometric_mean(
    values: cython.p_double, orders: cython.int, smoothing: cython.double, at_zero: cython.double
) -> cython.double:
    """Zero orders above the first are smoothed; a zero that stays makes the whole `at_zero`."""
    total: cython.double = 0.0
    order: cython.int
    for order in range(orders):
        value: cython.double = values[order]
        if value == 0.0 and order > 0:
            value = smoothing
        if value == 0.0:
            return at_zero
        total += log(value) / orders
    return exp(total)


@cython.cclass
class Scorer:
    """One call of score_parent: the options as C values, the workspace and one row of results."""

    work: Workspace
    counts: Counts
    mode: cython.int
    orders: cython.int
    mix: cython.double
    smoothing: cython.double
    automatic: cython.bint
    strict: cython.bint
    separate_best: cython.bint
    overlap: cython.bint
    chances: cython.bint
    plain: cython.bint
    row: cython.double[6]
    precisions: cython.p_double
    recalls: cython.p_double
    record_ends: cython.p_int
    records_room: cython.size_t

    def __init__(self, options, counts):
        self.mode = TOKENIZERS.index(options.tokenizer)
        self.orders = options.orders
        self.automatic = options.mix is None
        self.mix = 0.0 if options.mix is None else options.mix
        self.smoothing = options.smoothing
        self.strict = options.strict
        self.separate_best = options.separate_best
        self.overlap = options.entailment == "overlap"
        self.chances = options.entailment == "cooccurrence"
        self.plain = options.entailment == "none"
        self.counts = None if counts is None else Counts(counts)
        self.work = Workspace(self.orders)
        self.precisions = cython.cast(cython.p_double, grown(cython.NULL, self.orders, 8))
        self.recalls = cython.cast(cython.p_double, grown(cython.NULL, self.orders, 8))

    def __dealloc__(self):
        free(self.precisions)
        free(self.recalls)
        free(self.record_ends)

    @cython.cfunc
    @cython.exceptval(-1)
    def score(self, example: object) -> cython.int:
        """Fill the row with the scores of one example; the code says whether it could be scored."""
        work: Workspace = self.work
        table = example.table
        records: tuple = table.records
        code: cython.int
        work.begin()
        found: cython.int = self.add_records(records)
        if found < 0:
            return -found
        if not self.strict:
            mark: cython.size_t = work.sequence_used
            work.add_text(table.title, self.mode, False)
            work.know_since(mark)
        if self.chances:
            for record in records:
                work.add_known_name(attribute_token(cython.cast(tuple, record)[1], TOKENIZERS[self.mode]))
        return self.score_references(example.text, example.references, found)

    @cython.cfunc
    @cython.exceptval(-1000)
    def add_records(self, records: tuple) -> cython.int:
        """Number the tokens of all records; how many records have some, or minus the code of a refusal."""
        work: Workspace = self.work
        if cython.cast(cython.size_t, len(records)) + 1 > self.records_room:
            self.records_room = 2 * len(records) + 16
            self.record_ends = cython.cast(cython.p_int, grown(self.record_ends, self.records_room, 4))
        self.record_ends[0] = 0
        found: cython.int = 0
        triples: cython.int = 0
        for item in records:
            # A Record is a tuple of its own class, which a declared tuple would refuse.
            record: tuple = cython.cast(tuple, item)
            if record[0]:
                triples += 1
                work.add_text(record[0], self.mode, False)
            work.add_text(record[2], self.mode, False)
            if cython.cast(cython.int, work.sequence_used) > self.record_ends[found]:
                found += 1
                self.record_ends[found] = cython.cast(cython.int, work.sequence_used)
            elif self.strict:
                return -_EMPTY_VALUE
        work.know_since(0)
        if self.strict and self.overlap and 0 < triples < len(records):
            return -_MIXED_RECORDS
        return found if found else -_NO_RECORDS

    @cython.cfunc
    @cython.exceptval(-1)
    def score_references(self, text: str, references: tuple, records: cython.int) -> cython.int:
        work: Workspace = self.work
        mark: cython.size_t = work.sequence_used
        work.add_text(text, self.mode, False)
        length: cython.size_t = work.sequence_used - mark
        longest: cython.size_t = length
        ends: list = []
        begin: cython.size_t
        for reference in references:
            begin = work.sequence_used
            work.add_text(reference, self.mode, False)
            if work.sequence_used > begin or self.strict:
                ends.append((begin, work.sequence_used - begin))
                longest = max(longest, work.sequence_used - begin)
        if not ends:
            return _NO_REFERENCES
        if self.chances:
            work.look_up_chances(self.counts)
        work.begin_ngrams(longest, work.sequence_used - mark, self.chances)
        work.count_ngrams(mark, length, work.in_text, work.text_ngrams, work.text_distinct, self.chances)
        table_recall: cython.double = work.table_recall(mark, length, self.record_ends, records)
        if table_recall == 0.0:
            table_recall = self.smoothing
        best: cython.bint = False
        for begin, size in ends:
            best = self.against(begin, size, length, table_recall, records, best)
        return _SCORED

    @cython.cfunc
    @cython.exceptval(-1)
    def against(
        self,
        begin: cython.size_t,
        size: cython.size_t,
        length: cython.size_t,
        table_recall: cython.double,
        records: cython.int,
        scored: cython.bint,
    ) -> cython.int:
        """Score one reference and keep the best."""
        work: Workspace = self.work
        work.count_ngrams(
            begin, size, work.in_reference, work.reference_ngrams, work.reference_distinct, self.chances
        )
        order: cython.int
        for order in range(1, self.orders + 1):
            self.precisions[order - 1] = work.precision(length, order, self.chances, self.plain)
            self.recalls[order - 1] = work.recall(size, order, self.chances, self.plain)
        work.forget_reference(size)
        precision: cython.double = geometric_mean(self.precisions, self.orders, self.smoothing, 0.0)
        reference_recall: cython.double = geometric_mean(
            self.recalls, self.orders, self.smoothing, self.smoothing
        )
        mix: cython.double = self.mix
        if self.automatic:
            mix = 1 - work.table_recall(begin, size, self.record_ends, records)
        recall: cython.double = pow(reference_recall, 1 - mix) * pow(table_recall, mix)
        value: cython.double = 2 * precision * recall / (precision + recall + _F_GUARD)
        row: cython.p_double = self.row
        highest_precision: cython.double = max(precision, row[1]) if scored else precision
        highest_recall: cython.double = max(recall, row[2]) if scored else recall
        if not scored or value > row[0]:
            row[0] = value
            row[1] = precision
            row[2] = recall
            row[3] = reference_recall
            row[4] = table_recall
            row[5] = mix
        if self.separate_best:
            row[1] = highest_precision
            row[2] = highest_recall
        return True


def score_parent(examples, options, counts):
    """An array per part, NaN where an example cannot be scored, and why: a code per example."""
    scorer: Scorer = Scorer(options, counts)
    size: cython.Py_ssize_t = len(examples)
    columns = {part: array("d", bytes(8 * size)) for part in PARTS}
    codes = bytearray(size)
    values: cython.double[::1] = columns["value"]
    precisions: cython.double[::1] = columns["precision"]
    recalls: cython.double[::1] = columns["recall"]
    reference_recalls: cython.double[::1] = columns["reference_recall"]
    table_recalls: cython.double[::1] = columns["table_recall"]
    mixes: cython.double[::1] = columns["mix"]
    index: cython.Py_ssize_t
    code: cython.int
    column: cython.int
    for index in range(size):
        code = scorer.score(examples[index])
        codes[index] = code
        if code != _SCORED:
            for column in range(6):
                scorer.row[column] = NAN
        values[index] = scorer.row[0]
        precisions[index] = scorer.row[1]
        recalls[index] = scorer.row[2]
        reference_recalls[index] = scorer.row[3]
        table_recalls[index] = scorer.row[4]
        mixes[index] = scorer.row[5]
    return columns, bytes(codes)


@cython.cfunc
def hash_name(name: str, key: uint64) -> uint64:
    """The hash of Fowler, Noll and Vo in 64 bits, gone on with the UTF-8 bytes of a name."""
    letters: cython.uchar[4]
    index: cython.Py_ssize_t
    place: cython.size_t
    for index in range(len(name)):
        for place in range(write_letter(letters, 0, ord(name[index]))):
            key = (key ^ letters[place]) * _STEP
    return key


def fingerprints(examples):
    """Eight bytes for each example, one after the other."""
    keys = array("Q", bytes(8 * len(examples)))
    view: uint64[::1] = keys
    index: cython.Py_ssize_t
    key: uint64
    for index in range(len(examples)):
        example = examples[index]
        key = hash_name(example.item, _START)
        key = hash_name(example.system, (key ^ _BOUNDARY) * _STEP)
        key = (key ^ (key >> 33)) * _MIX_1
        key = (key ^ (key >> 33)) * _MIX_2
        view[index] = key ^ (key >> 33)
    if sys.byteorder == "big":
        keys.byteswap()
    return keys.tobytes()


def make_records(rows: list):
    """Records of a list of three-string lists; None where any row is something else."""
    size: cython.Py_ssize_t = len(rows)
    records: list = [None] * size
    index: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for index in range(size):
        row = rows[index]
        if type(row) is not list or len(cython.cast(list, row)) != 3:
            return None
        for place in range(3):
            if type(cython.cast(list, row)[place]) is not str:
                return None
        # A Record made as the tuple it is, without the Python code of its class.
        records[index] = _new_tuple(Record, row)
    return tuple(records)


def tokenize(text: str, tokenizer: str = "words"):
    """The tokens of a text."""
    work: Workspace = Workspace(1)
    work.begin()
    work.add_text(text, TOKENIZERS.index(tokenizer), False)
    names: list = [work.token_text(token) for token in range(work.tokens)]
    return [names[work.sequence[index]] for index in range(work.sequence_used)]
