"""Early, late or on time: what a text says, against a planned and an actual moment."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.computing.durations import Moment, moments_of
from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.polarity import clauses, polarity_at
from factable.types import Span

_PLANNED_WORDS = "planned scheduled expected estimated target due original deadline plan schedule baseline"
_ACTUAL_WORDS = """
actual forecast revised delivered completed finished arrived new current updated real projected now
"""
_PLANNED, _ACTUAL = frozenset(_PLANNED_WORDS.split()), frozenset(_ACTUAL_WORDS.split())
_SAID = lazy_pattern(
    r"\b(?:(?P<late>behind schedule|behind time|running late|overdue|"
    r"later than (?:planned|scheduled|expected)|"
    r"miss(?:ed|es) (?:the|its) deadline|past (?:the|its) deadline|after (?:the|its) deadline)|"
    r"(?P<early>ahead of (?:schedule|time|plan)|earlier than (?:planned|scheduled|expected)|"
    r"before (?:the|its) deadline)|"
    r"(?P<punctual>on time|on schedule|to schedule|punctual(?:ly)?|as (?:planned|scheduled)))\b",
    re.IGNORECASE,
)
# Moments of the day this near to each other are on time.
_PUNCTUAL_SECONDS = 15 * 60


def schedules(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every "ahead of schedule", "late" or "on time" of what the data gives two moments for."""
    if not any(_SAID.search(matcher.parsed.text, *sentence) for sentence in sentence_spans):
        return []
    moments = moments_of(matcher)
    pairs = [
        (planned, actual)
        for planned in matcher.structure.leaves
        if planned.index in moments and planned.key_words & _PLANNED
        for actual in matcher.structure.leaves
        if actual.index in moments and actual.key_words & _ACTUAL and _are_alike(planned, actual)
        if moments[planned.index].kind == moments[actual.index].kind
    ]
    found: list[Checked] = []
    for sentence in sentence_spans:
        for match in _SAID.finditer(matcher.parsed.text, *sentence):
            found += _check(matcher, sentence, match, pairs, moments)
    return found


def _check(
    matcher: Matcher,
    sentence: Span,
    match: "re.Match[str]",
    pairs: Sequence[tuple[Leaf, Leaf]],
    moments: dict[int, Moment],
) -> Iterator[Checked]:
    scope = matcher.scope(*match.span())
    meant = [pair for pair in pairs if matcher.scope_score(pair[0].index, scope) >= 0.5]
    truths = {_truth(moments[planned.index], moments[actual.index]) for planned, actual in meant}
    around = [
        each for each in clauses(matcher.parsed.text, sentence) if each.start <= match.start() < each.end
    ]
    if len(truths) != 1 or any(polarity_at(clause, match.span()) != "yes" for clause in around):
        return
    (truth,) = truths
    planned, actual = meant[0]
    note = f"{planned.label}: {planned.value}, {actual.label}: {actual.value}"
    state = "supported" if match.lastgroup == truth else "contradicted"
    yield Checked(match.span(), state, (planned.index, actual.index), note)  # type: ignore[arg-type]


def _truth(planned: Moment, actual: Moment) -> str:
    gap = actual.seconds - planned.seconds
    if abs(gap) < (1 if planned.kind == "day" else _PUNCTUAL_SECONDS):
        return "punctual"
    return "late" if gap > 0 else "early"


def _are_alike(planned: Leaf, actual: Leaf) -> bool:
    """Whether two moments are of one object, and of the same event as far as their keys say."""
    if planned.frame != actual.frame or planned.index == actual.index:
        return False
    rest = {"date", "time", "at", "on", "day"}
    first, second = planned.key_words - _PLANNED - rest, actual.key_words - _ACTUAL - rest
    return not first or not second or bool(first & second)
