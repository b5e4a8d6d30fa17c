"""Amounts for several from the amount for one: 500 g in ten balls of a yarn with `grams_per_ball: 50`."""

import re
from collections.abc import Iterator
from fractions import Fraction

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Matcher
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.units import unit_of, units_named, vaguer_unit

# Beside more values than these, nothing is multiplied.
_MAX_LEAVES = 200

_PER = lazy_pattern(r"(?:\A|[_.])per_?(?:(?P<amount>\d+)_?(?P<unit>[a-z]+)|(?P<what>[a-z]+))", re.IGNORECASE)

Product = tuple[Fraction, tuple[int, ...], str]


def products_per_unit(matcher: Matcher, unit: str) -> Iterator[Product]:
    """Every `x_per_y` times a value whose key counts y, in a unit of x."""
    yield from _of_objects_per_unit(matcher, unit)
    leaves = matcher.structure.leaves
    for leaf in leaves if len(leaves) <= _MAX_LEAVES else ():
        words = split_identifier(leaf.keys[-1]).lower().split()
        one = matcher.index.number_of(leaf.index)
        at = words.index("per") if "per" in words[:-1] else 0
        if one is None or not at:
            continue
        units = (one.unit.partition(" per ")[0],) if one.unit else units_named(words[at - 1])
        factor = next((factor for own in units if (factor := _factor(own, unit))), None)
        for other in leaves if factor is not None else ():
            own = split_identifier(other.keys[-1]).lower().split()
            count = matcher.index.number_of(other.index)
            if count is not None and "per" not in own and stands_for(own[-1], words[at + 1]):
                value = one.value * (factor or 1)
                yield count.value * value, (leaf.index, other.index), f"{show(count.value)} × {show(value)}"


def _of_objects_per_unit(matcher: Matcher, unit: str) -> Iterator[Product]:
    """What objects such as `nutrition_per_serving` or `per_100g` give for all servings, or for 50 g."""
    leaves = matcher.structure.leaves
    for leaf in leaves if len(leaves) <= _MAX_LEAVES else ():
        one = matcher.index.number_of(leaf.index)
        found = _PER.search(".".join(leaf.keys[:-1]))
        factor = (_factor(one.unit, unit) if one.unit else Fraction(1)) if one is not None and found else None
        if one is None or found is None or factor is None:
            continue
        for other in leaves:
            count = matcher.index.number_of(other.index)
            if count is None or _PER.search(".".join(other.keys)):
                continue
            share = count.value
            if found["amount"]:
                measured = units_named(found["unit"])
                scale = _factor(count.unit, measured[0]) if measured and count.unit else None
                share = count.value * scale / int(found["amount"]) if scale else Fraction(0)
            elif not stands_for(split_identifier(other.keys[-1]).lower().split()[-1], found["what"].lower()):
                continue
            if share:
                yield (
                    share * one.value * factor,
                    (leaf.index, other.index),
                    f"{show(share)} × {show(one.value)}",
                )


def _factor(own: str, asked: str) -> Fraction | None:
    """By what an amount is multiplied to be in the unit asked for; None if it cannot be."""
    if asked in (own, vaguer_unit(own)):
        return Fraction(1)
    first, second = unit_of(own), unit_of(asked)
    if first.dimension != second.dimension or first.dimension == "money":
        return None
    return first.factor / second.factor
