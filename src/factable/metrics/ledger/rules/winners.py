"""Who won: the one that the data calls the winner is not beaten."""

import re
from collections.abc import Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.text.patterns import lazy_pattern
from factable.text.values import Name
from factable.types import Span

_KEYS = frozenset(["winner", "champion", "victor"])
_BEATS = lazy_pattern(
    r"\b(?:beat|beats|beating|defeat(?:s|ed|ing)?|over(?:came|comes?|powered)|won against|edged(?: out)?|"
    r"(?:wins?|victory|triumph|success) (?:over|against)|knocked out|saw off|"
    r"eliminat(?:ed|es|ing)|outplayed|thrashed)\s"
    r"(?:the\s)?(?:[a-z]+\s){0,3}\Z"
)
_LOSES = lazy_pattern(
    r"\s(?:(?:has|have|had|was|were)\s)?(?:lost (?:to|against|out)|loses|beaten by|defeated by|fell to)\b",
    re.IGNORECASE,
)
_LONGEST = 45


def winners(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every place where the only winner of the data is said to lose."""
    leaves = [
        leaf
        for leaf in matcher.structure.leaves
        if leaf.kind == "value" and not _KEYS.isdisjoint(leaf.key_words)
    ]
    if len(leaves) != 1:
        return []
    found = []
    text = matcher.parsed.text
    sentences = Spans(sentence_spans)
    for mention, stated in matcher.found:
        inside = sentences.contain((mention.start, mention.start + 1))
        if not inside or leaves[0].index not in stated or not isinstance(mention.value, Name):
            continue
        before = text[max(0, mention.start - _LONGEST) : mention.start]
        if _BEATS.search(before) or _LOSES.match(text, mention.end):
            note = f"{leaves[0].label}: {leaves[0].value}"
            found.append(Checked((mention.start, mention.end), "contradicted", (leaves[0].index,), note))
    return found
