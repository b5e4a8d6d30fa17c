"""Why something is so: "because of a broken motor", against a key such as `reason` or `cause`."""

import re
from collections.abc import Sequence

from factable.metrics.ledger.derived.wording import GLUE
from factable.metrics.ledger.matching import Checked, Matcher
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.values.words import split_words
from factable.types import Span

_KEYS = frozenset(["reason", "reasons", "cause", "causes", "rationale", "trigger"])
_BECAUSE = lazy_pattern(
    r"\b(?:because of|due to|owing to|caused by|on account of|as a result of|triggered by)\s"
    r"(?P<cause>[^,.;:!?()\n]{3,60}?)(?=[,.;:!?()\n]|\s(?:and|but|while|which|that|who|so|in|on|at|after|since)\s|\Z)",
    re.IGNORECASE,
)
_MAX_WORDS = 6


def causes(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every cause of whose words the data has none, where it gives another."""
    leaves = [
        leaf
        for leaf in matcher.structure.leaves
        if leaf.kind == "value" and not _KEYS.isdisjoint(leaf.key_words)
    ]
    found: list[Checked] = []
    for sentence in sentence_spans if leaves else ():
        for match in _BECAUSE.finditer(matcher.parsed.text, *sentence):
            words = [word.folded for word in split_words(match["cause"]) if word.folded not in GLUE]
            is_known = any(beginning(word) in matcher.data_words for word in words)
            scope = matcher.scope(*match.span())
            meant = [leaf for leaf in leaves if matcher.scope_score(leaf.index, scope) >= 0.5]
            if len(meant) == 1 and not is_known and 0 < len(words) <= _MAX_WORDS:
                note = f"{meant[0].label}: {meant[0].value}"
                found.append(Checked(match.span("cause"), "contradicted", (meant[0].index,), note))
    return found
