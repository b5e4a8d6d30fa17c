"""Numbers in a text: in digits or words, with sign, direction, currency, unit, bound and range."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import merge
from itertools import product
from typing import NamedTuple

from factable.text.patterns import lazy_pattern
from factable.text.values.kinds import Bound, Mention, Number, in_whole_currency
from factable.text.values.names import parse_name
from factable.text.values.units import CURRENCY_BEFORE, HUNDREDTH, rating_unit, unit_at, units_named

# Longer runs of digits are codes, and slow to parse as numbers.
_MAX_DIGITS = 40
_GROUPED = "[\u00a0\u2009\u202f'’]"
#: Digits as a part of a pattern: 1,500,000.5, 1,50,000, 1.500.000, 1.500,5, 1'500'000, 1,5, 1500000.5 or .5
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!,?\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    rf"|\d{{1,3}}(?:{_GROUPED}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+,\d{{1,2}}(?!,?\d)|\d+(?:\.\d+)?|\.\d+)"
)
_DECIMAL_COMMA = lazy_pattern(r".*[^,],\d{1,2}")
_DIGITS = lazy_pattern(_NUMBER)
# A word with a digit, and what is connected to it: 14/32, 25-year-old, 1:25, 3.5.
_TOKEN = lazy_pattern(
    rf"(?<![^\W_])(?<![^\W_][-–/'’])(?:(?<!\d)\.(?=\d))?[^\W_]+"
    rf"(?:[-–/'’](?=[^\W_])[^\W_]+|(?<=\d)[.,:](?=\d)[^\W_]+|(?<=\d){_GROUPED}(?=\d{{3}}(?!\d))\d+)*"
)
_RANGE = lazy_pattern(rf"[-–]({_NUMBER})(?![^\W\d_]*\d)")
_ORDINAL = lazy_pattern("st|nd|rd|th", re.IGNORECASE)
_FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}
_FRACTION_SIGN = lazy_pattern(f"\\s?([{''.join(_FRACTIONS)}])|\\s([1-9])/([2-9])(?![\\w/])")
_LONE_FRACTION = lazy_pattern(rf"(?<!\w)(?<!\d\s)[{''.join(_FRACTIONS)}](?!\w)")
#: The precision of fractions: a third is 0.3, or a third of 100% to within 1%.
TENTH = Fraction(1, 10)
_SHARE_STEP = Fraction(2)
#: Words that multiply the number before them.
SCALES = {"thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7}
SCALES |= {"billion": 10**9, "trillion": 10**12}
_MULTIPLIERS = {"dozen": 12, "hundred": 100} | SCALES
_SHORT_SCALES = {"k": 10**3, "K": 10**3, "m": 10**6, "M": 10**6, "mn": 10**6, "bn": 10**9, "tn": 10**12}
_SCALE = lazy_pattern(rf"[\s-]?({'|'.join(_MULTIPLIERS)})(?![^\W_])", re.IGNORECASE)
_SHORT_SCALE = lazy_pattern(r"(k|K|m|M|mn|bn|tn)(?![^\W_])|\s(mn|bn|tn)(?![^\W_])")
_AND_HALF = lazy_pattern(r"(?i)[\s-]and[\s-](?:an?[\s-](half|quarter|third)|three[\s-]quarters?)(?![^\W_])")
_AND_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3), "": Fraction(3, 4)}


class Numeral(NamedTuple):
    """A number in a text, without its unit."""

    start: int
    end: int
    value: Fraction
    step: Fraction
    high: Fraction | None = None
    ordinal: bool = False
    # A part of a whole in words, which may be a percentage: a quarter, two thirds.
    share: bool = False

    def scaled(self, factor: int, end: int, *, rounds: bool = True) -> "Numeral":
        """The number times a scale word that ends at `end`; a dozen and a hundred do not round it."""
        step = self.step * factor if rounds else min(self.step * factor, Fraction(1))
        high = None if self.high is None else self.high * factor
        return self._replace(end=end, value=self.value * factor, step=step, high=high)


def digit_tokens(text: str) -> Iterator[re.Match[str]]:
    """Every token with a digit, in order."""
    return (token for token in _TOKEN.finditer(text) if any(char.isdecimal() for char in token[0]))


def read_digits(written: str) -> tuple[Fraction, Fraction] | None:
    """A number in digits and the place value of its last digit; None for a code such as 007."""
    if len(written) > _MAX_DIGITS or not _DIGITS.fullmatch(written):
        return None
    if _DECIMAL_COMMA.fullmatch(written) and written.count(",") == 1:
        written = written.replace(".", "").replace(",", ".")
    plain = re.sub(f",|{_GROUPED}", "", written)
    if plain.count(".") > 1:
        plain = plain.replace(".", "")
    integer, _, decimals = plain.partition(".")
    if len(integer) > 1 and not int(integer[0]):
        return None
    return Fraction(plain), Fraction(1, 10 ** len(decimals))


def numeral_in(text: str, token: re.Match[str]) -> Numeral | None:
    """The numeral at the start of a token; None if there is none."""
    digits = _DIGITS.match(text, token.start(), token.end())
    number = read_digits(digits[0]) if digits else None
    if digits is None or number is None:
        return None
    numeral = Numeral(token.start(), digits.end(), *number)
    ordinal = _ORDINAL.match(text, numeral.end, token.end())
    if ordinal and ordinal.end() == token.end():
        return numeral._replace(end=token.end(), ordinal=True)
    until = _RANGE.match(text, numeral.end, token.end())
    high = read_digits(until[1]) if until else None
    if until and high and high[0] > numeral.value:
        return numeral._replace(end=until.end(), high=high[0], step=min(numeral.step, high[1]))
    part = _FRACTION_SIGN.match(text, numeral.end)
    if part and numeral.step == 1:
        fraction = Fraction(_FRACTIONS[part[1]]) if part[1] else Fraction(int(part[2]), int(part[3]))
        if fraction < 1:
            return numeral._replace(end=part.end(), value=numeral.value + fraction, step=TENTH)
    return numeral


def with_scale(text: str, numeral: Numeral) -> list[Numeral]:
    """A numeral with the scale that follows it; `5m` also without, since it may be five metres."""
    half = _AND_HALF.match(text, numeral.end)
    if half:
        value = numeral.value + _AND_PARTS[(half[1] or "").lower()]
        numeral = numeral._replace(end=half.end(), value=value, step=TENTH)
    scale = _SCALE.match(text, numeral.end)
    if scale:
        factor = _MULTIPLIERS[scale[1].lower()]
        return [numeral.scaled(factor, scale.end(), rounds=factor > 100)]
    short = _SHORT_SCALE.match(text, numeral.end)
    if not short or half:
        return [numeral]
    scaled = numeral.scaled(_SHORT_SCALES[short[1] or short[2]], short.end())
    return [numeral, scaled] if short[1] == "m" else [scaled]


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
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "eighth": 8, "tenth": 10}
_PARTS |= {f"{word}s": number for word, number in _PARTS.items()}
_SCALE_WORD = "|".join(SCALES)
_STARTS = lazy_pattern(
    rf"(?<![^\W_])(?:({'|'.join([*_SMALL, *_ORDINALS])})|(half)(?:\s({_SCALE_WORD}|a\s(?:{_SCALE_WORD})))?"
    rf"|an?[\s-](dozen|hundred|{_SCALE_WORD})|(?:an?|every(?=\squarter\sof\san\shour))\s(third|quarter|fifth|eighth|tenth)(?!\s(?:party|person|time|quarter))"
    rf"|(an?)(?=\s[a-z]+\sand\s(?:a\shalf|a\squarter|a\sthird|three\squarters)|\s(?:hour|minute|day|week|year|foot)\s(?:and\s)?(?:\d|[a-z-]+\s(?:minutes|seconds|"
    rf"hours|days|weeks|months|inches)))|(an?)(?=\s(?:hour|minute)(?![^\W_]))|(a\ssingle)(?=\s))(?![^\W_])",
    re.IGNORECASE,
)
_NEXT = lazy_pattern(r"(\sand\s|-and-|,\s|\s|-)([A-Za-z]+)(?![^\W_])", re.IGNORECASE)
_OF = lazy_pattern(r"\sof(?![^\W_])", re.IGNORECASE)
_POINTING = lazy_pattern(
    r"(?<![^\W_])(?:the|this|that|no|any|some|every|each|which|other|first|last|third)\s\Z", re.IGNORECASE
)
# "80 km an hour" lasts no hour.
_LASTING = lazy_pattern(
    r"(?<![^\W_])(?:takes?|took|lasts?|lasted|for|about|around|under|over|just|within|exactly|than|in)\s\Z",
    re.IGNORECASE,
)
_AN = lazy_pattern(r"\san?(?=\s)")
_A_DOZEN = lazy_pattern(r"\sa\sdozen(?![^\W_])", re.IGNORECASE)
# "Three quarters of an hour" are minutes, not a share.
_OF_A = lazy_pattern(r"\sof\san?(?=\s)", re.IGNORECASE)
_SHARE_OF = lazy_pattern(r"\s(?:of|as|more|less|fewer|higher|lower|larger|smaller)(?![^\W_])", re.IGNORECASE)
_ONE_IN = lazy_pattern(
    rf"\s(?:in|out\sof)\s({'|'.join(list(_SMALL)[2:])}|[2-9]|[1-9]\d{{1,2}})(?![^\W_])(?!\s(?:second|minute|hour|day|week|month|"
    rf"year|%|percent))",
    re.IGNORECASE,
)
# "half" is a number in "half of them", "half an hour", "by half"; not in "the second half", "half-time".
_HALF_OF = lazy_pattern(r"\s(?:of|an?|the|as|its|their|his|her|that|this)(?![^\W_])", re.IGNORECASE)
_ONE_OF_TWO_HALVES = lazy_pattern(
    r"(?<![^\W_])(?:first|second|latter|other|opening|1st|2nd|final|last|top|bottom|upper|lower|better|each|either|"
    r"every|the|this|that)[\s-]\Z",
    re.IGNORECASE,
)
_BY_HALF = lazy_pattern(
    r"(?<![^\W_])(?:and\sa|by|in|about|around|nearly|almost|over|under|than|roughly|approximately)\s\Z",
    re.IGNORECASE,
)
_BY_PART = lazy_pattern(
    r"(?<![^\W_])(?:by|about|around|nearly|almost|over|under|than|roughly|approximately|only|just|up|down)\s\Z",
    re.IGNORECASE,
)


def numerals_in_words(text: str) -> Iterator[Numeral]:
    """Every number in words, in order, except "one of" and vague ones such as "hundreds"."""
    index = 0
    while start := _STARTS.search(text, index):
        numeral = _number(text, start)
        index = max(start.end(), numeral.end if numeral else 0)
        if numeral:
            yield numeral


def _number(text: str, start: re.Match[str]) -> Numeral | None:
    small, half, scale, multiplier, part, one, lasting, single = start.groups()
    if half:
        return _half(text, start, scale)
    if part:
        is_share = _SHARE_OF.match(text, start.end()) or _BY_PART.search(
            text, max(0, start.start() - 15), start.start()
        )
        share = Numeral(start.start(), start.end(), Fraction(1, _PARTS[part.lower()]), TENTH, share=True)
        return share if is_share else _ordinal(start.start(5), part)
    if single or (lasting and _LASTING.search(text, max(0, start.start() - 9), start.start())):
        return Numeral(start.start(), start.end(), Fraction(1), Fraction(1))
    if lasting:
        return None
    if one:
        # "an hour and a half", "an hour and 35 minutes"
        known = unit_at(text, start.end())[0]
        return Numeral(start.start(), start.end(), Fraction(1), Fraction(1)) if known else None
    if multiplier:
        return _Words(text, start.start(), start.start(4) - 1, Fraction(1)).read()
    word = small.lower()
    if word in _ORDINALS:
        return _ordinal(start.start(), word)
    one_in = _ONE_IN.match(text, start.end()) if word == "one" else None
    if one_in:
        whole = _SMALL.get(one_in[1].lower()) or int(one_in[1])
        return Numeral(start.start(), one_in.end(), Fraction(1, whole), TENTH, share=True)
    numeral = _Words(text, start.start(), start.end(), Fraction(_SMALL[word]), word).read()
    pronoun = (
        word == "one"
        and numeral.value == 1
        and (_OF.match(text, numeral.end) or _POINTING.search(text, max(0, numeral.start - 7), numeral.start))
    )
    return None if pronoun else numeral


def _ordinal(start: int, word: str) -> Numeral | None:
    """An ordinal in words; none for "a quarter" of a town."""
    number = _ORDINALS.get(word.lower())
    if number is None:
        return None
    return Numeral(start, start + len(word), Fraction(number), Fraction(1), ordinal=True)


def _half(text: str, start: re.Match[str], scale: str | None) -> Numeral | None:
    numeral = Numeral(start.start(), start.end(), Fraction(1, 2), TENTH)
    if scale:
        return numeral.scaled(SCALES[scale.split()[-1].lower()], start.end())
    if _ONE_OF_TWO_HALVES.search(text, max(0, start.start() - 9), start.start()):
        return None
    dozen = _A_DOZEN.match(text, numeral.end)
    if dozen:
        return Numeral(start.start(), dozen.end(), Fraction(6), Fraction(1))
    article = _AN.match(text, numeral.end)
    if article and unit_at(text, article.end())[0]:
        # "Half an hour", but not "half a loaf".
        return numeral._replace(end=article.end())
    if unit_at(text, numeral.end)[0]:
        return numeral
    counted = _HALF_OF.match(text, numeral.end) or (
        text[numeral.end : numeral.end + 1] != "-"
        and _BY_HALF.search(text, max(0, start.start() - 15), start.start())
    )
    return numeral._replace(share=True) if counted else None


@dataclass(slots=True)
class _Words:
    """Reads one number, word by word: words below a thousand are added up until a scale multiplies them."""

    text: str
    start: int
    end: int
    group: Fraction | None
    last: str = "a"
    total: Fraction = Fraction(0)
    scale: int = 10**15

    def read(self) -> Numeral:
        """The number, up to the first word that does not belong to it."""
        while word := _NEXT.match(self.text, self.end):
            key = word[2].lower()
            completed = self._complete(word[1], key)
            if completed:
                return completed._replace(end=word.end())
            if not self._add(word[1], key):
                break
            self.end, self.last = word.end(), key
        numeral = self._so_far()
        return numeral if self.total else with_scale(self.text, numeral)[-1]

    def _so_far(self) -> Numeral:
        step = Fraction(1 if self.group is not None else self.scale)
        return Numeral(self.start, self.end, self.total + (self.group or 0), step)

    def _complete(self, gap: str, key: str) -> Numeral | None:
        """The number if this word completes it, as in twenty-first, two thirds, two dozen."""
        numeral = self._so_far()
        if gap not in (" ", "-") or self.total or self.group is None:
            return None
        if self.last in _TENS and 1 <= _ORDINALS.get(key, 0) <= 9:
            return numeral._replace(value=numeral.value + _ORDINALS[key], ordinal=True)
        if key in _PARTS and 0 < numeral.value < _PARTS[key] and self.last != "a":
            return numeral._replace(value=numeral.value / _PARTS[key], step=TENTH, share=True)
        return numeral._replace(value=numeral.value * 12) if key == "dozen" else None

    def _add(self, gap: str, key: str) -> bool:
        """Add a word to the number; False if it does not belong to it."""
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


_BOUNDS: dict[Bound, str] = {
    "about": (
        r"(?:somewhere\s)?around|about|approximately|approx\.?|roughly|circa|ca?\.|some|close\sto|an?\sestimated|~|≈"
    ),
    "over": (
        r"(?:just|well)\sover|slightly\s(?:over|above)|over|(?:slightly\s)?more\sthan|above|exceeding|"
        r"greater\sthan|higher\sthan|upwards\sof|in\sexcess\sof|>"
    ),
    "under": (
        r"(?:just|slightly)\s(?:under|below|less\sthan|shy\sof)|under|less\sthan|below|fewer\sthan|lower\sthan|"
        r"nearly|almost|<"
    ),
    "at least": r"at\sleast|no\sless\sthan|not\sless\sthan|a\sminimum\sof|≥",
    "at most": r"at\smost|(?<!added )up\sto|not?\smore\sthan|a\smaximum\sof|as\s(?:much|many|high)\sas|≤",
}
_FALLS = (
    r"(?:fell|falls?|fallen|falling|dropp?(?:s|ed|ing)?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|shrank|shrunk|sank|"
    r"slid|slipped|plunged|plummeted|reduc(?:e[sd]?|ing)|down|lowered)(?:\sby)?\s|"
    r"(?:fall|drop|decline|decrease|reduction|loss|deficit|shortfall|dip|slump|cut)\sof\s"
)
_BOUND = "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in _BOUNDS.items())
# Searched in the few words before a number only, so it is fast although it is not anchored at the start.
_BEFORE = lazy_pattern(
    rf"(?:(?<![^\W_])(?P<falls>{_FALLS}))?"
    rf"(?:(?<![^\W_])(?:{_BOUND})\s?)?"
    rf"(?:(?<![^\W_])(?P<minus>minus|negative)\s|(?<![\w)%])(?<!\d\s)(?P<sign>[-−–+]))?"
    rf"(?:(?<![^\W_])(?P<currency>(?-i:{CURRENCY_BEFORE}))\s?)?(?P<inner>[-−])?\Z",
    re.IGNORECASE,
)
_WINDOW = 48
_OPPOSITE: dict[Bound, Bound] = {"over": "under", "under": "over"}
_OPPOSITE |= {"at least": "at most", "at most": "at least"}
_AFTER = lazy_pattern(
    r"[\s-](?:(?P<falls>drop|decline|decrease|reduction|fall|loss|dip|slump|lower|fewer|less|below\szero)"
    r"|or\s(?P<more>more|above|higher)|or\s(?P<fewer>less|fewer|below|lower)|or\s(?P<about>so))(?![^\W_])",
    re.IGNORECASE,
)
_LONG_NUMBERS = lazy_pattern(r"\d{4,}[-–]\d{4,}")
_RATING = lazy_pattern(r"(\d{1,3}(?:\.\d{1,2})?)/(5|10|100)")
_SCIENTIFIC = lazy_pattern(r"(\d(?:\.(\d{1,20}))?)e([+-]?\d{1,2})", re.IGNORECASE)
_FEET_AND_INCHES = lazy_pattern(r"(\d)['’](\d|1[01])")
_PLUS = lazy_pattern(r"\+(?![\d+])|-plus(?![^\W_])")
_UNIT_AND_PART = lazy_pattern(
    r"\sand\s(an?\shalf|an?\squarter|an?\sthird|three[\s-]quarters?|two[\s-]thirds)(?![^\W_])", re.IGNORECASE
)
_PARTS_OF_UNITS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}
_PARTS_OF_UNITS |= {"quarters": Fraction(3, 4), "thirds": Fraction(2, 3)}
_SIDES = lazy_pattern(r"(\d{1,5}(?:\.\d+)?)[x×](\d{1,5}(?:\.\d+)?)(?:[x×](\d{1,5}(?:\.\d+)?))?")
# Kinds of displays, not thousands.
_RESOLUTION = lazy_pattern(r"[248]K")
_SIGNS = tuple("$€£¥₹")
# The score of a game: no team has more points.
_MAX_POINTS = 250
_SCORE = lazy_pattern(r"(\d{1,3})[-–](\d{1,3})")
_SCORE_BEFORE = lazy_pattern(
    r"\b(?:won|win|wins|beat|beats|defeat\w*|lost|los[es]s?|losing|winning|victory|draw|drew|tied|score\w*|lead|led|"
    r"trail\w*|record|result)\b[^.!?]*\Z",
    re.IGNORECASE,
)
_SCORE_AFTER = lazy_pattern(
    r"\s(?:win|victory|loss|defeat|draw|lead|score|record|tie|triumph)\b", re.IGNORECASE
)
_NUMBERED = lazy_pattern(
    r"[\s-](?:minute|place|position|round|day|week|match|matchday|lap|hole|inning|set|game|season|edition|stage|floor|"
    r"chapter|episode|pick|gear|seed|spot|over|attempt|visit)(?![^\W_])",
    re.IGNORECASE,
)


class _Context(NamedTuple):
    start: int
    negative: bool
    falls: bool
    bound: Bound
    currency: str


def find_numbers(text: str, excluded: bytearray) -> Iterator[Mention]:
    """Every number in a text with its unit; codes with digits that are not numbers come as names.

    Characters marked in `excluded` (dates) are skipped.
    """
    words: Iterator[Numeral | re.Match[str]] = numerals_in_words(text)
    end = 0
    for item in merge(words, fraction_signs(text), digit_tokens(text), key=_start):
        if _start(item) < end or excluded[_start(item)]:
            continue
        mentions = _quantities(text, item, end) if isinstance(item, Numeral) else _read_token(text, item, end)
        for mention in mentions:
            end = max(end, mention.end)
            yield mention


def _start(item: Numeral | re.Match[str]) -> int:
    return item.start if isinstance(item, Numeral) else item.start()


def _read_token(text: str, token: re.Match[str], after: int) -> list[Mention]:
    """The possible meanings of a token with digits: a quantity, a rating, a code."""
    code = Mention(parse_name(token[0]), token.start(), token.end())
    rating = _RATING.fullmatch(token[0])
    if rating and Fraction(rating[1]) <= int(rating[2]):
        step = Fraction(1, 10 ** len(rating[1].partition(".")[2]))
        rated = Number(Fraction(rating[1]), rating_unit(rating[2]), step)
        return [Mention(rated, token.start(), token.end()), code]
    scientific, feet = _SCIENTIFIC.fullmatch(token[0]), _FEET_AND_INCHES.fullmatch(token[0])
    if scientific:
        power = Fraction(10) ** int(scientific[3])
        number = Number(Fraction(scientific[1]) * power, "", power / 10 ** len(scientific[2] or ""))
        return [Mention(number, token.start(), token.end())]
    if feet and text[token.end() : token.end() + 1] in ('"', "″", "”"):
        inches = Number(Fraction(int(feet[1]) * 12 + int(feet[2])), "inch")
        return [Mention(inches, token.start(), token.end() + 1)]
    several = _score(text, token, after) or _dimensions(text, token)
    if several:
        return several
    numeral = numeral_in(text, token)
    if numeral is None or (
        _RESOLUTION.fullmatch(token[0]) and text[token.start() - 1 : token.start()] not in _SIGNS
    ):
        return [code]
    quantities = _quantities(text, numeral, after)
    rest = text[numeral.end : token.end()]
    measured = [mention for mention in quantities if mention.end > numeral.end]
    complete = [mention for mention in measured if mention.end >= token.end() or _goes_on(text, mention.end)]
    if numeral.high is not None and not rest and not any(_unit(mention) for mention in quantities):
        # Without a unit 2-3 may be a range or a score; 1046-8188 is a code.
        return [code] if _LONG_NUMBERS.fullmatch(token[0]) else [*quantities, code]
    if not rest or rest in ("'s", "’s"):
        return quantities
    return (quantities if _goes_on(text, numeral.end) else complete) or [code]


def _score(text: str, token: re.Match[str], after: int) -> list[Mention]:
    """The two numbers of a score such as 4-1; 1-4 is one only beside words for games."""
    score = _SCORE.fullmatch(token[0])
    numbers = [int(score[1]), int(score[2])] if score else []
    if not score or max(numbers) > _MAX_POINTS or str(numbers[0]) != score[1] or str(numbers[1]) != score[2]:
        return []
    start, end = token.span()
    if unit_at(text, end)[0] or text[max(0, start - 1) : start] in ("-", "–", "−"):
        return []
    if numbers[0] < numbers[1] and not (
        _SCORE_BEFORE.search(text, max(after, start - _WINDOW), start) or _SCORE_AFTER.match(text, end)
    ):
        return []
    middle = start + len(score[1])
    return [
        Mention(Number(Fraction(numbers[0])), start, middle),
        Mention(Number(Fraction(numbers[1])), middle + 1, end),
    ]


def _dimensions(text: str, token: re.Match[str]) -> list[Mention]:
    """The two numbers of 1080x2340."""
    sides = _SIDES.fullmatch(token[0])
    numbers = [read_digits(side) for side in sides.groups() if side] if sides else []
    if not sides or None in numbers:
        return []
    mentions = []
    for group, number in enumerate(numbers, 1):
        assert number
        start, end = token.start() + sides.start(group), token.start() + sides.end(group)
        names, unit_end = unit_at(text, end) if group == len(numbers) else ((), end)
        mentions += [Mention(Number(number[0], name, number[1]), start, unit_end) for name in names or ("",)]
    return mentions


def _goes_on(text: str, index: int) -> bool:
    """Whether a lower-case word follows after a hyphen, as in 12-page and 5-km-long."""
    return text[index] == "-" and text[index + 1].islower()


def _unit(mention: Mention) -> str:
    return mention.value.unit if isinstance(mention.value, Number) else ""


def _quantities(text: str, numeral: Numeral, after: int) -> list[Mention]:
    """The possible meanings of a numeral with its unit; text before `after` belongs to something else."""
    if numeral.ordinal:
        rank = Mention(Number(numeral.value, "ordinal"), numeral.start, numeral.end)
        # The 8th minute is minute 8.
        numbered = _NUMBERED.match(text, numeral.end)
        return [rank, rank._replace(value=Number(numeral.value))] if numbered else [rank]
    contexts = _before(text, numeral.start, after)
    numerals = with_scale(text, numeral)
    if contexts[0].currency:
        # Money comes in millions, not in metres.
        numerals = numerals[-1:]
    mentions = []
    for before, scaled in product(contexts, numerals):
        currencies = units_named(before.currency)
        plus = _PLUS.match(text, scaled.end)
        if plus:
            before, scaled = before._replace(bound="at least"), scaled._replace(end=plus.end())
        names, end = (currencies, scaled.end) if currencies else unit_at(text, scaled.end)
        names += ("",) if any(name.startswith(HUNDREDTH) for name in names) else ()
        of_a = _OF_A.match(text, scaled.end) if scaled.share and not names else None
        if of_a and unit_at(text, of_a.end())[0]:
            names, end = unit_at(text, of_a.end())
        is_change = scaled.share and not names and before.falls
        if not is_change:
            mentions += [_mention(text, scaled, name, end, before) for name in names or ("",)]
        if scaled.share and not names:
            percent = scaled._replace(value=scaled.value * 100, step=_SHARE_STEP)
            mentions.append(_mention(text, percent, "percent", end, before))
    furthest = max(mention.end for mention in mentions)
    return [mention for mention in mentions if mention.end == furthest]


def _before(text: str, start: int, after: int) -> list[_Context]:
    """What the words before a numeral say about it."""
    match = _BEFORE.search(text, max(after, start - _WINDOW), start)
    assert match
    bound: Bound = next((name for name in _BOUNDS if match[name.replace(" ", "_")]), "")
    signs = [match["minus"], match["sign"] if match["sign"] != "+" else "", match["inner"]]
    currency = match["currency"] or ""
    context = _Context(match.start(), any(signs), bool(match["falls"]), bound, currency)
    # "Over 3 floors" may mean more than three, or just three.
    ambiguous = bound and match[bound.replace(" ", "_")].lower() in ("over", "above", "under", "below")
    return [context, context._replace(bound="")] if ambiguous else [context]


def _mention(text: str, numeral: Numeral, unit: str, end: int, before: _Context) -> Mention:
    """A numeral with its unit and the words before and after."""
    after = _AFTER.match(text, end)
    bound, falls = before.bound, before.falls
    if after:
        # Words such as "loss" give a direction only after a change: "4% less", not "20 pounds less".
        has_direction = bool(after["falls"]) and (
            unit in ("percent", "percentage point") or after["falls"][0] in "bB"
        )
        falls = falls or has_direction
        bound = "at least" if after["more"] else "at most" if after["fewer"] else bound
        bound = "about" if after["about"] else bound
        end = after.end() if has_direction or not after["falls"] else end
    if falls:
        # A fall of more than 4 is a change below -4.
        bound = _OPPOSITE.get(bound, bound)
    part = _UNIT_AND_PART.match(text, end) if unit and numeral.step == 1 and not after else None
    value, high = numeral.value, numeral.high
    if part:
        # "An hour and a quarter", "two hours and three quarters"
        value += _PARTS_OF_UNITS[re.split(r"[\s-]", part[1].lower())[-1]]
        numeral, end = numeral._replace(step=TENTH), part.end()
    if before.negative or falls:
        value, high = -value if high is None else -high, None if high is None else -value
    step = max(numeral.step, _last_place(value)) if bound else numeral.step
    return Mention(in_whole_currency(Number(value, unit, step, bound, high)), before.start, end)


def _last_place(value: Fraction) -> Fraction:
    """The place value of the last non-zero digit: 100 for 1500."""
    step = 1
    while value and value.denominator == 1 and value % (step * 10) == 0:
        step *= 10
    return Fraction(step)
