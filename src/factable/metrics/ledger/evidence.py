"""What in the data a sentence can be about: values and sentences of prose that share its words and numbers.

An index over the data makes the search linear in the words of a sentence, however large the data is.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factable.structure import Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.sentences import split_sentences
from factable.text.stems import beginning
from factable.text.templates import clean_value
from factable.text.values.words import split_words

_NUMBER = lazy_pattern(r"(?<![\w.])[-−]?\d+(?:[.,]\d+)*")
_CLOCK = lazy_pattern(r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?\s?m\b", re.IGNORECASE)
_COMMON_WORDS = """
the a an of in on at to for and or with by from is are was were be been has have had it its this that as their
they he she his her which who will also not no than into over
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# Values of small objects belong together: all opening hours, all kinds of parking.
MAX_TOGETHER = 8
# So many words of evidence fit beside a sentence into the window of the model that marks words.
MAX_EVIDENCE_WORDS = 60
SHARE_OF_NEIGHBOUR = 0.6
# Of more values than this, those that share less than this with a sentence, next to the best, are left out:
# the more there are, the more share words by chance.
MIN_SHARES = ((2000, 0.5), (1000, 0.4), (60, 0.2))
MIN_SUMMARISED = 4


class Piece(NamedTuple):
    """A part of the data that is evidence: a value, a sentence of prose, or the summary of a column."""

    text: str
    frame: int
    leaf: int | None
    position: int
    numbers: tuple[float, ...] = ()


def numbers_in(text: str) -> Iterable[float]:
    """The numbers in a text that are not too large for a float, and the hours of times such as 5 PM."""
    return filter(math.isfinite, _all_numbers(text))


def _all_numbers(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(text):
        digits = match[0].replace("−", "-")
        plain = digits.replace(",", "") if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) else digits
        try:
            yield float(plain.replace(",", "."))
        except ValueError:
            yield from (float(part) for part in re.findall(r"\d+", plain)[:3])
    for hour, _, half in _CLOCK.findall(text):
        yield float(int(hour) % 12 + (12 if half in "pP" else 0))


