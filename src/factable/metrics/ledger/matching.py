"""Which values of the data the numbers, dates and names of a text are: by value, by words around, by scope.

A *cue* is a word of an attribute near a value. The *scope* of a place in a text are the frames (rows, members
of lists, named objects) that the text speaks of there: those named last before it, in its sentence or before.
"""

import calendar
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from factable.metrics.ledger.derived.wording import synonyms_of
from factable.metrics.ledger.value_index import ORDER, ValueIndex, is_exact
from factable.structure import Frame, Structure, label_of
from factable.text.markdown import Segment, segments
from factable.text.stems import beginning
from factable.text.stems import stem as base_form
from factable.text.templates import clean_value
from factable.text.values import (
    STATED,
    Date,
    Mention,
    Name,
    Number,
    ParsedText,
    Relation,
    Value,
    Weekdays,
    compare_values,
    parse_text,
)
from factable.text.values.hints import hint_of
from factable.text.values.units import unit_of, vaguer_unit
from factable.text.values.words import split_words
from factable.types import Span

# Words of an attribute count as a cue up to this many words away from a value.
NEAR = 9
MAX_ABBREVIATION = 4
MAX_NAME = 40
# A shorter word of a name is too common to stand for it.
MIN_PART = 4
# Words that stand this near to a value ask for another one plainly; those for its own only slightly.
PLAINLY, SLIGHTLY = 0.6, 0.15
# Words of arithmetic count up to this many characters from a number.
ARITHMETIC_WITHIN = 45
# Names this near to each other are both meant ("A and B"); of others, the last before a value counts most.
TOGETHER = 6
EARLIER = 0.8
# What a sentence speaks of only because the one before does.
CARRIED = 0.6
# Another value is asked for only by words this near, and only of what the sentence may speak of.
MIN_CUE = MIN_SCOPE = 0.5
# A word that is in the labels of more values than this tells nothing.
MAX_CUED = 400
_WEAK_WORDS = (
    "the of in a an is name value type number total per info data list item id code status date time"
)
_WEAK = frozenset(_WEAK_WORDS.split())


class Candidate(NamedTuple):
    """A value of the data that a mention may be: how it compares, and how well words and scope agree."""

    leaf: int
    relation: Relation
    cue: float
    scope: float

    @property
    def strength(self) -> float:
        """How much speaks for it besides the value."""
        return self.cue + self.scope


class Match(NamedTuple):
    """A number, date or name of the text and what the data has for it.

    `candidates` are values that it states, the best first; `instead` is the value that the words around it
    ask for if that is another one.
    """

    span: Span
    mention: Mention
    candidates: tuple[Candidate, ...]
    instead: Candidate | None = None


_ARITHMETIC = re.compile(
    r"\b(?:totals?|totall?ing|altogether|together|combined|sum|average[sd]?|mean|median|differ\w*|gap|apart|margin|"
    r"shares?|accounts? for|percent|proportion|per cent|out of|of the|than|more|less|fewer|higher|lower|by|"
    r"increas\w*|decreas\w*|rose|rise[sn]?|fell|falls?|fallen|grew|grow\w*|drop\w*|declin\w*|climb\w*|shr[aiu]nk|"
    r"up|down|doubled?|twice|half|times|between|across|rang\w+|most|least|all|each|every|both|only|overall|"
    r"outscor\w+|over|under|above|below)\b|%",
    re.IGNORECASE,
)
_ONE = frozenset(("one", "a", "an"))
_RIGHT_AFTER = re.compile(r"\s*\(?(?:on|in|at|for|by|from)?\s*(?:the\s+)?", re.IGNORECASE)


class Naming(NamedTuple):
    """A place where the text names frames."""

    start: int
    end: int
    frames: frozenset[int]


