"""Words that can stand for a key: another form, a synonym, what an abbreviation means."""

from functools import lru_cache

from factable.metrics.ledger.derived.wording import synonyms_of
from factable.structure import Leaf, label_of
from factable.text.stems import beginning
from factable.text.stems import stem as base_form
from factable.text.values.hints import hint_of
from factable.text.values.units import currency_words
from factable.text.values.words import split_words

MAX_ABBREVIATION = 4
_WEAK_WORDS = (
    "the of in a an is name value type number total per info data list item id code status date time"
)
_WEAK = frozenset(_WEAK_WORDS.split())
# Keys that number rows.
NUMBERING = frozenset(
    [
        "number",
        "no",
        "nr",
        "episode",
        "season",
        "round",
        "week",
        "day",
        "stage",
        "lap",
        "level",
        "floor",
        "lane",
        "step",
        "chapter",
        "part",
        "leg",
        "set",
        "question",
    ]
)


def is_number_key(leaf: Leaf) -> bool:
    """Whether a key says that its value numbers the rows: `number`, `no`."""
    return not NUMBERING.isdisjoint(leaf.key_words)


@lru_cache(maxsize=1 << 14)
def cue_words(keys: tuple[str, ...]) -> frozenset[str]:
    """The words of keys that can be cues, without units and periods."""
    if not any(keys):
        return frozenset()
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
    if label.isupper() and word in currency_words(label):
        return True
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
