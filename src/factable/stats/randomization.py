"""Is one system better than another: approximate randomisation, where two systems swap outputs by chance.

Riezler and Maxwell: On Some Pitfalls in Automatic Evaluation and Significance Testing for MT. 2005.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from factable.stats.bootstrap import Finish
from factable.stats.pairs import Column

SWAPS_AT_ONCE = 1 << 22
# Sums in another order may differ by so much of a value; what is equal but for that counts as reached.
ROUNDING = 1e-10


def randomization_p(
    systems: Sequence[Column],
    pairs: Sequence[tuple[int, int]],
    finish: Finish,
    *,
    randomizations: int,
    seed: int,
) -> list[float]:
    """Two-sided p of the difference of each pair of systems, where the outputs of any item may swap.

    `systems` has a row of statistics per item for each system, in the same order of items; `finish` turns
    rows of sums into values. All pairs see the same swaps.
    """
    totals = [rows.sum(axis=0) for rows in systems]
    values = finish(np.stack(totals))
    observed = [abs(float(values[one] - values[other])) for one, other in pairs]
    enough = [
        gap - ROUNDING * max(abs(values[one]), abs(values[other]))
        for gap, (one, other) in zip(observed, pairs, strict=True)
    ]
    reached = [0] * len(pairs)
    for swaps in _draw_swaps(len(systems[0]), randomizations, seed):
        # What a system gives away in each randomisation; the other system of a pair gets it.
        given = [swaps @ rows for rows in systems]
        for place, (one, other) in enumerate(pairs):
            change = given[other] - given[one]
            gaps = np.abs(finish(totals[one] + change) - finish(totals[other] - change))
            reached[place] += int((gaps >= enough[place]).sum())
    if not randomizations:
        return [math.nan] * len(pairs)
    return [
        math.nan if math.isnan(gap) else (count + 1) / (randomizations + 1)
        for count, gap in zip(reached, observed, strict=True)
    ]


def _draw_swaps(items: int, randomizations: int, seed: int) -> Iterator[Column]:
    """Which items swap (1) and which do not (0); as many rows at once as memory should hold."""
    generator = np.random.default_rng(seed)
    most = max(1, SWAPS_AT_ONCE // items)
    for start in range(0, randomizations, most):
        size = (min(most, randomizations - start), items)
        yield generator.integers(2, size=size, dtype=np.bool_).astype(np.float64)
