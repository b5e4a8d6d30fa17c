"""Names in a sentence that a small record does not have at all: "from Oslo to Rotterdam" beside Amsterdam."""

from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.naming import squeezed
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.values import Name
from factable.text.values.dates import MONTHS, WEEKDAYS
from factable.types import Span

# A name is capitalised where no sentence, quotation, heading or list begins.
_INSIDE = lazy_pattern(r"[\w,)%€$£][”\"’']?\s(?:[(“\"‘]?)\Z")
_PLAIN_NAME = lazy_pattern(r"[A-Z][^\W\d_]*[a-z][^\W\d_]*(?:[ -][A-Z][^\W\d_]+)*")
_COMMON = """
I Mr Mrs Ms Dr Prof English Internet Web Christmas Easter Earth Sun Moon Wi-Fi Celsius Fahrenheit Kelvin
Bluetooth Markdown Euro Euros Dollar Dollars Pound Pounds Google Windows Linux Android God Mum Mom Dad Eve
"""
_NO_STRANGERS = frozenset((*_COMMON.split(), *MONTHS, *WEEKDAYS))


def strangers(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every name inside a sentence of which no word is in the data."""
    found = [each for each in _half_known(matcher) if any(s <= each.span[0] < e for s, e in sentence_spans)]
    known = squeezed("".join(leaf.value + " ".join(leaf.keys) for leaf in matcher.structure.leaves))
    return found + [
        Checked((mention.start, mention.end), "unsupported", (), "the data does not have this name")
        for mention, leaves in matcher.found
        if isinstance(mention.value, Name)
        and not leaves
        and any(start < mention.start < end for start, end in sentence_spans)
        and _is_stranger(matcher, (mention.start, mention.end), known)
    ]


def _half_known(matcher: Matcher) -> Iterator[Checked]:
    """Names that have the first word of one in the data, and another last: Selma Demir beside Selma Kaya."""
    names: dict[str, Leaf] = {}
    for leaf in matcher.structure.leaves:
        words = leaf.value.split()
        if leaf.kind == "value" and len(words) == 2 and _PLAIN_NAME.fullmatch(leaf.value):
            names.setdefault(words[0], leaf)
    for mention, leaves in matcher.found:
        name = matcher.parsed.text[mention.start : mention.end]
        first, _, last = name.partition(" ")
        is_other = first in names and " " not in last and beginning(last.lower()) not in matcher.data_words
        if isinstance(mention.value, Name) and not leaves and is_other and _PLAIN_NAME.fullmatch(name):
            leaf = names[first]
            note = f"{leaf.label}: {leaf.value}"
            yield Checked((mention.start, mention.end), "contradicted", (leaf.index,), note)


def _is_stranger(matcher: Matcher, span: Span, known: str) -> bool:
    text = matcher.parsed.text
    name = text[slice(*span)]
    if not _PLAIN_NAME.fullmatch(name) or not _INSIDE.search(text[max(0, span[0] - 6) : span[0]]):
        return False
    words = [word for word in matcher.parsed.words if span[0] <= word.start < span[1]]
    return name not in _NO_STRANGERS and not any(
        text[word.start : word.end] in _NO_STRANGERS
        or beginning(word.folded) in matcher.data_words
        or squeezed(word.folded) in known
        for word in words
    )
