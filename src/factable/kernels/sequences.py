"""Common subsequences; `_sequences.py` is fast and equal."""

from collections.abc import Sequence


def common_indices(reference: Sequence[str], text: Sequence[str]) -> list[tuple[int, int]]:
    """One longest common subsequence, as pairs of indices in the reference and in the text.

    Of several, the one found by walking back from the end, moving in the reference first if both are equal.
    """
    lengths = [[0] * (len(text) + 1) for _ in range(len(reference) + 1)]
    for row, left in enumerate(reference, 1):
        for column, right in enumerate(text, 1):
            if left == right:
                lengths[row][column] = lengths[row - 1][column - 1] + 1
            else:
                lengths[row][column] = max(lengths[row - 1][column], lengths[row][column - 1])
    indices: list[tuple[int, int]] = []
    row, column = len(reference), len(text)
    while row and column:
        if reference[row - 1] == text[column - 1]:
            row, column = row - 1, column - 1
            indices.append((row, column))
        elif lengths[row][column - 1] > lengths[row - 1][column]:
            column -= 1
        else:
            row -= 1
    return indices[::-1]
