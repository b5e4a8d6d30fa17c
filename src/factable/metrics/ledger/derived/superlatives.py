"""The highest, the oldest, the second largest, peaked at: who or what is at the end of a column."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from factable.metrics.ledger.derived.asking import NOT, ONE_OF, SUPERLATIVE, SUPERLATIVES, Degree, ordinal_of
from factable.metrics.ledger.derived.clauses import Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.links import Link, find_rows, same_dimension, tie_columns, tokens_of
from factable.metrics.ledger.derived.operations import agrees, converted, number_of
from factable.text.patterns import lazy_pattern
from factable.text.values import Mention, Number
from factable.text.values.words import fold
from factable.types import Span

_AFTER = 60
_MIN_TIE = 0.5
_WEEKDAYS = frozenset(map(fold, calendar.day_name))
_RATE = lazy_pattern(
    r"\A.{0,40}\b(?:percent(?:age)?|share|rate|ratio|average|proportion|density|difference|change|increase|total)\b"
)
_RATES = frozenset(
    [
        "percent",
        "percentage",
        "share",
        "rate",
        "ratio",
        "average",
        "avg",
        "proportion",
        "density",
        "difference",
        "change",
        "increase",
        "total",
    ]
)
_QUALIFIES = lazy_pattern(r"\b(?:highest|lowest|greatest|largest|smallest|most|least|average|mean|of)\s\Z")
_SEVERAL = lazy_pattern(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s\Z")
_PEAK = lazy_pattern(
    r"\b(?:peaked|peaking|bottomed out|"
    r"(?:reached|hit) (?:its|their|a) (?:peak|maximum|minimum|high|low|highest point|lowest point)|"
    r"(?:best|strongest|weakest|worst|poorest) (?:year|quarter|month|week|day|season) for)\b"
)
_FOLLOWED = lazy_pattern(r",\s(?:closely\s)?followed by\s(?:the\s)?(?P<name>[^,.;()]{1,40})")
_RANKS = lazy_pattern(
    r"\b(?:(?:ranks?|ranked|comes?|came|placed|finished)(?: in)?|takes?|took|won|claimed|secured)"
    r" (?P<place>first|second|third|fourth|fifth|last)(?: place)?(?: from the (?P<end>top|bottom))?\b"
)
# What is said of amounts of any kind: "most borrowed", "most popular".
_AMOUNT = lazy_pattern(
    r"\s(?:[a-z]+ed|seen|sold|drunk|read|popular|common|frequent|numerous|plentiful|abundant|active|successful|"
    r"profitable|productive|valuable|crowded)\b"
)
# "The second largest after A", "ahead of A": A is another one.
_BESIDE = lazy_pattern(r"\b(?:after|behind|before|ahead of|followed by)\s(?:the\s)?\Z")
_ROSE = lazy_pattern(
    r"\b(?:up|down|rose|risen|grew|grown|growing|fell|improved|increased|declined|gained|lost|by)\b"
)
_IS_LOW = lazy_pattern(r"bottom|low|minimum|weakest|worst|poorest")


def check_superlatives(clause: Clause) -> Iterator[Derived]:
    """Every superlative of a clause that can be tied to a column and to a row or a number."""
    for match in clause.search(SUPERLATIVE):
        if _QUALIFIES.search(clause.words[: match.start()]) or _is_of_column(clause, match["word"]):
            # "The highest maximum temperature": the second word belongs to the column.
            continue
        if _SEVERAL.search(clause.words[: match.start()]):
            # "The three most recent" are not the most recent one.
            continue
        if ONE_OF.search(clause.words[: match.start()]) or NOT.search(clause.words[: match.start()]):
            continue
        degree = SUPERLATIVES[match["word"]]
        found = _check(clause, clause.place(match), degree, ordinal_of(match["ordinal"]))
        if found:
            yield found
            if found.state == "supported":
                yield from _followed_by(clause, clause.place(match), degree, ordinal_of(match["ordinal"]))
    for match in clause.search(_RANKS):
        place = match["place"]
        is_low = place == "last" or match["end"] == "bottom"
        rank = 1 if place in ("first", "last") else ordinal_of(place)
        found = _check(clause, clause.place(match), SUPERLATIVES["lowest" if is_low else "highest"], rank)
        if found and found.state == "contradicted" and not match["end"]:
            # First may also be the lowest: the fastest time, the best price.
            other = _check(clause, clause.place(match), SUPERLATIVES["highest" if is_low else "lowest"], rank)
            found = found if other and other.state == "contradicted" else None
        if found:
            yield found
    for match in clause.search(_PEAK):
        degree = SUPERLATIVES["lowest" if _IS_LOW.search(match[0]) else "highest"]
        found = _check(clause, clause.place(match), degree, 1)
        if found:
            yield found


def _followed_by(clause: Clause, word: Span, degree: Degree, rank: int) -> Iterator[Derived]:
    """The next in rank, after a right superlative: "…, followed by B"."""
    following = _FOLLOWED.match(clause.text, clause.span[1])
    if following is None:
        return
    span = following.start("name"), following.end("name")
    tokens = tuple(tokens_of(clause.text, *span))
    named = {link.row for link in find_rows(clause.rows, tokens, ()) if link.row is not None}
    columns, is_named = columns_meant(clause, degree, (word[1], min(clause.span[1], word[1] + _AFTER)))
    if len(named) != 1:
        return
    outcomes = [
        _outcome(clause, column, clause.cells(column, rows), is_high, rank + 1, frozenset(named), None)
        for rows in clause.filters(word[0])
        for column, is_high in columns
        if len(clause.cells(column, rows)) > 1
    ]
    found = decide(outcomes, span, "superlative", can_contradict=is_named and clause.is_clear())
    if found:
        yield found


def _is_of_column(clause: Clause, word: str) -> bool:
    """Whether "maximum" or "minimum" is part of the name of a column."""
    ends = (frozenset(["maximum", "high"]), frozenset(["minimum", "low"]))
    own = next((words for words in ends if word in words), None)
    return own is not None and any(column.words & own for column in clause.rows.columns)


def check_than_any_other(clause: Clause, word: Span, than: int, degree: Degree) -> Derived | None:
    """More than any other: a superlative in other words."""
    return _check(clause, word, degree, 1, than)


def check_no_other(clause: Clause, word: Span, than: Span, degree: Degree) -> Derived | None:
    """No other has a lower one than X: a superlative of X in other words."""
    named = frozenset(
        link.row for link in clause.entities if link.row is not None and link.span[0] >= than[1]
    )
    if len(named) != 1 or any(link.span[1] <= than[0] for link in clause.entities):
        return None
    return _check(clause, word, degree, 1, than[0])


def columns_meant(clause: Clause, degree: Degree, near: Span) -> tuple[list[tuple[Column, bool]], bool]:
    """Columns that a degree may be about, with their direction, and whether they are named clearly."""
    if not degree.names_columns and clause.names_words_only(near):
        return [], False
    named = [tie.column for tie in clause.ties(near) if tie.score >= _MIN_TIE]
    by_word = [
        (column, direction)
        for column in clause.rows.columns
        if column.is_ordered and (direction := degree.direction(column)) is not None
    ]
    both = [pair for pair in by_word if pair[0] in named]
    if both or (degree.names_columns and not degree.is_of_size):
        return both or by_word, bool(both or by_word)
    # Of "more" and "highest" alone, a year or a rank is not the measure.
    amounts = [(column, degree.is_high) for column in named if column.kind == "number"]
    if named:
        # "The largest room": of two words of a key, one may only be what rows are called.
        is_clear = not degree.is_of_size or all(len(column.words) == 1 for column in named)
        return (amounts, is_clear) if len(amounts) == len(named) else ([], False)
    if by_word:
        return by_word, len(by_word) == 1
    only = [column for column in clause.rows.columns if column.kind == "number"]
    # "The most borrowed title": rows with one amount each are compared by it.
    is_clear = bool(_AMOUNT.match(clause.text, near[0])) and any(
        t.stem in clause.rows.nouns for t in clause.tokens
    )
    return ([(only[0], degree.is_high)], is_clear) if len(only) == 1 else ([], False)


def _column_of_number(clause: Clause, word: Span, degree: Degree) -> list[Column]:
    """The column of a number that a clause says of what it is about: "the Pair is …, claimed 210 times"."""
    before = [link.row for link in clause.entities if link.span[1] <= word[0]]
    rows = set(before) or {link.row for link in clause.entities}
    if len(rows) != 1 or _ROSE.search(clause.words):
        return []
    (row,) = rows
    is_of_any = bool(
        _AMOUNT.match(clause.text, word[1]) or _RANKS.fullmatch(clause.text[slice(*word)].lower())
    )
    columns = [
        column
        for column in clause.rows.columns
        if column.kind == "number" and row in column.cells
        for mention in clause.mentions
        if isinstance(mention.value, Number)
        and (is_of_any or degree.is_measured_in(mention.value.unit))
        and same_dimension(column, mention.value.unit)
        and agrees(converted(mention.value, column.unit), number_of(column.cells[row]))
    ]
    return columns if len(columns) == 1 else []


def _check(clause: Clause, span: Span, degree: Degree, rank: int, end: int | None = None) -> Derived | None:
    near = span[1], min(clause.span[1] if end is None else end, span[1] + _AFTER)
    columns, is_named = columns_meant(clause, degree, near)
    if not columns:
        columns = [(column, degree.is_high) for column in _column_of_number(clause, span, degree)]
        is_named = bool(columns)
    if any(column.kind == "rank" for column, _ in columns) or _asks_for_rate(clause, span, columns):
        return None
    entities = _entities(clause, columns)
    period = _period(clause, span) if not entities else frozenset()
    if clause.has_unknown_names:
        return None
    outcomes: list[Outcome] = []
    number = None if entities else _number(clause, span, columns)
    if not entities and number is None and not period:
        return None
    for column, is_high in columns if period else ():
        outcomes.append(_outcome(clause, column, clause.cells(column), is_high, rank, period, number))
    options = clause.filters(span[0]) if number is not None or not period else []
    for rows in options:
        for column, is_high in columns:
            cells = clause.cells(column, rows)
            if len(cells) < 2:
                continue
            if entities and not any(row in column.cells for row in entities):
                continue
            outcomes.append(_outcome(clause, column, cells, is_high, rank, entities, number))
    is_known = degree.names_columns or bool(_AMOUNT.match(clause.text, near[0]))
    clear = is_named and clause.is_clear() and (is_known or not _names_unknown(clause, near))
    place = (number.start, number.end) if number is not None else None
    return decide(outcomes, span, "superlative", can_contradict=clear, number=place)


def _names_unknown(clause: Clause, near: Span) -> bool:
    """Whether only words that the data does not know stand where the column is named."""
    tokens = clause.tokens_in(near)
    return any(token in clause.unknown for token in tokens[:2]) and not tie_columns(clause.rows, tokens)


def _asks_for_rate(clause: Clause, span: Span, columns: list[tuple[Column, bool]]) -> bool:
    """Whether a percentage or rate is meant where the column has amounts."""
    asked = _RATE.search(clause.words[span[1] - clause.span[0] :])
    if asked and any(link.span[0] <= span[1] + asked.end() - 1 < link.span[1] for link in clause.entities):
        # "The tool change" is a name.
        return False
    return bool(asked) and not any(column.unit == "percent" or column.words & _RATES for column, _ in columns)


def _entities(clause: Clause, columns: list[tuple[Column, bool]]) -> frozenset[int]:
    """Rows named in the clause; not by a value of the very column in question."""
    own = {id(column) for column, _ in columns}
    others = frozenset(
        link.row for link in clause.entities if link.row is not None and id(link.column) not in own
    )
    about = frozenset(
        link.row
        for link in clause.entities
        if link.row in others and not _BESIDE.search(clause.words[: link.span[0] - clause.span[0]])
    )
    if about:
        return about
    # "The earliest date was 13 January": a date names its own row.
    return others or frozenset(link.row for link in clause.entities if link.row is not None)


def _period(clause: Clause, span: Span) -> frozenset[int]:
    """Rows of a period in which the highest value is said to be: "the highest rate was in August 2022"."""
    named = [link for link in clause.categories if _is_time(clause, link)]
    after = [link for link in named if link.span[0] >= span[1]]
    return after[0].rows if len({link.span for link in named}) == 1 and after else frozenset()


def _is_time(clause: Clause, link: Link) -> bool:
    if link.column is None:
        return False
    return link.column.kind == "date" or fold(clause.text[slice(*link.span)]) in _WEEKDAYS


def _number(clause: Clause, span: Span, columns: list[tuple[Column, bool]]) -> Mention | None:
    """The number that is said to be the highest: the first after the word."""
    for mention in clause.numbers:
        assert isinstance(mention.value, Number)
        if mention.start <= span[0] < mention.end and mention.value.bound in ("at most", "at least"):
            # "A maximum of 3 mm" is no bound here, but the value itself.
            return mention._replace(value=replace(mention.value, bound="", step=Fraction(1)))
        if span[1] <= mention.start <= span[1] + _AFTER:
            if not any(same_dimension(column, mention.value.unit) for column, _ in columns):
                return None
            before = clause.text[span[1] : mention.start].rstrip().lower()
            if (
                re.search(r"\b(?:is|was|were|are|with|at|of|being|reached|reaching|to)\Z|[:(,]\Z", before)
                or mention.value.bound
            ):
                return mention
            return None
    return None


def _outcome(
    clause: Clause,
    column: Column,
    cells: list[tuple[int, Cell]],
    is_high: bool,
    rank: int,
    entities: frozenset[int],
    number: Mention | None,
) -> Outcome:
    ranks = column.ranks
    values = sorted({ranks[row] for row, _ in cells}, reverse=is_high)
    if rank > len(values) or len(values) < 2:
        return Outcome(None, "")
    ordered = sorted(cells, key=lambda pair: ranks[pair[0]], reverse=is_high)
    # With ties above, "second" may count rows or values.
    targets = {values[rank - 1], ranks[ordered[rank - 1][0]]}
    best = [(row, cell) for row, cell in ordered if ranks[row] in targets]
    row, cell = best[0]
    end = "highest" if is_high else "lowest"
    head = f"{end} of {len(cells)}" if rank == 1 else f"number {rank} of {len(cells)} from the {end}"
    names = ", ".join(dict.fromkeys(clause.name(row) for row, _ in best[:3]))
    explanation = f"{head}: {names} with {cell.text}"
    leaves = tuple(
        dict.fromkeys([one.leaf for _, one in best] + [one.leaf for row, one in cells if row in entities])
    )
    if entities:
        is_best = bool(entities & {row for row, _ in best})
        truth: bool | None = is_best
        if is_best and number is not None and isinstance(number.value, Number):
            truth = agrees(converted(number.value, column.unit), number_of(cell))
        if not is_best and not entities & {row for row, _ in cells}:
            truth = None
        return Outcome(truth, explanation, leaves, clause.name(row))
    assert number is not None
    assert isinstance(number.value, Number)
    truth = agrees(converted(number.value, column.unit), number_of(cell))
    return Outcome(truth, explanation, leaves, cell.text)
