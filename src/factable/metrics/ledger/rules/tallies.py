"""Amounts that stand before the word for them: "25 points, 11 rebounds and a steal", "(32-18)".

Each is looked up in the frame (row, named object) that the sentence speaks of there: the number must be that
of its own word, not just any number of the frame.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.matching import Matcher
from factable.metrics.ledger.naming import Naming
from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.templates import split_identifier
from factable.text.values import Mention, Name, Number
from factable.types import Span

# With these words a sentence speaks of other times than the data, or of several things at once.
_OTHERS = lazy_pattern(
    r"\baverag\w+|\bper (?:game|match|person|day|week|month|year)\b|\bcareer\b|\bcombin\w+|\btogether\b|"
    r"\b(?:over|in|of|for) (?:his|her|their|its|the) (?:last|past|previous|first|final|other)\b|"
    r"\bon the (?:season|year)\b|\bthis (?:season|year)\b(?!-)|"
    r"\b(?:first|second|third|fourth|final|opening) (?:quarter|half|period|set)\b|"
    r"\b(?:than|each|apiece|a piece|former|latter)\b",
    re.IGNORECASE,
)
_OF_PART = lazy_pattern(
    r"(?:\bby|\bof (?:his|her|their|its|the)|\blead of|\bmargin of|\bbut|\bfirst|\blast|\bextra|\bother|"
    r"\bwithin|#|\d)\s*\Z",
    re.IGNORECASE,
)
_NOUN = lazy_pattern(
    r"[-\s](?P<noun>[a-z]{3,})\b(?!\s(?:over|ahead|behind|clear|above|below|short|off|of)\b)"
)
# "A steal" is one if nothing else follows that it might be about.
_ONE = lazy_pattern(
    r"\b(?:(?P<one>an?)|(?P<two>a (?:pair|couple) of))\s(?P<noun>[a-z]{3,})"
    r"(?=\s?[,.;)]|\s(?:and|in|on|while|to|for)\b)"
)
_WITH = lazy_pattern(r"\s(?:with|by)\s(?:an?\s)?")
_COMPOUND = lazy_pattern(
    r"\s(?!and\b|performance|effort|outing|night|showing|double|triple|game\b|on\b|with\b)[a-z]"
)
_YEARS = (1900, 2100)
_PRONOUN = lazy_pattern(r"\b(?:he|she)\b", re.IGNORECASE)
_STARTS = lazy_pattern(r"\s*(?:he|she|they|it)\b", re.IGNORECASE)
_RECORD = lazy_pattern(r"\s?\((\d{1,3})[-–](\d{1,3})(?:[-–]\d{1,2})?\)")


# Who has most of something, in the team or in all.
_HIGH = lazy_pattern(
    r"\b(?:(?P<all>game-high|led all)|"
    r"(?P<own>team-high|led)(?= (?:of|the (?:team|way|[A-Z])|his team|by [A-Z])| \d))"
)
_TEAM = lazy_pattern(r"\b(?:team|club|side|squad)\b", re.IGNORECASE)
_MIN_COMPARED = 3
_DOUBLE = lazy_pattern(r"(?<!near )\b(?P<many>double|triple)-double\b(?! in| this| of the)", re.IGNORECASE)
_COUNTS = ("points", "rebounds", "assists", "steals", "blocks")
_TWO_DIGITS = 10


class Tally(NamedTuple):
    """An amount with its word, and the value that the data has for it."""

    span: Span
    state: ClaimState
    leaves: tuple[int, ...]
    note: str


class _Said(NamedTuple):
    span: Span
    value: Fraction
    noun: str


def tallies(matcher: Matcher, sentences: Sequence[Span]) -> list[Tally]:
    """Every amount whose word, and what it is said of, are clear."""
    finder = _Finder(matcher)
    return [tally for sentence in sentences for tally in finder.find(sentence)]


class _Finder:
    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.text = matcher.parsed.text
        self.known: dict[tuple[int, str], Leaf | None] = {}
        self.mentions = sorted(matcher.parsed.mentions, key=lambda each: each.start)
        self.mentioned_at = [mention.start for mention in self.mentions]
        self.named_at = [naming.start for naming in matcher.namings]
        self.last: int | None = None

    def find(self, sentence: Span) -> Iterator[Tally]:
        """The tallies of one sentence; "a steal" counts only beside amounts in figures or words."""
        first, end = (bisect_left(self.named_at, place) for place in sentence)
        namings = self.matcher.namings[first:end]
        namings = [each for each in namings if len(each.frames) == 1 and not self.text[each.start].islower()]
        yield from self._records(namings)
        before, self.last = self.last, self._frame(namings[-1]) if namings else self.last
        if _OTHERS.search(self.text, *sentence) or not (namings or _STARTS.match(self.text, *sentence)):
            return
        plain = [(said, self._leaf(said, namings, before)) for said in self._numbers(sentence)]
        if any(leaf is not None for _, leaf in plain):
            plain += [(said, self._leaf(said, namings, before)) for said in self._ones(sentence)]
        known = [(said, leaf) for said, leaf in plain if leaf is not None]
        for said, leaf in known:
            yield self._tally(said, leaf, namings)
        if known:
            yield from self._highs(sentence, known)
        yield from self._doubles(sentence, namings)

    def _mentions(self, start: int, end: int) -> list[Mention]:
        """The mentions that begin between two places."""
        return self.mentions[bisect_left(self.mentioned_at, start) : bisect_left(self.mentioned_at, end)]

    def _frame(self, naming: Naming) -> int:
        return next(iter(naming.frames))

    def _numbers(self, sentence: Span) -> Iterator[_Said]:
        for mention in self._mentions(*sentence):
            number = mention.value
            if not isinstance(number, Number):
                continue
            if number.bound or number.high is not None or number.unit not in ("", "point"):
                continue
            if _YEARS[0] <= number.value < _YEARS[1]:
                continue
            end = mention.end
            if number.unit:
                end = mention.start + len(re.split(r"[-\s]", self.text[mention.start : mention.end])[0])
            noun = _NOUN.match(self.text, end, sentence[1])
            if noun and not _OF_PART.search(self.text, sentence[0], mention.start):
                if self.text[end] == "-" and _COMPOUND.match(self.text, noun.end()):
                    continue
                yield _Said((mention.start, end), number.value, noun["noun"])

    def _ones(self, sentence: Span) -> Iterator[_Said]:
        for match in _ONE.finditer(self.text, *sentence):
            count = "one" if match["one"] else "two"
            yield _Said(match.span(count), Fraction(1 if match["one"] else 2), match["noun"])

    def _leaf(self, said: _Said, namings: Sequence[Naming], before: int | None) -> Leaf | None:
        """The value that an amount is to be compared with; None if it is not clear which."""
        earlier = [each for each in namings if each.start < said.span[0]]
        if not earlier:
            return None if namings or before is None else self._value(before, said.noun)
        last = earlier[-1]
        if any(
            isinstance(other.value, Name) and other.sure and not self._names(other.start, namings)
            for other in self._mentions(last.end, said.span[0])
        ):
            return None
        if _PRONOUN.search(self.text, last.end, said.span[0]):
            # Of a player and a team, the player; of two, the first.
            values = [self._value(self._frame(each), said.noun) for each in earlier]
            columns = self.matcher.structure.columns
            return max(values, key=lambda leaf: len(columns[leaf.column]) if leaf else 0)
        if _WITH.match(self.text, last.end) and len(earlier) > 1:
            # "Harden led the Rockets with 40 points": if both have points, those of the first are meant.
            leader = self._value(self._frame(earlier[-2]), said.noun)
            whole = self._value(self._frame(last), said.noun)
            if leader is not None and whole is not None and leader.column != whole.column:
                return leader
        return self._value(self._frame(last), said.noun)

    def _names(self, place: int, namings: Sequence[Naming]) -> bool:
        return any(naming.start <= place < naming.end for naming in namings)

    def _value(self, frame: int, noun: str) -> Leaf | None:
        """The only number of a frame that a word means."""
        if (frame, noun) not in self.known:
            self.known[frame, noun] = self._look_up(frame, noun)
        return self.known[frame, noun]

    def _look_up(self, frame: int, noun: str) -> Leaf | None:
        structure, labels = self.matcher.structure, self.matcher.labels
        leaves = [structure.leaves[index] for index in structure.frames[frame].leaves]
        leaves = [leaf for leaf in leaves if leaf.kind == "value" and self._amount(leaf) is not None]
        if len(leaves) < 2:
            return None
        shared = frozenset.intersection(*(labels[leaf.index] for leaf in leaves))
        own = [(leaf, labels[leaf.index] - shared) for leaf in leaves]
        meant = [leaf for leaf, words in own if words and all(stands_for(noun, word) for word in words)]
        exact = [
            leaf for leaf, words in own if words == {noun} or {stem(word) for word in words} == {stem(noun)}
        ]
        found = exact or meant
        return found[0] if len(found) == 1 else None

    def _amount(self, leaf: Leaf) -> Fraction | None:
        values = [value for value in self.matcher.index.readings[leaf.index] if isinstance(value, Number)]
        return values[0].value if values and values[0].high is None else None

    def _tally(self, said: _Said, leaf: Leaf, namings: Sequence[Naming]) -> Tally:
        """The verdict; the number of a whole, such as a team, may be that of its member named before."""
        right = self._amount(leaf) == said.value
        if not right:
            for naming in namings:
                other = self._value(self._frame(naming), said.noun) if naming.start < said.span[0] else None
                if other is not None and other.column != leaf.column and self._amount(other) == said.value:
                    leaf, right = other, True
        name = self.matcher.structure.subject_of(leaf)
        note = f"{name}, {leaf.label}: {leaf.value}" if name else f"{leaf.label}: {leaf.value}"
        return Tally(said.span, "supported" if right else "contradicted", (leaf.index,), note)

    def _highs(self, sentence: Span, known: Sequence[tuple[_Said, Leaf]]) -> Iterator[Tally]:
        """Who is said to have most of what is counted right after: "led the team with 31 points"."""
        for match in _HIGH.finditer(self.text, *sentence):
            after = [leaf for said, leaf in known if match.end() <= said.span[0]]
            if not after:
                continue
            others = self._compared(after[0], match["all"] is not None)
            if len(others) < _MIN_COMPARED:
                continue
            best = max(others, key=lambda leaf: self._amount(leaf) or 0)
            right = self._amount(after[0]) == self._amount(best)
            note = f"highest of {len(others)}: {self.matcher.structure.subject_of(best)} with {best.value}"
            span = match.span("all") if match["all"] else match.span("own")
            yield Tally(span, "supported" if right else "contradicted", (after[0].index, best.index), note)

    def _compared(self, leaf: Leaf, is_all: bool) -> list[Leaf]:
        """The values that one must be the highest of: those of the same team, or all."""
        structure = self.matcher.structure
        column = [each for each in structure.columns[leaf.column] if self._amount(each) is not None]
        if is_all:
            return column
        teams = {
            frame: structure.leaves[index].value
            for frame in {each.frame for each in column}
            for index in structure.frames[frame].leaves
            if _TEAM.search(split_identifier(structure.leaves[index].keys[-1]))
        }
        return [each for each in column if each.frame in teams and teams[each.frame] == teams.get(leaf.frame)]

    def _doubles(self, sentence: Span, namings: Sequence[Naming]) -> Iterator[Tally]:
        """Double-doubles and triple-doubles: how many of the counts in a box score have two digits."""
        for match in _DOUBLE.finditer(self.text, *sentence):
            named = [each for each in namings if each.start < match.start()] or namings[:1]
            of_frames = [
                [leaf for noun in _COUNTS if (leaf := self._value(self._frame(each), noun)) is not None]
                for each in named
            ]
            # Of a player and a team, it is the player's.
            counts = max(reversed(of_frames), key=len, default=[])
            high = [leaf for leaf in counts if (self._amount(leaf) or 0) >= _TWO_DIGITS]
            wanted = 3 if match["many"].lower() == "triple" else 2
            if len(counts) > wanted:
                state: ClaimState = "supported" if len(high) >= wanted else "contradicted"
                note = ", ".join(f"{leaf.label}: {leaf.value}" for leaf in counts)
                yield Tally(match.span(), state, tuple(leaf.index for leaf in high), note)

    def _records(self, namings: Sequence[Naming]) -> Iterator[Tally]:
        """Wins and losses in brackets after a name."""
        for naming in {each.end: each for each in namings}.values():
            match = _RECORD.match(self.text, naming.end)
            pair = [self._value(self._frame(naming), noun) for noun in ("wins", "losses")] if match else []
            for number, leaf in enumerate(pair, 1):
                if match and leaf is not None and all(pair):
                    right = self._amount(leaf) == int(match[number])
                    state: ClaimState = "supported" if right else "contradicted"
                    yield Tally(match.span(number), state, (leaf.index,), f"{leaf.label}: {leaf.value}")
