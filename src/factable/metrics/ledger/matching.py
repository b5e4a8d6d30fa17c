"""Which values of the data the numbers, dates and names of a text are: by value, by words around, by scope.

A *cue* is a word of an attribute near a value. The *scope* of a place in a text are the frames (rows, members
of lists, named objects) that the text speaks of there: those named last before it, in its sentence or before.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from factable.metrics.ledger.arithmetic_words import words_of_arithmetic
from factable.metrics.ledger.candidates import Candidate, Match
from factable.metrics.ledger.cues import cue_words, is_number_key, stands_for
from factable.metrics.ledger.finding import MentionFinder
from factable.metrics.ledger.frame_scores import ONLY_ONE, FrameScores
from factable.metrics.ledger.naming import Naming, NamingFinder
from factable.metrics.ledger.value_index import COMPASS, ORDER, ValueIndex, differs, is_exact, relation_to
from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Structure
from factable.text.markdown import Segment, segments
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.templates import clean_value
from factable.text.values import (
    STATED,
    Mention,
    Name,
    Number,
    ParsedText,
    Relation,
    compare_values,
    parse_text,
)
from factable.text.values.units import currency_words
from factable.text.values.words import split_words
from factable.types import Span

# With so few values, what is not among them is more often wrong.
SMALL_DATA = 60
# Words of an attribute count as a cue up to this many words away from a value.
NEAR = 9
# Words that stand this near to a value ask for another one plainly; those for its own only slightly.
PLAINLY, SLIGHTLY = 0.6, 0.15
# Names this near to each other are both meant ("A and B"); of others, the last before a value counts most.
TOGETHER = 6
EARLIER = 0.8
LATER = 0.7
# What a sentence speaks of only because the one before does.
CARRIED = 0.6
# Another value is asked for only by words this near, and only of what the sentence may speak of.
MIN_CUE = MIN_SCOPE = 0.5
# A word that is in the labels of more values than this tells nothing.
MAX_CUED = 400


class Checked(NamedTuple):
    """Words that a rule has checked: whether the data supports them, by which leaves, and why."""

    span: Span
    state: ClaimState
    leaves: tuple[int, ...]
    note: str


_MARK = lazy_pattern(r"[,;)]")
# "22 stitches and 30 rows"
_MARK_BEFORE = lazy_pattern(r"[,;)]|\s(?:and|plus)(?=\s)")
_NOTHING = lazy_pattern(
    r"\b(?:without|no|zero)\s(?!more|less|fewer|later|earlier|longer|higher|lower|smaller|larger|other)"
    r"(?:an?\s(?:single\s)?|any\s)?(?P<what>[a-z]+)",
    re.IGNORECASE,
)
# "The first two" are a part of some rows.
_PART = lazy_pattern(r"\b(?:first|last|next|other|final|remaining)\s\Z", re.IGNORECASE)
_PART_WINDOW = 12
_ONE = frozenset(("one", "a", "an"))
_GENERIC = frozenset(("value", "amount", "result", "reading", "number", "figure", "score", "measurement"))
_RIGHT_AFTER = lazy_pattern(
    r"\s*\(?(?:on|in|at|for|by|from)?\s*(?:the\s+)?|(?:\s(?!and\b|or\b)[a-z-]+){1,2}\s(?:on|in|at)\s(?:the\s+)?",
    re.IGNORECASE,
)


class Matcher:
    """Finds what the values of one text are in the data."""

    def __init__(self, structure: Structure, text: str) -> None:
        self.structure = structure
        self.index = ValueIndex(structure)
        self.parsed: ParsedText = parse_text(text)
        self.segments: list[Segment] = segments(text)
        self._starts = [segment.start for segment in self.segments]
        self._word_starts = [word.start for word in self.parsed.words]
        self._leaves_cued: dict[frozenset[str], Mapping[int, Sequence[int]]] = {}
        self._cues_found: dict[tuple[frozenset[str], frozenset[str] | None, Span], float] = {}
        self.frame_scores = FrameScores(structure)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the data is small and has no prose: what a text says is all to be found in it."""
        leaves = self.structure.leaves
        return len(leaves) <= SMALL_DATA and not any(leaf.kind == "prose" for leaf in leaves)

    @cached_property
    def labels(self) -> tuple[frozenset[str], ...]:
        """The words of each leaf's label that can be cues; abbreviations stay in capitals."""
        frames = self.structure.frames
        return tuple(
            cue_words(leaf.keys) or cue_words((frames[leaf.frame].label,) if is_number_key(leaf) else ())
            for leaf in self.structure.leaves
        )

    @cached_property
    def _cues(self) -> list[frozenset[str]]:
        """For each word of the text the words of labels that it can stand for."""
        wanted = frozenset().union(*self.labels)
        of_word = {
            word: frozenset(label for label in wanted if stands_for(word, label))
            for word in {word.folded for word in self.parsed.words}
        }
        # A word that a key has itself stands for no other key: kills are no deaths.
        literal = {
            word: frozenset(label for label in labels if beginning(label.lower()) == beginning(word))
            for word, labels in of_word.items()
        }
        return [literal[word.folded] or of_word[word.folded] for word in self.parsed.words]

    @cached_property
    def found(self) -> list[tuple[Mention, dict[int, Relation]]]:
        """Every mention of the text with the leaves that it states; of overlapping ones the best."""
        return MentionFinder(self.structure, self.index, self.parsed, self.data_words).found()

    @cached_property
    def namings(self) -> list[Naming]:
        """Where the text names a row, a member of a list or another frame, in order."""
        return NamingFinder(self.structure, self.parsed, self.found).namings()

    def scope(self, place: int, after: int | None = None) -> dict[int, float]:
        """The frames that the text speaks of at a place, 1 for those named last, less for those before.

        Frames named in the sentence count; if there are none, those named last before it. A name right after
        a value that ends at `after` goes before all others: "27 km/h on Friday".
        """
        start, end = self._segment_of(place)
        first, last = bisect_left(self._named_at, start), bisect_left(self._named_at, end)
        inside = self.namings[first:last]
        if after is not None:
            inside = [naming for naming in inside if not self._names_itself(naming, (place, after))]
        following = [naming for naming in inside if after is not None and after <= naming.start]
        if following and _RIGHT_AFTER.fullmatch(self.parsed.text, after or 0, following[0].start):
            return dict.fromkeys(following[0].frames, 1.0)
        before = [naming for naming in inside if naming.start <= place]
        if not inside:
            return dict.fromkeys(self.namings[first - 1].frames, CARRIED) if first else {}
        scope: dict[int, float] = {}
        nearest = place
        if not before:
            # What is named only later is less surely meant.
            return dict.fromkeys(inside[0].frames, LATER)
        for naming in reversed(before):
            score = 1.0 if not scope or naming.end + TOGETHER >= nearest else EARLIER
            nearest = naming.start
            for frame in naming.frames:
                scope.setdefault(frame, score)
        return scope

    def _names_itself(self, naming: Naming, mention: Span) -> bool:
        """Whether a value names its frame only because no other has it: a guest, but not the title."""
        if naming.start < mention[0] or mention[1] < naming.end:
            return False
        said = self.parsed.text[slice(*mention)].lower()
        names = [self.structure.frames[frame].name.lower() for frame in naming.frames]
        return not any(said in name or name in said for name in names)

    @cached_property
    def _mentioned_at(self) -> list[int]:
        return [mention.start for mention in self.parsed.mentions]

    def mentions_in(self, span: Span) -> tuple[Mention, ...]:
        """The numbers, dates, names and codes that begin in a span of the text."""
        first, last = (bisect_left(self._mentioned_at, place) for place in span)
        return self.parsed.mentions[first:last]

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
        key = self.labels[leaf], self.own_words[leaf] if alone else None, span
        if key not in self._cues_found:
            self._cues_found[key] = self._find_cue(*key)
        return self._cues_found[key]

    def _find_cue(self, wanted: frozenset[str], own: frozenset[str] | None, span: Span) -> float:
        """The cue of all leaves with the same words in their labels: those of a column of a table."""
        if not wanted:
            return 0.0
        alone = own is not None
        start, end = self._segment_of(span[0])
        if alone:
            start, end = max(start, self._end_before(span[0])), min(end, self._start_after(span[1]))
        first, last = bisect_left(self._word_starts, span[0]), bisect_left(self._word_starts, span[1])
        best: dict[str, float] = {}
        for number in range(max(0, first - NEAR), min(len(self._cues), last + NEAR)):
            if not start <= self._word_starts[number] < end or (alone and number in self._denied):
                continue
            for word in self._cues[number] & wanted:
                distance = first - number if number < first else max(1, number - last + 1)
                best[word] = max(best.get(word, 0.0), 1 - (distance - 1) / (NEAR + 1))
        if own is not None and best.keys().isdisjoint(own):
            return 0.0
        if own and self.is_plain:
            # The words of the objects around need not be said.
            of_own = sum(best.get(word, 0.0) for word in own) / len(own)
            return max(sum(best.values()) / len(wanted), of_own)
        return sum(best.values()) / len(wanted) if best else 0.0

    @cached_property
    def _denied(self) -> frozenset[int]:
        """The words of which a text says that there is nothing: "without a single defect"."""
        return frozenset(
            bisect_left(self._word_starts, match.start("what"))
            for match in _NOTHING.finditer(self.parsed.text)
        )

    def words_near(self, leaf: int, span: Span, *, asserted: bool = False) -> frozenset[str]:
        """The words of a leaf's label that stand in a span; `asserted` leaves out what the text denies."""
        first, last = bisect_left(self._word_starts, span[0]), bisect_left(self._word_starts, span[1])
        denied = self._denied if asserted else ()
        cues = [self._cues[number] for number in range(first, last) if number not in denied]
        return frozenset().union(*cues) & self.labels[leaf]

    @cached_property
    def own_words(self) -> list[frozenset[str]]:
        """For each leaf the words of its label that no other of its object has; all if there are none."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        objects = [leaf.path.rpartition(".")[0] for leaf in self.structure.leaves]
        for path, words in zip(objects, self.labels, strict=True):
            counts[path].update(words)
        return [
            frozenset(word for word in words if counts[path][word] == 1) or words
            for path, words in zip(objects, self.labels, strict=True)
        ]

    @cached_property
    def _exact(self) -> tuple[list[int], list[int]]:
        """Where the numbers, dates and times of the text begin and end."""
        spans = sorted((mention.start, mention.end) for mention, _ in self.found if is_exact(mention.value))
        return [start for start, _ in spans], [end for _, end in spans]

    def _end_before(self, place: int) -> int:
        starts, ends = self._exact
        number = bisect_left(starts, place) - 1
        if number < 0:
            return 0
        # "After the €250 deductible, €3,900": what stands before the comma belongs to the number before.
        marks = list(_MARK_BEFORE.finditer(self.parsed.text, ends[number], place))
        return marks[-1].end() if marks else ends[number]

    def _start_after(self, place: int) -> int:
        starts, _ = self._exact
        number = bisect_left(starts, place)
        if _MARK.match(self.parsed.text, place):
            return place
        # Words before the next number may be its own.
        return (place + starts[number]) // 2 if number < len(starts) else len(self.parsed.text)

    def scope_score(self, leaf: int, scope: Mapping[int, float]) -> float:
        """Up to 1 if the text speaks of a leaf's frame, 0.5 if there is only one such frame, else 0."""
        return self.frame_scores.score(self.structure.leaves[leaf].frame, scope)

    def matches(self) -> list[Match]:
        """Every number, date and name of the text with its candidates."""
        return [self._match(mention, leaves) for mention, leaves in self.found]

    def _match(self, mention: Mention, leaves: Mapping[int, Relation]) -> Match:
        span = mention.start, mention.end
        scope = self.scope(mention.start, mention.end)
        candidates = self._candidates(span, leaves, scope)
        swapped = self.index.in_other_unit(mention.value) if not leaves else None
        if swapped is not None:
            return Match(span, mention, (), Candidate(swapped, Relation.DIFFERENT, PLAINLY, 0.5))
        if isinstance(mention.value, Number) and mention.value.unit == "percent":
            candidates = [each for each in candidates if each.cue >= MIN_CUE or self._is_percent(each.leaf)]
            leaves = {each.leaf: leaves[each.leaf] for each in candidates}
        instead = None
        is_amount = self._is_amount(mention) and not self.asks_for_arithmetic(span)
        if is_amount:
            instead = self._asked_for(mention, leaves, scope)
            if instead is not None and leaves and self._is_stated_beside(instead.leaf, span):
                if self._is_exchanged(mention, leaves, instead):
                    return Match(span, mention, tuple(candidates), instead)
                instead = None
            if instead is not None and self._is_of_named_row(candidates, instead, span):
                instead = None
            if instead is not None and any(self._says_as_much(each, instead, span) for each in candidates):
                instead = None
            best = max(candidates, key=lambda each: each.scope, default=None)
            if instead is not None and best is not None and best.scope >= 0.5:
                # A value that is in the data, and of what the text speaks, is wrong only under plain words.
                fits = best.cue > SLIGHTLY or instead.cue < PLAINLY or self._is_generic(best.leaf)
                instead = None if fits or not self._is_comparable(instead.leaf, mention) else instead
        elif (
            self._is_amount(mention) and isinstance(mention.value, Number) and mention.value.unit == "percent"
        ):
            # "A discount of 15 %": a percentage is often computed, but not under the very word of another.
            asked = self._asked_for(mention, leaves, scope)
            if asked is not None and asked.cue >= PLAINLY and self._is_percent(asked.leaf) and not leaves:
                instead = asked
        is_percent = isinstance(mention.value, Number) and mention.value.unit == "percent"
        may_be_sibling = is_amount or (is_percent and self._is_amount(mention))
        if instead is None and may_be_sibling and candidates and candidates[0].scope >= MIN_SCOPE:
            instead = self._of_sibling(span, candidates)
        if instead is None and is_amount and len(leaves) == 1:
            instead = self._of_exchanged(mention, next(iter(leaves)))
        may_stray = is_amount or isinstance(mention.value, Name)
        if instead is None and may_stray and candidates and candidates[0].scope == 0:
            instead = self._displaced(span, candidates[0], leaves, scope)
        if any(each.relation is Relation.EQUAL and each.leaf in self._naming_leaves for each in candidates):
            # What names a row can be said of any row.
            instead = None
        return Match(span, mention, tuple(candidates), instead)

    def _candidates(
        self, span: Span, leaves: Mapping[int, Relation], scope: Mapping[int, float]
    ) -> list[Candidate]:
        """The leaves that a mention states, the best first: by words and scope, then by how exactly."""
        scores, only = self.frame_scores.named(scope), self.frame_scores.only
        # The leaves of a column have the same words, and so the same cue.
        cues: dict[frozenset[str], float] = {}
        ranked = []
        for leaf, relation in leaves.items():
            frame = self.structure.leaves[leaf].frame
            score = scores.get(frame, ONLY_ONE if frame in only else 0.0)
            if score < MIN_SCOPE and leaf in self._naming_leaves:
                # What names a row is said of that row.
                score = MIN_SCOPE
            words = self.labels[leaf]
            if words not in cues:
                cues[words] = self.cue(leaf, span)
            cue = cues[words]
            ranked.append((-cue - score, ORDER[relation], leaf, Candidate(leaf, relation, cue, score)))
        return [candidate for *_, candidate in sorted(ranked)]

    @cached_property
    def _naming_leaves(self) -> frozenset[int]:
        """The leaves whose value is the name of their frame, as the dates of a series are."""
        structure = self.structure
        return frozenset(
            leaf.index for leaf in structure.leaves if structure.frame_of(leaf).name == leaf.value
        )

    def _says_as_much(self, candidate: Candidate, instead: Candidate, span: Span) -> bool:
        """Whether the words that ask for another value ask for this one just as well: `xp` and `xp_total`."""
        sentence = self._segment_of(span[0])
        asking = self.words_near(instead.leaf, sentence)
        return candidate.cue > 0 and asking <= self.words_near(candidate.leaf, sentence)

    def _is_generic(self, leaf: int) -> bool:
        """Whether the name of a leaf says nothing of what it is, such as `value` or `result`."""
        return self.labels[leaf] <= _GENERIC

    def _is_of_named_row(self, candidates: Sequence[Candidate], instead: Candidate, span: Span) -> bool:
        """Whether the sentence names the row that a value is of, and the other value is of another row."""
        leaves = self.structure.leaves
        own = {
            leaves[each.leaf].frame
            for each in candidates
            if leaves[each.leaf].column == leaves[instead.leaf].column
        }
        return any(self._is_named_beside(frame, span) for frame in own)

    def _is_named_beside(self, frame: int, span: Span) -> bool:
        """Whether the sentence of a value names a frame by other words."""
        start, end = self._segment_of(span[0])
        inside = self.namings[bisect_left(self._named_at, start) : bisect_left(self._named_at, end)]
        return any(frame in naming.frames and not span[0] <= naming.start < span[1] for naming in inside)

    def _words_of_stated(self, span: Span) -> frozenset[str]:
        """The words of keys whose values stand in the sentence of a span: VAT beside "19 %"."""
        stated = [leaf for _, leaves in self._found_beside(span) for leaf in leaves]
        return frozenset().union(*(self.labels[leaf] for leaf in stated))

    def _is_stated_beside(self, leaf: int, span: Span) -> bool:
        """Whether another mention in the sentence states a leaf: the words that ask for it are its own."""
        return any(leaf in leaves for _, leaves in self._found_beside(span))

    def _found_beside(self, span: Span) -> list[tuple[Mention, dict[int, Relation]]]:
        """The other mentions in the sentence of a span, with what they state."""
        start, end = self._segment_of(span[0])
        first, last = bisect_left(self._found_at, start), bisect_left(self._found_at, end)
        return [pair for pair in self.found[first:last] if pair[0].start != span[0]]

    @cached_property
    def _found_at(self) -> list[int]:
        return [mention.start for mention, _ in self.found]

    def _is_percent(self, leaf: int) -> bool:
        return any(
            isinstance(value, Number) and value.unit == "percent" for value in self.index.readings[leaf]
        )

    def _of_sibling(self, span: Span, candidates: Sequence[Candidate]) -> Candidate | None:
        """Of values in one object, the only one whose key the sentence names; None if it names this one's."""
        sentence = self._segment_of(span[0])
        leaves = self.structure.leaves
        leaf = leaves[candidates[0].leaf]
        if len(candidates) != 1 or self.words_near(leaf.index, sentence) & self.own_words[leaf.index]:
            return None
        parent = leaf.path.rpartition(".")[0]
        said = self._words_of_stated(span)
        named = [
            other
            for index in self.structure.frames[leaf.frame].leaves
            if (other := leaves[index]).kind == "value" and other.path.rpartition(".")[0] == parent
            if index != leaf.index
            and self.words_near(index, sentence, asserted=True) >= self.own_words[index] != frozenset()
            if not self._is_stated_beside(index, span) and not self.own_words[index] & said
        ]
        if len(named) != 1 or not parent:
            return None
        values = self.index.readings[named[0].index][:1]
        mine = self.index.readings[leaf.index][:1]
        if not values or not mine or not isinstance(values[0], Number) or not isinstance(mine[0], Number):
            return None
        if values[0].unit != mine[0].unit:
            return None
        return Candidate(named[0].index, Relation.DIFFERENT, PLAINLY, 0.5)

    def _is_exchanged(self, mention: Mention, leaves: Mapping[int, Relation], instead: Candidate) -> bool:
        """Whether another number of the sentence has the value asked for, and is asked for this one."""
        span = mention.start, mention.end
        for other, stated in self._found_beside(span):
            if instead.leaf in stated:
                asked = self._asked_for(other, stated, self.scope(other.start, other.end))
                if asked is not None and asked.leaf in leaves and min(asked.cue, instead.cue) >= PLAINLY:
                    own = max((self.cue(leaf, span, alone=True) for leaf in leaves), default=0.0)
                    return own < SLIGHTLY
        return False

    def _of_exchanged(self, mention: Mention, leaf: int) -> Candidate | None:
        """The value of the same object that a number is exchanged with: each has the words of the other."""
        span = mention.start, mention.end
        parent = self.structure.leaves[leaf].path.rpartition(".")[0]
        for other, stated in self._found_beside(span):
            if len(stated) != 1 or type(other.value) is not type(mention.value):
                continue
            twin, place = next(iter(stated)), (other.start, other.end)
            if twin == leaf or self.structure.leaves[twin].path.rpartition(".")[0] != parent:
                continue
            crossed = min(self._own_cue(twin, span), self._own_cue(leaf, place))
            straight = max(self._own_cue(leaf, span), self._own_cue(twin, place))
            if crossed >= MIN_CUE and straight < SLIGHTLY and self._is_comparable(twin, mention):
                return Candidate(twin, Relation.DIFFERENT, PLAINLY, 0.5)
        return None

    def _own_cue(self, leaf: int, span: Span) -> float:
        """How near a word that only this leaf of its object has stands to a number, and to no other."""
        own = [frozenset((word,)) for word in self.own_words[leaf]]
        return max((self._find_cue(word, word, span) for word in own), default=0.0)

    def _is_comparable(self, leaf: int, mention: Mention) -> bool:
        return any(
            relation_to(value, mention.value) is Relation.DIFFERENT for value in self.index.readings[leaf]
        )

    def _displaced(
        self, span: Span, candidate: Candidate, leaves: Mapping[int, Relation], scope: Mapping[int, float]
    ) -> Candidate | None:
        """Where a value belongs to another row: the one of the row that the text speaks of."""
        if self._is_named_beside(self.structure.leaves[candidate.leaf].frame, span):
            return None
        column = self.structure.leaves[candidate.leaf].column
        own = [
            leaf
            for leaf in self.structure.columns[column]
            if scope.get(leaf.frame, 0) >= EARLIER and leaf.kind == "value"
        ]
        if not own or any(leaf.index in leaves for leaf in own):
            return None
        leaf = max(own, key=lambda each: scope[each.frame])
        return Candidate(leaf.index, Relation.DIFFERENT, candidate.cue, scope[leaf.frame])

    def asks_for_arithmetic(self, span: Span) -> bool:
        """Whether the clause of a number has words such as "total", "average", "more than" or "out of"."""
        return words_of_arithmetic(self.parsed.text, span, self._segment_of(span[0]))

    def _is_amount(self, mention: Mention) -> bool:
        """Whether a mention is an amount or a moment, but no rank and no period that keys contain."""
        value = mention.value
        is_rank = isinstance(value, Number) and value.unit == "ordinal"
        written = self._written(mention)
        is_share = isinstance(value, Number) and 0 < value.value < 1 and not any(map(str.isdecimal, written))
        is_rate = written.partition(" ")[0] in ("a", "an")
        is_one = isinstance(value, Number) and (is_rate or (not value.unit and (written in _ONE or is_share)))
        is_part = _PART.search(self.parsed.text, max(0, mention.start - _PART_WINDOW), mention.start)
        return is_exact(value) and not (is_rank or is_one or is_part) and not self.is_period(mention)

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
        scores = self.frame_scores.named(scope)
        for leaf in self._cued(span, scope):
            at = scores.get(self.structure.leaves[leaf].frame, ONLY_ONE)
            if at < MIN_SCOPE or leaf in leaves:
                continue
            cue = self.cue(leaf, span, alone=True)
            candidate = Candidate(leaf, Relation.DIFFERENT, cue, at)
            if cue < MIN_CUE or (best is not None and candidate.strength <= best.strength):
                continue
            readings = self.index.readings[leaf]
            if not readings or not is_exact(readings[0]):
                # The number in "EC 51" is part of a name.
                continue
            values = [value for value in readings if type(value) is type(mention.value)]
            if any(differs(value, mention.value) for value in values):
                best = candidate
        return best

    def _cued(self, span: Span, scope: Mapping[int, float]) -> list[int]:
        """The leaves that have a word of their label near a span, and of which the text may speak there."""
        by_frame = self._cued_by_frame(span)
        frames = self.frame_scores.possible(scope) & by_frame.keys()
        return sorted(leaf for frame in frames for leaf in by_frame[frame])

    def _cued_by_frame(self, span: Span) -> Mapping[int, Sequence[int]]:
        """The leaves that have a word of their label near a span, by frame."""
        first, last = bisect_left(self._word_starts, span[0]), bisect_left(self._word_starts, span[1])
        near = self._cues[max(0, first - NEAR) : first] + self._cues[last : last + NEAR]
        words = frozenset().union(*near)
        if words not in self._leaves_cued:
            found = [self._by_cue.get(word, ()) for word in words]
            few = (leaves for leaves in found if len(leaves) <= MAX_CUED)
            by_frame: dict[int, list[int]] = defaultdict(list)
            for leaf in set().union(*few):
                by_frame[self.structure.leaves[leaf].frame].append(leaf)
            self._leaves_cued[words] = by_frame
        return self._leaves_cued[words]

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
        # Keys and values of many rows are the same.
        parts = {self.structure.title, *(frame.name for frame in self.structure.frames)}
        for leaf in self.structure.leaves:
            parts |= {*leaf.keys, leaf.label, clean_value(leaf.value)}
            parts |= {
                " ".join(currency_words(code)) for code in (leaf.keys[-1], leaf.value) if len(code) == 3
            }
            parts.update(COMPASS.get(leaf.value.strip(), ()))
        return frozenset(beginning(word.folded) for part in parts for word in split_words(part))


@lru_cache(maxsize=4)
def numbers_in(matcher: Matcher, sentence: Span) -> frozenset[Fraction]:
    """The numbers of a sentence: found once for all that ask."""
    found = matcher.mentions_in(sentence)
    return frozenset(mention.value.value for mention in found if isinstance(mention.value, Number))


@lru_cache(maxsize=4)
def frames_named_in(matcher: Matcher, sentence: Span) -> frozenset[int]:
    """The frames that a sentence names: found once, too."""
    found = [naming for naming in matcher.namings if sentence[0] <= naming.start < sentence[1]]
    return frozenset(frame for naming in found for frame in naming.frames)
