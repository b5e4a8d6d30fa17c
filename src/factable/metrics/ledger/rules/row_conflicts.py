"""Values of different rows that a clause joins: a date of one show with the city of another.

Every value in a clause tells which rows may be meant. If the clause speaks of one row only, and no row has
all the values, the one that does not belong is wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans, overlaps
from factable.metrics.ledger.value_index import is_exact
from factable.structure import Frame
from factable.text.patterns import lazy_pattern
from factable.text.values import Number, Relation
from factable.types import Span

MAX_ROWS = 200
# Such small numbers may count anything.
_SMALL = 12
_BOUNDARY = lazy_pattern(
    r";\s|:\s|,?\s(?:while|whereas|although|though|but)\s|\s[—–]\s|,\sand\s|"
    r",\s(?:which|who|where|followed)\s|\(|\)"
)
_PARTS = lazy_pattern(r",?\sand\s|,\s")
# Words of clauses that speak of several rows.
_SEVERAL = lazy_pattern(
    r"\b(?:than|versus|vs|compared|both|between|respectively|except|apart|unlike|instead|from|after|before|until|"
    r"followed|ahead|behind|all|every|only|not|no|never|neither|average|total|sum|"
    r"combined|together|share|same)\b|\beach\s(?:of|\w)|n['’]t\b",
    re.IGNORECASE,
)


class _Sign(NamedTuple):
    """A value in a clause, and the rows that have it."""

    span: Span
    rows: frozenset[int]
    columns: frozenset[str]
    leaf: int
    is_exact: bool


def row_conflicts(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every value that a clause joins with values of another row."""
    found: list[Checked] = []
    for group, frames in matcher.structure.groups.items():
        if not 1 < len(frames) <= MAX_ROWS or not group.endswith("*]"):
            continue
        row_of = _rows_of(matcher, frames)
        signs = list(_signs(matcher, row_of, len(frames)))
        for sentence in sentence_spans:
            for clause in split_clauses(matcher.parsed.text, sentence):
                found += _check(matcher, clause, signs)
    return found


def _rows_of(matcher: Matcher, frames: Sequence[Frame]) -> Mapping[int, int]:
    """For each leaf of a row, or of an object in it, the row."""
    rows = {frame.index for frame in frames}
    of_frame = {
        frame.index: next(
            (outer.index for outer in matcher.structure.ancestors(frame) if outer.index in rows), -1
        )
        for frame in matcher.structure.frames
    }
    return {
        leaf.index: of_frame[leaf.frame] for leaf in matcher.structure.leaves if of_frame[leaf.frame] >= 0
    }


def _signs(matcher: Matcher, row_of: Mapping[int, int], count: int) -> Iterator[_Sign]:
    leaves = matcher.structure.leaves
    for mention, stated in matcher.found:
        value = mention.value
        if not stated or any(leaf not in row_of for leaf in stated):
            continue
        if isinstance(value, Number) and (
            value.unit == "ordinal"
            or value.bound
            or value.high is not None
            or (abs(value.value) <= _SMALL and not (value.unit and Relation.EQUAL in stated.values()))
        ):
            continue
        is_percent = isinstance(value, Number) and value.unit == "percent"
        if is_percent and Relation.EQUAL not in stated.values():
            # A percentage that is only near may be computed.
            continue
        rows = frozenset(row_of[leaf] for leaf in stated)
        if len(rows) < count:
            columns = frozenset(leaves[leaf].column for leaf in stated)
            yield _Sign((mention.start, mention.end), rows, columns, min(stated), is_exact(value))
    yield from _named(matcher, row_of)


def _named(matcher: Matcher, row_of: Mapping[int, int]) -> Iterator[_Sign]:
    """Names of rows that are no values as they stand: "the roof"."""
    said = Spans((mention.start, mention.end) for mention, stated in matcher.found if stated)
    for naming in matcher.namings if matcher.is_plain else ():
        frame = matcher.structure.frames[next(iter(naming.frames))]
        if len(naming.frames) != 1 or said.overlap((naming.start, naming.end)) or not frame.identifiers:
            continue
        leaf = frame.identifiers[0]
        if row_of.get(leaf) == frame.index:
            column = frozenset((matcher.structure.leaves[leaf].column,))
            yield _Sign((naming.start, naming.end), frozenset((frame.index,)), column, leaf, False)


def _check(matcher: Matcher, clause: Span, signs: Sequence[_Sign]) -> Iterator[Checked]:
    text = matcher.parsed.text
    inside = [sign for sign in signs if clause[0] <= sign.span[0] and sign.span[1] <= clause[1]]
    if len(inside) < 2 or _SEVERAL.search(_without(text, clause, inside)):
        return
    if _names_several(inside):
        for part in _split(text, clause, _PARTS):
            if part != clause:
                yield from _check(matcher, part, inside)
        return
    if frozenset.intersection(*(sign.rows for sign in inside)):
        return
    wrong = _odd_one(inside)
    if wrong is not None:
        leaf = matcher.structure.leaves[wrong.leaf]
        frame = matcher.structure.frame_of(leaf)
        yield Checked(
            wrong.span,
            "contradicted",
            (wrong.leaf,),
            f"{leaf.label}: {leaf.value} is of {frame.name or 'another row'}",
        )


def _names_several(signs: Sequence[_Sign]) -> bool:
    """Whether two values of one column stand in the clause: it speaks of several rows."""
    return any(
        one.columns & other.columns and not one.rows & other.rows
        for number, one in enumerate(signs)
        for other in signs[number + 1 :]
    )


def _odd_one(signs: Sequence[_Sign]) -> _Sign | None:
    """The value without which the others agree; an amount or a date rather than a name."""
    odd = [
        sign
        for sign in signs
        if frozenset.intersection(*(other.rows for other in signs if other is not sign))
    ]
    return next((sign for sign in odd if sign.is_exact), odd[-1] if odd else None)


def _without(text: str, clause: Span, signs: Sequence[_Sign]) -> str:
    """The words of a clause beside its values."""
    return "".join(
        " " if any(overlaps((place, place + 1), sign.span) for sign in signs) else text[place]
        for place in range(*clause)
    )


def split_clauses(text: str, sentence: Span) -> Iterator[Span]:
    """The parts of a sentence that may each speak of another row."""
    yield from _split(text, sentence, _BOUNDARY)


def _split(text: str, span: Span, boundary: "re.Pattern[str]") -> Iterator[Span]:
    start = span[0]
    for match in boundary.finditer(text, *span):
        yield start, match.start()
        start = match.end()
    yield start, span[1]
