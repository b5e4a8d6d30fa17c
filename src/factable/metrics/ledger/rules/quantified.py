"""How many rows a text says something of: all, both, none, two of the four, against a column of the data.

What is said of them is a word that rows have ("in service", "false alarms") or a yes/no key ("queen seen").
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.rules.row_conflicts import split_clauses
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem as base_form
from factable.text.templates import clean_value
from factable.text.values.numbers import numerals_in_words
from factable.text.values.words import split_words
from factable.types import Span

_NUMBER = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_QUANTIFIER = lazy_pattern(
    rf"\b(?:(?P<all>all|every|each|both)(?:\sof)?(?:\s(?:the|its|their|these))?(?:\s(?P<many>{_NUMBER}))?|"
    rf"(?P<none>none of|neither of|not one of|not a single)(?:\s(?:the|its|their|these))?|"
    rf"(?P<some>{_NUMBER})\s(?:out\s)?of\s(?:(?:the|its|their|these|all|[\w’'-]+['’]s?)\s)?(?P<whole>{_NUMBER}))\s",
    re.IGNORECASE,
)
# Clauses with exceptions, or about more than one thing.
_LIMITED = lazy_pattern(
    r"\b(?:except|apart|but|besides|other|others|than|only|almost|nearly|or|if|when|at least|at most)\b",
    re.IGNORECASE,
)
_MAX_ROWS = 200
# What is counted stands this near behind the quantifier.
_NOUN = 15


class _Attribute(NamedTuple):
    """Something that some rows have: the leaves of the column, how many have it, and of how many."""

    leaves: tuple[int, ...]
    having: int
    rows: int
    told: str


def quantified(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every "all", "none" or "two of the four" of rows that the data counts otherwise."""
    found: list[Checked] = []
    for sentence in sentence_spans if matcher.is_plain else ():
        for clause in split_clauses(matcher.parsed.text, sentence):
            for match in _QUANTIFIER.finditer(matcher.parsed.text, *clause):
                found += _check(matcher, match, clause)
    return found


def _check(matcher: Matcher, match: "re.Match[str]", clause: Span) -> Iterator[Checked]:
    rest = matcher.parsed.text[match.end() : clause[1]]
    if _LIMITED.search(rest) or NOT.search(rest.lower()) or _names_rows(matcher, match.end(), clause):
        return
    attributes = list(_attributes(matcher, clause, match.end()))
    if len({attribute.told for attribute in attributes}) != 1:
        return
    one = attributes[0]
    said = _said(match, one.rows)
    if said is not None and said != one.having:
        span = match.start(), max(match.end() - 1, match.start())
        yield Checked(span, "contradicted", one.leaves, f"{one.having} of {one.rows} rows have {one.told}")


def _said(match: "re.Match[str]", rows: int) -> int | None:
    """How many of the rows the words mean; None if they count something else."""
    if match["none"]:
        return 0
    if match["all"]:
        many = _number(match["many"]) if match["many"] else rows
        is_pair = match["all"].lower() != "both" or rows == 2
        return rows if many == rows and is_pair else None
    return _number(match["some"]) if _number(match["whole"]) == rows else None


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else int(next(iter(numerals_in_words(f"{word} ."))).value)


def _names_rows(matcher: Matcher, after: int, clause: Span) -> bool:
    """Whether single rows are named, or part of one is counted: what is said may be of it alone."""
    return any(
        clause[0] <= naming.start < clause[1]
        and len(naming.frames) == 1
        and (_is_name(matcher, naming.start) or after <= naming.start <= after + _NOUN)
        for naming in matcher.namings
    )


def _is_name(matcher: Matcher, place: int) -> bool:
    return matcher.parsed.text[place].isupper() or matcher.parsed.text[place].isdecimal()


def _attributes(matcher: Matcher, span: Span, after: int) -> Iterator[_Attribute]:
    """The yes/no keys of rows that a clause has, and the words behind its quantifier."""
    words = [word for word in matcher.parsed.words if span[0] <= word.start < span[1]]
    forms = [base_form(word.folded) for word in words if word.start >= after]
    for column in matcher.structure.columns.values():
        rows = {leaf.frame for leaf in column}
        if not 1 < len(column) == len(rows) <= _MAX_ROWS or "[*]" not in column[0].column:
            continue
        if len(rows) != len(matcher.structure.groups[matcher.structure.frame_of(column[0]).group]):
            continue
        if all(leaf.kind == "flag" for leaf in column):
            labels = matcher.labels[column[0].index]
            if labels and all(any(stands_for(word.folded, label) for word in words) for label in labels):
                yes = [leaf for leaf in column if leaf.is_yes]
                told = column[0].label
                yield _Attribute(tuple(leaf.index for leaf in column), len(yes), len(column), told)
        elif all(leaf.kind == "value" for leaf in column) and _is_category(column):
            yield from _of_category(column, forms)


def _is_category(column: Sequence[Leaf]) -> bool:
    """Whether a column has words, and not a different one in every row."""
    values = {leaf.value for leaf in column}
    return all(any(map(str.isalpha, value)) for value in values) and (
        len(values) < len(column) or all("_" in value or value.isupper() for value in values)
    )


def _of_category(column: Sequence[Leaf], forms: Sequence[str]) -> Iterator[_Attribute]:
    line = f" {' '.join(forms)} "
    for value in dict.fromkeys(leaf.value for leaf in column):
        stems = [base_form(word.folded) for word in split_words(clean_value(value).replace("_", " "))]
        if stems and f" {' '.join(stems)} " in line:
            same = [leaf for leaf in column if leaf.value == value]
            told = f"{column[0].label} {value}"
            yield _Attribute(tuple(leaf.index for leaf in column), len(same), len(column), told)
