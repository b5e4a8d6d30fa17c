"""Rises and falls between two values that the data has side by side: current and previous, 2025 and 2026.

A clause such as "coverage improved to 87.4 %" or "up 6 % to $34.5 million" is tied to such a pair by one of
its values, or by its key; the direction and the amount of the change are then computed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.operations import agrees, show
from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Mention, Number, Relation
from factable.text.values.hints import hint_of
from factable.text.values.units import unit_of
from factable.types import Span

_BEFORE = frozenset(
    [
        "previous",
        "prev",
        "prior",
        "last",
        "old",
        "former",
        "original",
        "before",
        "initial",
        "start",
        "starting",
        "earlier",
        "baseline",
        "past",
        "yesterday",
        "list",
        "regular",
        "was",
        "opening",
        "planned",
    ]
)
_AFTER = frozenset(
    [
        "current",
        "new",
        "now",
        "latest",
        "after",
        "final",
        "end",
        "ending",
        "today",
        "actual",
        "present",
        "sale",
        "this",
        "closing",
    ]
)
_TIMES = r"(?:year|month|week|quarter|day|season)"
_EARLIER = rf"(?:in |on )?(?:the )?(?:{_TIMES} (?:before|earlier)|(?:previous|prior|last) {_TIMES})"
_UP = (
    r"ros(?:e|en)|rising|rises?|increas(?:e[sd]?|ing)|gr[eo]wn?|grows|growing|growth|climb(?:ed|ing|s)?|gain(?:ed|s)?|strengthen(?:ed|s|ing)?|"
    r"went up|gone up|raised|surg(?:ed|ing|es?)|jump(?:ed|s|ing)?|soar(?:ed|ing|s)?|expand(?:ed|ing|s)?|"
    r"edg(?:ed|ing) up|picked up|(?<!used )(?<!using )(?<!uses )(?<!made )(?<!makes )(?<!making )"
    r"up(?= (?:by|from|to|about|nearly|slightly|sharply|some|[\d$€£])|,|\Z)|"
    r"(?:is|was|are|were) higher|boosted|added|"
    rf"(?:more|higher) than {_EARLIER}"
)
_DOWN = (
    r"fell|fallen|falling|falls?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|dropp(?:ed|ing)|drops?|"
    r"shr[aiu]nk(?:ing|s)?|"
    r"went down|gone down|lowered|reduc(?:tion|ed|es|ing)|slid(?:ing)?|slipp(?:ed|ing)|slips|"
    r"s[au]nk|sinking|plung(?:ed|ing)|"
    r"plummeted|lost|dipp(?:ed|ing)|dips?|contracted|edg(?:ed|ing) down|tumbled|"
    r"slumped|slashed|trimmed|weaken(?:ed|s|ing)?|cut(?:s|ting)?|"
    r"down(?= (?:by|from|to|about|nearly|slightly|sharply|some|[\d$€£])|,|\Z)|(?:is|was|are|were) lower|"
    rf"eased|(?:fewer|less|lower) than {_EARLIER}"
)
_BETTER, _WORSE = r"improv(?:ed|es?|ing|ement)|better", r"worsen(?:ed|s|ing)?|deteriorat(?:ed|es|ing)"
_WORD = lazy_pattern(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))(?![\w-])"
)
# More of these is worse.
_LESS_IS_BETTER = frozenset(
    [
        "time",
        "latency",
        "duration",
        "error",
        "errors",
        "defect",
        "defects",
        "debt",
        "cost",
        "costs",
        "loss",
        "losses",
        "churn",
        "unemployment",
        "rank",
        "position",
        "place",
        "incidents",
        "incident",
        "complaints",
        "wait",
        "waiting",
        "delay",
        "bounce",
        "downtime",
        "deficit",
    ]
)
_BOUNDARY = lazy_pattern(
    r";\s|,?\s(?:while|whereas|although|though|but|and)\s(?!a\s)|,\s(?=which|with\s)|\s[—–]\s|\(|\)"
)
_MONEY = "money"
_CHANGES = frozenset(
    ["change", "delta", "growth", "diff", "difference", "variation", "increase", "yoy", "mom", "trend"]
)
# What was before, as in `previous_year`.
_PERIODS = frozenset(("year", "quarter", "month", "week", "day", "period", "season", "time", "value"))
# Among more pairs, a number is the difference of one too easily.
_FEW_PAIRS = 6


class _Pair(NamedTuple):
    """The same thing before and after."""

    before: Leaf
    after: Leaf
    first: Number
    last: Number

    @property
    def leaves(self) -> tuple[int, int]:
        return self.before.index, self.after.index


def change_statements(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every rise or fall in the text that belongs to a pair of values."""
    pairs = list(_pairs(matcher))
    signed = {leaf.index for leaf in matcher.structure.leaves if _is_signed(leaf)}
    found: list[Checked] = []
    for sentence in sentence_spans if pairs or signed else ():
        for clause in _clauses(matcher.parsed.text, sentence):
            found += _check(matcher, clause, pairs)
            found += _check_sign(matcher, clause, signed)
    return found


