"""A sentence as the checks see it: its words, numbers, and what they refer to in one set of rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from factable.metrics.ledger.derived.asking import OPERATION_WORDS, TOP
from factable.metrics.ledger.derived.columns import Cell, Column, Rows
from factable.metrics.ledger.derived.links import (
    Link,
    Tie,
    Token,
    find_rows,
    same_dimension,
    tie_column,
    tie_columns,
)
from factable.metrics.ledger.derived.wording import GLUE, stems_of
from factable.structure import Structure
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.values import Date, Mention, Number, Value
from factable.types import Span

# Words that no check understood: with more of them in a sentence, nothing in it is called wrong.
MAX_UNKNOWN = 2
_SHORT_VALUE = 60
# What the whole record is called: "the power plant's output".
_OWNER = lazy_pattern(r"\bthe\s(?:[a-z]+\s)?[a-z]+['’]s\b")
_RANKED = lazy_pattern(r"\b(?:ranks?|ranked|comes?|came|placed|finished)(?: in)?\s\Z")
_LIMITING = lazy_pattern(
    r"(?:\A|\b(?:among|amongst|of|for|in|into|on|from|within|during|at|by|across|throughout|and|or|,)\s(?:all\s|the\s|those\s|year\s)*)\Z"
)


@dataclass(frozen=True, slots=True)
class Derived:
    """A statement that was computed: where the text makes it, whether it is right, and why.

    `leaves` are the indices of the values that took part, `right` is what would have been right,
    `span_of_number` the number that is supported or contradicted.
    """

    span: Span
    state: Literal["supported", "contradicted"]
    explanation: str
    leaves: tuple[int, ...] = ()
    right: str = ""
    span_of_number: Span | None = None
    operation: str = ""


class Outcome(NamedTuple):
    """One reading of a statement, tried on the data; `truth` is None where it is neither right nor wrong."""

    truth: bool | None
    explanation: str
    leaves: tuple[int, ...] = ()
    right: str = ""


def decide(
    outcomes: Sequence[Outcome],
    span: Span,
    operation: str,
    *,
    can_contradict: bool,
    number: Span | None = None,
) -> Derived | None:
    """Supported if one reading is right, contradicted if all are wrong and nothing else can be meant."""
    right = next((outcome for outcome in outcomes if outcome.truth), None)
    if number is not None:
        span = min(span[0], number[0]), max(span[1], number[1])
    if right is not None:
        return Derived(span, "supported", right.explanation, right.leaves, "", number, operation)
    if not outcomes or not can_contradict or any(outcome.truth is None for outcome in outcomes):
        return None
    first = outcomes[0]
    return Derived(span, "contradicted", first.explanation, first.leaves, first.right, number, operation)


@dataclass(frozen=True, eq=False)
class Clause:
    """A part of a sentence against one set of rows."""

    structure: Structure
    rows: Rows
    text: str
    span: Span
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    known: frozenset[str]

    @cached_property
    def words(self) -> str:
        """The clause in lower case, of the same length."""
        lower = self.text[slice(*self.span)].lower()
        return lower if len(lower) == self.span[1] - self.span[0] else self.text[slice(*self.span)]

    def search(self, pattern: "re.Pattern[str]") -> list["re.Match[str]"]:
        """Every place of a pattern in the lower-case clause."""
        return list(pattern.finditer(self.words))

    def place(self, match: "re.Match[str]", group: int | str = 0) -> Span:
        """The span in the text of a match in the clause."""
        return self.span[0] + match.start(group), self.span[0] + match.end(group)

    @cached_property
    def links(self) -> list[Link]:
        """What names rows; words of the title name the whole."""
        found = find_rows(self.rows, self.tokens, self.mentions)
        title = frozenset(stems_of(self.structure.title))
        return [
            link
            for link in found
            if not all(token.stem in title for token in self.tokens_in(link.span))
            and not self._is_key(link)
            and not self.words[: link.span[0] - self.span[0]].endswith("as of ")
        ]

    def _is_key(self, link: Link) -> bool:
        """Whether a word is that of a key in another form: "opened" is not the status "open"."""
        word = self.text[slice(*link.span)].lower()
        return word != link.value.lower() and any(
            word in column.label.lower().split() for column in self.rows.columns
        )

    @cached_property
    def entities(self) -> list[Link]:
        """What names exactly one row."""
        return [link for link in self.links if link.row is not None]

    @cached_property
    def categories(self) -> list[Link]:
        """What names several rows."""
        return [link for link in self.links if link.row is None]

    @cached_property
    def numbers(self) -> list[Mention]:
        """Amounts that are not part of a name; of an ambiguous one, the meaning in a unit of the data."""
        taken = [link.span for link in self.links]
        taken += [(m.start, m.end) for m in self.mentions if _is_no_amount(m.value)]
        taken += [self.place(match) for match in self.search(TOP)]
        found: dict[Span, Mention] = {}
        for mention in self.mentions:
            span = mention.start, mention.end
            if isinstance(mention.value, Number) and not any(
                start <= span[0] and span[1] <= end for start, end in taken
            ):
                known = found.setdefault(span, mention)
                if known is not mention and self._is_in_unit(mention) > self._is_in_unit(known):
                    found[span] = mention
        return list(found.values())

    def _is_in_unit(self, mention: Mention) -> bool:
        """Whether a column has the unit of a number: pounds of money, or of weight."""
        assert isinstance(mention.value, Number)
        unit = mention.value.unit
        return bool(unit) and any(
            column.unit and same_dimension(column, unit) for column in self.rows.columns
        )

    def tokens_in(self, span: Span) -> list[Token]:
        """The words within a span of the text."""
        return [token for token in self.tokens if span[0] <= token.start and token.end <= span[1]]

    def ties(self, near: Span | None = None, *, amounts: bool = False) -> list[Tie]:
        """The ordered columns that are named: in a span if any is named there, else in the whole clause.

        With `amounts`, only columns of amounts are looked at: no dates, no ranks.
        """
        taken = [link.span for link in self.links if link.is_whole]

        def is_free(token: Token) -> bool:
            return not any(start <= token.start and token.end <= end for start, end in taken)

        for tokens in ([] if near is None else [self.tokens_in(near)]) + [list(self.tokens)]:
            free = [token for token in tokens if is_free(token) and not self._names_rows(token)]
            ties = tie_columns(self.rows, free, amounts=amounts)
            if ties:
                return ties
        return []

    def _names_rows(self, token: Token) -> bool:
        """Whether a word belongs to what rows are called: "room" in "room types"."""
        if token.stem not in self.rows.label[:-1]:
            return False
        following = next((other for other in self.tokens if other.start >= token.end), None)
        return following is not None and following.stem in self.rows.label

    def names_words_only(self, near: Span) -> bool:
        """Whether words name a column that has no amounts better than any that has."""
        tokens = [token for token in self.tokens_in(near) if token.stem not in self.rows.nouns]
        ties = tie_columns(self.rows, tokens, ordered=False)
        return bool(ties) and ties[0].score >= 1 and not any(tie.column.is_ordered for tie in ties)

    def cells(self, column: Column, rows: frozenset[int] | None = None) -> list[tuple[int, Cell]]:
        """The cells of a column that have a number, without totals."""
        numbers = self.rows.numbers if rows is None else rows & self.rows.numbers
        return [
            (row, cell) for row, cell in column.cells.items() if row in numbers and cell.number is not None
        ]

    def name(self, row: int) -> str:
        """What a row is called."""
        return self.rows.rows[row].name

    def filters(self, place: int) -> list[frozenset[int]]:
        """The rows that a statement at a place may mean: of all categories named, of the dates named, or all.

        A date before the place ("On 4 May, …") always limits them.
        """
        by_column: dict[int, frozenset[int]] = {}
        dates = self._dates_for(place)
        for link in self.categories:
            is_date = link.column is not None and link.column.kind == "date"
            if self._limits(link) and (link in dates or not is_date):
                # Two days, or two cities, are both meant.
                by_column[id(link.column)] = by_column.get(id(link.column), frozenset()) | link.rows
        everything = self.rows.numbers
        dated = everything.intersection(*(by_column[id(link.column)] for link in dates))
        limited = [everything.intersection(*by_column.values()), dated]
        if any(link.span[1] <= place for link in dates):
            options = limited
        else:
            options = [everything, *limited] if dates else [*limited, everything]
        return [rows for rows in dict.fromkeys(options) if rows]

    def _dates_for(self, place: int) -> list[Link]:
        """The dates that a statement at a place is about: the nearest before it, and those listed with it."""
        dates = [
            link
            for link in self.categories
            if link.column is not None and link.column.kind == "date" and self._limits(link)
        ]
        before = [link for link in dates if link.span[1] <= place]
        if not before:
            return dates
        chosen = [before[-1]]
        for link in reversed(before[:-1]):
            gap = self.text[link.span[1] : chosen[-1].span[0]].lower()
            if link.span != chosen[-1].span and not re.fullmatch(
                r"\s?(?:,|and|or|, and|to|–|-|through)\s?", gap
            ):
                break
            chosen.append(link)
        return chosen

    def _limits(self, link: Link) -> bool:
        """Whether a category limits the rows: "among private colleges", "in 2024", "Swedish athletes"."""
        before = self.words[: link.span[0] - self.span[0]]
        after = next((token for token in self.tokens if token.start >= link.span[1]), None)
        return bool(_LIMITING.search(before)) or (after is not None and after.stem in self.rows.nouns)

    @cached_property
    def unknown(self) -> list[Token]:
        """Words that neither belong to the language of statements nor to the data."""
        spans = [link.span for link in self.links] + [
            (m.start, m.end) for m in self.mentions if isinstance(m.value, Number)
        ]
        spans += [self.place(match) for match in self.search(_OWNER)]
        return [
            token
            for token in self.tokens
            if token.stem not in self.known
            and token.text.lower() not in GLUE
            and token.stem not in GLUE
            and not token.text[0].isdecimal()
            and not any(start <= token.start < end for start, end in spans)
            and not any(tie_column(column, [token]) for column in self.rows.columns)
        ]

    @cached_property
    def has_unknown_names(self) -> bool:
        """Whether a name occurs that the data does not have, or a top ten where rows have no ranks."""
        if self.search(TOP) and not any(column.kind == "rank" for column in self.rows.columns):
            return True
        if any(self._is_open_rank(mention) for mention in self.mentions):
            return True
        first = self.tokens[0].start if self.tokens else 0
        return any(token.text[0].isupper() and token.start != first for token in self.unknown)

    def _is_open_rank(self, mention: Mention) -> bool:
        """Whether a rank such as "8th" names no row, and belongs to no superlative."""
        if not isinstance(mention.value, Number) or mention.value.unit != "ordinal":
            return False
        if any(start <= mention.start < end for start, end in (link.span for link in self.links)):
            return False
        before, after = self.words[: mention.start - self.span[0]], self.words[mention.end - self.span[0] :]
        is_rank = _RANKED.search(before) or re.match(r"[\s-]*(?:most|least|\w+est|place)\b", after)
        return not is_rank

    def is_clear(self) -> bool:
        """Whether the words are understood well enough to call the statement wrong."""
        return not self.has_unknown_names and len({token.stem for token in self.unknown}) <= MAX_UNKNOWN


def _is_no_amount(value: Value) -> bool:
    """Whether a value is a date or a rank, which a number at the same place is then, too."""
    return isinstance(value, Date) or (isinstance(value, Number) and value.unit == "ordinal")


def known_words(structure: Structure, rows: Rows) -> frozenset[str]:
    """Words that data of this kind brings along: keys, nouns of rows, the title."""
    words = set(rows.nouns) | set(stems_of(structure.title)) | set(stems_of(rows.subject))
    for leaf in structure.leaves:
        # What the whole record says of itself, such as the city of a forecast.
        if "[" not in leaf.path and leaf.kind == "value" and len(leaf.value) < _SHORT_VALUE:
            words.update(stems_of(leaf.value))
    return frozenset(words) | frozenset(stem(word) for word in GLUE) | OPERATION_WORDS
