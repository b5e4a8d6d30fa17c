"""Amounts that stand before the word for them: "25 points, 11 rebounds and a steal", "(32-18)".

Each is looked up in the frame (row, named object) that the sentence speaks of there: the number must be that
of its own word, not just any number of the frame.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from factable.metrics.ledger.derived.wording import stem
from factable.metrics.ledger.matching import Matcher, Naming, stands_for
from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Leaf
from factable.text.values import Name, Number
from factable.types import Span

# With these words a sentence speaks of other times than the data, or of several things at once.
_OTHERS = re.compile(
    r"\baverag\w+|\bper (?:game|match|person|day|week|month|year)\b|\bcareer\b|\bcombin\w+|\btogether\b|"
    r"\b(?:over|in|of|for) (?:his|her|their|its|the) (?:last|past|previous|first|final|other)\b|"
    r"\bon the (?:season|year)\b|\bthis (?:season|year)\b(?!-)|"
    r"\b(?:first|second|third|fourth|final|opening) (?:quarter|half|period|set)\b|"
    r"\b(?:than|each|apiece|a piece|former|latter)\b",
    re.IGNORECASE,
)
_OF_PART = re.compile(
    r"(?:\bby|\bof (?:his|her|their|its|the)|\blead of|\bmargin of|\bbut|\bfirst|\blast|\bextra|\bother|"
    r"\bwithin|#|\d)\s*\Z",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[-\s](?P<noun>[a-z]{3,})\b(?!\s(?:over|ahead|behind|clear|above|below|short|off|of)\b)")
# "A steal" is one if nothing else follows that it might be about.
_ONE = re.compile(
    r"\b(?:(?P<one>an?)|(?P<two>a (?:pair|couple) of))\s(?P<noun>[a-z]{3,})"
    r"(?=\s?[,.;)]|\s(?:and|in|on|while|to|for)\b)"
)
_WITH = re.compile(r"\s(?:with|by)\s(?:an?\s)?")
_COMPOUND = re.compile(
    r"\s(?!and\b|performance|effort|outing|night|showing|double|triple|game\b|on\b|with\b)[a-z]"
)
_YEARS = (1900, 2100)
_PRONOUN = re.compile(r"\b(?:he|she|who)\b", re.IGNORECASE)
_STARTS = re.compile(r"\s*(?:he|she|they|it)\b", re.IGNORECASE)
_RECORD = re.compile(r"\s?\((\d{1,3})[-–](\d{1,3})(?:[-–]\d{1,2})?\)")


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
        self.sure = [
            mention for mention in matcher.parsed.mentions if isinstance(mention.value, Name) and mention.sure
        ]
        self.last: int | None = None

    def find(self, sentence: Span) -> Iterator[Tally]:
        """The tallies of one sentence; "a steal" counts only beside amounts in figures or words."""
        namings = [each for each in self.matcher.namings if sentence[0] <= each.start < sentence[1]]
        namings = [each for each in namings if len(each.frames) == 1 and not self.text[each.start].islower()]
        yield from self._records(namings)
        before, self.last = self.last, self._frame(namings[-1]) if namings else self.last
        if _OTHERS.search(self.text, *sentence) or not (namings or _STARTS.match(self.text, *sentence)):
            return
        plain = [(said, self._leaf(said, namings, before)) for said in self._numbers(sentence)]
        if any(leaf is not None for _, leaf in plain):
            plain += [(said, self._leaf(said, namings, before)) for said in self._ones(sentence)]
        for said, leaf in plain:
            if leaf is not None:
                yield self._tally(said, leaf, namings)

    def _frame(self, naming: Naming) -> int:
        return next(iter(naming.frames))

    def _numbers(self, sentence: Span) -> Iterator[_Said]:
        for mention in self.matcher.parsed.mentions:
            number = mention.value
            if not sentence[0] <= mention.start < sentence[1] or not isinstance(number, Number):
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
            last.end <= other.start < said.span[0]
            for other in self.sure
            if not self._names(other.start, namings)
        ):
            return None
        if _PRONOUN.search(self.text, last.end, said.span[0]):
            last = earlier[0]
        elif _WITH.match(self.text, last.end) and len(earlier) > 1:
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
