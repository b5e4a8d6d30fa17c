"""What words of a sentence refer to: columns by their keys, rows by their names and categories."""

import calendar
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.columns import Column, Rows
from factable.metrics.ledger.derived.wording import GENERIC, stems_of, synonyms_of
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.values import Date, Mention, Number, Relation, compare_values
from factable.text.values.dates import MONTHS
from factable.text.values.nations import other_words
from factable.text.values.units import unit_of
from factable.text.values.words import fold
from factable.types import Span

_PART = lazy_pattern(r"\s*[,;/()\[\]–—|]\s*|\s+[-&]\s+")
_SMALL_WORDS = frozenset(["of", "the", "a", "an", "and", "de", "la", "in", "at", "for", "to", "on"])
_AGREE = (Relation.EQUAL, Relation.COARSER, Relation.FINER)
_MIN_NAME = 3
# A word in more values than this names none of them by itself.
_MANY = 20
_WEEKDAY_NAMES = frozenset(calendar.day_name)
_WEEKDAYS = frozenset(map(fold, _WEEKDAY_NAMES))


class Token(NamedTuple):
    """A word of a sentence: its stem and its place in the text."""

    stem: str
    text: str
    start: int
    end: int


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """The words of a part of a text."""
    return [
        Token(stem(re.sub(r"['’]s?\Z", "", match[0])), match[0], match.start(), match.end())
        for match in re.compile(r"[^\W_]+(?:['’][^\W_]+)?").finditer(text, start, end)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """Words that name rows: one row (an entity), or all rows of a category."""

    span: Span
    column: Column | None
    value: str
    rows: frozenset[int]
    is_whole: bool

    @property
    def row(self) -> int | None:
        """The row, if it is only one."""
        return next(iter(self.rows)) if len(self.rows) == 1 else None


class _Entry(NamedTuple):
    """A value of a column, or a part of it between commas or brackets, and the rows that have it."""

    column: Column | None
    words: tuple[str, ...]
    value: str
    rows: frozenset[int]


class _Index:
    """Values of rows by their words."""

    def __init__(self, rows: Rows) -> None:
        found: dict[tuple[int, tuple[str, ...]], tuple[str, set[int]]] = {}
        columns: list[Column | None] = [*rows.columns, None]
        for number, column in enumerate(rows.columns):
            if column.kind == "name":
                for row, cell in column.cells.items():
                    for part in dict.fromkeys((cell.text, *_PART.split(cell.text))):
                        for form in dict.fromkeys((part, *other_words(part))):
                            self._add(found, number, form, row)
        for row, names in rows.names.items():
            for name in names:
                self._add(found, len(rows.columns), name, row)
        self.entries = [
            _Entry(columns[number], words, value, frozenset(members) & rows.numbers)
            for (number, words), (value, members) in found.items()
        ]
        self.by_word: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.frequency: dict[tuple[int, str], set[frozenset[int]]] = defaultdict(set)
        for index, entry in enumerate(self.entries):
            for position, word in enumerate(entry.words):
                self.by_word[word].append((index, position))
                self.frequency[id(entry.column), word].add(entry.rows)
        self.single: dict[str, list[int]] = defaultdict(list)
        for index, entry in enumerate(self.entries):
            if len(entry.words) == 1:
                self.single[entry.words[0]].append(index)

    def candidates(self, tokens: Sequence[Token], at: int) -> list[tuple[int, int]]:
        """Values that a word may begin; of a word in many values, those that go on with the next word."""
        word = tokens[at].stem
        found = self.by_word.get(word, [])
        if len(found) <= _MANY:
            return found
        following = next((token.stem for token in tokens[at + 1 :] if token.stem not in _SMALL_WORDS), "")
        next_word = [
            (index, self.entries[index].words.index(word))
            for index, _ in self.by_word.get(following, [])
            if word in self.entries[index].words
        ]
        return next_word + [(index, 0) for index in self.single.get(word, ())]

    @staticmethod
    def _add(
        found: dict[tuple[int, tuple[str, ...]], tuple[str, set[int]]], number: int, value: str, row: int
    ) -> None:
        words = tuple(word for word in stems_of(value) if word not in _SMALL_WORDS)
        long_enough = len(value) > 2 or (len(value) == 2 and value.isupper())
        if words and len(words) <= 10 and long_enough and any(char.isalpha() for char in value):
            found.setdefault((number, words), (value, set()))[1].add(row)

    def is_distinctive(self, entry: _Entry, words: Sequence[str]) -> bool:
        """Whether one of the words occurs in no other value of the column."""
        return any(
            len(self.frequency[id(entry.column), word]) == 1 for word in words if len(word) >= _MIN_NAME
        )


_INDEXES: "WeakKeyDictionary[Rows, _Index]" = WeakKeyDictionary()


def find_rows(rows: Rows, tokens: Sequence[Token], mentions: Sequence[Mention]) -> list[Link]:
    """Everything in a sentence that names rows, in order."""
    index = _INDEXES.get(rows)
    if index is None:
        index = _INDEXES[rows] = _Index(rows)
    links: list[Link] = []
    at = 0
    while at < len(tokens):
        found, length = _longest(index, tokens, at)
        links += found
        at += max(1, length)
    taken = [link.span for link in links]
    links += _by_date(rows, [m for m in mentions if not _within((m.start, m.end), taken)])
    links += _by_month(rows, tokens, [link.span for link in links])
    if not any(link.column is not None and fold(link.value) in _WEEKDAYS for link in links):
        links += _by_weekday(rows, tokens)
    links += _by_label(rows, tokens, mentions, taken)
    return sorted(links, key=lambda link: link.span)


def _within(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _longest(index: _Index, tokens: Sequence[Token], at: int) -> tuple[list[Link], int]:
    """The values that most of the words from a place on belong to, and how many words those are."""
    best: list[tuple[_Entry, int, bool]] = []
    score = (0, 0.0)
    for number, position in index.candidates(tokens, at):
        entry = index.entries[number]
        length, matched = _match(entry.words, position, tokens, at)
        whole = matched == len(entry.words)
        if not whole and not _accepts(index, entry, tokens[at : at + length], matched):
            continue
        current = (matched, matched / len(entry.words))
        if current > score:
            best, score = [], current
        if current == score:
            best.append((entry, length, whole))
    if not best:
        return [], 0
    length = best[0][1]
    span = tokens[at].start, tokens[at + length - 1].end
    by_column: dict[int, list[tuple[_Entry, bool]]] = defaultdict(list)
    for entry, _, whole in best:
        by_column[id(entry.column)].append((entry, whole))
    links = []
    for entries in by_column.values():
        members = frozenset[int]().union(*(entry.rows for entry, _ in entries))
        # Several values with the same words: which is meant is not known, unless they are whole.
        if members and (len(entries) == 1 or entries[0][1]):
            entry, whole = entries[0]
            links.append(Link(span, entry.column, entry.value, members, whole))
    distinct = {link.rows: link for link in reversed(links)}
    return list(reversed(distinct.values())), length


def _match(words: tuple[str, ...], position: int, tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """How many tokens from a place on follow the words of a value, and how many of its words those are."""
    length, matched, last = 0, 0, 0
    while at + length < len(tokens):
        token = tokens[at + length].stem
        if position < len(words) and token == words[position]:
            position += 1
            matched += 1
            last = length + 1
        elif not (matched and token in _SMALL_WORDS):
            break
        length += 1
    return last, matched


def _accepts(index: _Index, entry: _Entry, tokens: Sequence[Token], matched: int) -> bool:
    """Whether a part of a value is enough to mean it."""
    words = [token.stem for token in tokens if token.stem not in _SMALL_WORDS]
    if not index.is_distinctive(entry, words):
        return False
    named = any(token.text[:1].isupper() or token.text[:1].isdecimal() for token in tokens)
    return named and (matched >= 2 or (len(words[0]) >= _MIN_NAME and matched / len(entry.words) >= 0.25))


def _by_date(rows: Rows, mentions: Sequence[Mention]) -> list[Link]:
    """Rows by a date in the text."""
    links = []
    for mention in mentions:
        if not isinstance(mention.value, Date):
            continue
        for column in rows.columns:
            if column.kind != "date":
                continue
            members = frozenset(
                row
                for row, cell in column.cells.items()
                if cell.day is not None
                and row in rows.numbers
                and compare_values(cell.day, mention.value) in _AGREE
            )
            if members:
                links.append(Link((mention.start, mention.end), column, "", members, is_whole=True))
    return links


def _by_month(rows: Rows, tokens: Sequence[Token], taken: Sequence[Span]) -> list[Link]:
    """Rows by the name of a month that stands alone: "between March and April"."""
    named = [
        token for token in tokens if token.text in MONTHS and not _within((token.start, token.end), taken)
    ]
    links = []
    for token in named:
        month = MONTHS.index(token.text) + 1
        for column in rows.columns:
            members = frozenset(
                row
                for row, cell in column.cells.items()
                if cell.day is not None
                and cell.day.day is None
                and (cell.day.month, cell.day.months) == (month, 1)
                and row in rows.numbers
            )
            if members:
                links.append(Link((token.start, token.end), column, "", members, is_whole=True))
    return links


def _by_weekday(rows: Rows, tokens: Sequence[Token]) -> list[Link]:
    """Rows by the weekday of their date."""
    named = [token for token in tokens if token.text in _WEEKDAY_NAMES]
    column = next((column for column in rows.columns if column.kind == "date"), None) if named else None
    if column is None:
        return []
    by_day: dict[int, set[int]] = defaultdict(set)
    for row, cell in column.cells.items():
        if cell.day is not None and cell.day.year and cell.day.month and cell.day.day and row in rows.numbers:
            by_day[date(cell.day.year, cell.day.month, cell.day.day).weekday()].add(row)
    links = []
    for token in named:
        members = frozenset(by_day.get(list(calendar.day_name).index(token.text), ()))
        if members:
            links.append(Link((token.start, token.end), column, token.text, members, is_whole=True))
    return links


def _by_label(
    rows: Rows, tokens: Sequence[Token], mentions: Sequence[Mention], taken: Sequence[Span]
) -> list[Link]:
    """Rows by a number after the word for the column, or an ordinal before it: stage 3, the 3rd round."""
    links = []
    for mention in mentions:
        if not isinstance(mention.value, Number) or mention.value.bound or mention.value.high is not None:
            continue
        before = next((token for token in reversed(tokens) if token.end <= mention.start), None)
        after = next((token for token in tokens if token.start >= mention.end), None)
        is_ordinal = mention.value.unit == "ordinal"
        near = after if is_ordinal else before
        if near is None or (mention.value.unit and not is_ordinal):
            continue
        for column in rows.columns:
            if column.kind not in ("number", "rank") or near.stem not in column.words:
                continue
            if any(_within((mention.start, mention.end), [span]) for span in taken):
                continue
            if len({cell.number for cell in column.cells.values()}) < len(column.cells) * 0.9:
                continue
            members = frozenset(
                row
                for row, cell in column.cells.items()
                if cell.number == mention.value.value and row in rows.numbers
            )
            if len(members) == 1:
                span = min(near.start, mention.start), max(near.end, mention.end)
                links.append(Link(span, column, str(mention.value.value), members, is_whole=True))
    return links


class Tie(NamedTuple):
    """How well words name a column: how many words of its key, how many by synonyms, share of the key."""

    column: Column
    score: float
    spans: tuple[Span, ...]
    # Whether all words of the key are named.
    is_full: bool = False


def tie_columns(
    rows: Rows, tokens: Sequence[Token], *, ordered: bool = True, amounts: bool = False
) -> list[Tie]:
    """The columns that words name best; several if they name them equally well."""
    ties = []
    for column in rows.columns:
        if (ordered and not column.is_ordered) or (amounts and column.kind != "number"):
            continue
        tie = tie_column(column, tokens)
        if tie is not None:
            ties.append(tie)
    said = {token.stem for token in tokens}
    ties = [tie for tie in ties if not _is_other_end(tie.column, said)]
    best = max((tie.score for tie in ties), default=0.0)
    # One word of a longer key names it no better than a synonym names another key wholly.
    is_full = any(tie.is_full for tie in ties if tie.score >= best - 1e-9)
    return [tie for tie in ties if tie.score >= best - 1e-9 or (tie.is_full and not is_full)]


def _is_other_end(column: Column, said: set[str]) -> bool:
    """Whether a column has maxima and the words ask for minima, or the other way round."""
    is_low = bool(column.words & {"minimum", "low"})
    is_high = bool(column.words & {"maximum", "high"})
    if ("minimum" in said) == ("maximum" in said) or is_low == is_high:
        return False
    return is_high if "minimum" in said else is_low


def tie_column(column: Column, tokens: Sequence[Token]) -> Tie | None:
    """How well words name a column; None if they do not."""
    spans: list[Span] = []
    exact, loose = 0, 0.0
    named = 0
    for word in sorted(column.words):
        hits = [token for token in tokens if token.stem == word]
        if hits:
            named += 1
            exact += 1
            spans += [(token.start, token.end) for token in hits]
            continue
        others = synonyms_of(word)
        hits = [token for token in tokens if token.stem in others] if others else []
        if hits:
            named += 1
            loose += 1
            spans += [(token.start, token.end) for token in hits]
    if column.extra_words and not exact:
        hits = [token for token in tokens if token.stem in column.extra_words and token.stem not in GENERIC]
        if hits:
            loose += len({token.stem for token in hits}) / len(column.extra_words)
            spans += [(token.start, token.end) for token in hits]
    score = exact + 0.6 * loose
    if not score:
        score = 0.3 * _names_unit(column, tokens)
        return Tie(column, score, ()) if score else None
    is_full = named == len(column.words)
    return Tie(column, score + 0.3 * score / max(1, len(column.words)), tuple(sorted(spans)), is_full)


def _names_unit(column: Column, tokens: Sequence[Token]) -> bool:
    unit = column.unit
    return bool(unit) and unit != "time" and any(token.stem in stems_of(unit) for token in tokens)


def is_money(unit: str) -> bool:
    """Whether a unit is a currency."""
    return unit_of(unit).dimension == "money"


def fitting(rows: Rows, columns: Sequence[Column], unit: str) -> list[Column]:
    """Columns that a number with a unit can be of; those in its unit, if there are any among the rows."""
    fits = [column for column in columns if same_dimension(column, unit)]
    if not unit or not any(column.unit and same_dimension(column, unit) for column in rows.columns):
        return fits
    return [column for column in fits if column.unit]


def same_dimension(column: Column, unit: str) -> bool:
    """Whether a number with a unit can be of a column."""
    if not unit or not column.unit or column.unit == "time":
        return True
    return unit_of(unit).dimension == unit_of(column.unit).dimension
