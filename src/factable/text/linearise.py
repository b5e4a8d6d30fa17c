"""Data as one line in the form of Data-QuestEval: `entity [ Ada ] , born [ 1815 ] , …`."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from factable.text.questions import LinearData, Position
from factable.types import Record

BETWEEN_FACTS = " , "
_OUTER_QUOTES = re.compile(r'\A"|"\Z')
_IN_BRACKETS = re.compile(r"\(.*\)")
_BEFORE_WORD = re.compile(r"[(\[{<\"'“‘$£€¥#,;:!?*…]")
_AFTER_WORD = re.compile(
    r"(?:['’][sS]|[)\]}>\"'”’,;:!?%*…]|(?<=[0-9a-z)\]\"'])\.|(?<=[A-Z][A-Z])\.)\Z",
)
_INSIDE_WORD = re.compile(
    r"((?<=[0-9])[-+*^](?=[0-9-])"
    r"|(?<=[a-z])\.(?=[A-Z])"
    r"|(?<=[^\W\d_])(?:[,–—~]|-{1,3})(?=[^\W\d_])"
    r"|(?<=[^\W_])[:<>=/](?=[^\W\d_]))"
)
# Their full stop belongs to them.
_WITH_STOP = """
st. mr. mrs. ms. dr. jr. sr. inc. ltd. co. corp. bros. gen. gov. rep. sen. prof. rev. mt. no. vs. e.g. i.e.
etc. a.m. p.m. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.
"""
_SHORTENED = frozenset(_WITH_STOP.split())


def linearise_by_entity(facts: Mapping[int, Record]) -> LinearData:
    """Facts as one line, those of a subject together, in the order of subjects; facts without one first."""
    groups: dict[str, list[tuple[int, str, str]]] = {"": []}
    for index, record in facts.items():
        fact = index, _attribute(record.attribute), space_out(record.value)
        groups.setdefault(space_out(record.subject), []).append(fact)
    text = ""
    indices: list[Position] = []
    for subject, group in groups.items():
        # A subject stands for the first of its facts.
        head = [("entity", subject, group[0][0], False)] if subject else []
        for name, value, index, is_value in [*head, *((name, value, at, True) for at, name, value in group)]:
            text += f"{BETWEEN_FACTS if text else ''}{name} [ "
            indices.append(Position(len(text), len(text) + len(value), index, is_value))
            text += f"{value} ]"
    return LinearData(text, tuple(indices))


def _attribute(name: str) -> str:
    """Accents, quotes and what is in brackets left out, spaces as underscores."""
    plain = _OUTER_QUOTES.sub("", _without_accents(name.strip()))
    return _IN_BRACKETS.sub("", "_".join(plain.split()))


def space_out(value: str) -> str:
    """A subject or value without accents, quotes and underscores, with spaces between words and marks."""
    plain = _OUTER_QUOTES.sub("", _without_accents(value.strip())).replace("_", " ")
    return " ".join(token for word in plain.split() for token in _tokens(word))


def _tokens(word: str) -> Iterator[str]:
    """A word with the marks before, inside and after it apart."""
    after: list[str] = []
    while len(word) > 1 and _BEFORE_WORD.match(word):
        yield word[0]
        word = word[1:]
    while word.lower() not in _SHORTENED:
        mark = _AFTER_WORD.search(word)
        if not mark or not mark.start():
            break
        after.insert(0, mark[0])
        word = word[: mark.start()]
    yield from filter(None, _INSIDE_WORD.split(word))
    yield from after


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(char for char in apart if not unicodedata.combining(char))