def _is_signed(leaf: Leaf) -> bool:
    """Whether a value is itself a change: `change_pct: -3.1`."""
    words = split_identifier(leaf.keys[-1]).lower().split()
    return leaf.kind == "value" and not _CHANGES.isdisjoint(words) and any(map(str.isdecimal, leaf.value))


def _check_sign(matcher: Matcher, clause: Span, signed: AbstractSet[int]) -> Iterator[Checked]:
    """A rise or fall whose amount the data has with its sign."""
    lower = matcher.parsed.text[slice(*clause)].lower()
    words = list(_WORD.finditer(lower))
    stated = [
        leaves.keys() & signed
        for mention, leaves in matcher.found
        if clause[0] <= mention.start and mention.end <= clause[1] and leaves.keys() & signed
    ]
    if len(words) != 1 or len(stated) != 1 or len(stated[0]) != 1 or NOT.search(lower):
        return
    word, (index,) = words[0], stated[0]
    if not (word["up"] or word["down"]):
        return
    leaf = matcher.structure.leaves[index]
    is_right = leaf.value.strip().startswith(("-", "−")) == bool(word["down"])
    span = clause[0] + word.start(), clause[0] + word.end()
    yield Checked(
        span, "supported" if is_right else "contradicted", (index, index), f"{leaf.label}: {leaf.value}"
    )


def _clauses(text: str, sentence: Span) -> Iterator[Span]:
    start = sentence[0]
    for boundary in _BOUNDARY.finditer(text, *sentence):
        yield start, boundary.start()
        start = boundary.end()
    yield start, sentence[1]


def _pairs(matcher: Matcher) -> Iterator[_Pair]:
    """Values of one object whose keys differ only in time: this and the one before."""
    groups: dict[tuple[int, frozenset[str]], list[tuple[tuple[int, str], Leaf, Number]]] = defaultdict(list)
    for leaf in matcher.structure.leaves:
        number = next((each for each in matcher.index.readings[leaf.index] if isinstance(each, Number)), None)
        if leaf.kind == "value" and number is not None and number.high is None:
            words, when = _when(leaf)
            groups[leaf.frame, words].append((when, leaf, number))
    yield from _parallel(matcher)
    for (_, words), members in groups.items():
        dated = sorted((member for member in members if member[0][0] == 2), key=lambda member: member[0])
        for (_, before, first), (_, after, last) in pairwise(dated):
            yield _Pair(before, after, first, last)
        if not words:
            yield from _only_before(groups, members)
        old = [member for member in members if member[0][0] == 0]
        new = [member for member in members if member[0][0] == 1]
        if len(old) == 1 and len(new) == 1 and (words or old[0][1].keys[:-1] == new[0][1].keys[:-1] != ()):
            yield _Pair(old[0][1], new[0][1], old[0][2], new[0][2])


