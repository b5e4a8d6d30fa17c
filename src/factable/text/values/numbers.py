"""Numbers in digits: separators, scales such as million, ordinals, ranges and fractions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from factable.text.values.units import unit_at

# Longer runs of digits are codes, and reading them as numbers takes long.
_MAX_DIGITS = 40
_GROUPED = "[\u00a0\u2009\u202f'’]"
#: Digits as a part of a pattern: 1,500,000.5, 1,50,000, 1.500.000, 1'500'000, 1500000.5 or .5
DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    rf"|\d{{1,3}}(?:{_GROUPED}\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
)
_DIGITS = re.compile(DIGITS)
# A word with a digit, and what hangs together with it: 14/32, 25-year-old, 1:25, 3.5.
_TOKEN = re.compile(
    rf"(?<![^\W_])(?<![^\W_][-–/'’])(?:(?<!\d)\.(?=\d))?[^\W_]+"
    rf"(?:[-–/'’](?=[^\W_])[^\W_]+|(?<=\d)[.,:](?=\d)[^\W_]+|(?<=\d){_GROUPED}(?=\d{{3}}(?!\d))\d+)*"
)
_RANGE = re.compile(rf"[-–]({DIGITS})(?![^\W\d_]*\d)")
_ORDINAL = re.compile("st|nd|rd|th", re.IGNORECASE)
_FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}
_FRACTION_SIGN = re.compile(f"\\s?([{''.join(_FRACTIONS)}])|\\s([1-9])/([2-9])(?![\\w/])")
_LONE_FRACTION = re.compile(rf"(?<!\w)(?<!\d\s)[{''.join(_FRACTIONS)}](?!\w)")
#: The last place of fractions: a third is 0.3 to it.
TENTH = Fraction(1, 10)
#: Words that multiply the number before them.
SCALES = {"thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7}
SCALES |= {"billion": 10**9, "trillion": 10**12}
_MULTIPLIERS = {"dozen": 12, "hundred": 100} | SCALES
_SHORT_SCALES = {"k": 10**3, "K": 10**3, "m": 10**6, "M": 10**6, "mn": 10**6, "bn": 10**9, "tn": 10**12}
_SCALE = re.compile(rf"[\s-]?({'|'.join(_MULTIPLIERS)})(?![^\W_])", re.IGNORECASE)
_SHORT_SCALE = re.compile(r"(k|K|m|M|mn|bn|tn)(?![^\W_])|\s(mn|bn|tn)(?![^\W_])")
_AND_A_HALF = re.compile(r"\sand\sa\shalf(?![^\W_])", re.IGNORECASE)


class Numeral(NamedTuple):
    """A number at a place in a text, without its unit."""

    start: int
    end: int
    value: Fraction
    step: Fraction
    high: Fraction | None = None
    ordinal: bool = False

    def scaled(self, factor: int, end: int, *, rounds: bool = True) -> "Numeral":
        """The number times a scale word that ends at `end`; a dozen and a hundred are no rounding."""
        step = self.step * factor if rounds else min(self.step * factor, Fraction(1))
        high = None if self.high is None else self.high * factor
        return self._replace(end=end, value=self.value * factor, step=step, high=high)


def tokens_with_digits(text: str) -> Iterator[re.Match[str]]:
    """Everything written with a digit, in order."""
    return (token for token in _TOKEN.finditer(text) if any(char.isdecimal() for char in token[0]))


def read_digits(written: str) -> tuple[Fraction, Fraction] | None:
    """A number in digits and the place of its last one, or nothing if it is a code such as 007."""
    if len(written) > _MAX_DIGITS or not _DIGITS.fullmatch(written):
        return None
    plain = re.sub(f",|{_GROUPED}", "", written)
    if plain.count(".") > 1:
        plain = plain.replace(".", "")
    whole, _, decimals = plain.partition(".")
    if len(whole) > 1 and not int(whole[0]):
        return None
    return Fraction(plain), Fraction(1, 10 ** len(decimals))


def numeral_in(text: str, token: re.Match[str]) -> Numeral | None:
    """The numeral that a token with digits begins with; nothing if it does not begin with one."""
    digits = _DIGITS.match(text, token.start(), token.end())
    number = read_digits(digits[0]) if digits else None
    if digits is None or number is None:
        return None
    found = Numeral(token.start(), digits.end(), *number)
    ordinal = _ORDINAL.match(text, found.end, token.end())
    if ordinal and ordinal.end() == token.end():
        return found._replace(end=token.end(), ordinal=True)
    until = _RANGE.match(text, found.end, token.end())
    high = read_digits(until[1]) if until else None
    if until and high and high[0] > found.value:
        return found._replace(end=until.end(), high=high[0], step=min(found.step, high[1]))
    part = _FRACTION_SIGN.match(text, found.end)
    if part and found.step == 1:
        share = Fraction(_FRACTIONS[part[1]]) if part[1] else Fraction(int(part[2]), int(part[3]))
        if share < 1:
            return found._replace(end=part.end(), value=found.value + share, step=TENTH)
    return found


def with_scale(text: str, found: Numeral) -> list[Numeral]:
    """A numeral with the scale that follows it; `5m` is also kept as it is, for it may be five metres."""
    half = _AND_A_HALF.match(text, found.end)
    if half:
        found = found._replace(end=half.end(), value=found.value + Fraction(1, 2), step=TENTH)
    scale = _SCALE.match(text, found.end)
    if scale:
        factor = _MULTIPLIERS[scale[1].lower()]
        return [found.scaled(factor, scale.end(), rounds=factor > 100)]
    short = _SHORT_SCALE.match(text, found.end)
    if not short or half:
        return [found]
    scaled = found.scaled(_SHORT_SCALES[short[1] or short[2]], short.end())
    return [found, scaled] if short[1] == "m" else [scaled]


def fraction_signs(text: str) -> Iterator[Numeral]:
    """Signs such as ½ that stand alone."""
    for sign in _LONE_FRACTION.finditer(text):
        yield Numeral(sign.start(), sign.end(), Fraction(_FRACTIONS[sign[0]]), TENTH)


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
_SCALE_WORD = "|".join(SCALES)
_STARTS = re.compile(
    rf"(?<![^\W_])(?:({'|'.join([*_SMALL, *_ORDINALS])})|(half)(?:\s({_SCALE_WORD}|a\s(?:{_SCALE_WORD})))?"
    rf"|an?[\s-](dozen|hundred|{_SCALE_WORD})|an?\s(third|quarter|fifth|tenth)(?=\s(?:of|as)\s))(?![^\W_])",
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
    index = 0
    while start := _STARTS.search(text, index):
        found = _number(text, start)
        index = max(start.end(), found.end if found else 0)
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
