"""What rows must fulfil to be meant: a category, an amount over or under, a date before or after."""

import re
from collections.abc import Sequence
from itertools import islice, pairwise, product
from typing import NamedTuple

from factable.metrics.ledger.derived.asking import TOP
from factable.metrics.ledger.derived.clauses import Clause
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.links import fitting, same_dimension, tie_column, tie_columns
from factable.metrics.ledger.derived.operations import number_of, show
from factable.structure import NO, YES
from factable.text.patterns import lazy_pattern
from factable.text.values import Date, Mention, Number
from factable.types import Span

MAX_READINGS = 12
# One word of a key, or a synonym of its only word.
_MIN_FLAG = 0.75
_WORDS = {
    word: number
    for number, word in enumerate(["three", "four", "five", "six", "seven", "eight", "nine", "ten"], 3)
}
_WORDS["twenty"] = 20
_BEFORE = lazy_pattern(
    r"\b(before|prior to|earlier than|until|after|since|later than|from)\s(?:the\s(?:year|end of)\s)?\Z"
)
_RANKED = lazy_pattern(r"\b(?:rank|ranking|pos|position|place|standing)\b|#", re.IGNORECASE)
_RANGE = lazy_pattern(r"(?:between|from|during|\w*)(?:\sand\s|\sto\s|\sthrough\s|\suntil\s|\s?[–-]\s?)")
_NEGATED = lazy_pattern(r"(?:\bnot?\b|n['’]t\b|\bwithout\b|\black)(?:\W+\w+){0,2}\W*\Z")


_STOCK = frozenset(["stock", "inventory"])
_RAIN = frozenset(["rain", "rainfall", "precipitation"])
# Words that say that an amount is zero, or that it is not.
_ZEROS = (
    (lazy_pattern(r"(?<!out of )\bin stock\b"), _STOCK, False),
    (lazy_pattern(r"\b(?:out of stock|sold out)\b"), _STOCK, True),
    (lazy_pattern(r"\b(?:dry|free of rain|without rain)\b"), _RAIN, True),
    (lazy_pattern(r"\b(?:rainy|wet)\b"), _RAIN, False),
)


class Condition(NamedTuple):
    """Rows that fulfil a condition, the words that state it, and how it is told."""

    span: Span
    rows: frozenset[int]
    text: str
    column: Column | None


def find_conditions(
    clause: Clause, skip: Sequence[Span] = (), *, noun: Span | None = None
) -> list[list[Condition]]:
    """The conditions of a clause, each with its alternative readings.

    Words in `skip` mean something else; a noun alone ("stages") is no condition, "hilly stages" is.
    """
    by_span: dict[Span, list[Condition]] = {}
    ranges = _date_ranges(clause)
    for alternatives in ranges:
        by_span[alternatives[0].span] = alternatives
    skip = [*skip, *(alternatives[0].span for alternatives in ranges)]
    for link in clause.links:
        is_noun = noun is not None and noun[0] <= link.span[0] and link.span[1] <= noun[1]
        if _overlaps(link.span, skip) or is_noun:
            continue
        label = link.column.label if link.column else "name"
        value = link.value or clause.text[slice(*link.span)]
        by_span.setdefault(link.span, []).append(
            Condition(link.span, link.rows, f"{label} {value}", link.column)
        )
    conditions = [*_bounds(clause, skip), *_dates(clause, skip), *_top(clause), *_flags(clause, skip)]
    for condition in [*conditions, *_zeros(clause, skip)]:
        by_span[condition.span] = [condition]
    return [by_span[span] for span in sorted(by_span)]


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def readings(
    conditions: Sequence[Sequence[Condition]], everything: frozenset[int]
) -> list[tuple[frozenset[int], str]]:
    """Rows that fulfil all conditions, for each way to read them; values of one column are alternatives."""
    found: dict[frozenset[int], str] = {}
    for chosen in islice(product(*conditions), MAX_READINGS):
        by_column: dict[int, tuple[frozenset[int], str]] = {}
        for number, condition in enumerate(chosen):
            key = id(condition.column) if condition.column is not None else -number
            rows, text = by_column.get(key, (frozenset(), ""))
            value = condition.text.removeprefix(condition.column.label if condition.column else "").strip()
            joined = f"{text} or {value}"
            by_column[key] = rows | condition.rows, joined if text else condition.text
        rows = everything
        for members, _ in by_column.values():
            rows = rows & members
        found.setdefault(rows, " and ".join(text for _, text in by_column.values() if text))
    return list(found.items())


