# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of parent.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.cpython.array import array as c_array
from cython.cimports.factable.kernels._entailment import Entailment
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._sequences import Indices, NgramCounts, Ngrams
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.libc.math import NAN, exp, log
from cython.cimports.libc.math import pow as power
from cython.cimports.libc.stdlib import free

from factable.kernels.parent import (
    EMPTY_VALUE,
    F_GUARD,
    MIXED_RECORDS,
    NO_RECORDS,
    NO_REFERENCES,
    PARTS,
    SCORED,
)
from factable.kernels.tokens import TOKENIZERS, attribute_token, attribute_words
from factable.types import Record

_record = cython.declare(object, Record)
_SCORED = cython.declare(cython.int, SCORED)
_NO_REFERENCES = cython.declare(cython.int, NO_REFERENCES)
_NO_RECORDS = cython.declare(cython.int, NO_RECORDS)
_EMPTY_VALUE = cython.declare(cython.int, EMPTY_VALUE)
_MIXED_RECORDS = cython.declare(cython.int, MIXED_RECORDS)
_F_GUARD = cython.declare(cython.double, F_GUARD)


@cython.final
@cython.cclass
class Pieces:
    """Neighbouring pieces of the token sequence: piece i lies between ends[i] and ends[i + 1]."""

    ends: cython.p_size_t
    count: cython.size_t
    room: cython.size_t

    def __dealloc__(self):
        free(self.ends)

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self, start: cython.size_t, most: cython.size_t) -> cython.int:
        """Forget the pieces before; room for so many that begin at a place."""
        if most + 1 > self.room:
            room: cython.size_t = room_for(most + 1, self.room)
            self.ends = cython.cast(cython.p_size_t, grown(self.ends, room, cython.sizeof(cython.size_t)))
            self.room = room
        self.ends[0] = start
        self.count = 0
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def close(self, end: cython.size_t, empty: cython.bint) -> cython.bint:
        """End the present piece; an empty one counts only if asked for."""
        if end == self.ends[self.count] and not empty:
            return False
        self.count += 1
        self.ends[self.count] = end
        return True


@cython.cfunc
@cython.exceptval(check=False)
def geometric_mean(
    values: cython.p_double,
    orders: cython.int,
    smoothing: cython.double,
    at_zero: cython.double,
    paper: cython.bint,
) -> cython.double:
    """Zero orders above the first, or all, are smoothed; a zero that stays makes the whole `at_zero`."""
    total: cython.double = 0.0
    order: cython.int
    for order in range(orders):
        value: cython.double = values[order]
        if value == 0.0 and (order > 0 or paper):
            value = smoothing
        if value == 0.0:
            return at_zero
        total += log(value) / orders
    return exp(total)


