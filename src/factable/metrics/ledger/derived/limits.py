"""Whether a value is within a range or below a limit that the same object gives."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.clauses import Derived
from factable.metrics.ledger.derived.columns import Cell, read_cell
from factable.metrics.ledger.derived.operations import number_of
from factable.metrics.ledger.derived.wording import stems_of
from factable.structure import Frame, Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Number, possible_values
from factable.types import Span

_RANGE_WORDS = r"(?:ref\w*|normal|range|limit|target|allowed|permitted)"
_LOW_WORDS = r"(?:low\w*|min\w*|from)"
_HIGH_WORDS = r"(?:high\w*|max\w*|upp\w*|to)"
_LOW_KEY = lazy_pattern(rf"\b{_RANGE_WORDS}\b.*\b{_LOW_WORDS}\b|\b{_LOW_WORDS}\b.*\b{_RANGE_WORDS}\b")
_HIGH_KEY = lazy_pattern(
    rf"\b{_RANGE_WORDS}\b.*\b{_HIGH_WORDS}\b|\b{_HIGH_WORDS}\b.*\b{_RANGE_WORDS}\b|\b(?:limit|threshold)\b"
)
_LIMIT_OBJECT = lazy_pattern(r"\b(?:limits?|thresholds?|max|maxim\w+)\Z")
_RANGE_KEY = lazy_pattern(r"(?:ref\w*|normal|target)(?:\srange|\sinterval|\svalues?)?|range")
_VALUE_KEYS = frozenset(
    ["value", "result", "measured", "measurement", "reading", "level", "current", "concentration"]
)
_WHOSE = r"(?:the |its |their )?"
_KIND = r"(?:normal |reference |target |permitted |allowed |upper |lower )"
_ENDS = r"(?:range|limits?|interval|threshold)"
_STATEMENTS = (
    (
        "inside",
        lazy_pattern(
            rf"\b(?:within|inside|in) {_WHOSE}{_KIND}+(?:{_ENDS}|values?)\b|"
            rf"\bwithin {_WHOSE}(?:range|limits?)\b"
        ),
    ),
    ("outside", lazy_pattern(rf"\b(?:outside|out of|not within) {_WHOSE}{_KIND}*{_ENDS}\b")),
    ("above", lazy_pattern(rf"\b(?:above|over|exceed(?:s|ed|ing)?) {_WHOSE}{_KIND}*{_ENDS}\b")),
    ("below", lazy_pattern(rf"\b(?:below|under|beneath) {_WHOSE}{_KIND}*{_ENDS}\b")),
)
_NOT = lazy_pattern(r"\b(?:not|no|never|neither|nor)\b|n['’]t\b")
_MAX_NAME_WORDS = 6


class _Measured(NamedTuple):
    """A value with its range; an end that is not given is None."""

    frame: Frame
    words: frozenset[str]
    value: Cell
    low: Cell | None
    high: Cell | None


_MEASURED: "WeakKeyDictionary[Structure, list[_Measured]]" = WeakKeyDictionary()


def check_limits(structure: Structure, text: str, clause: Span) -> Iterator[Derived]:
    """Every statement of a clause that a value is within, above or below its range or limit."""
    lower = text[slice(*clause)].lower()
    if len(lower) != clause[1] - clause[0]:
        return
    matches = [(kind, match) for kind, pattern in _STATEMENTS if (match := pattern.search(lower))]
    if not matches:
        return
    if structure not in _MEASURED:
        _MEASURED[structure] = list(_measured(structure))
    stems = frozenset(stems_of(lower)) | {re.sub(r"[\W_]", "", word) for word in lower.split()}
    all_measured = _MEASURED[structure]
    named = [one for one in all_measured if one.words & stems] if len(all_measured) > 1 else all_measured
    if len(named) != 1 or len(matches) != 1:
        return
    kind, match = matches[0]
    if kind != "outside" and _NOT.search(lower):
        return
    truth = _holds(kind, named[0], is_limit="limit" in match[0] or "threshold" in match[0])
    if truth is None:
        return
    one = named[0]
    ends = [cell for cell in (one.low, one.high) if cell is not None]
    told = f"{one.value.text} with {' to '.join(cell.text for cell in ends)}"
    span = clause[0] + match.start(), clause[0] + match.end()
    leaves = (one.value.leaf, *dict.fromkeys(cell.leaf for cell in ends))
    yield Derived(span, "supported" if truth else "contradicted", told, leaves, "", None, "limit")


def _holds(kind: str, one: _Measured, *, is_limit: bool) -> bool | None:
    value = number_of(one.value)
    too_low = one.low is not None and value < number_of(one.low)
    too_high = one.high is not None and value > number_of(one.high)
    if kind == "inside":
        return not too_low and not too_high
    if kind == "outside":
        return too_low or too_high
    if kind == "above":
        return too_high if one.high is not None else None
    if is_limit and one.low is None:
        # Below an upper limit is where a value should be.
        return not too_high and value != number_of(one.high) if one.high is not None else None
    return too_low if one.low is not None else None


def _measured(structure: Structure) -> Iterator[_Measured]:
    yield from _in_parallel(structure)
    objects: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in structure.leaves:
        if leaf.kind == "value":
            objects[leaf.path.rpartition(".")[0]].append(leaf)
    for path, leaves in objects.items():
        value = low = high = None
        for leaf in leaves:
            key = split_identifier(leaf.keys[-1]).lower()
            if _RANGE_KEY.fullmatch(key) and (ends := _range_of(leaf.index, leaf.value)):
                low, high = ends
                continue
            cell = read_cell(leaf.index, leaf.value, leaf.label)
            if cell.number is None or cell.day is not None:
                continue
            if _LOW_KEY.search(key):
                low = cell
            elif _HIGH_KEY.search(key):
                high = cell
            elif set(stems_of(key)) & _VALUE_KEYS and value is None:
                value = cell
        if value is not None and (low is not None or high is not None):
            frame = structure.frame_of(leaves[0])
            # An object without a name is called by its key: `nitrate_mg_l`.
            inner = path.removeprefix(frame.path).strip(".")
            name = split_identifier(re.split(r"[.\[]", inner)[-1]) if inner else frame.name
            words = frozenset(word for word in stems_of(name)[:_MAX_NAME_WORDS] if len(word) > 2)
            yield _Measured(frame, words - {"total", "level"}, value, low, high)


def _in_parallel(structure: Structure) -> Iterator[_Measured]:
    """Values whose limits an object beside theirs has under the same keys."""
    by_key: dict[tuple[str, str], list[tuple[str, Leaf]]] = defaultdict(list)
    for leaf in structure.leaves:
        place, _, key = leaf.path.rpartition(".")
        around, _, holder = place.rpartition(".")
        if leaf.kind == "value" and holder:
            by_key[around, key].append((split_identifier(holder).lower(), leaf))
    for (_, key), members in by_key.items():
        limits = [leaf for holder, leaf in members if _LIMIT_OBJECT.search(holder)]
        values = [leaf for holder, leaf in members if not _LIMIT_OBJECT.search(holder)]
        if len(limits) != 1 or len(values) != 1:
            continue
        value, high = (read_cell(leaf.index, leaf.value, leaf.label) for leaf in (values[0], limits[0]))
        words = frozenset(word for word in stems_of(split_identifier(key)) if len(word) > 1)
        if value.number is not None and high.number is not None:
            yield _Measured(structure.frame_of(values[0]), words, value, None, high)


def _range_of(leaf: int, text: str) -> tuple[Cell, Cell] | None:
    """The two ends of "12.0-16.0"."""
    number = possible_values(text, "")[0]
    if not isinstance(number, Number) or number.high is None:
        return None
    return Cell(leaf, text, number.value), Cell(leaf, "", number.high)