@dataclass(frozen=True, eq=False)
class EvidenceIndex:
    """The data of one example, ready to be searched for what a sentence is about."""

    structure: Structure

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Every piece of evidence, in the order of the data; summaries of columns come last."""
        pieces: list[Piece] = []
        for leaf in self.structure.leaves:
            if leaf.kind == "technical":
                continue
            texts = split_sentences(leaf.value) if leaf.kind == "prose" else [clean_value(leaf.value)]
            for text in texts:
                line = f"{leaf.label}: {_shown(leaf, text)}"
                pieces.append(Piece(line, leaf.frame, leaf.index, len(pieces), tuple(numbers_in(text))))
        pieces += [
            Piece(text, 0, None, len(pieces) + number) for number, text in enumerate(self._summaries())
        ]
        return tuple(pieces)

    def _summaries(self) -> Iterable[str]:
        for leaves in self.structure.columns.values():
            numbers = [number for leaf in leaves if (number := _as_number(leaf.value)) is not None]
            if len(numbers) >= MIN_SUMMARISED and 2 * len(numbers) >= len(leaves):
                low, high = min(numbers), max(numbers)
                mean = sum(numbers) / len(numbers)
                yield (
                    f"{leaves[0].label}: {len(leaves)} values from {low:g} to {high:g}, mean {mean:.4g}, "
                    f"first {numbers[0]:g}, last {numbers[-1]:g}"
                )
                continue
            values = Counter(clean_value(leaf.value) for leaf in leaves if leaf.kind in ("value", "flag"))
            if len(leaves) >= MIN_SUMMARISED and 1 < len(values) <= len(leaves) / 2:
                common = ", ".join(f"{value} {count}" for value, count in values.most_common(5))
                yield f"{leaves[0].label}: {len(leaves)} values: {common}"

    @cached_property
    def _stems(self) -> Mapping[str, list[int]]:
        """Pieces by the stems of their words; names of frames lead to the pieces of the frame."""
        stems: dict[str, list[int]] = defaultdict(list)
        of_frame = {
            frame.index: {beginning(word.folded) for word in split_words(frame.name)}
            for frame in self.structure.frames
        }
        for piece in self.pieces:
            words = {beginning(word.folded) for word in split_words(piece.text)}
            for name in words | of_frame.get(piece.frame, set()):
                if name not in _COMMON:
                    stems[name].append(piece.position)
        return stems

    @cached_property
    def _numbers(self) -> tuple[list[float], list[int]]:
        pairs = sorted((number, piece.position) for piece in self.pieces for number in piece.numbers)
        return [number for number, _ in pairs], [position for _, position in pairs]

    @cached_property
    def _together(self) -> Mapping[int, tuple[int, ...]]:
        """For each piece the pieces of its small object."""
        groups: dict[tuple[int, str], list[int]] = defaultdict(list)
        for piece in self.pieces:
            if piece.leaf is not None:
                leaf = self.structure.leaves[piece.leaf]
                groups[leaf.frame, leaf.path.rsplit(".", 1)[0]].append(piece.position)
        return {
            position: tuple(group)
            for group in groups.values()
            if 1 < len(group) <= MAX_TOGETHER
            for position in group
        }

    @cached_property
    def _min_share(self) -> float:
        size = len(self.structure.leaves)
        return next((share for count, share in MIN_SHARES if size > count), 0.0)

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        """The number of words of each piece."""
        return tuple(len(piece.text.split()) for piece in self.pieces)

    @cached_property
    def _shortest(self) -> int:
        return min(self._lengths, default=0)

    def search(self, sentence: str) -> list[tuple[float, Piece]]:
        """The pieces that share words or numbers with a sentence, the best first."""
        scores: dict[int, float] = defaultdict(float)
        count = len(self.pieces) + 1
        for word in {beginning(word.folded) for word in split_words(sentence)} - _COMMON:
            found = self._stems.get(word, ())
            weight = math.log(1 + count / (1 + len(found)))
            for position in found:
                scores[position] += weight
        numbers, positions = self._numbers
        for number in set(numbers_in(sentence)):
            slack = 0.5 if number == int(number) and abs(number) > 4 else 1e-9
            low, high = bisect_left(numbers, number - slack), bisect_right(numbers, number + slack)
            weight = math.log(1 + count / (1 + high - low))
            for position in positions[low:high]:
                scores[position] += weight
        for position, score in list(scores.items()):
            for other in self._together.get(position, ()):
                scores[other] = max(scores[other], SHARE_OF_NEIGHBOUR * score)
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(score, self.pieces[position]) for position, score in ranked]

    def evidence_for(self, sentence: str, max_words: int) -> str:
        """What a model gets to read beside a sentence: its best pieces in the order of the data, by frame."""
        chosen: list[Piece] = []
        size = 0
        ranked = self.search(sentence)
        least = self._min_share * ranked[0][0] if ranked else 0.0
        for score, piece in ranked:
            if score < least or size + self._shortest > max_words:
                break
            length = self._lengths[piece.position]
            if size + length <= max_words:
                chosen.append(piece)
                size += length
        chosen.sort(key=lambda piece: piece.position)
        parts: list[str] = [self.structure.title] if self.structure.title else []
        frame = None
        for piece in chosen:
            if piece.frame != frame and piece.leaf is not None:
                frame = piece.frame
                name = self.structure.frames[frame].name
                parts.append(f"{name} | {piece.text}" if name else piece.text)
            else:
                parts.append(piece.text)
        return " ; ".join(parts)


def _shown(leaf: Leaf, text: str) -> str:
    if leaf.kind == "flag":
        return "yes" if leaf.is_yes else "no"
    return "unknown" if leaf.kind == "unknown" else text


def _as_number(value: str) -> float | None:
    text = value.strip().replace(",", "")
    try:
        number = float(text.rstrip("% "))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
