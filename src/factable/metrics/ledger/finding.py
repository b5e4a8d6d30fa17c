"""The numbers, dates and names of a text, each with the values of the data that it states."""

import calendar
from bisect import bisect_left
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from factable.metrics.ledger.value_index import ValueIndex, is_exact
from factable.structure import Structure
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.templates import clean_value
from factable.text.values import Date, Mention, Name, Number, ParsedText, Relation, Time, Weekdays
from factable.text.values.dates import MONTHS
from factable.text.values.names import parse_name

MAX_NAME = 40
# Two values in one: a blood pressure.
_OVER = lazy_pattern(r"(\d{2,3})/(\d{2,3})")
_OF = lazy_pattern(r"\s(?:of|from)\s(?:the\s)?")
# "June Castell" and "Augustus May" are no dates; "March 2026" and "June" alone are.
_MONTH_IN_NAME = lazy_pattern(
    rf"\A(?=\D*\Z)(?:(?:{'|'.join(MONTHS)})\s[A-Z]|.*[a-z.]\s(?:{'|'.join(MONTHS)})\Z)"
)


@dataclass(frozen=True, eq=False)
class MentionFinder:
    """Finds what one text mentions; `data_words` are the beginnings of all words of the data."""

    structure: Structure
    index: ValueIndex
    parsed: ParsedText
    data_words: AbstractSet[str]

    def found(self) -> list[tuple[Mention, dict[int, Relation]]]:
        """Every mention of the text with the leaves that it states; of overlapping ones the best."""
        inside = self._in_names()
        # 2:14:08 is read as a duration and as a time of day, which has no seconds.
        to_the_second = {
            (mention.start, mention.end)
            for mention in self.parsed.mentions
            if isinstance(mention.value, Number)
            and self.parsed.text[mention.start : mention.end].count(":") == 2
        }
        pairs = [
            (mention, self.index.find(mention.value))
            for mention in self.parsed.mentions
            if not (is_exact(mention.value) and inside[mention.start])
            and not (isinstance(mention.value, Time) and (mention.start, mention.end) in to_the_second)
        ]
        pairs = [part for pair in pairs for part in self._split_at_of(*pair)]
        pairs = [pair if pair[1] else self._without_noun(pair[0]) for pair in pairs]
        pairs = [
            (
                mention,
                leaves or self._ends_of(mention) or self._on_weekdays(mention) or self._further(mention),
            )
            for mention, leaves in pairs
        ]
        pairs.sort(key=lambda pair: (not pair[1], pair[0].start - pair[0].end, pair[0].start))
        kept: list[tuple[Mention, dict[int, Relation]]] = []
        taken = bytearray(len(self.parsed.text) + 1)
        for mention, leaves in pairs:
            if not any(taken[mention.start : mention.end]):
                taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
                kept.append((mention, leaves))
        return sorted(kept, key=lambda pair: pair[0].start)

    @cached_property
    def _word_starts(self) -> list[int]:
        return [word.start for word in self.parsed.words]

    def _split_at_of(
        self, mention: Mention, leaves: dict[int, Relation]
    ) -> list[tuple[Mention, dict[int, Relation]]]:
        """Two names that "of" joins, if both are values: "Clara Osei of the Liberals"."""
        written = self.parsed.text[mention.start : mention.end]
        joint = _OF.search(written) if isinstance(mention.value, Name) else None
        if joint is None or Relation.EQUAL in leaves.values():
            return [(mention, leaves)]
        parts = []
        for start, end in ((0, joint.start()), (joint.end(), len(written))):
            value = parse_name(written[start:end])
            place = mention.start + start, mention.start + end
            parts.append((Mention(value, *place, mention.sure), self.index.find(value)))
        is_split = all(Relation.EQUAL in found.values() for _, found in parts)
        return parts if is_split else [(mention, leaves)]

    def _without_noun(self, mention: Mention) -> tuple[Mention, dict[int, Relation]]:
        """A name without what it is a name of: "Turbine T19", "Episode Ghost Nets"."""
        if isinstance(mention.value, Name) and len(mention.value.words) > 1:
            first, last = (bisect_left(self._word_starts, place) for place in (mention.start, mention.end))
            words = self.parsed.words[first:last]
            if len(words) > 1 and beginning(words[0].folded) in self.data_words:
                value = Name(mention.value.words[1:])
                leaves = self.index.find(value)
                if leaves:
                    return Mention(value, words[1].start, mention.end, mention.sure), leaves
        return mention, {}

    def _ends_of(self, mention: Mention) -> dict[int, Relation]:
        """The leaves of both ends of a range that no single value gives: "one to two weeks"."""
        value = mention.value
        if not isinstance(value, Number) or value.high is None:
            return {}
        ends = [self.index.find(replace(value, value=end, high=None)) for end in (value.value, value.high)]
        return dict.fromkeys((*ends[0], *ends[1]), Relation.COARSER) if all(ends) else {}

    def _further(self, mention: Mention) -> dict[int, Relation]:
        """The leaves of percentage points that the data just calls points, and of both numbers of 138/88."""
        value = mention.value
        if isinstance(value, Number) and value.unit == "percentage point":
            return self.index.find(replace(value, unit="point"))
        both = _OVER.fullmatch(self.parsed.text, mention.start, mention.end)
        if both is None or not isinstance(value, Name):
            return {}
        leaves = self.structure.leaves
        ends = [self.index.find(Number(Fraction(number))) for number in both.groups()]
        parents = [{(leaves[leaf].frame, leaves[leaf].keys[:-1]) for leaf in found} for found in ends]
        return {
            leaf: Relation.EQUAL
            for found in ends
            for leaf in found
            if (leaves[leaf].frame, leaves[leaf].keys[:-1]) in parents[0] & parents[1]
        }

    def _on_weekdays(self, mention: Mention) -> dict[int, Relation]:
        """The dates that tell rows apart and are on the weekdays of a mention."""
        if not isinstance(mention.value, Weekdays):
            return {}
        return {
            leaf: Relation.COARSER
            for frame in self.structure.frames
            for leaf in frame.identifiers
            for value in self.index.readings[leaf]
            if isinstance(value, Date) and value.year and value.month and value.day
            if calendar.weekday(value.year, value.month, value.day) in mention.value.days
        }

    def _in_names(self) -> bytearray:
        """A 1 for each character of a name that has digits, or a month: "Edge 12", "June Castell"."""
        covered = bytearray(len(self.parsed.text) + 1)
        names = {frame.name for frame in self.structure.frames} | {
            clean_value(leaf.value) for leaf in self.structure.leaves if leaf.kind == "value"
        }
        for name in names:
            has_digits = any(map(str.isdecimal, name)) and any(map(str.isalpha, name))
            if (has_digits or _MONTH_IN_NAME.search(name)) and len(name) <= MAX_NAME:
                start = self.parsed.text.find(name)
                while start >= 0:
                    covered[start : start + len(name)] = b"\x01" * len(name)
                    start = self.parsed.text.find(name, start + 1)
        return covered
