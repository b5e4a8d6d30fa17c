"""Numbers computed from a column: total, average, range, share, change from one period to the next."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.clauses import Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.conditions import find_conditions, readings
from factable.metrics.ledger.derived.links import (
    Tie,
    Token,
    fitting,
    is_money,
    same_dimension,
    tie_column,
    tie_columns,
)
from factable.metrics.ledger.derived.operations import agrees, converted, mean, number_of, share, show, total
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.values import Mention, Number
from factable.text.values.hints import MONEY_WORDS
from factable.types import Span

_TOTAL = lazy_pattern(
    r"\b(?:total(?:s|ed|ing|led|ling)?|add(?:s|ed|ing)? up to|amount(?:s|ed|ing)? to|sum|combined|"
    r"altogether|together|in all|collectively|overall)\b"
)
_MEAN = lazy_pattern(r"\b(?:average[sd]?|mean|averaging)\b")
_RANGE = lazy_pattern(
    r"\b(?:rang(?:e|es|ed|ing)|var(?:y|ies|ied|ying)|fluctuat\w+|between|spann?(?:ing|s|ed)?)\b"
)
_TO = lazy_pattern(
    r"\s?(?:to|and|up to|–|-)\s?(?:a\s(?:high|maximum)\sof\s|about\s)?|"
    r"\s?\w{0,12}\s?(?:\([^()]*\)\s?)?(?:to|and)\s"
)
_HIGHS = lazy_pattern(r"\b(?:highs|lows)\b")
_OF_WHOLE = lazy_pattern(r"(?:%|percent|half|thirds?|quarters?|share|out) of (?:the |their |its |all )?\Z")
_MIN_CELLS = 2
# How far after "35 % of" the word for the whole stands.
_WHOLE = 45
# An end of a range that is off by less than this share of its width is no clear error.
_NEAR_END = Fraction(5, 100)
_MONEY_STEMS = frozenset(map(stem, MONEY_WORDS))
_OWN_WORDS = frozenset(["average", "avg", "mean", "total"])


def check_amounts(clause: Clause) -> Iterator[Derived]:
    """Every total, average, range and share of a clause."""
    numbers = [mention for mention in clause.numbers if isinstance(mention.value, Number)]
    if NOT.search(clause.words):
        return
    for pattern, operation in ((_MEAN, "mean"), (_TOTAL, "sum")):
        for match in clause.search(pattern):
            found = _aggregate(clause, clause.place(match), operation, numbers)
            if found:
                yield found
                return
    yield from _ranges(clause)
    yield from _shares(clause, numbers)


def _aggregate(clause: Clause, word: Span, operation: str, numbers: Sequence[Mention]) -> Derived | None:
    if _OF_WHOLE.search(clause.text[clause.span[0] : word[0]]):
        # "46 % of their combined capacity" gives no total.
        return None
    ties = [tie for tie in clause.ties() if tie.column.kind == "number" and tie.score >= 0.5]
    mention = _number_of(clause, word, numbers, [tie.column for tie in ties])
    if mention is None:
        return None
    number = mention.value
    assert isinstance(number, Number)
    if operation == "sum":
        # Rates are not added up.
        ties = [tie for tie in ties if tie.column.unit != "percent"]
    fits = fitting(clause.rows, [tie.column for tie in ties], number.unit)
    ties = [tie for tie in ties if tie.column in fits]
    subjects = [link for link in clause.entities if link.span[0] < mention.start]
    if any(column.words & _OWN_WORDS for column in clause.rows.columns) or len(subjects) == 1:
        # The data has totals or averages of its own.
        ties = []
    outcomes = []
    for tie in ties:
        for rows in _rows(clause, mention):
            cells = [cell for _, cell in clause.cells(tie.column, rows)]
            if len(cells) < _MIN_CELLS:
                continue
            result = mean(cells) if operation == "mean" else total(cells)
            outcomes.append(
                Outcome(
                    agrees(converted(number, tie.column.unit), result.value),
                    result.explanation,
                    result.leaves,
                    show(result.value),
                )
            )
        outcomes += _stated_totals(clause, tie.column, number) if operation == "sum" else []
    if operation == "sum" and not outcomes:
        return None
    place = mention.start, mention.end
    if any(_is_cell(clause, tie.column, number) for tie in ties):
        # "With a total of 70", "193 on average" may tell the value of one row.
        outcomes = [outcome for outcome in outcomes if outcome.truth]
    if operation == "sum" and _counts_rows(clause, number):
        outcomes = [outcome for outcome in outcomes if outcome.truth]
    # Of what unit the column is must be known, if the number has one.
    in_unit = not number.unit or all(tie.column.unit or _may_be_money(tie.column, number) for tie in ties)
    clear = in_unit and clause.is_clear()
    return decide(outcomes, word, operation, can_contradict=clear, number=place)


def _may_be_money(column: Column, number: Number) -> bool:
    """Whether a column without a unit is of money, as its words say: `sales`, but not `awards`."""
    return is_money(number.unit) and not _MONEY_STEMS.isdisjoint(column.words | column.extra_words)


def _counts_rows(clause: Clause, number: Number) -> bool:
    return number.value in (len(clause.rows.members), len(clause.rows.rows))


def _number_of(
    clause: Clause, word: Span, numbers: Sequence[Mention], columns: Sequence[Column]
) -> Mention | None:
    """The number called total or average: the first after the word that is no count, or the only one."""
    has_percent = any(column.unit == "percent" for column in columns)
    plain = [
        m
        for m in numbers
        if isinstance(m.value, Number) and m.value.high is None and (has_percent or m.value.unit != "percent")
    ]
    plain = [mention for mention in plain if not _is_count(clause, mention)]
    after = next((mention for mention in plain if mention.start >= word[1]), None)
    if after is not None and " and " in clause.text[word[1] : after.start] and len(plain) > 1:
        after = None
    return after or (plain[0] if len(plain) == 1 else None)


def _is_count(clause: Clause, mention: Mention) -> bool:
    """Whether a number counts rows: "the three room types", "two runners"."""
    if _is_unit(mention):
        return False
    following = [token for token in clause.tokens if token.start >= mention.end][:2]
    nouns = clause.rows.nouns.union(clause.rows.label)
    if any(token.stem in nouns for token in following):
        return True
    first = following[0] if following else None
    is_plural = first is not None and first.text[-1] == "s" and clause.text[mention.end : first.start] == " "
    number = mention.value
    assert isinstance(number, Number)
    return (
        is_plural
        and number.value <= len(clause.rows.rows)
        and first is not None
        and not any(_is_named_by(column, first) for column in clause.rows.columns)
    )


def _is_named_by(column: Column, token: Token) -> bool:
    return len(column.words) == 1 and tie_column(column, [token]) is not None


def _is_unit(mention: Mention) -> bool:
    return isinstance(mention.value, Number) and bool(mention.value.unit)


def _rows(clause: Clause, mention: Mention) -> list[frozenset[int]]:
    """The rows that are added up: those named, those of categories, or all."""
    options = []
    # "…, with web-02 at 88 %": what comes after the number does not limit it.
    later = [link.span for link in clause.entities if link.span[0] >= mention.end]
    named = frozenset(link.row for link in clause.entities if link.row is not None and link.span not in later)
    if len(named) > 1:
        between = rows_between(clause)
        options.append(between or named)
        if between:
            return options
    for rows, _ in readings(find_conditions(clause, [*_number_spans(clause), *later]), clause.rows.numbers):
        options.append(rows)
    return options


def rows_between(clause: Clause) -> frozenset[int]:
    """The rows from one period to another: "from February to April"."""
    order = clause.rows.order
    named = [link for link in clause.entities if order is not None and link.column is order]
    if order is None or len(named) != 2:
        return frozenset()
    first, second = named
    before = clause.text[clause.span[0] : first.span[0]].lower()
    gap = clause.text[first.span[1] : second.span[0]].strip().lower()
    if not (gap in ("to", "through", "until", "–") or (gap == "and" and before.endswith("between "))):
        return frozenset()
    assert first.row is not None
    assert second.row is not None
    low, high = sorted(number_of(order.cells[row]) for row in (first.row, second.row))
    return frozenset(row for row, cell in clause.cells(order) if low <= number_of(cell) <= high)


def _number_spans(clause: Clause) -> list[Span]:
    return [(mention.start, mention.end) for mention in clause.numbers]


def _stated_totals(clause: Clause, column: Column, number: Number) -> list[Outcome]:
    """A row of the data that gives the total."""
    outcomes = []
    for row in clause.rows.rows:
        cell = column.cells.get(row.number)
        if row.is_total and cell is not None and cell.number is not None:
            told = f"{row.name}: {cell.text}"
            outcomes.append(Outcome(agrees(number, cell.number), told, (cell.leaf,), cell.text))
    return outcomes


def _is_cell(clause: Clause, column: Column, number: Number) -> bool:
    return any(agrees(number, number_of(cell)) for _, cell in clause.cells(column))


def _ranges(clause: Clause) -> Iterator[Derived]:
    """From the lowest to the highest."""
    for match in clause.search(_RANGE):
        span = clause.place(match)
        ends = _ends(clause, span)
        if ends is None:
            continue
        low, high, place = ends
        ties = _ties_before(clause, span, place)
        ties = [tie for tie in ties if same_dimension(tie.column, high.unit)]
        outcomes = []
        for tie in ties:
            for rows in clause.filters(span[0]):
                cells = sorted((cell for _, cell in clause.cells(tie.column, rows)), key=number_of)
                if len(cells) >= _MIN_CELLS:
                    outcomes.append(_range_outcome(cells, low, high))
        named = match[0].startswith(("rang", "var"))
        can_contradict = named and clause.is_clear() and not clause.entities
        found = decide(outcomes, span, "range", can_contradict=can_contradict, number=place)
        if found:
            yield found
            return


def _ties_before(clause: Clause, word: Span, place: Span) -> list[Tie]:
    """The columns that words name: before "range", back to the number before it; then around the numbers."""
    start = max((m.end for m in clause.numbers if m.end <= word[0]), default=clause.span[0])
    end = min((m.start for m in clause.numbers if m.start >= place[1]), default=clause.span[1])
    between = [token for token in clause.tokens_in((word[1], place[0])) if token.stem not in ("low", "high")]
    for tokens in (clause.tokens_in((start, word[0])), between, clause.tokens_in((place[1], end))[:4]):
        ties = [tie for tie in tie_columns(clause.rows, tokens) if tie.score >= 0.5]
        if ties:
            return [tie for tie in ties if tie.column.kind == "number"]
    return []


def _range_outcome(cells: Sequence[Cell], low: Number, high: Number) -> Outcome:
    first, last = cells[0], cells[-1]
    text = f"{first.text} to {last.text}"
    at_low, at_high = agrees(low, number_of(first)), agrees(high, number_of(last))
    truth: bool | None = bool(at_low and at_high)
    slack = (number_of(last) - number_of(first)) * _NEAR_END
    near_low = at_low is not False or abs(low.value - number_of(first)) <= slack
    near_high = at_high is not False or abs(high.value - number_of(last)) <= slack
    if not truth and near_low and near_high:
        truth = None
    return Outcome(truth, f"lowest and highest of {len(cells)}: {text}", (first.leaf, last.leaf), text)


def _ends(clause: Clause, span: Span) -> tuple[Number, Number, Span] | None:
    """The two ends of a range after a word, in order."""
    after = [mention for mention in clause.numbers if mention.start >= span[0]]
    if after and _HIGHS.search(clause.words, span[1] - clause.span[0], span[1] - clause.span[0] + 90):
        return None
    for mention in after:
        number = mention.value
        assert isinstance(number, Number)
        if number.high is not None and mention.start - span[1] <= 40:
            low = Number(number.value, number.unit, number.step, number.bound)
            return (
                low,
                Number(number.high, number.unit, number.step, number.bound),
                (mention.start, mention.end),
            )
    if len(after) < 2:
        return None
    if after[0].start - span[1] > 40:
        return None
    gap = clause.text[after[0].end : after[1].start].lower()
    first, second = after[0].value, after[1].value
    assert isinstance(first, Number)
    assert isinstance(second, Number)
    if not _TO.fullmatch(gap):
        return None
    place = after[0].start, after[1].end
    low, high = sorted((first, second), key=lambda number: number.value)
    return low, high, place


def _shares(clause: Clause, numbers: Sequence[Mention]) -> Iterator[Derived]:
    """A row's share of the total, in percent."""
    for mention in numbers:
        number = mention.value
        assert isinstance(number, Number)
        if number.unit != "percent" or not re.match(r"\s?of\s", clause.words[mention.end - clause.span[0] :]):
            continue
        named = frozenset(link.row for link in clause.links if link.row is not None)
        outcomes = []
        following = clause.text[mention.end : min(clause.span[1], mention.end + _WHOLE)]
        whole = mention.end, mention.end + len(re.split(r",| and | by | from ", following)[0])
        for tie in tie_columns(clause.rows, clause.tokens_in(whole), amounts=True):
            if tie.column.kind != "number" or tie.score < 0.5 or tie.column.unit == "percent":
                continue
            part = [cell for _, cell in clause.cells(tie.column, named)]
            result = share(part, [cell for _, cell in clause.cells(tie.column)]) if part else None
            if result is not None:
                outcomes.append(
                    Outcome(
                        agrees(number, result.value),
                        result.explanation,
                        result.leaves,
                        f"{show(result.value)} %",
                    )
                )
        place = mention.start, mention.end
        found = decide(outcomes, place, "share", can_contradict=clause.is_clear(), number=place)
        if found:
            yield found