def _fulfils(cell: Cell, number: Number) -> bool:
    value = number_of(cell)
    match number.bound:
        case "over":
            return value > number.value
        case "under":
            return value < number.value
        case "at least":
            return value >= number.value
        case "at most":
            return value <= number.value
    return number.high is not None and number.value <= value <= number.high


def _bounds(clause: Clause, skip: Sequence[Span]) -> list[Condition]:
    """Amounts over or under a number."""
    found = []
    for mention in clause.numbers:
        number = mention.value
        assert isinstance(number, Number)
        span = mention.start, mention.end
        bound = number.bound in ("over", "under", "at least", "at most") or number.high is not None
        if not bound or _overlaps(span, skip) or number.unit == "percent":
            continue
        column = _column_near(clause, mention, ("number",))
        if column is None:
            continue
        rows = frozenset(row for row, cell in clause.cells(column) if _fulfils(cell, number))
        value = show(number.value) if number.high is None else f"{show(number.value)} to {show(number.high)}"
        found.append(Condition(span, rows, f"{column.label} {number.bound or 'from'} {value}", column))
    return found


def _column_near(clause: Clause, mention: Mention, kinds: Sequence[str]) -> Column | None:
    """The one column that the words around a number name, or the only one of its unit."""
    number = mention.value
    unit = number.unit if isinstance(number, Number) else ""
    around = [token for token in clause.tokens if -60 < token.start - mention.start < 40]
    after = [token for token in around if token.start >= mention.end][:3]
    for tokens in (after, around):
        ties = [
            tie for tie in tie_columns(clause.rows, tokens) if tie.column.kind in kinds and tie.score >= 0.5
        ]
        named = fitting(clause.rows, [tie.column for tie in ties], unit)
        if len(named) == 1:
            return named[0]
    fits = [
        column
        for column in clause.rows.columns
        if column.kind in kinds and unit and column.unit and same_dimension(column, unit)
    ]
    return fits[0] if len(fits) == 1 else None


def _dates(clause: Clause, skip: Sequence[Span]) -> list[Condition]:
    """Dates before or after a year or day."""
    found = []
    for mention in clause.mentions:
        span = mention.start, mention.end
        if not isinstance(mention.value, Date) or mention.value.year is None or _overlaps(span, skip):
            continue
        word = _BEFORE.search(clause.words[: mention.start - clause.span[0]])
        column = _column_near(clause, mention, ("date",)) if word else None
        if word is None or column is None or word[1] == "from":
            continue
        said = mention.value
        parts = 1 + (said.month is not None) + (said.day is not None)
        rows = frozenset(
            row
            for row, cell in clause.cells(column)
            if cell.day is not None
            and cell.day.year is not None
            and _on_side(word[1], _key(cell.day, parts), _key(said, parts))
        )
        where = clause.span[0] + word.start(1), mention.end
        found.append(Condition(where, rows, f"{column.label} {word[1]} {clause.text[slice(*span)]}", column))
    return found


