"""Two rows compared: more than, older than, 30 more than, twice as many, half as much."""

import re
from collections.abc import Iterator
from fractions import Fraction

from factable.metrics.ledger.derived.asking import COMPARATIVE, COMPARATIVES, NOT, Degree
from factable.metrics.ledger.derived.clauses import Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Cell, Column
from factable.metrics.ledger.derived.links import Link, fitting, is_money, same_dimension, tie_columns
from factable.metrics.ledger.derived.operations import (
    agrees,
    change,
    converted,
    difference,
    number_of,
    ratio,
    show,
    whole_years,
)
from factable.metrics.ledger.derived.superlatives import (
    check_no_other,
    check_than_any_other,
    columns_meant,
)
from factable.text.patterns import lazy_pattern
from factable.text.values import Mention, Number
from factable.types import Span

_THAN = lazy_pattern(
    r"(?<!other )(?<!rather )\bthan\b(?!\s(?:any|all|every|the (?:average|other|rest)|half|its|their|one)\b)"
)
_ANY_OTHER = lazy_pattern(
    r"\bthan\s(?:(?:in|on|at|by|for)\s)?(?:any|all|every|the)\s(?:of\sthe\s)?(?:other|rest)\b"
)
_NO_OTHER = lazy_pattern(r"(?:\A|\b)(?:no other|none of the other|no)\s(?=\w)")
_AHEAD = lazy_pattern(
    r"\b(?P<word>ahead of|behind|above|below|tops|trails|beats|exceeds|surpasses|outperforms|leads)\s"
)
_LOW_IS_AHEAD = frozenset(["time", "duration", "rank", "position", "place", "price", "cost"])
_GAP_BETWEEN = lazy_pattern(r"\b(?P<word>differ(?:s|ed)?|gap of|difference of|(?:gap|difference) between)\b")
_TIMES = lazy_pattern(
    r"\b(?P<factor>twice|double|triple|half|(?:two|three|four|five|six|seven|eight|nine|ten|\d+(?:\.\d+)?)[\s-]times)\s"
    r"(?:as|the)\s"
)
_FACTORS = {"twice": "2", "double": "2", "triple": "3", "half": "1/2"} | {
    word: str(number)
    for number, word in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}
# At most "the" may stand between a word and the name that it is about.
_NEXT = 5
_BY = lazy_pattern(r"(?:\bby|\bdifference of|\bgap of|\bmargin of|\blead of)\s(?:a |an |just |only )?\Z")


def check_comparisons(clause: Clause) -> Iterator[Derived]:
    """Every comparison of two named rows, or of one with all others."""
    for negation in clause.search(_NO_OTHER):
        words = [match for match in clause.search(COMPARATIVE) if match.start() >= negation.end()]
        than = re.compile(r"\bthan\b").search(clause.words, words[0].end() if words else len(clause.words))
        if words and than is not None:
            found = check_no_other(
                clause, clause.place(words[0]), clause.place(than), COMPARATIVES[words[0]["word"]]
            )
            if found:
                yield found
            return
    for than in clause.search(_ANY_OTHER):
        words = [match for match in clause.search(COMPARATIVE) if match.end() <= than.start()]
        if words and not NOT.search(clause.words[: words[-1].start()]):
            other = check_than_any_other(
                clause, clause.place(words[-1]), clause.place(than)[0], COMPARATIVES[words[-1]["word"]]
            )
            if other:
                yield other
    for than in clause.search(_THAN):
        words = [match for match in clause.search(COMPARATIVE) if match.end() <= than.start()]
        if not words or than.start() - words[-1].end() > 60:
            continue
        word = words[-1]
        pair = _pair(clause, clause.place(word), clause.place(than))
        if pair is None or NOT.search(clause.words[max(0, word.start() - 20) : word.start()]):
            continue
        yield from _compare(clause, pair, COMPARATIVES[word["word"]], clause.place(word), clause.place(than))
    yield from _check_ahead(clause)
    yield from _check_gaps(clause)
    yield from _check_ratios(clause)


