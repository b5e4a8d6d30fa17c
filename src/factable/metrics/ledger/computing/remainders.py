"""What is left of a capacity: 2 free beds of 24 with 22 occupied, 7 places of 48 with 41 enrolled."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.units import unit_of

#: Words that ask for what is left.
LEFT = lazy_pattern(
    r"\b(?:left|free|available|remain\w*|spare|vacant|vacanc\w+|unoccupied|unsold|unused|unfilled|untaken|empty|open|"
    r"outstanding|still|leav(?:es|ing)|room\sfor|closed|missing|failed|absent|not)\b",
    re.IGNORECASE,
)
_WHOLE_WORDS = """
capacity beds seats slots spaces places spots rooms total limit max maximum quota budget allowance stock size
available allocated goal target planned allotted tickets docks bays tables desks lanes units inventory
"""
_TAKEN_WORDS = """
occupied used taken booked enrolled sold filled registered reserved spent consumed occupancy attended
attendance participants raised completed done issued allocated checked rented lent assigned claimed paid
collected open running active working finished finishers passed present
"""
_WHOLE, _TAKEN = frozenset(_WHOLE_WORDS.split()), frozenset(_TAKEN_WORDS.split())


def remainders(
    matcher: Matcher, scope: Mapping[int, float], unit: str
) -> Iterator[tuple[Fraction, tuple[int, ...], str]]:
    """What is left of every capacity of which an object tells how much is taken, in the unit asked for."""
    for frame in matcher.structure.frames:
        if frame.parent is not None and not scope.get(frame.index):
            continue
        leaves = [matcher.structure.leaves[index] for index in frame.leaves]
        amounts = [
            (leaf, amount) for leaf in leaves if (amount := matcher.index.number_of(leaf.index)) is not None
        ]
        for whole, size in amounts:
            for taken, used in amounts:
                is_pair = _words(whole) & _WHOLE and _words(taken) & _TAKEN and whole is not taken
                is_asked = not unit or unit_of(unit).dimension == unit_of(size.unit).dimension
                if is_pair and is_asked and size.unit == used.unit and size.value >= used.value:
                    shown = f"{show(size.value)} − {show(used.value)}"
                    yield size.value - used.value, (whole.index, taken.index), shown


def _words(leaf: Leaf) -> frozenset[str]:
    return frozenset(split_identifier(" ".join(leaf.keys)).lower().split())
