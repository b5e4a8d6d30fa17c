"""Start and end, arrival and departure, sunrise and sunset: a value said of the opposite of what it is of."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.clauses import Derived
from factable.structure import Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Date, Mention, Relation, Time, Value, compare_values, possible_values
from factable.types import Span

_AGREE = (Relation.EQUAL, Relation.COARSER, Relation.FINER)


class _Side(NamedTuple):
    """One of two opposites: words of a text that mean it, and words of keys."""

    verbs: "re.Pattern[str]"
    keys: "re.Pattern[str]"


def _side(verbs: str, keys: str) -> _Side:
    return _Side(lazy_pattern(rf"\b(?:{verbs})\b"), lazy_pattern(rf"\b(?:{keys})\b"))


_OPPOSITES = (
    (
        _side(r"sun rises|sunrise", r"sun ?rise"),
        _side(r"sun sets|sunset", r"sun ?set"),
    ),
    (
        _side(
            r"arriv(?:es?|ed|ing)|lands?|landed|arrival",
            r"arrival|arr|arrives?|arrived|landing|destination",
        ),
        _side(
            r"depart(?:s|ed|ing)?|leaves?|left|takes off|took off|departure",
            r"departure|dep|departs?|departed|takeoff|origin",
        ),
    ),
    (
        _side(
            r"starts?|started|begins?|began|kicks off|kicked off|opens|opened",
            r"start|starts|start time|start date|begin|begins|kick ?off|opens|opening time|gun time",
        ),
        _side(
            r"ends?|ended|finish(?:es|ed)?|closes|closed",
            r"end|ends|end time|end date|finish|finishes|closes|closing time|until",
        ),
    ),
    (
        _side(r"check-?in|check in", r"check ?in"),
        _side(r"check-?out|check out", r"check ?out"),
    ),
    (
        _side(r"(?:was|were) (?:placed|ordered)", r"placed|ordered|order date|created"),
        _side(r"(?:was|were|got) delivered", r"delivered|delivery|delivery date"),
    ),
    (
        _side(
            r"(?:was|were) (?:founded|established|commissioned|built)|went online",
            r"founded|established|commissioned|built|online since",
        ),
        _side(
            r"(?:was|were) (?:shut down|dismantled|dissolved|demolished|decommissioned)",
            r"shut down|dismantled|dissolved|demolished|decommissioned",
        ),
    ),
)
# Between the verb and the value.
_GAP = lazy_pattern(r"(?:\s(?:time|is|was|will be|at|on|in|by|from|scheduled|around|for))*\s?:?\s?")
_NOT = lazy_pattern(r"\b(?:not|no|never)\b|n['’]t\b")


class _Known(NamedTuple):
    leaf: Leaf
    values: tuple[Value, ...]
    key: str


_KNOWN: "WeakKeyDictionary[Structure, list[_Known]]" = WeakKeyDictionary()


def check_opposites(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """Every time or date after a verb with an opposite, against the keys that have the value."""
    lower = text[slice(*sentence)].lower()
    moments = [mention for mention in mentions if isinstance(mention.value, Date | Time)]
    if not moments or len(lower) != sentence[1] - sentence[0]:
        return
    for pair in _OPPOSITES:
        for side, other in (pair, pair[::-1]):
            for match in side.verbs.finditer(lower):
                if _NOT.search(lower[max(0, match.start() - 20) : match.start()]):
                    continue
                end = sentence[0] + match.end()
                said = [m for m in moments if m.start >= end and _GAP.fullmatch(text[end : m.start].lower())]
                if said:
                    yield from _check(structure, (sentence[0] + match.start(), end), said, side, other)


def _check(
    structure: Structure, verb: Span, said: Sequence[Mention], side: _Side, other: _Side
) -> Iterator[Derived]:
    """Supported if a key of the verb has the value, contradicted if only keys of its opposite have it."""
    holders = [known for known in _known(structure) if any(_is_value(known, mention) for mention in said)]
    own = [known for known in holders if side.keys.search(known.key)]
    opposite = [known for known in holders if other.keys.search(known.key)]
    told = [f"{known.key}: {known.leaf.value}" for known in own or opposite]
    leaves = tuple(known.leaf.index for known in own or opposite)
    if own:
        yield Derived(verb, "supported", told[0], leaves, "", None, "opposite")
    elif opposite and len(opposite) == len(holders):
        right = [known for known in _known(structure) if side.keys.search(known.key)]
        value = right[0].leaf.value if len(right) == 1 else ""
        yield Derived(verb, "contradicted", told[0], leaves, value, None, "opposite")


def _is_value(known: _Known, mention: Mention) -> bool:
    return any(compare_values(value, mention.value) in _AGREE for value in known.values)


def _known(structure: Structure) -> list[_Known]:
    """Every time and date of the data."""
    found = _KNOWN.get(structure)
    if found is None:
        found = []
        for leaf in structure.leaves:
            short = len(leaf.value) < 40 and any(char.isdecimal() for char in leaf.value)
            if leaf.kind != "value" or not short:
                continue
            values = tuple(
                value for value in possible_values(leaf.value, leaf.label) if isinstance(value, Date | Time)
            )
            if values:
                key = split_identifier(leaf.keys[-1]).lower()
                found.append(_Known(leaf, values, key))
        _KNOWN[structure] = found
    return found