def _pair(clause: Clause, word: Span, than: Span) -> tuple[Link, Link] | None:
    """The rows on the left of the comparative and on the right of "than", if there is one on either side."""
    left = [link for link in clause.entities if link.span[1] <= word[0]]
    right = [link for link in clause.entities if link.span[0] >= than[1]]
    # "Lower in October than in September".
    inside = [link for link in clause.entities if word[1] <= link.span[0] and link.span[1] <= than[0]]
    if right and len(inside) == 1 and inside[0].column is right[0].column and inside[0].row != right[0].row:
        return inside[0], right[0]
    if not left or not right:
        return None
    first, second = left[-1], right[0]
    # The subject is what the clause begins with, unless something nearer is named in the same way.
    same = [link for link in left if link.column is second.column]
    first = same[-1] if same else first
    if first.row == second.row or second.span[0] - than[1] > 40:
        return None
    if any(link.span[1] <= word[0] and link.row not in (first.row, second.row) for link in clause.entities):
        # Several rows on the left: which one is meant is not sure.
        others = [link for link in left if link.row != first.row]
        if any(link.span[0] > first.span[1] or link.column is first.column for link in others):
            return None
    return first, second


def _cell(column: Column, link: Link) -> Cell | None:
    cell = column.cells.get(link.row) if link.row is not None else None
    return cell if cell is not None and cell.number is not None else None


def _compare(
    clause: Clause, pair: tuple[Link, Link], degree: Degree, word: Span, than: Span
) -> Iterator[Derived]:
    columns, is_named = columns_meant(clause, degree, (word[1], than[0]))
    number = _difference_number(clause, word)
    outcomes, amounts = [], []
    for column, is_high in columns:
        first, second = _cell(column, pair[0]), _cell(column, pair[1])
        if first is None or second is None:
            continue
        a, b = number_of(first), number_of(second)
        sign = ">" if a > b else "<" if a < b else "="
        leaves = (first.leaf, second.leaf)
        truth = (a > b) if is_high else (a < b)
        right = clause.name(pair[0].row if sign == (">" if is_high else "<") else pair[1].row)  # type: ignore[arg-type]
        outcomes.append(Outcome(truth, f"{first.text} {sign} {second.text}", leaves, right))
        if number is not None:
            amounts.append(_difference_outcome(number, column, first, second))
    clear = is_named and clause.is_clear()
    found = decide(outcomes, (word[0], than[1]), "comparison", can_contradict=clear)
    if number is not None and amounts and (found is None or found.state == "supported"):
        place = number.start, number.end
        found = decide(amounts, (word[0], than[1]), "difference", can_contradict=clear, number=place)
    if found:
        yield found


def _check_ahead(clause: Clause) -> Iterator[Derived]:
    """A is ahead of B in a column."""
    for match in clause.search(_AHEAD):
        word = clause.place(match, "word")
        left = [link for link in clause.entities if link.span[1] <= word[0]]
        right = [link for link in clause.entities if link.span[0] >= word[1]]
        if len({link.row for link in left}) != 1 or not right or left[0].row == right[0].row:
            continue
        said = re.compile(r"\s(?:in|on|by|for|in terms of)\s").search(
            clause.words, right[0].span[1] - clause.span[0]
        )
        if said is None or right[0].span[0] - word[1] > _NEXT or NOT.search(clause.words):
            continue
        tokens = clause.tokens_in((clause.span[0] + said.end(), clause.span[1]))
        ties = [tie for tie in tie_columns(clause.rows, tokens, amounts=True) if tie.score >= 0.5]
        is_high = match["word"] not in ("behind", "below", "trails")
        outcomes = []
        for tie in ties:
            first, second = _cell(tie.column, left[0]), _cell(tie.column, right[0])
            if first is None or second is None:
                continue
            a, b = number_of(first), number_of(second)
            truth: bool | None = a > b if is_high else a < b
            if not truth and tie.column.words & _LOW_IS_AHEAD:
                # Whether the shorter time is ahead is not sure.
                truth = None
            sign = ">" if a > b else "<" if a < b else "="
            told = f"{first.text} {sign} {second.text}"
            outcomes.append(Outcome(truth, told, (first.leaf, second.leaf)))
        found = decide(outcomes, word, "comparison", can_contradict=clause.is_clear())
        if found:
            yield found


