"""How much of the data its references have: 1 - lambda, the histogram of Dhingra et al. (2019)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factable.metrics.parent import Parent
from factable.study.panel import Column, Panel, choose_systems

# Its part `mix` is lambda: 1 less the mean share of each record's words that the reference has.
COVERING = Parent()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the data that the references have, one value per item."""

    values: Column
    signature: str
    items_left_out: int


def measure_coverage(panel: Panel, *, systems: Sequence[str] = (), excluded: Sequence[str] = ()) -> Coverage:
    """The coverage of each item of a panel that was scored with COVERING.

    Of several references PARENT takes the one closest to the text, so an item's value is the mean over its
    texts; items that PARENT cannot score are left out.
    """
    panel = choose_systems(panel, systems, excluded)
    scores = panel.result.scores[panel.result.metrics.index(COVERING)]
    covered = 1 - np.frombuffer(scores.parts["mix"])
    scored = ~np.isnan(covered)
    item_of = panel.item_of[scored]
    texts = np.bincount(item_of, minlength=len(panel.items))
    sums = np.bincount(item_of, weights=covered[scored], minlength=len(panel.items))
    return Coverage(sums[texts > 0] / texts[texts > 0], scores.signature, int((texts == 0).sum()))
