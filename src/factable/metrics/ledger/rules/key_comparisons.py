"""Two values of one object compared by their keys: "stock is below the reorder point"."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Frame
from factable.text.patterns import lazy_pattern
from factable.text.values.units import unit_of
from factable.types import Span

_ABOVE = (
    r"above|over|beyond|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|"
    r"(?:higher|more|greater|larger|better) than|ahead of|(?:passe[sd]|met|reached|hit|beaten|beat)"
)
_BELOW = r"below|under|beneath|(?:lower|less|fewer|smaller) than|short of|behind|miss(?:es|ed)"
_AT = lazy_pattern(r"met|reached|hit", re.IGNORECASE)
_THAN_KEY = lazy_pattern(
    rf"\b(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW}))\s(?:(?:the|its|their|his|her|a|an)\s)?"
    r"(?P<what>[a-z][\w\s-]{2,40})",
    re.IGNORECASE,
)
_VERBS = lazy_pattern(
    r"\b(?P<word>more|less|fewer|higher|lower)\b(?P<between>(?:\s[\w-]+){0,4}?)\sthan\s(?P<rest>[\w\s-]{2,40})",
    re.IGNORECASE,
)
_NOT = lazy_pattern(r"\b(?:not|no|none|never|neither|nor|nobody)\b|n['’]t\b", re.IGNORECASE)
_ALL = lazy_pattern(r"\s*(?:all|every|each)\b", re.IGNORECASE)
_BOUNDARY = lazy_pattern(r"[;:]\s|,?\s(?:while|whereas|although|though|but)\s|\s[—–]\s")


def key_comparisons(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every comparison of two values of one object that the text makes by their keys."""
    text = matcher.parsed.text
    found: list[Checked] = []
    for sentence in sentence_spans:
        start = sentence[0]
        for boundary in [*_BOUNDARY.finditer(text, *sentence), None]:
            clause = start, boundary.start() if boundary else sentence[1]
            found += _check(matcher, clause)
            start = boundary.end() if boundary else start
    return found


def _check(matcher: Matcher, clause: Span) -> Iterator[Checked]:
    text = matcher.parsed.text
    if _NOT.search(text, *clause):
        return
    for match in _THAN_KEY.finditer(text, *clause):
        is_above = bool(match["above"])
        before, after = (clause[0], match.start()), match.span("what")
        yield from _decide(matcher, clause, match.span(), before, after, is_above)
        return
    for match in _VERBS.finditer(text, *clause):
        is_above = match["word"].lower() in ("more", "higher")
        before, after = (clause[0], match.end("between")), match.span("rest")
        yield from _decide(matcher, clause, match.span(), before, after, is_above)
        return


def _decide(
    matcher: Matcher, clause: Span, span: Span, before: Span, after: Span, is_above: bool
) -> Iterator[Checked]:
    frames = _frames(matcher, clause)
    outcomes = []
    for frame in frames:
        pairs = list(_pairs(matcher, frame, clause, before, after))
        if len(pairs) != 1:
            return
        one, other = pairs[0]
        first, second = matcher.index.number_of(one), matcher.index.number_of(other)
        assert first is not None
        assert second is not None
        said = matcher.parsed.text[slice(*span)]
        truth = first.value > second.value if is_above else first.value < second.value
        truth = truth or (first.value == second.value and bool(_AT.match(said)))
        label = matcher.structure.leaves
        note = f"{label[one].label}: {label[one].value}, {label[other].label}: {label[other].value}"
        outcomes.append((truth, (one, other), note))
    wrong = [outcome for outcome in outcomes if not outcome[0]]
    if outcomes:
        _, leaves, note = (wrong or outcomes)[0]
        yield Checked(span, "contradicted" if wrong else "supported", leaves, note)


def _frames(matcher: Matcher, clause: Span) -> list[Frame]:
    """The objects that a clause is about: those that it names, all of a kind, or the whole."""
    structure = matcher.structure
    if _ALL.match(matcher.parsed.text, *clause):
        groups = [
            frames for group, frames in structure.groups.items() if group.endswith("*]") and len(frames) > 1
        ]
        return list(groups[0]) if len(groups) == 1 else []
    scope = matcher.scope(clause[1] - 1)
    named = [structure.frames[index] for index, score in scope.items() if score >= 1]
    if len(named) == 1:
        return named
    if named:
        return []
    return [frame for frame in structure.frames if frame.parent is None and frame.path == ""]


def _pairs(
    matcher: Matcher, frame: Frame, clause: Span, before: Span, after: Span
) -> Iterator[tuple[int, int]]:
    """The value compared and the one that it is compared with."""
    amounts = [leaf for leaf in frame.leaves if matcher.index.number_of(leaf) is not None]
    others = [leaf for leaf in amounts if _is_named(matcher, leaf, after)]
    if len(others) != 1:
        return
    other = others[0]
    alike = [leaf for leaf in amounts if leaf != other and _same_kind(matcher, leaf, other)]
    cued = [leaf for leaf in alike if matcher.words_near(leaf, before) & matcher.own_words[leaf]]
    stated = [
        leaf
        for leaf in alike
        for mention, leaves in matcher.found
        if leaf in leaves and clause[0] <= mention.start and mention.end <= clause[1]
    ]
    # The low end of a range is not what is compared with its high end.
    apart = [leaf for leaf in alike if len(matcher.structure.leaves[leaf].keys) == 1]
    for leaf in cued or stated or (apart if len(alike) == 1 else []):
        yield leaf, other


def _is_named(matcher: Matcher, leaf: int, span: Span) -> bool:
    """Whether a span begins with all the words of a key, and no others: the price is no purchase price."""
    own = matcher.own_words[leaf]
    count = len(own)
    words = [word for word in matcher.parsed.words if span[0] <= word.start < span[1]][:count]
    end = words[-1].end if words else span[0]
    return bool(count) and matcher.words_near(leaf, (span[0], end)) >= own


def _same_kind(matcher: Matcher, one: int, other: int) -> bool:
    first, second = matcher.index.number_of(one), matcher.index.number_of(other)
    return (
        first is not None
        and second is not None
        and unit_of(first.unit).dimension == unit_of(second.unit).dimension
    )
