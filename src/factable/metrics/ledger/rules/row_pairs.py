"""Two rows that a text compares without saying in what: "A gave it more support than B".

The statement is wrong if it is wrong in every column of numbers.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from factable.metrics.ledger.derived.asking import COMPARATIVE, COMPARATIVES, NOT
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.naming import Naming
from factable.metrics.ledger.rules.row_conflicts import split_clauses
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

_THAN = lazy_pattern(
    r"\bthan\s(?:(?:in|on|at|by|for|from|that of|those of|did)\s)?(?:the\s)?\Z", re.IGNORECASE
)
_SAME = lazy_pattern(
    r"\b(?:the same(?:\s[a-z]+)?|as (?:many|much)(?:\s[a-z]+)?)\sas\s(?:(?:in|on|at|by|for)\s)?(?:the\s)?\Z",
    re.IGNORECASE,
)
_PRONOUN = lazy_pattern(r"\s*(?:he|she|it|they)\b", re.IGNORECASE)
_LONGEST = 40


def row_pairs(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every comparison of two named rows that no column bears out."""
    found: list[Checked] = []
    parts = [
        part
        for sentence in sentence_spans
        if matcher.is_plain
        for part in split_clauses(matcher.parsed.text, sentence)
    ]
    for clause in parts:
        namings = [
            naming
            for naming in matcher.namings
            if clause[0] <= naming.start < clause[1] and len(naming.frames) == 1
        ]
        if namings and (subject := _carried(matcher, clause, namings[0])):
            namings.insert(0, subject)
        for number, other in enumerate(namings):
            before = [
                each for each in namings[:number] if each.end <= other.start and each.frames != other.frames
            ]
            if before:
                found += _check_than(matcher, clause, before, other)
                found += _check_same(matcher, before[-1], other)
    return found


def _carried(matcher: Matcher, clause: Span, first: Naming) -> Naming | None:
    """What a pronoun at the beginning of a clause stands for: the row named last before."""
    if not _PRONOUN.match(matcher.parsed.text, *clause):
        return None
    before = [naming for naming in matcher.namings if naming.end <= clause[0] and len(naming.frames) == 1]
    return before[-1] if before and before[-1].frames != first.frames else None


def _check_than(matcher: Matcher, clause: Span, before: Sequence[Naming], other: Naming) -> Iterator[Checked]:
    text = matcher.parsed.text
    than = _THAN.search(text, max(clause[0], other.start - _LONGEST), other.start)
    if than is None:
        return
    words = list(COMPARATIVE.finditer(text.lower(), clause[0], than.start()))
    if not words or than.start() - words[-1].end() > _LONGEST:
        return
    word = words[-1]
    first = [naming for naming in before if naming.end <= word.start()]
    if not first or first[-1] is not before[-1] or NOT.search(text.lower(), first[-1].end, word.start()):
        return
    if {frame for naming in before for frame in naming.frames} != first[-1].frames:
        # Which of several rows is meant is not sure.
        return
    degree = COMPARATIVES[word["word"]]
    if degree.names_columns and not degree.is_of_size:
        return
    outcomes = list(_both(matcher, first[-1], other, (word.start(), than.start())))
    if outcomes and not any((a > b) == degree.is_high and a != b for a, b, _ in outcomes):
        note = "; ".join(f"{label}: {show(a)} and {show(b)}" for a, b, label in outcomes[:3])
        yield Checked((word.start(), other.end), "contradicted", (), note)


def _check_same(matcher: Matcher, first: Naming, other: Naming) -> Iterator[Checked]:
    text = matcher.parsed.text
    same = _SAME.search(text, max(first.end, other.start - _LONGEST), other.start)
    if same is None or NOT.search(text.lower(), first.end, same.start()):
        return
    said = {
        leaf
        for mention, leaves in matcher.found
        if first.end <= mention.start and mention.end <= same.start() and isinstance(mention.value, Number)
        for leaf in leaves
    }
    labels = {
        matcher.structure.leaves[leaf].label
        for leaf in said
        if matcher.structure.leaves[leaf].frame in first.frames
    }
    outcomes = [each for each in _both(matcher, first, other) if each[2] in labels]
    if outcomes and all(a != b for a, b, _ in outcomes):
        note = "; ".join(f"{label}: {show(a)} and {show(b)}" for a, b, label in outcomes[:3])
        yield Checked((same.start(), other.end), "contradicted", (), note)


def _both(
    matcher: Matcher, first: Naming, second: Naming, words: Span = (0, 0)
) -> Iterator[tuple[Fraction, Fraction, str]]:
    """The numbers of two rows of one list, column by column, with what they are.

    If words name a column, of this one only.
    """
    structure = matcher.structure
    one, other = (structure.frames[next(iter(naming.frames))] for naming in (first, second))
    if one.group != other.group or "*" not in one.group:
        return
    columns = {structure.leaves[leaf].column: leaf for leaf in other.leaves}
    named = [
        leaf
        for leaf in one.leaves
        if matcher.words_near(leaf, words) >= matcher.own_words[leaf] != frozenset()
    ]
    for leaf in named or one.leaves:
        twin = columns.get(structure.leaves[leaf].column)
        a = matcher.index.number_of(leaf)
        b = matcher.index.number_of(twin) if twin is not None else None
        if a is not None and b is not None and leaf not in one.identifiers[:1]:
            yield a.value, b.value, structure.leaves[leaf].label
