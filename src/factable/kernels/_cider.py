# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of cider.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.cpython.array import array as c_array
from cython.cimports.factable.kernels._frequencies import Frequencies
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._sequences import NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.factable.kernels._words import Words
from cython.cimports.libc.math import NAN, exp, log, sqrt
from cython.cimports.libc.stdlib import free

from factable.kernels.cider import NO_REFERENCES, SCORED, part_names

uint64 = cython.typedef(cython.ulonglong)

_SCORED = cython.declare(cython.int, SCORED)
_NO_REFERENCES = cython.declare(cython.int, NO_REFERENCES)
_UNKNOWN = cython.declare(cython.uint, 0xFFFFFFFF)


@cython.final
@cython.cclass
class Scorer:
    """One call of score_cider: the options as C values, buffers and one row of results."""

    frequencies: Frequencies
    words: Words
    ngrams: Ngrams
    in_text: NgramCounts
    in_reference: NgramCounts
    orders: cython.int
    scale: cython.double
    clipped: cython.bint
    penalised: cython.bint
    sigma: cython.double
    strict: cython.bint
    # The weight of an n-gram by the number of documents that have it.
    weight_of: cython.p_double
    # Of each n-gram of the example: its number among those of all documents, and its weight.
    numbers: cython.p_uint
    weights: cython.p_double
    room: cython.size_t
    ready: cython.uint
    said_norms: cython.p_double
    # The value, and the part of each order.
    row: cython.p_double

    def __cinit__(self, frequencies: Frequencies, options):
        self.frequencies = frequencies
        self.orders = frequencies.orders
        self.scale = options.scale
        self.clipped = options.clipped
        self.penalised = options.sigma is not None
        self.sigma = options.sigma if options.sigma is not None else 0.0
        self.strict = options.strict
        # Of its own: several threads may share the frequencies.
        self.words = Words(frequencies.reading)
        self.ngrams = Ngrams(self.orders)
        self.in_text = NgramCounts(self.orders)
        self.in_reference = NgramCounts(self.orders)
        self.said_norms = cython.cast(cython.p_double, grown(cython.NULL, self.orders, 8))
        self.row = cython.cast(cython.p_double, grown(cython.NULL, self.orders + 1, 8))
        documents: cython.size_t = frequencies.total
        self.weight_of = cython.cast(cython.p_double, grown(cython.NULL, documents + 1, 8))
        count: cython.size_t
        for count in range(documents + 1):
            self.weight_of[count] = log(cython.cast(cython.double, documents)) - log(
                cython.cast(cython.double, count if count > 0 else 1)
            )

    def __dealloc__(self):
        free(self.weight_of)
        free(self.numbers)
        free(self.weights)
        free(self.said_norms)
        free(self.row)

    @cython.cfunc
    @cython.exceptval(-1)
    def score(self, example: object) -> cython.int:
        """Fill the row with the scores of one example; the code says whether it could be scored."""
        words: Words = self.words
        lexicon: Lexicon = words.lexicon
        words.begin()
        words.add(example.text)
        for reference in example.references:
            words.add(reference)
            if words.ends[words.texts] == words.ends[words.texts - 1] and not self.strict:
                words.keep(words.texts - 1)
        if words.texts == 1:
            return _NO_REFERENCES
        self.ngrams.begin(lexicon.tokens, lexicon.used)
        self.fit(self.ngrams.room)
        self.in_text.count(self.ngrams, lexicon.sequence, words.ends[1])
        self.weigh_words()
        self.weigh_longer(self.in_text)
        order: cython.int
        for order in range(self.orders):
            self.said_norms[order] = self.norm(self.in_text, order)
            self.row[order + 1] = 0.0
        text: cython.size_t
        for text in range(1, words.texts):
            self.against(words.ends[text], words.ends[text + 1] - words.ends[text])
        self.finish(words.texts - 1)
        return _SCORED

    @cython.cfunc
    @cython.exceptval(-1)
    def against(self, begin: cython.size_t, length: cython.size_t) -> cython.int:
        """Add the similarities to one reference to the row."""
        self.in_reference.count(self.ngrams, self.words.lexicon.sequence + begin, length)
        self.weigh_longer(self.in_reference)
        penalty: cython.double = 1.0
        if self.penalised:
            apart: cython.double = cython.cast(cython.double, self.words.ends[1]) - cython.cast(
                cython.double, length
            )
            penalty = exp(-(apart * apart) / (2 * self.sigma * self.sigma))
        order: cython.int
        for order in range(self.orders):
            self.row[order + 1] += self.similarity(order) * penalty
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def finish(self, references: cython.size_t) -> cython.void:
        """From sums over references to the parts and the value."""
        value: cython.double = 0.0
        order: cython.int
        for order in range(1, self.orders + 1):
            self.row[order] = self.row[order] / references * self.scale
            value += self.row[order]
        self.row[0] = value / self.orders

    @cython.cfunc
    @cython.exceptval(check=False)
    def similarity(self, order: cython.int) -> cython.double:
        norms: cython.double = self.said_norms[order] * self.norm(self.in_reference, order)
        if norms == 0.0:
            return 0.0
        listed: cython.p_uint = self.in_text.listed + order * self.in_text.length
        product: cython.double = 0.0
        index: cython.size_t
        for index in range(self.in_text.distinct[order]):
            ngram: cython.uint = listed[index]
            weight: cython.double = self.in_text.counts[ngram] * self.weights[ngram]
            other: cython.double = self.in_reference.counts[ngram] * self.weights[ngram]
            product += (min(weight, other) if self.clipped else weight) * other
        return min(1.0, product / norms)

    @cython.cfunc
    @cython.exceptval(check=False)
    def norm(self, side: NgramCounts, order: cython.int) -> cython.double:
        listed: cython.p_uint = side.listed + order * side.length
        squares: cython.double = 0.0
        index: cython.size_t
        for index in range(side.distinct[order]):
            weighted: cython.double = side.counts[listed[index]] * self.weights[listed[index]]
            squares += weighted * weighted
        return sqrt(squares)

    @cython.cfunc
    @cython.exceptval(check=False)
    def weigh_words(self) -> cython.void:
        """Find the words of the example among those of all documents."""
        lexicon: Lexicon = self.words.lexicon
        token: cython.uint
        for token in range(lexicon.tokens):
            number: cython.uint = self.frequencies.find_word(lexicon, token)
            self.numbers[token] = number
            count: cython.uint = 0 if number == _UNKNOWN else self.frequencies.word_counts[number]
            self.weights[token] = self.weight_of[count]
        self.ready = lexicon.tokens

    @cython.cfunc
    @cython.exceptval(check=False)
    def weigh_longer(self, side: NgramCounts) -> cython.void:
        """Find the n-grams that are new in one side, one order after the other."""
        order: cython.size_t
        index: cython.size_t
        for order in range(1, cython.cast(cython.size_t, self.orders)):
            listed: cython.p_uint = side.listed + order * side.length
            size: cython.size_t = side.distinct[order]
            for index in range(size):
                if listed[index] >= self.ready:
                    self.frequencies.look_ahead(self.key_of(listed[index]))
            for index in range(size):
                if listed[index] >= self.ready:
                    self.weigh(listed[index])
        self.ready = self.ngrams.used

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def key_of(self, ngram: cython.uint) -> uint64:
        """The key among all documents; one that none has where a word or the beginning is unknown."""
        key: uint64 = self.ngrams.keys[ngram]
        begun: cython.uint = self.numbers[key >> 32]
        last: cython.uint = self.numbers[cython.cast(cython.uint, key)]
        return (cython.cast(uint64, begun) << 32) | last

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def weigh(self, ngram: cython.uint) -> cython.void:
        slot: cython.size_t = self.frequencies.slot_of(self.key_of(ngram))
        count: cython.uint = self.frequencies.slots[slot].count
        self.numbers[ngram] = self.frequencies.slots[slot].number if count != 0 else _UNKNOWN
        self.weights[ngram] = self.weight_of[count]

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, room: cython.size_t) -> cython.int:
        if room > self.room:
            room = room_for(room, self.room)
            self.numbers = cython.cast(cython.p_uint, grown(self.numbers, room, 4))
            self.weights = cython.cast(cython.p_double, grown(self.weights, room, 8))
            self.room = room
        return 0


# Another thread may shorten a list of examples meanwhile.
@cython.boundscheck(True)
def score_cider(examples, frequencies, options):
    """An array per part, NaN where an example cannot be scored, and why: a code per example."""
    scorer: Scorer = Scorer(frequencies, options)
    size: cython.Py_ssize_t = len(examples)
    names = ("value", *part_names(scorer.orders))
    columns = {name: array("d", bytes(8 * size)) for name in names}
    listed: list = list(columns.values())
    codes = bytearray(size)
    index: cython.Py_ssize_t
    part: cython.int
    for index in range(size):
        code: cython.int = scorer.score(examples[index])
        codes[index] = code
        for part in range(scorer.orders + 1):
            column: c_array = listed[part]
            column.data.as_doubles[index] = scorer.row[part] if code == _SCORED else NAN
    return columns, bytes(codes)
