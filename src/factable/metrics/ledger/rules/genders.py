"""Whether a text speaks of a woman or a man, against a key such as `sex` or `gender`."""

from collections.abc import Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.text.patterns import lazy_pattern
from factable.types import Span

_KEYS = frozenset(["sex", "gender"])
_VALUES = {"female": "female", "f": "female", "woman": "female", "male": "male", "m": "male", "man": "male"}
_WORDS = {
    "female": lazy_pattern(r"\b(?i:female|woman|girl|she|her|hers|ms|mrs)\b"),
    "male": lazy_pattern(r"\b(?i:male|man|boy|he|his|him|mr)\b"),
}


def genders(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """The first word that tells the gender of the only person in the data; no word at all tells nothing."""
    leaves = [leaf for leaf in matcher.structure.leaves if not _KEYS.isdisjoint(leaf.key_words)]
    own = _VALUES.get(leaves[0].value.strip().lower()) if len(leaves) == 1 else None
    if own is None or not sentence_spans:
        return []
    text, start = matcher.parsed.text, sentence_spans[0][0]
    said = {gender: pattern.search(text, start) for gender, pattern in _WORDS.items()}
    right = said.pop(own)
    (wrong,) = said.values()
    # Where both are spoken of, there is another person.
    if right is not None:
        return [Checked(right.span(), "supported", (leaves[0].index,), "")]
    note = f"{leaves[0].label}: {leaves[0].value}"
    return [Checked(wrong.span(), "contradicted", (leaves[0].index,), note)] if wrong else []
