# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of words.py: texts become sequences of word numbers."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.libc.stdlib import free

from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import word_of

# No token has such a number: a lexicon holds at most two billion.
_UNASKED = cython.declare(cython.uint, 0xFFFFFFFF)
_NOTHING = cython.declare(cython.uint, 0xFFFFFFFE)


@cython.cclass
class Words:
    """The words of one example at a time, in the sequence of its lexicon."""

    def __cinit__(self, reading):
        self.lexicon = Lexicon()
        self.reading = reading
        self.mode = TOKENIZERS.index(reading.tokenizer)
        self.words_only = reading.words_only
        self.stems = reading.stem is not None

    def __dealloc__(self):
        free(self.counted_as)
        free(self.ends)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Forget the example before."""
        self.ready = 0
        self.texts = 0
        self.lexicon.begin()
        return self.close(0)

    @cython.cfunc
    @cython.exceptval(-1)
    def add(self, text: object) -> cython.int:
        """Append the words of a text to the sequence."""
        lexicon: Lexicon = self.lexicon
        kept: cython.size_t = lexicon.used
        lexicon.add_text(text, self.mode)
        self.texts += 1
        if not self.words_only and not self.stems:
            return self.close(lexicon.used)
        self.fit()
        index: cython.size_t
        for index in range(kept, lexicon.used):
            token: cython.uint = lexicon.sequence[index]
            word: cython.uint = self.counted_as[token]
            if word == _UNASKED:
                word = self.ask(token)
            if word != _NOTHING:
                lexicon.sequence[kept] = word
                kept += 1
        lexicon.used = kept
        return self.close(kept)

    @cython.cfunc
    @cython.exceptval(-1)
    def close(self, end: cython.size_t) -> cython.int:
        """Note where the last text ends."""
        if self.texts >= self.texts_room:
            room: cython.size_t = room_for(self.texts + 8, self.texts_room)
            self.ends = cython.cast(cython.p_size_t, grown(self.ends, room, cython.sizeof(cython.size_t)))
            self.texts_room = room
        self.ends[self.texts] = end
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def keep(self, texts: cython.size_t) -> cython.void:
        """Forget all texts but the first ones; their words keep their numbers."""
        self.texts = texts
        self.lexicon.used = self.ends[texts]

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFD)
    def ask(self, token: cython.uint) -> cython.uint:
        """Ask the Python twin once what a token counts as, and remember for this example."""
        lexicon: Lexicon = self.lexicon
        word: cython.uint = token
        if self.stems or not self.is_plain(token):
            text: str = lexicon.token_text(token)
            counted: str = word_of(text, self.reading)
            if not counted:
                word = _NOTHING
            elif counted != text:
                # Numbered by way of the sequence's end, which stays where it was.
                lexicon.add_name(counted)
                lexicon.used -= 1
                word = lexicon.sequence[lexicon.used]
                self.fit()
        self.counted_as[token] = word
        return word

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_plain(self, token: cython.uint) -> cython.bint:
        """Whether a token has an ASCII letter or digit, and so is a word beyond doubt."""
        lexicon: Lexicon = self.lexicon
        letters: cython.p_uchar = lexicon.letters + lexicon.token_index[token]
        index: cython.uint
        for index in range(lexicon.token_length[token]):
            letter: cython.uchar = letters[index]
            if 97 <= letter <= 122 or 48 <= letter <= 57 or 65 <= letter <= 90:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self) -> cython.int:
        """Room for every token of the lexicon; new ones are not asked yet."""
        tokens: cython.uint = self.lexicon.tokens
        if tokens > self.room:
            room: cython.size_t = room_for(tokens, self.room)
            self.counted_as = cython.cast(cython.p_uint, grown(self.counted_as, room, 4))
            self.room = room
        token: cython.uint
        for token in range(self.ready, tokens):
            self.counted_as[token] = _UNASKED
        self.ready = max(self.ready, tokens)
        return 0
