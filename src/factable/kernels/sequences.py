"""Common subsequences, written to be read."""

from collections.abc import Sequence


def common_indices(wanted: Sequence[str], said: Sequence[str]) -> list[tuple[int, int]]:
    """Where one longest common subsequence stands: pairs of places in `wanted` and in `said`.

    Of several, the one found from the end when `wanted` is given up first wherever that costs nothing.
    """
    lengths = [[0] * (len(said) + 1) for _ in range(len(wanted) + 1)]
    for row, left in enumerate(wanted, 1):
        for column, right in enumerate(said, 1):
            if left == right:
                lengths[row][column] = lengths[row - 1][column - 1] + 1
            else:
                lengths[row][column] = max(lengths[row - 1][column], lengths[row][column - 1])
    indices: list[tuple[int, int]] = []
    row, column = len(wanted), len(said)
    while row and column:
        if wanted[row - 1] == said[column - 1]:
            row, column = row - 1, column - 1
            indices.append((row, column))
        elif lengths[row][column - 1] > lengths[row - 1][column]:
            column -= 1
        else:
            row -= 1
    return indices[::-1]
