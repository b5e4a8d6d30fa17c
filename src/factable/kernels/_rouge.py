# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of rouge.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.cpython.array import array as c_array
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._sequences import Indices, NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.factable.kernels._words import Words
from cython.cimports.libc.math import NAN
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memset

from factable.kernels.rouge import NO_REFERENCES, PARTS, SCORED

_SCORED = cython.declare(cython.int, SCORED)
_NO_REFERENCES = cython.declare(cython.int, NO_REFERENCES)
_BY_NGRAMS = cython.declare(cython.int, 0)
_BY_SEQUENCE = cython.declare(cython.int, 1)
_BY_UNION = cython.declare(cython.int, 2)

p_const = cython.typedef(cython.pointer[cython.const[cython.uint]])


@cython.final
@cython.cclass
class Union:
    """Marks the indices of a sentence that are in a longest common subsequence with any of some others."""

    # One bit per pair of places: whether the way back goes left there. One row of lengths is enough then.
    left: cython.p_uchar
    left_room: cython.size_t
    lengths: cython.p_uint
    lengths_room: cython.size_t
    marked: cython.p_uchar
    marked_room: cython.size_t

    def __dealloc__(self):
        free(self.left)
        free(self.lengths)
        free(self.marked)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self, size: cython.size_t) -> cython.int:
        """Clear the marks, for a sentence of that size."""
        if size > self.marked_room:
            self.marked_room = room_for(size, self.marked_room)
            self.marked = cython.cast(cython.p_uchar, grown(self.marked, self.marked_room, 1))
        memset(self.marked, 0, size)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def mark(
        self, reference: p_const, rows: cython.size_t, text: p_const, columns: cython.size_t
    ) -> cython.int:
        """Mark the indices of the subsequence that `common_indices` of the twin finds."""
        if rows == 0 or columns == 0:
            return 0
        width: cython.size_t = (columns + 7) // 8
        self.fill(reference, rows, text, columns, width)
        row: cython.size_t = rows
        column: cython.size_t = columns
        while row > 0 and column > 0:
            if reference[row - 1] == text[column - 1]:
                row -= 1
                column -= 1
                self.marked[row] = 1
            elif self.left[(row - 1) * width + ((column - 1) >> 3)] >> ((column - 1) & 7) & 1:
                column -= 1
            else:
                row -= 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def fill(
        self,
        reference: p_const,
        rows: cython.size_t,
        text: p_const,
        columns: cython.size_t,
        width: cython.size_t,
    ) -> cython.int:
        self.fit(rows * width, columns + 1)
        memset(self.left, 0, rows * width)
        memset(self.lengths, 0, 4 * (columns + 1))
        lengths: cython.p_uint = self.lengths
        row: cython.size_t
        column: cython.size_t
        for row in range(rows):
            corner: cython.uint = 0
            for column in range(columns):
                above: cython.uint = lengths[column + 1]
                if reference[row] == text[column]:
                    lengths[column + 1] = corner + 1
                elif lengths[column] > above:
                    lengths[column + 1] = lengths[column]
                    self.left[row * width + (column >> 3)] |= 1 << (column & 7)
                corner = above
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, bits: cython.size_t, lengths: cython.size_t) -> cython.int:
        if bits > self.left_room:
            self.left_room = room_for(bits, self.left_room)
            self.left = cython.cast(cython.p_uchar, grown(self.left, self.left_room, 1))
        if lengths > self.lengths_room:
            self.lengths_room = room_for(lengths, self.lengths_room)
            self.lengths = cython.cast(cython.p_uint, grown(self.lengths, self.lengths_room, 4))
        return 0


