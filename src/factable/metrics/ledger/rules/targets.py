"""Who met a target that the data gives: "three of the four lines met the 90 % target"."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.text.values.units import unit_of, units_named
from factable.types import Span

_KEYS = frozenset(["target", "goal", "quota", "benchmark"])
_MET = r"(?:met|meets?|reach(?:ed|es)?|hit|achieved?|made|attained|beat|exceeded|surpassed|cleared)"
_MISSED = r"(?:miss(?:ed|es)?|f[ae]lls? short of|failed to (?:meet|reach|hit)|(?:was|were|is|are) below)"
_NOUN = r"(?:target|goal|quota|benchmark)"
_VERB = lazy_pattern(
    rf"\b(?:(?P<met>{_MET})|(?P<missed>{_MISSED}))\b(?=[^.;]{{0,40}}\b{_NOUN}\b)|"
    rf"\b{_NOUN}\b[^.;,]{{0,30}}\b(?:was|is|were)\s(?:(?P<was_met>met|reached|hit|achieved|exceeded)|(?P<was_missed>missed))\b",
    re.IGNORECASE,
)
_COUNT = lazy_pattern(r"\b(?P<all>all|every|each|both)\b|\b(?P<none>none|no|neither)\b", re.IGNORECASE)
_OF = lazy_pattern(r"\b(?:of|out of)\s(?:the|its|all|their)?\s?\Z", re.IGNORECASE)
# Numbers of rows come without a unit, or count days and nights.
_COUNTED = frozenset(["", "day", "night", "week", "month"])
_MAX_ROWS = 400


class _Target(NamedTuple):
    """A target, its value, and the column of the rows that should reach it."""

    leaf: Leaf
    value: Fraction
    column: tuple[tuple[int, Fraction], ...]


def targets(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every number of rows, and every named row, that is said to have met or missed the only target."""
    known = list(_targets(matcher)) if matcher.is_plain else []
    found: list[Checked] = []
    for sentence in sentence_spans if len(known) == 1 else ():
        matches = list(_VERB.finditer(matcher.parsed.text, *sentence))
        if len(matches) == 1 and not NOT.search(matcher.parsed.text[slice(*sentence)].lower()):
            found += _check(matcher, sentence, matches[0], known[0])
    return found


def _check(matcher: Matcher, sentence: Span, match: "re.Match[str]", target: _Target) -> Iterator[Checked]:
    is_met = bool(match["met"] or match["was_met"])
    right = {frame for frame, value in target.column if (value >= target.value) == is_met}
    text = matcher.parsed.text
    counts = [
        (mention, mention.value)
        for mention, leaves in matcher.found
        if sentence[0] <= mention.start < sentence[1] and isinstance(mention.value, Number)
        if mention.value.unit in _COUNTED and mention.value.value.denominator == 1
        if target.leaf.index not in leaves and mention.value.value <= len(target.column)
        if not _OF.search(text[max(sentence[0], mention.start - 12) : mention.start])
    ]
    note = f"{len(right)} of {len(target.column)} rows {'reach' if is_met else 'miss'} {show(target.value)}"
    quantifier = _COUNT.search(text, sentence[0], match.start())
    if len(counts) == 1:
        mention, number = counts[0]
        state = "supported" if number.value == len(right) else "contradicted"
        yield Checked((mention.start, mention.end), state, (target.leaf.index,), note)  # type: ignore[arg-type]
    elif quantifier and not counts:
        said = len(target.column) if quantifier["all"] else 0
        if said != len(right):
            yield Checked(quantifier.span(), "contradicted", (target.leaf.index,), note)


def _targets(matcher: Matcher) -> Iterator[_Target]:
    leaves = matcher.structure.leaves
    for leaf in leaves:
        value = matcher.index.number_of(leaf.index)
        if not leaf.key_words & _KEYS or value is None or "[" in leaf.path:
            continue
        rest = leaf.key_words - _KEYS
        columns = [
            column
            for path, column in matcher.structure.columns.items()
            if "[*]" in path and 1 < len(column) <= _MAX_ROWS and _same_unit(matcher, column[0], value)
        ]
        named = [c for c in columns if rest & c[0].key_words]
        meant = named or [column for column in columns if value.unit]
        if len(meant) == 1:
            numbers = [
                (each.frame, number.value)
                for each in meant[0]
                if (number := matcher.index.number_of(each.index))
            ]
            yield _Target(leaf, value.value, tuple(numbers))


def _same_unit(matcher: Matcher, leaf: Leaf, value: Number) -> bool:
    number = matcher.index.number_of(leaf.index)
    if number is None:
        return False
    # A column may be called by its unit: `hours`.
    units = (number.unit,) if number.unit else units_named(leaf.keys[-1]) or ("",)
    return unit_of(value.unit).dimension in [unit_of(unit).dimension for unit in units]
