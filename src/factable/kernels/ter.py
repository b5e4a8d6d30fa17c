"""Edits of TER (Snover et al. 2006), in plain Python; `_ter.py` is fast and equal.

The search is greedy, with the order of preference and the limits of sacrebleu, which follow Tercom's: as long
as moving a run of words brings the text nearer to the reference, the best such move is made; what is left are
insertions, deletions and substitutions. Texts are tokenised already: words are separated by white space.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The longest run of words that is moved, and how far from its own index it may stand in the reference.
MAX_RUN = 10
MAX_DISTANCE = 50
# Distances are computed this far from the diagonal.
BEAM = 25
# With so many moves tried, the search ends.
MAX_TRIALS = 1000
UNREACHED = 1 << 29

Words = Sequence[str]


def count_edits(texts: Sequence[str], references: Sequence[Sequence[str]]) -> "array[int]":
    """The fewest edits that turn a text into one of its references, and their words: a row per text."""
    rows = array("i")
    for text, others in zip(texts, references, strict=True):
        targets = [other.split() for other in others]
        rows.append(min((edits_between(text.split(), target) for target in targets), default=0))
        rows.append(sum(map(len, targets)))
    return rows


def edits_between(words: Words, reference: Words) -> int:
    """Moves, insertions, deletions and substitutions that turn words into those of a reference."""
    if not reference:
        return len(words)
    distances = Distances(words, reference)
    moves = trials = 0
    while True:
        move, trials = _find_move(distances, trials)
        if trials >= MAX_TRIALS or move is None or move.gain <= 0:
            return moves + distances.total
        distances = Distances(move.apply(distances.words), reference)
        moves += 1


class Row(NamedTuple):
    """Costs of turning the first words of a text into the first words of a reference, from a number on."""

    first: int
    costs: list[int]

    def cost(self, column: int) -> int:
        """The cost for that many words of the reference; out of reach beyond the ends."""
        index = column - self.first
        return self.costs[index] if 0 <= index < len(self.costs) else UNREACHED


class Distances:
    """Edit distances between the beginnings of a text and of a reference, near the diagonal."""

    def __init__(self, words: Words, reference: Words) -> None:
        self.words, self.reference = words, reference
        self._ratio = len(reference) / len(words) if words else 1.0
        # Where a text is much shorter than its reference, the rows would not overlap otherwise.
        wide = self._ratio / 2 > BEAM
        self._beam = math.ceil(self._ratio / 2 + BEAM) if wide else BEAM
        self.rows = [Row(0, list(range(len(reference) + 1)))]
        for number, word in enumerate(words, 1):
            self.rows.append(self._next_row(self.rows[-1], number, word))

    @property
    def total(self) -> int:
        """The edit distance of the whole."""
        return self.rows[-1].cost(len(self.reference))

    def _next_row(self, above: Row, number: int, word: str) -> Row:
        diagonal = math.floor(number * self._ratio)
        first = max(0, diagonal - self._beam)
        end = min(len(self.reference) + 1, diagonal + self._beam)
        if number == len(self.words):
            end = len(self.reference) + 1
        costs: list[int] = []
        for column in range(first, end):
            cost = above.cost(column) + 1
            if column:
                cost = min(cost, above.cost(column - 1) + (word != self.reference[column - 1]))
            if costs:
                cost = min(cost, costs[-1] + 1)
            costs.append(cost)
        return Row(first, costs)

    def cost_after(self, move: "Move") -> int:
        """The edit distance that a move would leave."""
        moved = move.apply(self.words)
        begin, end = move.changed
        row = self.rows[begin]
        for number in range(begin + 1, len(moved) + 1):
            row = self._next_row(row, number, moved[number - 1])
            if number >= end:
                # The words that follow have not moved: if all costs differ by one number, those that follow
                # will, too.
                before = self.rows[number].costs
                change = row.costs[0] - before[0]
                if all(cost - other == change for cost, other in zip(row.costs, before, strict=True)):
                    return self.total + change
        return row.cost(len(self.reference))

    def align(self) -> "Alignment":
        """The cheapest edits: substitutions before deletions before insertions, from the end."""
        columns, wrong_words, wrong_columns = [0] * len(self.reference), [], []
        index, column = len(self.words), len(self.reference)
        while index or column:
            cost = self.rows[index].cost(column)
            same = bool(index and column) and self.words[index - 1] == self.reference[column - 1]
            if index and column and self.rows[index - 1].cost(column - 1) + (not same) == cost:
                if not same:
                    wrong_words.append(index - 1)
                    wrong_columns.append(column - 1)
                columns[column - 1] = index - 1
                index, column = index - 1, column - 1
            elif index and self.rows[index - 1].cost(column) + 1 == cost:
                wrong_words.append(index - 1)
                index -= 1
            else:
                wrong_columns.append(column - 1)
                columns[column - 1] = index - 1
                column -= 1
        return Alignment(
            columns, _sums(len(self.words), wrong_words), _sums(len(self.reference), wrong_columns)
        )


class Alignment(NamedTuple):
    """The word of the text at or before each one of the reference; errors before each index of both."""

    words: list[int]
    errors_in_text: list[int]
    errors_in_reference: list[int]


def _sums(size: int, wrong: list[int]) -> list[int]:
    sums = [0] * (size + 1)
    for index in wrong:
        sums[index + 1] = 1
    for index in range(size):
        sums[index + 1] += sums[index]
    return sums


class Move(NamedTuple):
    """A run of words and the index it goes to; a better move compares as higher."""

    gain: int
    length: int
    # Negative, so that earlier ones are better.
    from_start: int
    to_start: int

    def apply(self, words: Words) -> Words:
        """The words after the move."""
        start, target = -self.from_start, self.target
        rest = [*words[:start], *words[start + self.length :]]
        return [*rest[:target], *words[start : start + self.length], *rest[target:]]

    @property
    def target(self) -> int:
        """Where the run begins after the move."""
        start, target = -self.from_start, -self.to_start
        # An index inside of the run counts from its beginning, one after it from its end.
        return target - self.length if target > start + self.length else target

    @property
    def changed(self) -> tuple[int, int]:
        """The first index that changes, and the one after the last."""
        return min(-self.from_start, self.target), max(-self.from_start, self.target) + self.length


def _find_move(distances: Distances, trials: int) -> tuple[Move | None, int]:
    """The move that brings the text nearest to the reference, and how many were tried so far."""
    alignment = distances.align()
    best: Move | None = None
    for start, column, length in _equal_runs(distances.words, distances.reference):
        if not _may_help(alignment, start, column, length):
            continue
        last = -1
        for offset in range(-1, length):
            target = 0 if column + offset < 0 else alignment.words[column + offset] + 1
            if target == last:
                continue
            last = target
            trial = Move(0, length, -start, -target)
            trials += 1
            trial = trial._replace(gain=distances.total - distances.cost_after(trial))
            best = trial if best is None else max(best, trial)
        if trials >= MAX_TRIALS:
            break
    return best, trials


def _equal_runs(words: Words, reference: Words) -> Iterator[tuple[int, int, int]]:
    """Runs of words that the reference has: their start in both, and their length."""
    for start in range(len(words)):
        for column in range(max(0, start - MAX_DISTANCE), min(len(reference), start + MAX_DISTANCE + 1)):
            longest = min(MAX_RUN, len(words) - start, len(reference) - column)
            for length in range(1, longest + 1):
                if words[start + length - 1] != reference[column + length - 1]:
                    break
                yield start, column, length


def _may_help(alignment: Alignment, start: int, column: int, length: int) -> bool:
    """Whether the run is wrong in both places and would not move into itself."""
    words, in_text, in_reference = alignment
    return (
        in_text[start + length] > in_text[start]
        and in_reference[column + length] > in_reference[column]
        and not start <= words[column] < start + length
    )
