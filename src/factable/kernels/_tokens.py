# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of tokens.py: texts become sequences of token numbers.

Tokens are numbered per example by an exact hash table over their UTF-8 bytes, so nothing depends on a hash
being free of collisions. The table is cleared by counting generations up, never by writing zeros.
"""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.factable.kernels._letters import EMPTY_HASH, PyUnicode_IS_ASCII, hash_on, write_letter
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcmp

from factable.kernels.tokens import ALONE, CLASSES, INSIDE, TOKENIZERS

_WORDS = cython.declare(cython.int, TOKENIZERS.index("words"))
_ASCII = cython.declare(cython.int, TOKENIZERS.index("ascii"))
_CASED = cython.declare(cython.int, TOKENIZERS.index("whitespace-cased"))
_INSIDE = cython.declare(cython.uchar, INSIDE)
_ALONE = cython.declare(cython.uchar, ALONE)
# Letters and tokens of one example; the numbers of n-grams and places must fit in 32 bits.
_MOST = cython.declare(cython.size_t, 0x7FFFFFFF)
# Classes of characters, asked of tokens.py once each; 0 is not asked yet, which no ASCII character is.
_word_classes = cython.declare(cython.uchar[0x110000])
_space_classes = cython.declare(cython.uchar[0x110000])
_ascii_classes = cython.declare(cython.uchar[0x110000])
# For each tokenizer, ASCII characters as they are inside a token; 0 for others, and for the character 0.
_inside_ascii = cython.declare(cython.uchar[4 * 128])


@cython.cfunc
@cython.exceptval(check=False)
@cython.inline
def classes_of(mode: cython.int) -> cython.p_uchar:
    if mode == _WORDS:
        return _word_classes
    if mode == _ASCII:
        return _ascii_classes
    return _space_classes


@cython.cfunc
@cython.exceptval(0)
def learn_class(character: cython.uint, mode: cython.int) -> cython.uchar:
    """Ask the Python twin once what a character does, and remember."""
    kind: cython.uchar = CLASSES[mode](chr(character))
    classes_of(mode)[character] = kind
    return kind


_mode = cython.declare(cython.int)
_code = cython.declare(cython.int)
for _mode in range(4):
    for _code in range(128):
        if learn_class(_code, _mode) == _INSIDE:
            _inside_ascii[128 * _mode + _code] = (
                _code + 32 if _mode != _CASED and 65 <= _code <= 90 else _code
            )


@cython.cclass
class Lexicon:
    """The tokens of one example at a time, numbered in order of appearance; buffers are reused."""

    def __cinit__(self):
        self.hold_tokens(1024)
        self.hold_slots(1024)

    def __dealloc__(self):
        free(self.letters)
        free(self.token_index)
        free(self.token_length)
        free(self.token_hash)
        free(self.slots)
        free(self.slot_generation)
        free(self.sequence)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Forget the example before."""
        self.tokens = 0
        self.letters_used = 0
        self.used = 0
        self.generation += 1
        if self.generation == 0:
            # After four billion examples the count starts again, and old slots must not look new.
            self.hold_slots(self.slots_size)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def add_text(self, text: object, mode: cython.int) -> cython.int:
        """Append the token numbers of a text to the sequence."""
        if not isinstance(text, str):
            raise TypeError(f"a text must be a str, not {type(text).__name__}")
        if mode != _CASED and not PyUnicode_IS_ASCII(text):
            # Only Python knows how the world's letters lower; its answer may be plain ASCII.
            lowered: str = text.lower()
            text = lowered
        length: cython.size_t = PyUnicode_GET_LENGTH(text)
        if PyUnicode_IS_ASCII(text):
            return self.add_ascii(cython.cast(cython.p_uchar, PyUnicode_DATA(text)), length, mode)
        return self.add_wide(text, length, mode)

    @cython.cfunc
    @cython.exceptval(-1)
    def add_ascii(
        self,
        characters: cython.pointer[cython.const[cython.uchar]],
        length: cython.size_t,
        mode: cython.int,
    ) -> cython.int:
        self.reserve(length, length)
        # Kept out of self: a write through a byte pointer makes the compiler read self anew each time.
        letters: cython.p_uchar = self.letters
        classes: cython.p_uchar = classes_of(mode)
        inside: cython.p_uchar = _inside_ascii + 128 * mode
        start: cython.size_t = self.letters_used
        end: cython.size_t = start
        hashed: cython.uint = EMPTY_HASH
        index: cython.size_t
        for index in range(length):
            letter: cython.uchar = inside[characters[index]]
            if letter != 0 or classes[characters[index]] == _INSIDE:
                letters[end] = letter
                hashed = hash_on(hashed, letter)
                end += 1
                continue
            if end > start:
                self.add_token(start, end, hashed)
                start = end = self.letters_used
                hashed = EMPTY_HASH
            if classes[characters[index]] == _ALONE:
                letters[start] = characters[index]
                self.add_token(start, start + 1, hash_on(EMPTY_HASH, characters[index]))
                start = end = self.letters_used
        return self.add_token(start, end, hashed) if end > start else 0

    @cython.cfunc
    @cython.exceptval(-1)
    def add_wide(self, text: object, length: cython.size_t, mode: cython.int) -> cython.int:
        """Append a text of any characters, lower-cased already if it should be."""
        self.reserve(4 * length, length)
        classes: cython.p_uchar = classes_of(mode)
        width: cython.int = PyUnicode_KIND(text)
        characters: cython.p_void = PyUnicode_DATA(text)
        start: cython.size_t = self.letters_used
        end: cython.size_t = start
        hashed: cython.uint = EMPTY_HASH
        index: cython.size_t
        for index in range(length):
            character: cython.uint = PyUnicode_READ(width, characters, index)
            kind: cython.uchar = classes[character]
            if kind == 0:
                kind = learn_class(character, mode)
            if kind == _INSIDE:
                end = write_letter(self.letters, end, character)
                hashed = hash_on(hashed, character)
                continue
            if end > start:
                self.add_token(start, end, hashed)
                start = end = self.letters_used
                hashed = EMPTY_HASH
            if kind == _ALONE:
                end = write_letter(self.letters, start, character)
                self.add_token(start, end, hash_on(EMPTY_HASH, character))
                start = end = self.letters_used
        return self.add_token(start, end, hashed) if end > start else 0

    @cython.cfunc
    @cython.exceptval(-1)
    def add_name(self, name: str) -> cython.int:
        """Append a whole name, such as `birth_place`, as one token; an empty name is none."""
        length: cython.size_t = len(name)
        if length == 0:
            return 0
        self.reserve(4 * length, 1)
        end: cython.size_t = self.letters_used
        hashed: cython.uint = EMPTY_HASH
        letter: cython.Py_UCS4
        for letter in name:
            end = write_letter(self.letters, end, letter)
            hashed = hash_on(hashed, letter)
        return self.add_token(self.letters_used, end, hashed)

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.inline
    def add_token(self, start: cython.size_t, end: cython.size_t, hashed: cython.uint) -> cython.int:
        self.sequence[self.used] = self.number(start, end, hashed)
        self.used += 1
        return 0

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFF)
    @cython.inline
    def number(self, start: cython.size_t, end: cython.size_t, hashed: cython.uint) -> cython.uint:
        """The number of the token in letters[start:end]; letters known already are given back."""
        length: cython.uint = cython.cast(cython.uint, end - start)
        slot: cython.size_t = hashed & (self.slots_size - 1)
        token: cython.uint
        while self.slot_generation[slot] == self.generation:
            token = self.slots[slot]
            if (
                self.token_hash[token] == hashed
                and self.token_length[token] == length
                and memcmp(self.letters + self.token_index[token], self.letters + start, length) == 0
            ):
                return token
            slot = (slot + 1) & (self.slots_size - 1)
        token = self.tokens
        if token == self.tokens_room:
            self.hold_tokens(2 * self.tokens_room)
        self.token_index[token] = cython.cast(cython.uint, start)
        self.token_length[token] = length
        self.token_hash[token] = hashed
        self.slot_generation[slot] = self.generation
        self.slots[slot] = token
        self.letters_used = end
        self.tokens = token + 1
        if 2 * cython.cast(cython.size_t, self.tokens) > self.slots_size:
            self.hold_slots(2 * self.slots_size)
        return token

    @cython.cfunc
    def token_text(self, token: cython.uint) -> str:
        index: cython.p_char = cython.cast(cython.p_char, self.letters + self.token_index[token])
        return PyUnicode_DecodeUTF8(index, self.token_length[token], "surrogatepass")

    @cython.cfunc
    @cython.exceptval(-1)
    def reserve(self, letters: cython.size_t, tokens: cython.size_t) -> cython.int:
        """Room for so many more letters and tokens."""
        letters += self.letters_used
        tokens += self.used
        if letters > _MOST or tokens > _MOST:
            raise OverflowError("an example of more than 500 million characters cannot be scored")
        if letters > self.letters_room:
            letters = room_for(letters, self.letters_room)
            self.letters = cython.cast(cython.p_uchar, grown(self.letters, letters, 1))
            self.letters_room = letters
        if tokens > self.sequence_room:
            tokens = room_for(tokens, self.sequence_room)
            self.sequence = cython.cast(cython.p_uint, grown(self.sequence, tokens, 4))
            self.sequence_room = tokens
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def hold_tokens(self, room: cython.size_t) -> cython.int:
        self.token_index = cython.cast(cython.p_uint, grown(self.token_index, room, 4))
        self.token_length = cython.cast(cython.p_uint, grown(self.token_length, room, 4))
        self.token_hash = cython.cast(cython.p_uint, grown(self.token_hash, room, 4))
        self.tokens_room = room
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def hold_slots(self, size: cython.size_t) -> cython.int:
        """Make the token table that large and put the tokens of the present example back in."""
        fresh: cython.p_uint = cython.cast(cython.p_uint, calloc(size, 4))
        if fresh == cython.NULL:
            raise MemoryError("no memory left for scoring")
        free(self.slot_generation)
        self.slot_generation = fresh
        self.slots = cython.cast(cython.p_uint, grown(self.slots, size, 4))
        self.slots_size = size
        self.generation = 1
        token: cython.uint
        for token in range(self.tokens):
            slot: cython.size_t = self.token_hash[token] & (size - 1)
            while fresh[slot]:
                slot = (slot + 1) & (size - 1)
            fresh[slot] = 1
            self.slots[slot] = token
        return 0


def tokenize(text, tokenizer="words"):
    """The tokens of a text."""
    lexicon: Lexicon = Lexicon()
    lexicon.add_text(text, TOKENIZERS.index(tokenizer))
    names: list = [lexicon.token_text(token) for token in range(lexicon.tokens)]
    return [names[lexicon.sequence[index]] for index in range(lexicon.used)]
