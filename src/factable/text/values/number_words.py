"""Numbers in English words: twelve, a dozen, two hundred and seven, half a million, two thirds, third."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from factable.text.values.numerals import SCALES, TENTH, Numeral, with_scale
from factable.text.values.units import unit_at

_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: number for number, word in enumerate(_ONES.split())}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_ORDINAL_ONES = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_ONES.split(), 1)}
_ORDINALS |= {f"{word[:-1]}ieth": _SMALL[word] for word in _TENS}
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PARTS |= {f"{word}s": number for word, number in _PARTS.items()}
_SCALE = "|".join(SCALES)
_STARTS = re.compile(
    rf"(?<![^\W_])(?:({'|'.join([*_SMALL, *_ORDINALS])})|(half)(?:\s({_SCALE}|a\s(?:{_SCALE})))?"
    rf"|an?[\s-](dozen|hundred|{_SCALE})|an?\s(third|quarter|fifth|tenth)(?=\s(?:of|as)\s))(?![^\W_])",
    re.IGNORECASE,
)
_NEXT = re.compile(r"(\sand\s|-and-|,\s|\s|-)([A-Za-z]+)(?![^\W_])", re.IGNORECASE)
_OF = re.compile(r"\sof(?![^\W_])", re.IGNORECASE)
_POINTING = re.compile(
    r"(?<![^\W_])(?:the|this|that|no|any|some|every|each|which|other|first|last|third)\s\Z", re.IGNORECASE
)
_AN = re.compile(r"\san?(?=\s)")


def numerals_in_words(text: str) -> Iterator[Numeral]:
    """Every number said in words, in order; "one of" and vague ones such as "hundreds" are none."""
    place = 0
    while start := _STARTS.search(text, place):
        found = _number(text, start)
        place = max(start.end(), found.end if found else 0)
        if found:
            yield found


def _number(text: str, start: re.Match[str]) -> Numeral | None:
    small, half, scale, multiplier, part = start.groups()
    if half:
        one = Numeral(start.start(), start.end(), Fraction(1, 2), TENTH)
        article = _AN.match(text, one.end)
        if article and unit_at(text, article.end())[0]:
            # "Half an hour", but not "half a loaf".
            return one._replace(end=article.end())
        return one.scaled(SCALES[scale.split()[-1].lower()], start.end()) if scale else one
    if part:
        return Numeral(start.start(), start.end(), Fraction(1, _PARTS[part.lower()]), TENTH)
    if multiplier:
        return _Words(text, start.start(), start.start(4), Fraction(1)).read()
    word = small.lower()
    if word in _ORDINALS:
        return Numeral(start.start(), start.end(), Fraction(_ORDINALS[word]), Fraction(1), ordinal=True)
    found = _Words(text, start.start(), start.end(), Fraction(_SMALL[word]), word).read()
    pronoun = (
        word == "one"
        and found.value == 1
        and (_OF.match(text, found.end) or _POINTING.search(text, max(0, found.start - 7), found.start))
    )
    return None if pronoun else found


@dataclass(slots=True)
class _Words:
    """Reads one number, word by word: what is below a thousand is gathered until a scale takes it."""

    text: str
    start: int
    end: int
    group: Fraction | None
    last: str = "a"
    total: Fraction = Fraction(0)
    scale: int = 10**15

    def read(self) -> Numeral:
        """The number, as far as its words go."""
        while word := _NEXT.match(self.text, self.end):
            key = word[2].lower()
            ends_here = self._ends(word[1], key)
            if ends_here:
                return ends_here._replace(end=word.end())
            if not self._takes(word[1], key):
                break
            self.end, self.last = word.end(), key
        found = self._so_far()
        return found if self.total else with_scale(self.text, found)[-1]

    def _so_far(self) -> Numeral:
        step = Fraction(1 if self.group is not None else self.scale)
        return Numeral(self.start, self.end, self.total + (self.group or 0), step)

    def _ends(self, gap: str, key: str) -> Numeral | None:
        """The number that a word completes: twenty-first, two thirds, two dozen."""
        found = self._so_far()
        if gap not in (" ", "-") or self.total or self.group is None:
            return None
        if self.last in _TENS and 1 <= _ORDINALS.get(key, 0) <= 9:
            return found._replace(value=found.value + _ORDINALS[key], ordinal=True)
        if key in _PARTS and 0 < found.value < _PARTS[key] and self.last != "a":
            return found._replace(value=found.value / _PARTS[key], step=TENTH)
        return found._replace(value=found.value * 12) if key == "dozen" else None

    def _takes(self, gap: str, key: str) -> bool:
        """Whether a word goes on with the number; if so it is added."""
        alone = gap in (" ", "-")
        if key in _SMALL and self._has_room(_SMALL[key], alone):
            self.group = Fraction(_SMALL[key]) + (self.group or 0)
            return True
        if self.group is None or not alone:
            return False
        if key == "hundred" and 0 < self.group < 100:
            self.group *= 100
            return True
        if self.group and SCALES.get(key, self.scale) < self.scale:
            self.scale = SCALES[key]
            self.total, self.group = self.total + self.group * self.scale, None
            return True
        return False

    def _has_room(self, number: int, alone: bool) -> bool:
        if self.group is None or self.last == "hundred":
            return number > 0
        return alone and self.last in _TENS and 1 <= number <= 9