class Matcher:
    """Finds what the values of one text are in the data."""

    def __init__(self, structure: Structure, text: str) -> None:
        self.structure = structure
        self.index = ValueIndex(structure)
        self.parsed: ParsedText = parse_text(text)
        self.segments: list[Segment] = segments(text)
        self._starts = [segment.start for segment in self.segments]
        self._word_starts = [word.start for word in self.parsed.words]

    @cached_property
    def labels(self) -> tuple[frozenset[str], ...]:
        """The words of each leaf's label that can be cues; abbreviations stay in capitals."""
        return tuple(_cue_words(leaf.keys) for leaf in self.structure.leaves)

    @cached_property
    def _cues(self) -> list[frozenset[str]]:
        """For each word of the text the words of labels that it can stand for."""
        wanted = frozenset().union(*self.labels)
        of_word = {
            word: frozenset(label for label in wanted if stands_for(word, label))
            for word in {word.folded for word in self.parsed.words}
        }
        return [of_word[word.folded] for word in self.parsed.words]

    @cached_property
    def found(self) -> list[tuple[Mention, dict[int, Relation]]]:
        """Every mention of the text with the leaves that it states; of overlapping ones the best."""
        inside = self._in_names()
        pairs = [
            (mention, self.index.find(mention.value))
            for mention in self.parsed.mentions
            if not (is_exact(mention.value) and inside[mention.start])
        ]
        pairs.sort(key=lambda pair: (not pair[1], pair[0].start - pair[0].end, pair[0].start))
        kept: list[tuple[Mention, dict[int, Relation]]] = []
        taken = bytearray(len(self.parsed.text) + 1)
        for mention, leaves in pairs:
            if not any(taken[mention.start : mention.end]):
                taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
                kept.append((mention, leaves))
        return sorted(kept, key=lambda pair: pair[0].start)

    def _in_names(self) -> bytearray:
        """A 1 for each character of a name of the data that has digits, such as "Edge 12"."""
        covered = bytearray(len(self.parsed.text) + 1)
        names = {frame.name for frame in self.structure.frames} | {
            clean_value(leaf.value) for leaf in self.structure.leaves if leaf.kind == "value"
        }
        for name in names:
            if any(map(str.isdecimal, name)) and any(map(str.isalpha, name)) and len(name) <= MAX_NAME:
                start = self.parsed.text.find(name)
                while start >= 0:
                    covered[start : start + len(name)] = b"\x01" * len(name)
                    start = self.parsed.text.find(name, start + 1)
        return covered

    @cached_property
    def namings(self) -> list[Naming]:
        """Where the text names a row, a member of a list or another frame, in order."""
        by_leaf = {
            leaf: frame.index
            for frame in self.structure.frames
            for leaf in frame.identifiers
            if not _is_whole(frame)
        }
        namings = []
        for mention, leaves in self.found:
            frames = frozenset(by_leaf[leaf] for leaf in leaves if leaf in by_leaf)
            if isinstance(mention.value, Weekdays) and not frames:
                frames = self._frames_on(mention.value)
            if frames:
                namings.append(Naming(mention.start, mention.end, frames))
        namings += self._named_in_words()
        return sorted(namings)

    def _frames_on(self, weekdays: Weekdays) -> frozenset[int]:
        """The frames whose date is one of some weekdays."""
        return frozenset(
            frame.index
            for frame in self.structure.frames
            for leaf in frame.identifiers
            for value in self.index.readings[leaf]
            if isinstance(value, Date) and value.year and value.month and value.day
            if calendar.weekday(value.year, value.month, value.day) in weekdays.days
        )

    def _named_in_words(self) -> list[Naming]:
        """Names of frames in full, or by a word that only they have: "Westbrook"."""
        places: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.parsed.words):
            places[word.folded].append(number)
        of_word: dict[str, set[int]] = defaultdict(set)
        names = {
            frame.index: [word.folded for word in split_words(frame.name)]
            for frame in self.structure.frames
            if not _is_whole(frame)
        }
        for frame, words in names.items():
            for part in words:
                of_word[part].add(frame)
        namings = self._named_in_full(names)
        for words in names.values():
            for part in words:
                if len(words) > 1 and (len(of_word[part]) > 1 or len(part) < MIN_PART):
                    continue
                for number in places.get(part, ()):
                    at = self.parsed.words[number]
                    if len(words) == 1 or not self.parsed.text[at.start].islower():
                        namings.append(Naming(at.start, at.end, frozenset(of_word[part])))
        return namings

    def _named_in_full(self, names: Mapping[int, Sequence[str]]) -> list[Naming]:
        """Names of several words, in any case."""
        line, offsets = self.parsed.line, self.parsed.offsets
        namings = []
        for frame, words in names.items():
            phrase = f" {' '.join(words)} "
            place = line.find(phrase) if len(words) > 1 else -1
            while place >= 0:
                first = bisect_left(offsets, place)
                start, end = self.parsed.words[first].start, self.parsed.words[first + len(words) - 1].end
                namings.append(Naming(start, end, frozenset((frame,))))
                place = line.find(phrase, place + 1)
        return namings

    def scope(self, place: int, after: int | None = None) -> dict[int, float]:
        """The frames that the text speaks of at a place, 1 for those named last, less for those before.

        Frames named in the sentence count; if there are none, those named last before it. A name right after
        a value that ends at `after` goes before all others: "27 km/h on Friday".
        """
        start, end = self._segment_of(place)
        first, last = bisect_left(self._named_at, start), bisect_left(self._named_at, end)
        inside = self.namings[first:last]
        following = [naming for naming in inside if after is not None and after <= naming.start]
        if following and _RIGHT_AFTER.fullmatch(self.parsed.text, after or 0, following[0].start):
            return dict.fromkeys(following[0].frames, 1.0)
        before = [naming for naming in inside if naming.start <= place]
        if not inside:
            return dict.fromkeys(self.namings[first - 1].frames, CARRIED) if first else {}
        scope: dict[int, float] = {}
        nearest = place
        for naming in reversed(before or inside[:1]):
            score = 1.0 if not scope or naming.end + TOGETHER >= nearest else EARLIER
            nearest = naming.start
            for frame in naming.frames:
                scope.setdefault(frame, score)
        return scope

    @cached_property
    def _named_at(self) -> list[int]:
        return [naming.start for naming in self.namings]

    def _segment_of(self, place: int) -> Span:
        number = max(0, bisect_right(self._starts, place) - 1)
        return self.segments[number].span if self.segments else (0, len(self.parsed.text))

    def cue(self, leaf: int, span: Span, *, alone: bool = False) -> float:
        """How near the words of a leaf's label stand to a span, in its sentence: 0 to 1.

        `alone` leaves out words that stand nearer to, or behind, another number or date, and needs a word
        that tells the leaf from the others beside it.
        """
        wanted = self.labels[leaf]
        if not wanted:
            return 0.0
        start, end = self._segment_of(span[0])
        if alone:
            start, end = max(start, self._end_before(span[0])), min(end, self._start_after(span[1]))
        first, last = bisect_left(self._word_starts, span[0]), bisect_left(self._word_starts, span[1])
        best: dict[str, float] = {}
        for number in range(max(0, first - NEAR), min(len(self._cues), last + NEAR)):
            if not start <= self._word_starts[number] < end:
                continue
            for word in self._cues[number] & wanted:
                distance = first - number if number < first else max(1, number - last + 1)
                best[word] = max(best.get(word, 0.0), 1 - (distance - 1) / (NEAR + 1))
        if alone and not best.keys() & self._own_words[leaf]:
            return 0.0
        return sum(best.values()) / len(wanted) if best else 0.0

    @cached_property
    def _own_words(self) -> list[frozenset[str]]:
        """For each leaf the words of its label that no other leaf of its frame has; all if there are none."""
        counts: dict[int, Counter[str]] = defaultdict(Counter)
        for leaf, words in zip(self.structure.leaves, self.labels, strict=True):
            counts[leaf.frame].update(words)
        return [
            frozenset(word for word in words if counts[leaf.frame][word] == 1) or words
            for leaf, words in zip(self.structure.leaves, self.labels, strict=True)
        ]

    @cached_property
    def _exact(self) -> tuple[list[int], list[int]]:
        """Where the numbers, dates and times of the text begin and end."""
        spans = sorted((mention.start, mention.end) for mention, _ in self.found if is_exact(mention.value))
        return [start for start, _ in spans], [end for _, end in spans]

    def _end_before(self, place: int) -> int:
        starts, ends = self._exact
        number = bisect_left(starts, place) - 1
        return ends[number] if number >= 0 else 0

    def _start_after(self, place: int) -> int:
        starts, _ = self._exact
        number = bisect_left(starts, place)
        # Words before the next number may be its own.
        return (place + starts[number]) // 2 if number < len(starts) else len(self.parsed.text)

    def scope_score(self, leaf: int, scope: Mapping[int, float]) -> float:
        """Up to 1 if the text speaks of a leaf's frame, 0.5 if there is only one such frame, else 0."""
        frames, has_siblings = self._frames_above[self.structure.leaves[leaf].frame]
        named = [scope[frame] for frame in frames if frame in scope]
        if named:
            return max(named)
        return 0.0 if has_siblings else 0.5

    @cached_property
    def _frames_above(self) -> list[tuple[list[int], bool]]:
        """For each frame it and its ancestors, and whether there are others like it."""
        structure = self.structure
        return [
            ([above.index for above in structure.ancestors(frame)], len(structure.groups[frame.group]) != 1)
            for frame in structure.frames
        ]

    def matches(self) -> list[Match]:
        """Every number, date and name of the text with its candidates."""
        return [self._match(mention, leaves) for mention, leaves in self.found]

    def _match(self, mention: Mention, leaves: Mapping[int, Relation]) -> Match:
        span = mention.start, mention.end
        scope = self.scope(mention.start, mention.end)
        candidates = sorted(
            (
                Candidate(leaf, relation, self.cue(leaf, span), self.scope_score(leaf, scope))
                for leaf, relation in leaves.items()
            ),
            key=lambda each: (-each.strength, ORDER[each.relation], each.leaf),
        )
        instead = None
        is_amount = self._is_amount(mention) and not self.asks_for_arithmetic(span)
        if is_amount:
            instead = self._asked_for(mention, leaves, scope)
            best = max(candidates, key=lambda each: each.scope, default=None)
            if instead is not None and best is not None and best.scope >= 0.5:
                # A value that is in the data, and of what the text speaks, is wrong only under plain words.
                fits = best.cue > SLIGHTLY or instead.cue < PLAINLY
                instead = None if fits or not self._is_comparable(instead.leaf, mention) else instead
        may_stray = is_amount or isinstance(mention.value, Name)
        if instead is None and may_stray and candidates and candidates[0].scope == 0:
            instead = self._displaced(candidates[0], leaves, scope)
        return Match(span, mention, tuple(candidates), instead)

    def _is_comparable(self, leaf: int, mention: Mention) -> bool:
        return any(
            _relation(value, mention.value) is Relation.DIFFERENT for value in self.index.readings[leaf]
        )

    def _displaced(
        self, candidate: Candidate, leaves: Mapping[int, Relation], scope: Mapping[int, float]
    ) -> Candidate | None:
        """Where a value belongs to another row: the one of the row that the text speaks of."""
        column = self.structure.leaves[candidate.leaf].column
        own = [leaf for leaf in self.structure.columns[column] if scope.get(leaf.frame, 0) > CARRIED]
        if not own or any(leaf.index in leaves for leaf in own):
            return None
        leaf = max(own, key=lambda each: scope[each.frame])
        return Candidate(leaf.index, Relation.DIFFERENT, candidate.cue, scope[leaf.frame])

    def asks_for_arithmetic(self, span: Span) -> bool:
        """Whether the clause of a number has words such as "total", "average", "more than" or "out of"."""
        start, end = self._segment_of(span[0])
        start, end = max(start, span[0] - ARITHMETIC_WITHIN), min(end, span[1] + ARITHMETIC_WITHIN)
        return bool(_ARITHMETIC.search(self.parsed.text, start, end))

    def _is_amount(self, mention: Mention) -> bool:
        """Whether a mention is an amount or a moment, but no rank and no period that keys contain."""
        value = mention.value
        is_rank = isinstance(value, Number) and value.unit == "ordinal"
        is_one = isinstance(value, Number) and not value.unit and self._written(mention) in _ONE
        return is_exact(value) and not is_rank and not is_one and not self.is_period(mention)

    def _written(self, mention: Mention) -> str:
        return self.parsed.text[mention.start : mention.end].lower()

    def is_period(self, mention: Mention) -> bool:
        """Whether keys of the data contain a date or number: what it says of time is the column it names."""
        return any(compare_values(period, mention.value) in STATED for period in self.index.periods)

    def _asked_for(
        self, mention: Mention, leaves: Mapping[int, Relation], scope: Mapping[int, float]
    ) -> Candidate | None:
        """The value that the words around a number ask for, of the same kind and not the same."""
        span = mention.start, mention.end
        best: Candidate | None = None
        for leaf in self._cued(span):
            # The frame first: it is quickly told, and rules out most of a large table.
            at = self.scope_score(leaf, scope)
            if leaf in leaves or at < MIN_SCOPE:
                continue
            cue = self.cue(leaf, span, alone=True)
            if cue < MIN_CUE:
                continue
            values = [value for value in self.index.readings[leaf] if type(value) is type(mention.value)]
            if not any(_differs(value, mention.value) for value in values):
                continue
            candidate = Candidate(leaf, Relation.DIFFERENT, cue, at)
            if best is None or candidate.strength > best.strength:
                best = candidate
        return best

    def _cued(self, span: Span) -> Iterable[int]:
        """The leaves that have a word of their label near a span."""
        first, last = bisect_left(self._word_starts, span[0]), bisect_left(self._word_starts, span[1])
        near = self._cues[max(0, first - NEAR) : first] + self._cues[last : last + NEAR]
        leaves: set[int] = set()
        for word in frozenset().union(*near):
            of_word = self._by_cue.get(word, ())
            if len(of_word) <= MAX_CUED:
                leaves.update(of_word)
        return sorted(leaves)

    @cached_property
    def _by_cue(self) -> Mapping[str, Sequence[int]]:
        by_cue: dict[str, list[int]] = defaultdict(list)
        for leaf, words in enumerate(self.labels):
            for word in words:
                by_cue[word].append(leaf)
        return by_cue

    @cached_property
    def data_words(self) -> frozenset[str]:
        """The stems of all words of the data: keys, values, prose and title."""
        parts = [self.structure.title, *(frame.name for frame in self.structure.frames)]
        for leaf in self.structure.leaves:
            parts += [" ".join(leaf.keys), leaf.label, clean_value(leaf.value)]
        return frozenset(beginning(word.folded) for part in parts for word in split_words(part))