def _check_gaps(clause: Clause) -> Iterator[Derived]:
    """A and B differ by an amount in a column."""
    for match in clause.search(_GAP_BETWEEN):
        named = {link.row: link for link in clause.entities}
        numbers = clause.numbers
        if len(named) != 2 or len(numbers) != 1 or NOT.search(clause.words):
            continue
        first_link, second_link = named.values()
        ties = [tie for tie in clause.ties(amounts=True) if tie.score >= 0.5]
        outcomes = []
        number = numbers[0].value
        assert isinstance(number, Number)
        for column in fitting(clause.rows, [tie.column for tie in ties], number.unit):
            first, second = _cell(column, first_link), _cell(column, second_link)
            if first is not None and second is not None:
                outcomes.append(_difference_outcome(numbers[0], column, first, second))
        place = numbers[0].start, numbers[0].end
        word = clause.place(match, "word")
        found = decide(outcomes, word, "difference", can_contradict=clause.is_clear(), number=place)
        if found:
            yield found
            return


def _difference_number(clause: Clause, word: Span) -> Mention | None:
    """The number just before a comparative (30 more), or after "by"."""
    for mention in clause.numbers:
        gap = clause.text[mention.end : word[0]].strip().lower() if mention.end <= word[0] else None
        before = clause.text[clause.span[0] : mention.start].lower()
        if gap == "" or gap in ("years", "points", "people", "students") or _BY.search(before):
            return mention
    return None


def _difference_outcome(mention: Mention, column: Column, first: Cell, second: Cell) -> Outcome:
    number = mention.value
    assert isinstance(number, Number)
    if number.unit == "percent" and column.unit != "percent":
        result = change(second, first)
        if result is None:
            return Outcome(None, "")
        return Outcome(
            agrees(number, result.value), result.explanation, result.leaves, f"{show(result.value)} %"
        )
    result = difference(first, second)
    if column.kind == "date":
        return _date_outcome(number, first, second)
    if not same_dimension(column, number.unit):
        return Outcome(None, "")
    truth = agrees(converted(number, column.unit), result.value)
    if number.unit and not column.unit and not is_money(number.unit):
        # The unit of the data is not known.
        truth = truth or None
    return Outcome(truth, result.explanation, result.leaves, show(result.value))


def _date_outcome(number: Number, first: Cell, second: Cell) -> Outcome:
    result = difference(first, second)
    low, high = sorted((first, second), key=number_of)
    if number.unit == "year" and low.day and high.day and low.day.year and high.day.year:
        years = whole_years(low.day, high.day) | {high.day.year - low.day.year}
        truth = any(agrees(number, Fraction(value)) for value in years)
        text = f"{low.text} to {high.text}: {max(years)} years"
        near = any(abs(number.value - value) <= 1 for value in years)
        return Outcome(truth or (None if near else False), text, result.leaves, str(max(years)))
    if number.unit == "day" and low.day and low.day.day and high.day and high.day.day:
        return Outcome(agrees(number, result.value), result.explanation, result.leaves, show(result.value))
    return Outcome(None, "")


def _check_ratios(clause: Clause) -> Iterator[Derived]:
    """Twice as many, three times the: the first row named by the second."""
    for match in clause.search(_TIMES):
        span = clause.place(match)
        before = [link for link in clause.entities if link.span[1] <= span[0]]
        after = [link for link in clause.entities if link.span[0] >= span[1]]
        if not before or not after:
            continue
        factor = _FACTORS.get(match["factor"].split()[0], match["factor"].split()[0])
        factor = _FACTORS.get(match["factor"].split("-")[0], factor)
        said = Number(
            Fraction(factor), "", Fraction(1, 10) if "." in factor or "/" in factor else Fraction(1)
        )
        outcomes = []
        ties = [tie for tie in clause.ties((span[1], after[0].span[0])) if tie.score >= 0.5]
        for tie in ties:
            first, second = _cell(tie.column, before[-1]), _cell(tie.column, after[0])
            if first is None or second is None or tie.column.kind != "number":
                continue
            result = ratio(first, second)
            if result is not None:
                loose = (
                    clause.words[: match.start()]
                    .rstrip()
                    .endswith(("about", "almost", "nearly", "roughly", "than"))
                )
                truth = agrees(said, result.value, loose=loose)
                if truth is not True and abs(result.value - said.value) <= Fraction(1, 4) * said.value:
                    truth = True if abs(result.value - said.value) <= Fraction(1, 20) * said.value else None
                outcomes.append(Outcome(truth, result.explanation, result.leaves, show(result.value)))
        found = decide(outcomes, span, "ratio", can_contradict=clause.is_clear())
        if found:
            yield found
