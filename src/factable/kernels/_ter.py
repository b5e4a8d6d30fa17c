# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of ter.py."""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from array import array

from cython.cimports.cpython.array import array as c_array
from cython.cimports.cpython.array import clone
from cython.cimports.cpython.exc import PyErr_CheckSignals
from cython.cimports.factable.kernels._memory import grown, room_for
from cython.cimports.factable.kernels._tokens import Lexicon
from cython.cimports.libc.math import ceil, floor
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcpy, memset

from factable.kernels.ter import BEAM, MAX_DISTANCE, MAX_RUN, MAX_TRIALS, UNREACHED
from factable.kernels.tokens import TOKENIZERS

# Splits as str.split() does.
_SPLIT = cython.declare(cython.int, TOKENIZERS.index("whitespace-cased"))
_BEAM = cython.declare(cython.int, BEAM)
_MAX_DISTANCE = cython.declare(cython.int, MAX_DISTANCE)
_MAX_RUN = cython.declare(cython.int, MAX_RUN)
_MAX_TRIALS = cython.declare(cython.int, MAX_TRIALS)
_UNREACHED = cython.declare(cython.int, UNREACHED)
_ints = cython.declare(c_array, array("i"))

# A run of words, the index it goes to, and what that gains.
Move = cython.struct(gain=cython.int, length=cython.int, start=cython.int, target=cython.int)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_better(one: Move, other: Move) -> cython.bint:
    if one.gain != other.gain:
        return one.gain > other.gain
    if one.length != other.length:
        return one.length > other.length
    if one.start != other.start:
        return one.start < other.start
    return one.target < other.target


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def landing(move: Move) -> cython.int:
    """Where the run begins after a move."""
    # An index inside of the run counts from its beginning, one after it from its end.
    return move.target - move.length if move.target > move.start + move.length else move.target


