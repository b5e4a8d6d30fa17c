"""Words that ask for an operation: superlatives and comparatives, and the columns that they name."""

from typing import NamedTuple

from factable.metrics.ledger.derived.columns import Column
from factable.text.patterns import lazy_pattern
from factable.text.stems import stem
from factable.text.values.units import unit_of

# Comparative, superlative, whether it is the upper end, and the columns that the word names by itself.
# After "-": columns of which it is the other end (the oldest has the lowest year and the highest age).
_DEGREES = """
higher   | highest   | high |
greater  | greatest  | high |
more     | most      | high |
larger   | largest   | high | area size population
bigger   | biggest   | high | area size population
lower    | lowest    | low  |
less     | least     | low  |
fewer    | fewest    | low  |
smaller  | smallest  | low  | area size population
longer   | longest   | high | length distance duration time runtime
shorter  | shortest  | low  | length distance duration time runtime height
taller   | tallest   | high | height
deeper   | deepest   | high | depth
wider    | widest    | high | width
older    | oldest    | high | age - founded established born birth built opened year date created
younger  | youngest  | low  | age - born birth founded established built opened year date
newer    | newest    | low  | age - founded established built opened year date created released
later    | latest    | high | DATE
earlier  | earliest  | low  | DATE
heavier  | heaviest  | high | weight mass
lighter  | lightest  | low  | weight mass
faster   | fastest   | high | speed - time duration result
slower   | slowest   | low  | speed - time duration result
cheaper  | cheapest  | low  | price cost fee
costlier | costliest | high | price cost fee
pricier  | priciest  | high | price cost fee
warmer   | warmest   | high | temperature
hotter   | hottest   | high | temperature
colder   | coldest   | low  | temperature
cooler   | coolest   | low  | temperature
windier  | windiest  | high | wind gust
wetter   | wettest   | high | rain precipitation rainfall
drier    | driest    | low  | rain precipitation rainfall
calmer   | calmest   | low  | wind gust
busier   | busiest   | high | visitor passenger attendance traffic admission guest
steeper  | steepest  | high | slope gradient ascent
stronger | strongest | high | magnitude wind power strength mark score output sale revenue growth
weaker   | weakest   | low  | magnitude wind power strength mark score output sale revenue growth
better   | best      | high | mark score rating point grade
worse    | worst     | low  | mark score rating point grade
richer   | richest   | high | wealth income gdp worth
more expensive | most expensive | high | price cost fee
less expensive | least expensive | low | price cost fee
more populous  | most populous  | high | population
less populous  | least populous | low | population
faster-growing | fastest-growing | high | growth
slower-growing | slowest-growing | low | growth
more recent    | most recent    | high | DATE
"""


# Columns that a unit alone tells: what is in °C is a temperature.
_MEASURES = {"temperature": "temperature", "money": "price", "mass": "weight", "time": "duration"}


class Degree(NamedTuple):
    """A comparative or superlative: its end of the scale, and the columns that it names by itself."""

    is_high: bool
    columns: frozenset[str]
    reversed_columns: frozenset[str]

    def direction(self, column: Column) -> bool | None:
        """Whether the word means high values of this column; None if the word does not name it."""
        if column.words & self.columns or (
            "date" in self.columns and column.kind == "date" and not self.reversed_columns
        ):
            return self.is_high
        # A key may be just a unit: `minutes`.
        units = [column.unit] if column.unit else column.words
        if any(map(self.is_measured_in, units)):
            return self.is_high
        if column.words & self.reversed_columns:
            return not self.is_high
        return None

    def is_measured_in(self, unit: str) -> bool:
        """Whether the word is said of amounts in a unit: the most expensive, of money."""
        return bool(unit) and _MEASURES.get(unit_of(unit).dimension) in self.columns

    @property
    def is_of_size(self) -> bool:
        """Whether the word is "large" or "small", said of amounts of any kind."""
        return "size" in self.columns

    @property
    def names_columns(self) -> bool:
        """Whether the word itself says which attribute is compared."""
        return bool(self.columns or self.reversed_columns)


def _degrees() -> tuple[dict[str, Degree], dict[str, Degree]]:
    comparatives, superlatives = {}, {}
    for line in _DEGREES.strip().splitlines():
        comparative, superlative, end, columns = (part.strip() for part in line.split("|"))
        straight, _, against = columns.partition("-")
        degree = Degree(
            end == "high",
            frozenset(stem(word) for word in straight.split()),
            frozenset(stem(word) for word in against.split()),
        )
        comparatives[comparative], superlatives[superlative] = degree, degree
    return comparatives, superlatives


COMPARATIVES, SUPERLATIVES = _degrees()
SUPERLATIVES |= {"maximum": SUPERLATIVES["highest"], "minimum": SUPERLATIVES["lowest"]}
SUPERLATIVES |= {"peak": SUPERLATIVES["highest"]}


def _any_of(words: dict[str, Degree]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_ORDINALS = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
ORDINAL = rf"(?P<ordinal>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
SUPERLATIVE = lazy_pattern(
    rf"(?<![\w-])(?:{ORDINAL}[\s-])?(?<!at )(?P<word>{_any_of(SUPERLATIVES)})(?![\w-])"
    r"(?<!most(?=\sof\b|\slikely\b))"
)
COMPARATIVE = lazy_pattern(rf"(?<![\w-])(?<!no )(?<!not )(?P<word>{_any_of(COMPARATIVES)})(?![\w-])")
TOP = lazy_pattern(
    r"\b(?:top|first|best)[\s-](?P<number>\d{1,3}|three|four|five|six|seven|eight|nine|ten|twenty)\b"
)
ONE_OF = lazy_pattern(r"\b(?:one of|among) the\s\Z")
NOT = lazy_pattern(r"\b(?:not|no|never|neither|nor|without|n't)\b|n['’]t\b")


_OPERATIONS = """
none still last
steadily steady continuously consistently constantly rose risen rise rising increase increased increasing
grew grow grown growth growing climbed fell fall fallen falling decline declined decrease decreased drop
dropped reduced doubled tripled halved twice half double triple times peak peaked range ranging ranged vary
varying varied exceed exceeding sole single percent percentage share account accounting proportion ratio
difference gap margin lead leading ahead behind tie tied combined respectively higher year month day date
old young new long short tall cheap expensive fast slow early late recent least
"""
#: Words of operations, which are understood wherever they stand.
OPERATION_WORDS = frozenset(stem(word) for word in _OPERATIONS.split()) | frozenset(
    stem(word) for degree in (COMPARATIVES, SUPERLATIVES) for words in degree for word in words.split()
)


def ordinal_of(word: str | None) -> int:
    """The rank that a word means; 1 without one."""
    if not word:
        return 1
    return _ORDINALS.index(word) + 2 if word in _ORDINALS else int(word[:-2])
