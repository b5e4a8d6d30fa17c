"""Values that repeat or do not: no two alike, all the same, and which value the most rows have."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.derived.asking import TOP
from factable.metrics.ledger.derived.clauses import Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Column
from factable.metrics.ledger.derived.conditions import Condition, readings
from factable.metrics.ledger.derived.counts import find_noun
from factable.metrics.ledger.derived.links import Link, tie_columns
from factable.metrics.ledger.derived.operations import agrees
from factable.structure import UNKNOWN
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

_ALIKE = lazy_pattern(
    r"\bno\stwo\s.{0,40}?\b(?:the\ssame|identical)\s|\b(?:each|every)\s.{0,40}?\b(?:has|had|have)\sa\s(?:unique|different|distinct)\s"
)
_SAME = lazy_pattern(r"\b(?:all|every|each)\s.{0,40}?\b(?:the\ssame|an?\sidentical)\s")
_MOST = lazy_pattern(r"\b(?:the\s)?(?P<word>most|highest\snumber\sof|fewest|largest\snumber\sof)\s")
_MORE = lazy_pattern(r"\b(?P<word>more|fewer)\s(?=.{0,40}\bthan\b)")
# More words after the column may limit what is alike.
_SHORT_REST = 4
_EXCEPT = lazy_pattern(r"\b(?:except|other than|apart from|besides|excluding)\b")


def check_repeats(clause: Clause) -> Iterator[Derived]:
    """Every statement on values that repeat."""
    if clause.rows.is_map or clause.has_unknown_names or _EXCEPT.search(clause.words) or clause.search(TOP):
        return
    yield from _alike(clause, _ALIKE, different=True)
    yield from _alike(clause, _SAME, different=False)
    yield from _frequent(clause)
    yield from _more(clause)


def _alike(clause: Clause, pattern: "re.Pattern[str]", *, different: bool) -> Iterator[Derived]:
    for match in clause.search(pattern):
        span = clause.place(match)
        after = clause.tokens_in((span[1], clause.span[1]))[:3]
        ties = [tie for tie in tie_columns(clause.rows, after, ordered=False) if tie.score >= 1]
        # A category that is named limits the rows, and it is not sure to which.
        if not ties or clause.links:
            continue
        outcomes = [_alike_outcome(clause, tie.column, different) for tie in ties]
        rest = clause.tokens_in((ties[0].spans[0][1], clause.span[1]))
        clear = clause.is_clear() and all(tie.score >= len(tie.column.words) for tie in ties)
        clear = clear and len(rest) <= _SHORT_REST
        found = decide(outcomes, (span[0], ties[0].spans[0][1]), "alike", can_contradict=clear)
        if found:
            yield found


def _alike_outcome(clause: Clause, column: Column, different: bool) -> Outcome:
    cells = [
        cell
        for row, cell in column.cells.items()
        if row in clause.rows.numbers and cell.text.replace(" ", "").lower() not in UNKNOWN
    ]
    values = Counter(cell.text for cell in cells)
    if len(cells) < 2:
        return Outcome(None, "")
    most, count = values.most_common(1)[0]
    told = f"{len(values)} different {column.label} in {len(cells)} rows"
    if count > 1:
        told += f"; {count} rows have {most}"
    truth = len(values) == len(cells) if different else len(values) == 1
    return Outcome(truth, told, tuple(cell.leaf for cell in cells if count == 1 or cell.text == most))


def _counts(column: Column, rows: frozenset[int]) -> Counter[str]:
    return Counter(cell.text for row, cell in column.cells.items() if row in rows)


def _subject(links: Sequence[Link]) -> Link | None:
    """The value that is said to be frequent: the first named by words, of a column of words."""
    return next((link for link in links if link.column is not None and link.column.kind == "name"), None)


def _frequent(clause: Clause) -> Iterator[Derived]:
    """X has the most entries: by the number of rows with X."""
    for match in clause.search(_MOST):
        span = clause.place(match, "word")
        noun = find_noun(clause, clause.span[0] + match.end())
        subject = _subject([link for link in clause.links if link.span[1] <= span[0]])
        if (
            noun is None
            or not noun.is_sure
            or subject is None
            or subject.column is None
            or clause.ties((span[1], noun.span[1]))
        ):
            continue
        column = subject.column
        others = [
            [_condition(link)] for link in clause.links if link is not subject and link.column is not column
        ]
        outcomes = []
        for rows, _ in readings(others, clause.rows.numbers):
            counts = _counts(column, rows)
            own = sum(row in rows for row in subject.rows)
            best = (min if match["word"] == "fewest" else max)(counts.values(), default=0)
            names = ", ".join(name for name, count in counts.items() if count == best)
            told = f"{names} in {best} of {len(rows)} rows"
            leaves = tuple(column.cells[row].leaf for row in sorted(rows) if row in column.cells)
            truth = own == best if len(counts) > 1 else None
            outcomes.append(Outcome(truth, told, leaves, names))
        number = _number_after(clause, noun.span[1])
        if number is not None and any(outcome.truth for outcome in outcomes):
            own = len(subject.rows)
            if agrees(number, own) is False:  # type: ignore[arg-type]
                continue
        found = decide(outcomes, (span[0], noun.span[1]), "superlative", can_contradict=clause.is_clear())
        if found:
            yield found


def _condition(link: Link) -> Condition:
    return Condition(link.span, link.rows, link.value, link.column)


def _number_after(clause: Clause, place: int) -> Number | None:
    number = next((m.value for m in clause.numbers if m.start >= place), None)
    return number if isinstance(number, Number) else None


def _more(clause: Clause) -> Iterator[Derived]:
    """More rows of X than of Y."""
    for match in clause.search(_MORE):
        word = clause.place(match, "word")
        than: Span = (clause.span[0] + clause.words.index("than", match.end()), 0)
        noun = find_noun(clause, word[1])
        if noun is None or clause.ties((word[1], than[0])):
            continue
        first = _subject([link for link in clause.links if link.span[1] <= word[0]])
        second = _subject([link for link in clause.links if link.span[0] >= than[0]])
        if first is None or second is None or first.column is not second.column or first.column is None:
            continue
        a, b = len(first.rows), len(second.rows)
        if a == b == 1:
            continue
        sign = ">" if a > b else "<" if a < b else "="
        truth = a > b if match["word"] == "more" else a < b
        leaves = tuple(first.column.cells[row].leaf for row in sorted(first.rows | second.rows))
        told = f"{a} rows have {first.value}, {b} have {second.value}: {a} {sign} {b}"
        others = [link for link in clause.links if link.column is not first.column]
        clear = clause.is_clear() and not others
        found = decide(
            [Outcome(truth, told, leaves)], (word[0], than[0] + 4), "comparison", can_contradict=clear
        )
        if found:
            yield found