def _parallel(matcher: Matcher) -> Iterator[_Pair]:
    """Values under one key in two objects, one of which is the earlier: `rates` and `previous_day`."""
    by_key: dict[tuple[int, str], list[tuple[bool, Leaf, Number]]] = defaultdict(list)
    for leaf in matcher.structure.leaves:
        values = matcher.index.readings[leaf.index][:1]
        if leaf.kind == "value" and len(leaf.keys) > 1 and values and isinstance(values[0], Number):
            parents = {word for key in leaf.keys[:-1] for word in split_identifier(key).lower().split()}
            by_key[leaf.frame, leaf.keys[-1]].append((not parents.isdisjoint(_BEFORE), leaf, values[0]))
    for members in by_key.values():
        old = [(leaf, number) for is_before, leaf, number in members if is_before]
        new = [(leaf, number) for is_before, leaf, number in members if not is_before]
        if len(old) == 1 and len(new) == 1:
            yield _Pair(old[0][0], new[0][0], old[0][1], new[0][1])


_Member = tuple[tuple[int, str], Leaf, Number]


def _only_before(
    groups: Mapping[tuple[int, frozenset[str]], Sequence[_Member]], members: Sequence[_Member]
) -> Iterator[_Pair]:
    """The value of a row beside one that is just called "previous", if it is the only one of its kind."""
    if len(members) != 1 or members[0][0][0] != 0:
        return
    _, before, first = members[0]
    others = [
        (leaf, number)
        for (frame, _), of_words in groups.items()
        for when, leaf, number in of_words
        if frame == before.frame and leaf is not before and when[0] == 1 and number.unit == first.unit
    ]
    if len(others) == 1:
        yield _Pair(before, others[0][0], first, others[0][1])


def _when(leaf: Leaf) -> tuple[frozenset[str], tuple[int, str]]:
    """The words of a key without those of time, and its time: 0 before, 1 now, 2 with the period."""
    hints = [hint_of(key, {}) for key in leaf.keys]
    period = next((hint.period for hint in hints if hint.period), "")
    words = {word for hint in hints for word in hint.words.lower().split()}
    if period:
        quarter = re.fullmatch(r"Q([1-4]) ?(\d{4})?", period)
        stamp = f"{quarter[2] or ''}{quarter[1]}" if quarter else period
        return frozenset(words), (2, stamp) if stamp.isdecimal() else (3, stamp)
    is_before = bool(words & _BEFORE)
    if is_before or words & _AFTER:
        words -= _PERIODS
    return frozenset(words - _BEFORE - _AFTER), (0 if is_before else 1, "")


def _check(matcher: Matcher, clause: Span, pairs: Sequence[_Pair]) -> Iterator[Checked]:
    text = matcher.parsed.text[slice(*clause)]
    lower = text.lower()
    words = list(_WORD.finditer(lower))
    if len(words) != 1 or NOT.search(lower) or len(lower) != len(text):
        return
    inside = [
        (mention, leaves)
        for mention, leaves in matcher.found
        if clause[0] <= mention.start and mention.end <= clause[1] and isinstance(mention.value, Number)
    ]
    meant = _meant(matcher, clause, inside, pairs)
    if not meant:
        return
    word = words[0]
    span = clause[0] + word.start(), clause[0] + word.end()
    said = [_direction(word, pair) == _sign(pair) for pair in meant]
    note = f"{show(meant[0].first.value)} to {show(meant[0].last.value)}"
    if not any(said):
        yield Checked(span, "contradicted", meant[0].leaves, note)
        return
    amount = _amount(matcher, inside, meant)
    if amount is None:
        yield Checked(span, "supported", meant[said.index(True)].leaves, note)
        return
    mention, number = amount
    truths = [_agrees(number, pair) for pair in meant]
    place = mention.start, mention.end
    if any(truths):
        yield Checked(place, "supported", meant[truths.index(True)].leaves, note)
    elif all(truth is False for truth in truths):
        yield Checked(place, "contradicted", meant[0].leaves, f"{note}: {_right(number, meant[0])}")


