"""What a text says there is none of, where the data counts it: "without a loss", "no replies"."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.verdict import ClaimState
from factable.text.patterns import lazy_pattern
from factable.types import Span

_NONE_OF = lazy_pattern(
    r"\b(?:(?:nobody|no one|none)\s(?:was|were|is|are|got|has been|have been)|no|zero|"
    r"without(?:\s(?:a|any|a\ssingle))?)\s"
    r"(?P<what>(?:(?!(?:and|or|in|on|at|for|but|to|with)\b)[a-z-]+(?:\s(?=[a-z])|\b)){1,3})",
    re.IGNORECASE,
)
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
# "Two of them critical"
_SOME_OF = lazy_pattern(
    rf"\b(?P<count>none|\d{{1,3}}|{_NUMBERS.replace(' ', '|')})\sof\s(?:them|which|these|those)\s"
    r"(?:(?:is|are|was|were|being|been|have been|has been)\s)?(?P<what>[a-z-]+)\b",
    re.IGNORECASE,
)
# "No more than", "no fewer losses", "no other".
_COMPARED = lazy_pattern(
    r"(?:more|less|fewer|other|longer|further|later|one|such|matter|doubt|the|its|their|this|that)\b",
    re.IGNORECASE,
)


def absences(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every "no X" where X is a key with a number, of the object that the sentence speaks of."""
    counts = [
        leaf.index
        for leaf in matcher.structure.leaves
        if leaf.kind == "value" and leaf.value.strip().isdecimal() and matcher.labels[leaf.index]
    ]
    found: list[Checked] = []
    for sentence in sentence_spans if counts else ():
        for match in _SOME_OF.finditer(matcher.parsed.text, *sentence):
            found += _check_some(matcher, match, counts)
        for match in _NONE_OF.finditer(matcher.parsed.text, *sentence):
            if not _COMPARED.match(match["what"]):
                found += _check(matcher, match.span(), match.span("what"), counts)
    return found


def _check_some(matcher: Matcher, match: "re.Match[str]", counts: Sequence[int]) -> Iterator[Checked]:
    """A number of them that are something, against the number that the data has for it."""
    scope = matcher.scope(*match.span())
    named = [
        matcher.structure.leaves[leaf]
        for leaf in counts
        if matcher.scope_score(leaf, scope) >= 0.5
        and matcher.words_near(leaf, match.span("what")) >= matcher.own_words[leaf] != frozenset()
    ]
    numbers = {word: number for number, word in enumerate(_NUMBERS.split(), 1)}
    said = match["count"].lower()
    count = 0 if said == "none" else numbers.get(said) or int(said)
    if len(named) == 1 and int(named[0].value) != count:
        note = f"{named[0].label}: {named[0].value}"
        yield Checked(match.span(), "contradicted", (named[0].index,), note)


def _check(matcher: Matcher, span: Span, what: Span, counts: Sequence[int]) -> Iterator[Checked]:
    scope = matcher.scope(span[0], span[1])
    named = [
        leaf
        for leaf in counts
        if matcher.scope_score(leaf, scope) >= 0.5
        and matcher.words_near(leaf, what) >= matcher.own_words[leaf] != frozenset()
    ]
    if len(named) != 1:
        return
    leaf = matcher.structure.leaves[named[0]]
    state: ClaimState = "contradicted" if int(leaf.value) else "supported"
    yield Checked(span, state, (leaf.index,), f"{leaf.label}: {leaf.value}")
