"""Words without their endings, in three degrees: plurals only, plurals and verbs, beginnings."""

from functools import lru_cache

from factable.text.values.words import fold

_IRREGULAR_FORMS = """
sale: sold sell selling
win: won winning winner
loss: lost losses losing lose
draw: drew drawn
person: people
man: men
woman: women
child: children
country: countries
city: cities
death: died dead
build: built
begin: began begun
lead: led
hold: held
make: made
score: scored scoring
match: matches
temperature: temp
precipitation: precip
preparation: prep
possession: poss
spend: spent
grow: grew grown
pulse: bpm
lie: lies
leave: left
average: avg
point: pts
maximum: max
minimum: min
year: yrs
enrollment: enrolment enrolled
color: colour colours colors
quantity: qty
population: pop
percent: pct
distance: dist
"""
_IRREGULAR = {
    form: word
    for word, _, forms in (line.partition(": ") for line in _IRREGULAR_FORMS.strip().splitlines())
    for form in forms.split()
} | {"series": "series", "species": "species"}
_ENDINGS = (
    ("arves", "arf"),
    ("elves", "elf"),
    ("nives", "nife"),
    ("oaves", "oaf"),
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("zes", "z"),
)
_BEGINNING = 5


def singular(word: str) -> str:
    """A folded word without its plural ending; verbs keep their forms."""
    lower = fold(word)
    if len(lower) > 4 and lower.endswith("ies"):
        return lower[:-3] + "y"
    if lower.endswith(("arves", "elves", "oaves")):
        return lower[:-3] + "f"
    if len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        return lower[:-1]
    return lower


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A folded word without plural and verb endings, which tells apart most words: sold is sale."""
    word = fold(word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + instead
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 3:
            return base[:-1] if base[-1] == base[-2] and base[-1] not in "sl" else base
    return word


def beginning(word: str) -> str:
    """The beginning of a word, which its forms share, and some other words, too."""
    return word[:_BEGINNING]