def _meant(
    matcher: Matcher,
    clause: Span,
    inside: Sequence[tuple[Mention, dict[int, Relation]]],
    pairs: Sequence[_Pair],
) -> list[_Pair]:
    """The pairs that a clause may be about: by a value in it, else by the words of the key."""
    stated = {leaf for _, leaves in inside for leaf in leaves}
    scope = matcher.scope(clause[1] - 1)

    def is_cued(pair: _Pair) -> bool:
        return bool(matcher.words_near(pair.after.index, clause))

    def is_in_scope(pair: _Pair) -> bool:
        return matcher.scope_score(pair.after.index, scope) > 0

    by_value = [pair for pair in pairs if stated & {*pair.leaves}]
    if by_value:
        return [pair for pair in by_value if is_in_scope(pair)] or by_value
    by_words = [pair for pair in pairs if is_cued(pair) and is_in_scope(pair)]
    if len(by_words) == 1:
        return by_words
    numbers = [mention.value for mention, leaves in inside if not leaves]
    by_amount = [
        pair
        for pair in pairs
        for number in numbers
        if isinstance(number, Number) and _is_of_kind(number, pair) and _agrees(number, pair)
    ]
    return by_amount if len(by_amount) == 1 and len(numbers) == 1 and len(pairs) <= _FEW_PAIRS else []


def _sign(pair: _Pair) -> int:
    return (pair.last.value > pair.first.value) - (pair.last.value < pair.first.value)


def _direction(word: "re.Match[str]", pair: _Pair) -> int:
    label = frozenset(split_identifier(".".join(pair.after.keys).replace(".", " ")).lower().split())
    is_less_better = bool(label & _LESS_IS_BETTER)
    if word["better"] or word["worse"]:
        return -1 if bool(word["better"]) == is_less_better else 1
    return 1 if word["up"] else -1


def _amount(
    matcher: Matcher, inside: Sequence[tuple[Mention, dict[int, Relation]]], meant: Sequence[_Pair]
) -> tuple[Mention, Number] | None:
    """By how much: the only number of the clause that is none of the values themselves."""
    own = {leaf for pair in meant for leaf in pair.leaves}
    others = [
        (mention, mention.value)
        for mention, leaves in inside
        if isinstance(mention.value, Number)
        and not own & leaves.keys()
        # A number that the data has, such as a year, is no change.
        and Relation.EQUAL not in leaves.values()
        and mention.value.unit != "ordinal"
        and mention.value.high is None
        and not matcher.is_period(mention)
        and any(_is_of_kind(mention.value, pair) for pair in meant)
    ]
    return others[0] if len(others) == 1 else None


def _is_of_kind(number: Number, pair: _Pair) -> bool:
    if number.unit in ("percent", "percentage point"):
        return True
    dimensions = unit_of(number.unit).dimension, unit_of(pair.last.unit).dimension
    return dimensions[0] == dimensions[1] != "" or (dimensions == ("", "") and abs(number.value) > 1)


def _agrees(number: Number, pair: _Pair) -> bool | None:
    results = list(_results(number, pair))
    truths = [agrees(number, result) for result in results]
    if any(truths):
        return True
    return False if truths and all(truth is False for truth in truths) else None


def _results(number: Number, pair: _Pair) -> Iterator[Fraction]:
    """The change in the unit of a number: in percent, or by how much."""
    gap = pair.last.value - pair.first.value
    if number.unit == "percent" and pair.first.value:
        yield abs(100 * gap / pair.first.value)
    if number.unit == "percent" and pair.last.unit != "percent":
        return
    own, asked = unit_of(pair.last.unit), unit_of(number.unit)
    factor = own.factor / asked.factor if own.dimension == asked.dimension != _MONEY else Fraction(1)
    yield abs(gap) * factor


def _right(number: Number, pair: _Pair) -> str:
    value = next(_results(number, pair))
    return f"{show(value)} %" if number.unit == "percent" else show(value)