@cython.final
@cython.cclass
class Editor:
    """One text with its references at a time, as numbered words; buffers are reused."""

    lexicon: Lexicon
    # Words of the text as they stand after the moves made so far, and as a trial would leave them.
    words: cython.p_uint
    moved: cython.p_uint
    size: cython.int
    reference: cython.p_uint
    columns: cython.int
    words_room: cython.size_t
    # Row i of the distances begins at cells[begins[i]] with column firsts[i]; begins[size + 1] is the end.
    cells: cython.p_int
    cells_room: cython.size_t
    firsts: cython.p_int
    begins: cython.p_size_t
    # Two rows of a trial.
    upper: cython.p_int
    lower: cython.p_int
    # The word at or before each one of the reference, and the errors before each index of both.
    aligned: cython.p_int
    errors_in_text: cython.p_int
    errors_in_reference: cython.p_int
    columns_room: cython.size_t

    def __cinit__(self):
        self.lexicon = Lexicon()

    def __dealloc__(self):
        free(self.words)
        free(self.moved)
        free(self.cells)
        free(self.firsts)
        free(self.begins)
        free(self.upper)
        free(self.lower)
        free(self.aligned)
        free(self.errors_in_text)
        free(self.errors_in_reference)

    @cython.cfunc
    @cython.exceptval(-1)
    def count(self, text: object, references: tuple, row: cython.p_int) -> cython.int:
        """The fewest edits to one of the references, and the words of all."""
        lexicon: Lexicon = self.lexicon
        lexicon.begin()
        lexicon.add_text(text, _SPLIT)
        size: cython.size_t = lexicon.used
        begin: cython.size_t = size
        row[0] = 0
        first: cython.bint = True
        for other in references:
            lexicon.add_text(other, _SPLIT)
            edits: cython.int = self.edits_to(size, begin, lexicon.used)
            if first or edits < row[0]:
                row[0] = edits
            first = False
            begin = lexicon.used
        row[1] = cython.cast(cython.int, begin - size)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def edits_to(self, size: cython.size_t, begin: cython.size_t, end: cython.size_t) -> cython.int:
        """Edits that turn the text into the reference that lies there in the sequence."""
        if begin == end:
            return cython.cast(cython.int, size)
        self.fit(size, end - begin)
        self.size = cython.cast(cython.int, size)
        self.columns = cython.cast(cython.int, end - begin)
        self.reference = self.lexicon.sequence + begin
        memcpy(self.words, self.lexicon.sequence, 4 * size)
        self.plan()
        self.fill(1)
        moves: cython.int = 0
        trials: cython.int = 0
        best: Move = self.find_move(cython.address(trials))
        while trials < _MAX_TRIALS and best.gain > 0:
            first: cython.int = self.move(best)
            memcpy(self.words, self.moved, 4 * size)
            self.fill(first + 1)
            moves += 1
            best = self.find_move(cython.address(trials))
        return moves + self.total()

    @cython.cfunc
    @cython.exceptval(-1)
    def plan(self) -> cython.int:
        """Which columns each row of the distances has, and where it lies."""
        size: cython.int = self.size
        columns: cython.int = self.columns
        ratio: cython.double = cython.cast(cython.double, columns) / size if size else 1.0
        beam: cython.int = _BEAM
        if ratio / 2 > _BEAM:
            beam = cython.cast(cython.int, ceil(ratio / 2 + _BEAM))
        used: cython.size_t = columns + 1
        self.firsts[0] = 0
        self.begins[0] = 0
        number: cython.int
        for number in range(1, size + 1):
            diagonal: cython.int = cython.cast(cython.int, floor(number * ratio))
            self.firsts[number] = max(0, diagonal - beam)
            end: cython.int = min(columns + 1, diagonal + beam)
            if number == size:
                end = columns + 1
            self.begins[number] = used
            used += end - self.firsts[number]
        self.begins[size + 1] = used
        if used > self.cells_room:
            room: cython.size_t = room_for(used, self.cells_room)
            self.cells = cython.cast(cython.p_int, grown(self.cells, room, 4))
            self.cells_room = room
        for number in range(columns + 1):
            self.cells[number] = number
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def width(self, number: cython.int) -> cython.int:
        return cython.cast(cython.int, self.begins[number + 1] - self.begins[number])

    @cython.cfunc
    @cython.exceptval(check=False)
    def total(self) -> cython.int:
        """The edit distance of the whole."""
        return self.cells[self.begins[self.size + 1] - 1]

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_row(
        self, above: cython.p_int, number: cython.int, word: cython.uint, to: cython.p_int
    ) -> cython.void:
        """Write a row from the one above it."""
        first: cython.int = self.firsts[number]
        upper_first: cython.int = self.firsts[number - 1]
        upper_end: cython.int = upper_first + self.width(number - 1)
        left: cython.int = _UNREACHED
        column: cython.int
        for column in range(first, first + self.width(number)):
            cost: cython.int = left
            if upper_first <= column < upper_end and above[column - upper_first] < cost:
                cost = above[column - upper_first]
            cost += 1
            if upper_first < column <= upper_end:
                other: cython.int = above[column - 1 - upper_first] + (word != self.reference[column - 1])
                if other < cost:
                    cost = other
            to[column - first] = cost
            left = cost

    @cython.cfunc
    @cython.exceptval(check=False)
    def fill(self, begin: cython.int) -> cython.void:
        """Compute the rows of distances from a number on."""
        number: cython.int
        for number in range(begin, self.size + 1):
            above: cython.p_int = self.cells + self.begins[number - 1]
            self.next_row(above, number, self.words[number - 1], self.cells + self.begins[number])

    @cython.cfunc
    @cython.exceptval(check=False)
    def cost(self, number: cython.int, column: cython.int) -> cython.int:
        index: cython.int = column - self.firsts[number]
        if index < 0 or index >= self.width(number):
            return _UNREACHED
        return self.cells[self.begins[number] + index]

    @cython.cfunc
    @cython.exceptval(check=False)
    def align(self) -> cython.void:
        """The cheapest edits: substitutions before deletions before insertions, from the end."""
        memset(self.errors_in_text, 0, 4 * (cython.cast(cython.size_t, self.size) + 1))
        memset(self.errors_in_reference, 0, 4 * (cython.cast(cython.size_t, self.columns) + 1))
        index: cython.int = self.size
        column: cython.int = self.columns
        while index or column:
            cost: cython.int = self.cost(index, column)
            wrong: cython.int = 1
            if index and column:
                wrong = self.words[index - 1] != self.reference[column - 1]
            if index and column and self.cost(index - 1, column - 1) + wrong == cost:
                self.errors_in_text[index] = wrong
                self.errors_in_reference[column] = wrong
                self.aligned[column - 1] = index - 1
                index -= 1
                column -= 1
            elif index and self.cost(index - 1, column) + 1 == cost:
                self.errors_in_text[index] = 1
                index -= 1
            else:
                self.errors_in_reference[column] = 1
                self.aligned[column - 1] = index - 1
                column -= 1
        for index in range(self.size):
            self.errors_in_text[index + 1] += self.errors_in_text[index]
        for column in range(self.columns):
            self.errors_in_reference[column + 1] += self.errors_in_reference[column]

    @cython.cfunc
    def find_move(self, trials: cython.p_int) -> Move:
        """The move that brings the text nearest to the reference; without one its gain is 0."""
        best: Move = Move(gain=0, length=0, start=0, target=0)
        found: cython.bint = False
        self.align()
        start: cython.int
        column: cython.int
        length: cython.int
        for start in range(self.size):
            last: cython.int = min(self.columns, start + _MAX_DISTANCE + 1)
            for column in range(max(0, start - _MAX_DISTANCE), last):
                longest: cython.int = min(_MAX_RUN, min(self.size - start, self.columns - column))
                for length in range(1, longest + 1):
                    if self.words[start + length - 1] != self.reference[column + length - 1]:
                        break
                    if self.may_help(start, column, length):
                        found = self.try_moves(start, column, length, cython.address(best), found, trials)
                        if trials[0] >= _MAX_TRIALS:
                            return best
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def may_help(self, start: cython.int, column: cython.int, length: cython.int) -> cython.bint:
        """Whether the run is wrong in both places and would not move into itself."""
        return (
            self.errors_in_text[start + length] > self.errors_in_text[start]
            and self.errors_in_reference[column + length] > self.errors_in_reference[column]
            and not (start <= self.aligned[column] < start + length)
        )

    @cython.cfunc
    @cython.exceptval(-1, check=True)
    def try_moves(
        self,
        start: cython.int,
        column: cython.int,
        length: cython.int,
        best: cython.pointer[Move],
        found: cython.bint,
        trials: cython.p_int,
    ) -> cython.bint:
        """Try to move a run to each index near its equal in the reference; whether there is a best move."""
        trial: Move = Move(gain=0, length=length, start=start, target=-1)
        offset: cython.int
        for offset in range(-1, length):
            target: cython.int = 0 if column + offset < 0 else self.aligned[column + offset] + 1
            if target == trial.target:
                continue
            trial.target = target
            trials[0] += 1
            PyErr_CheckSignals()
            trial.gain = self.total() - self.cost_after(trial)
            if not found or is_better(trial, best[0]):
                best[0] = trial
            found = True
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def move(self, move: Move) -> cython.int:
        """Write the words after a move to `moved`; the first index that changes."""
        start: cython.int = move.start
        length: cython.int = move.length
        target: cython.int = landing(move)
        words: cython.p_uint = self.words
        moved: cython.p_uint = self.moved
        memcpy(moved, words, 4 * cython.cast(cython.size_t, self.size))
        index: cython.int
        for index in range(length):
            moved[target + index] = words[start + index]
        for index in range(target, start):
            moved[index + length] = words[index]
        for index in range(start, target):
            moved[index] = words[index + length]
        return min(start, target)

    @cython.cfunc
    @cython.exceptval(check=False)
    def cost_after(self, move: Move) -> cython.int:
        """The edit distance that a move would leave."""
        begin: cython.int = self.move(move)
        end: cython.int = max(move.start, landing(move)) + move.length
        above: cython.p_int = self.cells + self.begins[begin]
        number: cython.int
        index: cython.int
        for number in range(begin + 1, self.size + 1):
            row: cython.p_int = self.upper if number & 1 else self.lower
            self.next_row(above, number, self.moved[number - 1], row)
            above = row
            if number >= end:
                # The words that follow have not moved: if all costs differ by one number, those that follow
                # will, too.
                before: cython.p_int = self.cells + self.begins[number]
                change: cython.int = row[0] - before[0]
                width: cython.int = self.width(number)
                index = 1
                while index < width and row[index] - before[index] == change:
                    index += 1
                if index == width:
                    return self.total() + change
        return above[self.columns - self.firsts[self.size]]

    @cython.cfunc
    @cython.exceptval(-1)
    def fit(self, size: cython.size_t, columns: cython.size_t) -> cython.int:
        """Room for a text and a reference of so many words."""
        room: cython.size_t
        if size + 2 > self.words_room:
            room = room_for(size + 2, self.words_room)
            self.words = cython.cast(cython.p_uint, grown(self.words, room, 4))
            self.moved = cython.cast(cython.p_uint, grown(self.moved, room, 4))
            self.firsts = cython.cast(cython.p_int, grown(self.firsts, room, 4))
            self.begins = cython.cast(cython.p_size_t, grown(self.begins, room, cython.sizeof(cython.size_t)))
            self.errors_in_text = cython.cast(cython.p_int, grown(self.errors_in_text, room, 4))
            self.words_room = room
        if columns + 1 > self.columns_room:
            room = room_for(columns + 1, self.columns_room)
            self.upper = cython.cast(cython.p_int, grown(self.upper, room, 4))
            self.lower = cython.cast(cython.p_int, grown(self.lower, room, 4))
            self.aligned = cython.cast(cython.p_int, grown(self.aligned, room, 4))
            self.errors_in_reference = cython.cast(cython.p_int, grown(self.errors_in_reference, room, 4))
            self.columns_room = room
        return 0


# Another thread may shorten a list meanwhile.
@cython.boundscheck(True)
def count_edits(texts, references):
    """The fewest edits that turn a text into one of its references, and their words: a row per text."""
    editor: Editor = Editor()
    if len(texts) != len(references):
        raise ValueError("there must be references for each text")
    size: cython.Py_ssize_t = len(texts)
    rows: c_array = clone(_ints, 2 * size, False)
    index: cython.Py_ssize_t
    for index in range(size):
        editor.count(texts[index], tuple(references[index]), rows.data.as_ints + 2 * index)
    return rows
