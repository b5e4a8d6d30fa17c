"""States that exclude each other: a job that failed was not completed, an open order is not closed."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.polarity import clauses, polarity_at
from factable.types import Span

# In each line what cannot be at once; states separated by a comma go together.
_STATES = """
failed, failure, error, aborted, unsuccessful | succeeded, success, successful, passed, completed
open, pending, unresolved, in progress, not started, ongoing |
  closed, resolved, solved, completed, done, finished
not started, planned, upcoming | in progress, under way, underway, started, ongoing
approved, accepted, granted, passed, adopted | rejected, denied, declined, refused, defeated, voted down
delayed, late, behind schedule | on time, punctual, punctually, early, on schedule
cancelled, canceled | confirmed, rescheduled, running, completed
active, running, online, up, operational, in service, working |
  inactive, stopped, offline, down, suspended, out of order, out of service, broken
delivered | lost, returned, in transit
sold out, unavailable, out of stock | available, in stock
paid, settled | unpaid, overdue, outstanding
healthy, ok, nominal | degraded, unhealthy, critical, faulty
renewed | cancelled, canceled, ended
increasing, rising, growing, improving | declining, decreasing, falling, shrinking, worsening |
  stable, steady, unchanged, flat
valid | expired, invalid
enabled, switched on | disabled, switched off
occupied, taken, booked | vacant, free, unoccupied
won, winner | lost, loser
"""
_KEYS = frozenset(
    ["status", "state", "result", "outcome", "condition", "trend", "decision", "verdict", "availability"]
)
# Decisions are told in the active voice as well: "the House rejected the bill".
_DECISIONS = frozenset(
    [
        "approved",
        "accepted",
        "granted",
        "passed",
        "adopted",
        "rejected",
        "denied",
        "declined",
        "refused",
        "defeated",
    ]
)
_BEING = (
    r"(?:is|are|was|were|has been|have been|had been|got|remains|stays|still|now|already|currently|"
    r"finished|ended)"
)


def _groups() -> list[tuple[frozenset[str], frozenset[str]]]:
    groups = []
    for line in re.split(r"\n(?! )", _STATES.strip()):
        sides = [frozenset(state.strip() for state in side.split(",")) for side in line.split("|")]
        groups += [(one, other) for one in sides for other in sides if one is not other]
    return groups


_GROUPS = _groups()


def status_clashes(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every state in the text that the object it speaks of cannot be in."""
    leaves = [leaf for leaf in matcher.structure.leaves if leaf.kind == "value" and is_status(leaf)]
    found: list[Checked] = []
    for sentence in sentence_spans if leaves else ():
        for leaf in leaves:
            found += _check(matcher, sentence, leaf, leaves)
    return found


def is_status(leaf: Leaf) -> bool:
    """Whether a key says in what state something is."""
    return not _KEYS.isdisjoint(leaf.key_words)


def _check(matcher: Matcher, sentence: Span, leaf: Leaf, leaves: Sequence[Leaf]) -> Iterator[Checked]:
    value = leaf.value.strip().lower().replace("_", " ").replace("-", " ")
    opposites = frozenset[str]().union(*(others for own, others in _GROUPS if value in own))
    if not opposites:
        return
    text = matcher.parsed.text
    own = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
    if len(leaves) == 1 and own.search(text, *sentence):
        # The state itself is said as well.
        return
    words = "|".join(map(re.escape, sorted(opposites, key=len, reverse=True)))
    active = "|".join(sorted(opposites & _DECISIONS)) if len(leaves) == 1 else ""
    told = rf"{_BEING}\s(?:\w+ly\s)?(?:{words})" + (rf"|(?:{active})" if active else "")
    said = re.compile(rf"\b(?:{told})(?!\w)", re.IGNORECASE)
    for match in said.finditer(text, *sentence):
        scope = matcher.scope(*match.span())
        is_meant = matcher.scope_score(leaf.index, scope) >= (0.5 if len(leaves) == 1 else 1.0)
        around = [each for each in clauses(text, sentence) if each.start <= match.start() < each.end]
        is_said = any(own.search(text, clause.start, clause.end) for clause in around)
        if is_meant and not is_said and all(polarity_at(each, match.span()) == "yes" for each in around):
            yield Checked(match.span(), "contradicted", (leaf.index,), f"{leaf.label}: {leaf.value}")