@cython.final
@cython.cclass
class Scorer:
    """One call of score_parent: the options as C values, buffers and one row of results."""

    lexicon: Lexicon
    ngrams: Ngrams
    in_text: NgramCounts
    in_reference: NgramCounts
    indices: Indices
    entailment: Entailment
    records: Pieces
    references: Pieces
    mode: cython.int
    orders: cython.int
    mix: cython.double
    smoothing: cython.double
    automatic: cython.bint
    strict: cython.bint
    separate_best: cython.bint
    paper: cython.bint
    uniform: cython.bint
    named: cython.bint
    worded: cython.bint
    row: cython.double[6]
    precisions: cython.p_double
    recalls: cython.p_double

    def __cinit__(self, options, counts):
        self.mode = TOKENIZERS.index(options.tokenizer)
        self.orders = options.orders
        self.automatic = options.mix is None
        self.mix = 0.0 if options.mix is None else options.mix
        self.smoothing = options.smoothing
        self.strict = options.strict
        self.separate_best = options.separate_best
        self.paper = options.paper
        self.uniform = options.strict and options.entailment == "overlap"
        self.named = options.entailment == "cooccurrence"
        self.worded = options.paper and not self.named
        self.lexicon = Lexicon()
        self.ngrams = Ngrams(self.orders)
        self.in_text = NgramCounts(self.orders)
        self.in_reference = NgramCounts(self.orders)
        self.indices = Indices()
        self.entailment = Entailment(options.entailment, counts)
        self.records = Pieces()
        self.references = Pieces()
        self.precisions = cython.cast(cython.p_double, grown(cython.NULL, self.orders, 8))
        self.recalls = cython.cast(cython.p_double, grown(cython.NULL, self.orders, 8))

    def __dealloc__(self):
        free(self.precisions)
        free(self.recalls)

    @cython.cfunc
    @cython.exceptval(-1)
    def score(self, example: object) -> cython.int:
        """Fill the row with the scores of one example; the code says whether it could be scored."""
        lexicon: Lexicon = self.lexicon
        table = example.table
        records: tuple = table.records
        lexicon.begin()
        code: cython.int = self.add_records(records)
        if code != _SCORED:
            return code
        if not self.strict:
            lexicon.add_text(table.title, self.mode)
        if self.named:
            tokenizer = TOKENIZERS[self.mode]
            for record in records:
                lexicon.add_name(attribute_token(cython.cast(tuple, record)[1], tokenizer))
        if self.worded:
            tokenizer = TOKENIZERS[self.mode]
            for record in records:
                for word in attribute_words(cython.cast(tuple, record)[1], tokenizer):
                    lexicon.add_name(word)
        return self.add_texts(example.text, example.references, lexicon.tokens)

    @cython.cfunc
    @cython.exceptval(-1)
    def add_records(self, records: tuple) -> cython.int:
        """Number the tokens of all records, unless they cannot be scored."""
        lexicon: Lexicon = self.lexicon
        triples: cython.Py_ssize_t = 0
        self.records.begin(0, len(records))
        for item in records:
            if type(item) is not _record and not isinstance(item, _record):
                raise TypeError(f"a table holds Records, not {type(item).__name__}")
            # A Record is a tuple of its own class, which a declared tuple would refuse.
            record: tuple = cython.cast(tuple, item)
            if record[0]:
                triples += 1
                lexicon.add_text(record[0], self.mode)
            lexicon.add_text(record[2], self.mode)
            if not self.records.close(lexicon.used, False) and self.strict:
                return _EMPTY_VALUE
        if self.uniform and 0 < triples < len(records):
            return _MIXED_RECORDS
        return _SCORED if self.records.count else _NO_RECORDS

    @cython.cfunc
    @cython.exceptval(-1)
    def add_texts(self, text: object, references: tuple, known: cython.uint) -> cython.int:
        """Number the tokens of text and references, of which the first ones are the table's, and score."""
        lexicon: Lexicon = self.lexicon
        begin: cython.size_t = lexicon.used
        lexicon.add_text(text, self.mode)
        length: cython.size_t = lexicon.used - begin
        self.references.begin(lexicon.used, len(references))
        for reference in references:
            lexicon.add_text(reference, self.mode)
            self.references.close(lexicon.used, self.strict)
        if self.references.count == 0:
            return _NO_REFERENCES
        self.ngrams.begin(lexicon.tokens, lexicon.used - begin)
        self.entailment.begin(lexicon, known, self.ngrams)
        self.in_text.count(self.ngrams, lexicon.sequence + begin, length)
        table_recall: cython.double = self.table_recall(begin, length)
        if table_recall == 0.0:
            table_recall = self.smoothing
        index: cython.size_t
        for index in range(self.references.count):
            self.against(index, table_recall)
        return _SCORED

    @cython.cfunc
    @cython.exceptval(-1)
    def against(self, index: cython.size_t, table_recall: cython.double) -> cython.int:
        """Score one reference and keep the best."""
        begin: cython.size_t = self.references.ends[index]
        length: cython.size_t = self.references.ends[index + 1] - begin
        self.in_reference.count(self.ngrams, self.lexicon.sequence + begin, length)
        self.entailment.extend(self.ngrams)
        order: cython.int
        for order in range(1, self.orders + 1):
            self.precisions[order - 1] = self.entailment.precision(self.in_text, self.in_reference, order)
            self.recalls[order - 1] = self.entailment.recall(self.in_text, self.in_reference, order)
        precision: cython.double = geometric_mean(
            self.precisions, self.orders, self.smoothing, 0.0, self.paper
        )
        reference_recall: cython.double = geometric_mean(
            self.recalls, self.orders, self.smoothing, self.smoothing, self.paper
        )
        mix: cython.double = 1 - self.table_recall(begin, length) if self.automatic else self.mix
        recall: cython.double = power(reference_recall, 1 - mix) * power(table_recall, mix)
        value: cython.double = 2 * precision * recall / (precision + recall + _F_GUARD)
        row: cython.p_double = self.row
        highest_precision: cython.double = max(precision, row[1]) if index > 0 else precision
        highest_recall: cython.double = max(recall, row[2]) if index > 0 else recall
        if index == 0 or value > row[0]:
            row[0] = value
            row[1] = precision
            row[2] = recall
            row[3] = reference_recall
            row[4] = table_recall
            row[5] = mix
        if self.separate_best:
            row[1] = highest_precision
            row[2] = highest_recall
        return 0

    @cython.cfunc
    @cython.exceptval(-1.0)
    def table_recall(self, begin: cython.size_t, length: cython.size_t) -> cython.double:
        """The mean share of each record's tokens that a piece of the sequence has in the same order."""
        sequence: cython.p_uint = self.lexicon.sequence
        ends: cython.p_size_t = self.records.ends
        self.indices.mark(sequence + begin, length, self.lexicon.tokens)
        total: cython.double = 0.0
        record: cython.size_t
        for record in range(self.records.count):
            size: cython.size_t = ends[record + 1] - ends[record]
            common: cython.double = self.indices.common_length(sequence + ends[record], size)
            total += common / size
        self.indices.unmark(sequence + begin, length)
        return total / self.records.count


# Another thread may shorten a list of examples meanwhile.
@cython.boundscheck(True)
def score_parent(examples, options, counts):
    """An array per part, NaN where an example cannot be scored, and why: a code per example."""
    scorer: Scorer = Scorer(options, counts)
    size: cython.Py_ssize_t = len(examples)
    columns = {name: array("d", bytes(8 * size)) for name in PARTS}
    codes = bytearray(size)
    indices = cython.declare(cython.p_double[6])
    part: cython.int
    for part in range(6):
        column: c_array = columns[PARTS[part]]
        indices[part] = column.data.as_doubles
    index: cython.Py_ssize_t
    for index in range(size):
        code: cython.int = scorer.score(examples[index])
        codes[index] = code
        for part in range(6):
            indices[part][index] = scorer.row[part] if code == _SCORED else NAN
    return columns, bytes(codes)
