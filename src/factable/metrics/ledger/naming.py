"""Where a text names the frames of the data: rows, members of lists, named objects."""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from factable.metrics.ledger.cues import NUMBERING, stands_for
from factable.structure import Frame, Structure
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem as base_form
from factable.text.templates import split_identifier
from factable.text.values import Mention, Number, ParsedText, Relation
from factable.text.values.words import split_words
from factable.types import Span

# A shorter word of a name is too common to stand for it.
MIN_PART = 4
MIN_PLAIN = 6
_LETTERS_AND_DIGITS = lazy_pattern(r"[^\W_]+")
_DIGIT_AFTER_LETTER = lazy_pattern(r"\D\d")


class Naming(NamedTuple):
    """A place where the text names frames."""

    start: int
    end: int
    frames: frozenset[int]


@dataclass(frozen=True, eq=False)
class NamingFinder:
    """Finds the frames that a text names; `found` are its values with the leaves that they state."""

    structure: Structure
    parsed: ParsedText
    found: Sequence[tuple[Mention, Mapping[int, Relation]]]

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
            if frames:
                namings.append(Naming(mention.start, mention.end, frames))
        namings += self._named_in_words()
        namings += self._named_by_numbers()
        return sorted(namings)

    def _named_by_numbers(self) -> Iterator[Naming]:
        """Rows that are numbered: "episode 63", "season 2", "the third stage"."""
        starts = [each.start for each in self.parsed.words]
        for mention, leaves in self.found if self._numbered else ():
            value = mention.value
            if not isinstance(value, Number) or value.unit not in ("", "ordinal"):
                continue
            at = bisect_left(starts, mention.end) if value.unit else bisect_left(starts, mention.start) - 1
            if not 0 <= at < len(starts):
                continue
            word = self.parsed.words[at].folded
            for leaf in leaves or self._numbered.get(value.value, ()):
                frame = self.structure.frames[self.structure.leaves[leaf].frame]
                nouns = split_words(f"{frame.label} {split_identifier(self.structure.leaves[leaf].keys[-1])}")
                is_numbered = leaf in self._numbered.get(value.value, ())
                if is_numbered and any(stands_for(word, noun.folded) for noun in nouns):
                    yield Naming(mention.start, mention.end, frozenset((frame.index,)))

    @cached_property
    def _numbered(self) -> Mapping[Fraction, Sequence[int]]:
        """Leaves with the number of a row, by number: no two rows have the same."""
        numbered: dict[Fraction, list[int]] = defaultdict(list)
        for column in self.structure.columns.values():
            words = split_identifier(column[0].keys[-1]).lower().split()
            whole = [leaf for leaf in column if leaf.value.isdecimal() and "[" in leaf.path]
            is_number = len(whole) == len(column) > 1 and not NUMBERING.isdisjoint(words)
            if is_number and len({leaf.value for leaf in column}) == len(column):
                for leaf in column:
                    numbered[Fraction(leaf.value)].append(leaf.index)
        return numbered

    def _named_in_words(self) -> list[Naming]:
        """Names of frames in full, or by a word that only they have: "Westbrook"."""
        places: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.parsed.words):
            places[word.folded].append(number)
            base = base_form(word.folded)
            if base != word.folded and (len(base) >= MIN_PART or self.parsed.text[word.start].isupper()):
                places[base].append(number)
        of_word: dict[str, set[int]] = defaultdict(set)
        names = {
            frame.index: [word.folded for word in split_words(frame.name)]
            for frame in self.structure.frames
            if not _is_whole(frame)
        }
        for frame, words in names.items():
            for part in words:
                of_word[part].add(frame)
                if not words[1:] and not part.isdecimal():
                    of_word[base_form(part)].add(frame)
        namings = self._named_in_full(names)
        for words in names.values():
            # A name of one word may stand in another number: Schools, "school spending".
            for part in dict.fromkeys((*words, *map(base_form, words[:1] if not words[1:] else ()))):
                if len(words) > 1 and (len(of_word[part]) > 1 or len(part) < MIN_PART):
                    continue
                for number in places.get(part, ()):
                    at = self.parsed.words[number]
                    if (
                        len(words) == 1
                        or not self.parsed.text[at.start].islower()
                        or part in self._plain_words
                    ):
                        namings.append(Naming(at.start, at.end, frozenset(of_word[part])))
        return namings

    @cached_property
    def _plain_words(self) -> frozenset[str]:
        """Words of names that are no names themselves: the brackets of "Steel brackets"."""
        return frozenset(
            word
            for frame in self.structure.frames
            for word in re.findall(r"(?<!\w)[^\W\d_A-Z]+(?!\w)", frame.name)
            if len(word) >= MIN_PLAIN and word.islower()
        )

    def _named_in_full(self, names: Mapping[int, Sequence[str]]) -> list[Naming]:
        """Names of several words, in any case."""
        forms = [base_form(word.folded) for word in self.parsed.words]
        offsets = list(accumulate((len(form) + 1 for form in forms), initial=0))
        line = f" {' '.join(forms)} "
        namings = list(self._named_by_codes())
        for frame, words in names.items():
            phrase = f" {' '.join(map(base_form, words))} "
            place = line.find(phrase) if len(words) > 1 else -1
            while place >= 0:
                first = bisect_left(offsets, place)
                start, end = self.parsed.words[first].start, self.parsed.words[first + len(words) - 1].end
                namings.append(Naming(start, end, frozenset((frame,))))
                place = line.find(phrase, place + 1)
        return namings

    def _named_by_codes(self) -> Iterator[Naming]:
        """Names with digits, however they are written: pm25 is PM2.5."""
        codes: dict[str, set[int]] = defaultdict(set)
        for frame in self.structure.frames:
            if not _is_whole(frame) and any(map(str.isdecimal, frame.name)):
                codes[squeezed(frame.name)].add(frame.index)
        for start, end in codes_in(self.parsed.text) if codes else ():
            frames = codes.get(squeezed(self.parsed.text[start:end]))
            if frames:
                yield Naming(start, end, frozenset(frames))


def codes_in(text: str) -> Iterator[Span]:
    """Words with letters and then digits, and further ones after a dot or a hyphen: pm25, PM2.5, B-52."""
    start = end = 0
    is_code = False
    for run in _LETTERS_AND_DIGITS.finditer(text):
        is_next = start < end == run.start() - 1 and text[end] in ".-"
        if is_next and any(map(str.isdecimal, run[0])):
            end, is_code = run.end(), True
            continue
        if is_code:
            yield start, end
        start, end = run.span() if not run[0].isdecimal() else (0, 0)
        is_code = bool(_DIGIT_AFTER_LETTER.search(run[0]))
    if is_code:
        yield start, end


def squeezed(name: str) -> str:
    """A name without case and marks: pm25 for PM2.5 and PM₂.₅."""
    plain = unicodedata.normalize("NFKC", name).lower()
    return "".join(char for char in plain if char.isalnum())


def _is_whole(frame: Frame) -> bool:
    return frame.parent is None and frame.path == "" and frame.group == ""
