"""How a column develops over time: rose, fell, steadily, doubled, by how much."""

import itertools
import re
from collections.abc import Iterator
from fractions import Fraction

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.clauses import Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.operations import agrees, change, difference, number_of, ratio, show
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

TREND = lazy_pattern(
    r"\b(?:(?P<up>rose|risen|rising|rises|increas(?:e[sd]?|ing)|grew|grown|grows|growing|growth|climb(?:ed|ing|s)?|"
    r"gain(?:ed|s)?|went up|gone up|going up|moved up|raised|surg(?:ed|ing)|jumped|soared|expanded|expanding|"
    r"edged up|picked up|on the rise|upwards?|advanced)|"
    r"(?P<down>fell|fallen|falling|falls|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|dropp(?:ed|ing)|drops?|"
    r"shrank|shrunk|shrinking|went down|gone down|going down|moved down|lowered|reduction|reduced|slid|"
    r"sliding|slipped|sank|sunk|sinking|plunged|plummeted|dipped|contracted|dwindled|dwindling|edged down|"
    r"tumbled|slumped|downwards?)|"
    r"(?P<double>doubled|doubling)|(?P<triple>tripled|tripling|trebled)|(?P<half>halved))\b"
)
_STEADY = lazy_pattern(
    r"\b(?:steadily|steady|continuous(?:ly)?|continual(?:ly)?|consistent(?:ly)?|constantly|kept|uninterrupted(?:ly)?|"
    r"without (?:interruption|exception|a break)|invariably|"
    r"(?P<step>year|quarter|month|week|day|season) (?:after|by|on) (?P=step)|"
    r"(?:every|each) (?:single )?(?:year|quarter|month|week|day|season))\b"
)
_TIME_WORDS = lazy_pattern(
    r"\b(?:then|again|later|early|initially|day|night|morning|afternoon|evening|noon|week|midweek|weekend|month|year|"
    r"before|after|until|by|(?:mon|tues|wednes|thurs|fri|satur|sun)day|slight|slightly|gradual\w*|some|further|around|"
    r"at first|following|next|previous|last|first|second|third|end|start|beginning|point|when|to)\b"
)
_FEW = 3
# A step back of less than this share of the whole change does not make it unsteady.
_SMALL_DIP = Fraction(5, 100)
_FACTOR = {"double": 2, "triple": 3}


def check_trends(clause: Clause) -> Iterator[Derived]:
    """Every word of a development that can be tied to an ordered column."""
    order = clause.rows.order
    if order is None:
        return
    for match in clause.search(TREND):
        if NOT.search(clause.words[max(0, match.start() - 15) : match.start()]):
            continue
        if clause.text[clause.place(match)[0]].isupper():
            # Part of a name: the Growth Team.
            continue
        ties = [tie for tie in clause.ties(amounts=True) if tie.score >= 0.5]
        series = [(tie.column, _period(clause, order, tie.column)) for tie in ties]
        found = list(_check(clause, match, [(column, cells) for column, cells in series if len(cells) > 1]))
        yield from found
        if found:
            return


def _period(clause: Clause, order: Column, column: Column) -> list[tuple[int, Cell]]:
    """The cells of a column in order of time, between the two periods named, or up to the one named."""
    cells = [(row, cell) for row, cell in clause.cells(column) if row in order.cells]
    cells.sort(key=lambda pair: number_of(order.cells[pair[0]]))
    if any(link.column is order and len(link.rows) > 1 for link in clause.links):
        # Several rows of one day or year: which of them is meant is not said.
        return []
    named = sorted(
        (
            index
            for index, (row, _) in enumerate(cells)
            for link in clause.links
            if link.column is order and row in link.rows
        )
    )
    if not named:
        return [] if _TIME_WORDS.search(clause.words) and len(cells) > _FEW else cells
    first, last = named[0], named[-1]
    if first == last:
        # "In 2025" means from the period before.
        return cells[max(0, last - 1) : last + 1]
    return cells[first : last + 1]


def _check(
    clause: Clause, match: "re.Match[str]", series: list[tuple[Column, list[tuple[int, Cell]]]]
) -> Iterator[Derived]:
    span = clause.place(match)
    directions, amounts = [], []
    amount = _amount(clause, span)
    steady = bool(_STEADY.search(clause.words))
    for column, cells in series:
        first, last = cells[0][1], cells[-1][1]
        directions.append(_direction(clause, match, cells, steady))
        if amount is not None:
            number = amount[0]
            if number.unit == "percent" and column.unit != "percent":
                result = change(first, last)
                if result is not None:
                    right = f"{show(abs(result.value))} %"
                    amounts.append(
                        Outcome(agrees(number, result.value), result.explanation, result.leaves, right)
                    )
            else:
                result = difference(first, last)
                amounts.append(
                    Outcome(
                        agrees(number, result.value), result.explanation, result.leaves, show(result.value)
                    )
                )
    clear = clause.is_clear()
    found = decide(directions, span, "trend", can_contradict=clear)
    if found and (amount is None or found.state == "contradicted"):
        yield found
        return
    if amount is not None:
        by = decide(amounts, span, "change", can_contradict=clear, number=amount[1])
        if by:
            yield by


def _amount(clause: Clause, span: Span) -> tuple[Number, Span] | None:
    """By how much: "by 50 %", "an increase of 50 %", "a 50 % increase"."""
    for mention in clause.numbers:
        number = mention.value
        assert isinstance(number, Number)
        between = clause.text[span[1] : mention.start].lower() if mention.start >= span[1] else ""
        before = clause.text[mention.end : span[0]].lower() if mention.end <= span[0] else None
        inside = mention.start <= span[0] < mention.end
        is_by = re.fullmatch(r"(?:[^,.]{0,25}\b)?(?:by|of)\s(?:about |around |over |nearly |some )?", between)
        if inside or is_by or before in (" ", "-") or (number.unit == "percent" and between == " "):
            return number, (mention.start, mention.end)
    return None


def _direction(
    clause: Clause, match: "re.Match[str]", cells: list[tuple[int, Cell]], steady: bool
) -> Outcome:
    first, last = cells[0][1], cells[-1][1]
    leaves = tuple(cell.leaf for _, cell in cells)
    a, b = number_of(first), number_of(last)
    told = f"{first.text} to {last.text}"
    factor = next((factor for name, factor in _FACTOR.items() if match[name]), None)
    if match["half"]:
        factor = None
    if factor or match["half"]:
        wanted = Fraction(factor) if factor else Fraction(1, 2)
        result = ratio(last, first)
        if result is None:
            return Outcome(None, "")
        off = abs(result.value - wanted) / wanted
        truth = True if off <= Fraction(5, 100) else None if off <= Fraction(20, 100) else False
        return Outcome(truth, result.explanation, result.leaves, show(result.value))
    up = bool(match["up"])
    if steady:
        steps = [(x, y) for x, y in itertools.pairwise(cells)]
        broken = next(
            (
                (x, y)
                for x, y in steps
                if (number_of(y[1]) < number_of(x[1])) == up and number_of(y[1]) != number_of(x[1])
            ),
            None,
        )
        if broken is not None:
            row, cell = broken[1]
            dip = abs(number_of(cell) - number_of(broken[0][1]))
            if dip <= abs(b - a) * _SMALL_DIP:
                return Outcome(None, "")
            told = f"{broken[0][1].text} to {cell.text} in {clause.name(row)}"
            return Outcome(False, told, (broken[0][1].leaf, cell.leaf))
    truth = (b > a) if up else (b < a)
    return Outcome(truth if a != b else False, told, leaves if steady else (first.leaf, last.leaf))