@cython.final
@cython.cclass
class Scorer:
    """One call of score_rouge: the options as C values, buffers and one row of results."""

    words: Words
    ngrams: Ngrams
    in_text: NgramCounts
    in_reference: NgramCounts
    indices: Indices
    union: Union
    way: cython.int
    order: cython.size_t
    strict: cython.bint
    left: cython.p_uint
    left_room: cython.size_t
    row: cython.double[3]

    def __cinit__(self, options):
        self.words = Words(options.reading)
        self.strict = options.strict
        self.order = int(options.kind) if options.kind.isdecimal() else 1
        self.way = {"L": _BY_SEQUENCE, "Lsum": _BY_UNION}.get(options.kind, _BY_NGRAMS)
        self.ngrams = Ngrams(self.order)
        self.in_text = NgramCounts(self.order)
        self.in_reference = NgramCounts(self.order)
        self.indices = Indices()
        self.union = Union()

    def __dealloc__(self):
        free(self.left)

    @cython.cfunc
    @cython.exceptval(-1)
    def score(self, example: object) -> cython.int:
        """Fill the row with the scores of one example; the code says whether it could be scored."""
        words: Words = self.words
        words.begin()
        self.add(example.text)
        sentences: cython.size_t = words.texts
        length: cython.size_t = words.lexicon.used
        if self.way == _BY_SEQUENCE:
            self.indices.mark(words.lexicon.sequence, length, words.lexicon.tokens)
        code: cython.int = _NO_REFERENCES
        for reference in example.references:
            # Every reference takes the place of the one before.
            words.keep(sentences)
            self.add(reference)
            if words.lexicon.used > length or self.strict:
                self.against(sentences, code != _SCORED)
                code = _SCORED
        if self.way == _BY_SEQUENCE:
            self.indices.unmark(words.lexicon.sequence, length)
        return code

    @cython.cfunc
    @cython.exceptval(-1)
    def add(self, text: object) -> cython.int:
        """Append the words of a text, sentence by sentence where sentences matter."""
        if self.way != _BY_UNION:
            return self.words.add(text)
        for line in text.split("\n"):
            self.words.add(line)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def against(self, sentences: cython.size_t, first: cython.bint) -> cython.int:
        """Score one reference and keep the best; the text has so many sentences."""
        lexicon: Lexicon = self.words.lexicon
        length: cython.size_t = self.words.ends[sentences]
        reference_length: cython.size_t = lexicon.used - length
        hits: cython.double
        if self.way == _BY_SEQUENCE:
            # A word that only a reference has stands nowhere in the text.
            self.indices.fit(length, lexicon.tokens)
            hits = self.indices.common_length(lexicon.sequence + length, reference_length)
        elif self.way == _BY_UNION:
            hits = self.union_hits(sentences)
        else:
            hits = self.ngram_hits(length, reference_length)
        # As many n-grams as words, less the order, plus one; but at least one, so that 0 / 0 is 0.
        precision: cython.double = hits / (max(length, self.order) - self.order + 1)
        recall: cython.double = hits / (max(reference_length, self.order) - self.order + 1)
        value: cython.double = 0.0
        if hits > 0:
            value = 2 * precision * recall / (precision + recall)
        if first or value > self.row[0]:
            self.row[0] = value
            self.row[1] = precision
            self.row[2] = recall
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def ngram_hits(self, length: cython.size_t, reference_length: cython.size_t) -> cython.long:
        lexicon: Lexicon = self.words.lexicon
        # The n-grams of the text are numbered anew, because a reference may bring new words.
        self.ngrams.begin(lexicon.tokens, length + reference_length)
        self.in_text.count(self.ngrams, lexicon.sequence, length)
        self.in_reference.count(self.ngrams, lexicon.sequence + length, reference_length)
        last: cython.size_t = self.order - 1
        listed: cython.p_uint = self.in_reference.listed + last * reference_length
        hits: cython.long = 0
        index: cython.size_t
        for index in range(self.in_reference.distinct[last]):
            hits += min(self.in_reference.counts[listed[index]], self.in_text.counts[listed[index]])
        return hits

    @cython.cfunc
    @cython.exceptval(-1)
    def union_hits(self, sentences: cython.size_t) -> cython.long:
        """Words of the reference in the union of common subsequences, as often as the text has them."""
        sequence: cython.p_uint = self.words.lexicon.sequence
        ends: cython.p_size_t = self.words.ends
        self.count_words(ends[sentences])
        hits: cython.long = 0
        sentence: cython.size_t
        other: cython.size_t
        index: cython.size_t
        for sentence in range(sentences, self.words.texts):
            begin: cython.size_t = ends[sentence]
            size: cython.size_t = ends[sentence + 1] - begin
            self.union.begin(size)
            for other in range(sentences):
                start: cython.size_t = ends[other]
                self.union.mark(sequence + begin, size, sequence + start, ends[other + 1] - start)
            for index in range(size):
                word: cython.uint = sequence[begin + index]
                if self.union.marked[index] and self.left[word] > 0:
                    hits += 1
                    self.left[word] -= 1
        return hits

    @cython.cfunc
    @cython.exceptval(-1)
    def count_words(self, length: cython.size_t) -> cython.int:
        """How often the text has each word."""
        lexicon: Lexicon = self.words.lexicon
        if lexicon.tokens > self.left_room:
            self.left_room = room_for(lexicon.tokens, self.left_room)
            self.left = cython.cast(cython.p_uint, grown(self.left, self.left_room, 4))
        memset(self.left, 0, 4 * cython.cast(cython.size_t, lexicon.tokens))
        index: cython.size_t
        for index in range(length):
            self.left[lexicon.sequence[index]] += 1
        return 0


# Another thread may shorten a list of examples meanwhile.
@cython.boundscheck(True)
def score_rouge(examples, options):
    """An array per part, NaN where an example cannot be scored, and why: a code per example."""
    scorer: Scorer = Scorer(options)
    size: cython.Py_ssize_t = len(examples)
    columns = {name: array("d", bytes(8 * size)) for name in PARTS}
    codes = bytearray(size)
    indices = cython.declare(cython.p_double[3])
    part: cython.int
    for part in range(3):
        column: c_array = columns[PARTS[part]]
        indices[part] = column.data.as_doubles
    index: cython.Py_ssize_t
    for index in range(size):
        code: cython.int = scorer.score(examples[index])
        codes[index] = code
        for part in range(3):
            indices[part][index] = scorer.row[part] if code == _SCORED else NAN
    return columns, bytes(codes)
