"""Two values said of two rows, each of which belongs to the other: A has 17 % and B 22 %."""

from collections.abc import Iterator

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.clauses import Clause, Derived
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.links import Link, fitting
from factable.metrics.ledger.derived.operations import agrees, converted, number_of
from factable.text.values import Mention, Number


def check_exchanges(clause: Clause) -> Iterator[Derived]:
    """Two rows and two values in turn, where only the exchanged values are those of the data."""
    pairs = _pairs(clause)
    if pairs is None or NOT.search(clause.words):
        return
    (first, a), (second, b) = pairs
    assert isinstance(a.value, Number)
    assert isinstance(b.value, Number)
    if a.value.unit != b.value.unit or a.value.value == b.value.value:
        return
    columns = [column for column in clause.rows.columns if column.kind == "number"]
    columns = fitting(clause.rows, columns, a.value.unit)
    named = [tie.column for tie in clause.ties(amounts=True) if tie.column in columns]
    columns = named or columns
    if any(_has(column, first, a) or _has(column, second, b) for column in columns):
        return
    crossed = [column for column in columns if _has(column, first, b) and _has(column, second, a)]
    if len(crossed) != 1:
        return
    for link, mention in pairs:
        cell = _cell(crossed[0], link)
        if cell is not None and link.row is not None:
            span = mention.start, mention.end
            told = f"{clause.name(link.row)}: {crossed[0].label} {cell.text}"
            yield Derived(span, "contradicted", told, (cell.leaf,), cell.text, span, "exchange")


def _pairs(clause: Clause) -> tuple[tuple[Link, Mention], tuple[Link, Mention]] | None:
    """Two rows with the value beside each: row, value, row, value, or value, row, value, row."""
    named = {link.row: link for link in reversed(clause.entities)}
    numbers = [mention for mention in clause.numbers if _is_plain(mention)]
    if len(named) != 2 or len(numbers) < 2:
        return None
    first, second = sorted(named.values(), key=lambda link: link.span)
    before = [mention for mention in numbers if mention.end <= first.span[0]]
    between = [m for m in numbers if first.span[1] <= m.start and m.end <= second.span[0]]
    after = [mention for mention in numbers if mention.start >= second.span[1]]
    if len(between) != 1:
        return None
    if not before and after:
        return (first, between[0]), (second, after[0])
    if len(before) == 1 and not after:
        return (first, before[0]), (second, between[0])
    return None


def _is_plain(mention: Mention) -> bool:
    return isinstance(mention.value, Number) and mention.value.high is None and not mention.value.bound


def _cell(column: Column, link: Link) -> Cell | None:
    cell = column.cells.get(link.row) if link.row is not None else None
    return cell if cell is not None and cell.number is not None else None


def _has(column: Column, link: Link, mention: Mention) -> bool:
    cell = _cell(column, link)
    if cell is None or not isinstance(mention.value, Number):
        return False
    return agrees(converted(mention.value, column.unit), number_of(cell)) is not False