def _relation(value: Value, said: Value) -> Relation:
    """How a value compares with what a text says in its place; "dollars" are those of the data."""
    if isinstance(value, Number) and isinstance(said, Number) and said.unit == vaguer_unit(value.unit) != "":
        said = replace(said, unit=value.unit)
    return compare_values(value, said)


def _differs(value: Value, said: Value) -> bool:
    """Whether two values cannot be the same: other amounts, or units that do not fit."""
    relation = _relation(value, said)
    if relation is Relation.INCOMPARABLE and isinstance(value, Number) and isinstance(said, Number):
        return (
            bool(value.unit and said.unit) and unit_of(value.unit).dimension != unit_of(said.unit).dimension
        )
    return relation is Relation.DIFFERENT


@lru_cache(maxsize=1 << 14)
def _cue_words(keys: tuple[str, ...]) -> frozenset[str]:
    """The words of keys that can be cues, without units and periods."""
    label = " ".join(filter(None, (hint_of(key, {}).words for key in keys))) or keys[-1]
    label = label_of(tuple(label.split())) if len(keys) > 1 else label
    words = [
        label[word.start : word.end] if label[word.start : word.end].isupper() else word.folded
        for word in split_words(label)
    ]
    return frozenset(word for word in words if len(word) > 1 and word.lower() not in _WEAK)


@lru_cache(maxsize=1 << 16)
def stands_for(word: str, label: str) -> bool:
    """Whether a word of a text can stand for one of a label: another form of it, or what it abbreviates."""
    if label.isupper() and 2 <= len(label) <= MAX_ABBREVIATION:
        return word == label.lower() or _abbreviates(label.lower(), word)
    short, long = sorted((word, label), key=len)
    if beginning(word) == beginning(label) or (len(short) >= 3 and long.startswith(short)):
        return True
    bases = {base_form(label), *synonyms_of(base_form(label))}
    return _root(base_form(word)) in set(map(_root, bases))


def _root(word: str) -> str:
    """A base form without the endings that it may still have: rate, rating, rated."""
    for ending in ("ing", "ed", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


def _abbreviates(short: str, word: str) -> bool:
    """Whether the letters of a short form come in order in a longer word that begins with the first."""
    if len(word) <= len(short) or word[0] != short[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in short)


def _is_whole(frame: Frame) -> bool:
    return frame.parent is None and frame.path == "" and frame.group == ""