def _date_ranges(clause: Clause) -> list[list[Condition]]:
    """From one date to another: rows in it by each column of dates; or all, if it only describes them."""
    days = [m for m in clause.mentions if isinstance(m.value, Date) and m.value.year is not None]
    found = []
    for first, second in pairwise(days):
        before = clause.text[max(clause.span[0], first.start - 9) : first.start].lower()
        gap = clause.text[first.end : second.start].lower()
        if not _RANGE.fullmatch(f"{before.split()[-1] if before.split() else ''}{gap}"):
            continue
        span = first.start, second.end
        assert isinstance(first.value, Date)
        assert isinstance(second.value, Date)
        low, high = first.value, second.value
        text = clause.text[slice(*span)]
        alternatives = [Condition(span, clause.rows.numbers, "", None)]
        for column in clause.rows.columns:
            if column.kind == "date":
                rows = frozenset(
                    row
                    for row, cell in clause.cells(column)
                    if cell.day is not None and _key(low, 1) <= _key(cell.day, 1) <= _key(high, 1)
                )
                alternatives.insert(0, Condition(span, rows, f"{column.label} from {text}", column))
        found.append(alternatives)
    return found


def _key(day: Date, parts: int) -> tuple[int, ...]:
    return tuple(part or 0 for part in (day.year, day.month, day.day)[:parts])


def _on_side(word: str, value: tuple[int, ...], limit: tuple[int, ...]) -> bool:
    if word in ("before", "prior to", "earlier than"):
        return value < limit
    if word == "until":
        return value <= limit
    return value >= limit if word == "since" else value > limit


def _top(clause: Clause) -> list[Condition]:
    """The top ten: by a column of ranks, or by the order of rows."""
    found = []
    for match in clause.search(TOP):
        count = int(match["number"]) if match["number"].isdecimal() else _WORDS[match["number"]]
        ranked = [
            column for column in clause.rows.columns if _RANKED.search(column.label) and column.kind == "rank"
        ]
        if not ranked:
            continue
        column = min(ranked, key=lambda column: len(column.label))
        cells = clause.cells(column)
        rows = frozenset(row for row, cell in cells if number_of(cell) <= count)
        if all(number_of(cell) == row + 1 for row, cell in cells):
            # Rows in order of rank: the first may have a medal instead of a number.
            rows = frozenset(row for row in clause.rows.numbers if row < count)
        found.append(Condition(clause.place(match), rows, f"{column.label} up to {count}", column))
    return found


def _zeros(clause: Clause, skip: Sequence[Span]) -> list[Condition]:
    """Amounts that words say are zero, or not: in stock, sold out, dry."""
    found = []
    for pattern, words, is_zero in _ZEROS:
        match = pattern.search(clause.words)
        columns = [
            column for column in clause.rows.columns if column.kind == "number" and column.words & words
        ]
        if match is None or len(columns) != 1 or _overlaps(clause.place(match), skip):
            continue
        if _overlaps(clause.place(match), [link.span for link in clause.links]):
            # The data has a word for it: sky "rainy".
            continue
        column = columns[0]
        rows = frozenset(row for row, cell in clause.cells(column) if (number_of(cell) == 0) == is_zero)
        text = f"{column.label} {'0' if is_zero else 'over 0'}"
        found.append(Condition(clause.place(match), rows, text, column))
    return found


def _flags(clause: Clause, skip: Sequence[Span]) -> list[Condition]:
    """A yes or no column that the clause names."""
    found = []
    for column in clause.rows.columns:
        if not column.texts or not column.texts <= YES | NO:
            continue
        tie = tie_column(column, clause.tokens)
        if tie is None or tie.score < _MIN_FLAG or not tie.spans:
            continue
        span = min(tie.spans)[0], max(tie.spans)[1]
        if _overlaps(span, skip):
            continue
        wanted = NO if _NEGATED.search(clause.words[: span[0] - clause.span[0]]) else YES
        rows = frozenset(
            row
            for row, cell in column.cells.items()
            if cell.text.lower() in wanted and row in clause.rows.numbers
        )
        found.append(Condition(span, rows, f"{column.label} {'no' if wanted is NO else 'yes'}", column))
    return found
