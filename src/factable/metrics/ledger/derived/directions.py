"""The direction between two values that a sentence gives itself: rose from 96 to 90."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.derived.arithmetic import numbers_of, values_of
from factable.metrics.ledger.derived.clauses import Derived
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.derived.trends import TREND
from factable.structure import Structure
from factable.text.patterns import lazy_pattern
from factable.text.values import Mention, Number
from factable.types import Span

_FROM = lazy_pattern(
    r"\bfrom\s(?:about\s|around\s|a\s|an\s|its\s|the\s)?(?:(?:previous|earlier|original|former|initial)\s)?"
    r"(?:(?:value|level|price|figure|low|high)\sof\s)?\Z"
)
_TO = lazy_pattern(
    r"\bto\s(?:about\s|around\s|a\s|an\s|now\s|just\s)?(?:(?:low|high|value|level|price)\sof\s)?\Z"
)
_BEFORE = lazy_pattern(r"\b(?:originally|initially|previously|formerly|at first)\b[^.;,]{0,30}\Z")
# How far the values may be from the word of the direction.
_NEAR = 90


def check_directions(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """Every rise or fall whose first and last value stand in the same sentence, and in the data."""
    lower = text[slice(*sentence)].lower()
    numbers = numbers_of(mentions)
    if len(numbers) < 2 or len(lower) != sentence[1] - sentence[0]:
        return
    values = values_of(structure)
    for match in TREND.finditer(lower):
        if not (match["up"] or match["down"]) or text[sentence[0] + match.start()].isupper():
            continue
        start = sentence[0] + match.end()
        first = _said(text, sentence, numbers, (_FROM, _BEFORE), start)
        last = _said(text, sentence, numbers, (_TO,), start)
        if first is None or last is None or first.unit != last.unit or first.value == last.value:
            continue
        if first.value not in values or last.value not in values:
            continue
        is_right = (last.value > first.value) == bool(match["up"])
        span = sentence[0] + match.start(), start
        told = f"{show(first.value)} to {show(last.value)}"
        leaves = values[first.value], values[last.value]
        state = "supported" if is_right else "contradicted"
        yield Derived(span, state, told, leaves, "", None, "direction")  # type: ignore[arg-type]
        return


def _said(
    text: str, sentence: Span, numbers: dict[Span, Number], patterns: Sequence["re.Pattern[str]"], word: int
) -> Number | None:
    """The one number that stands after words such as "from" or "to", near the word of the direction."""
    found = []
    for (start, _), number in numbers.items():
        before = text[sentence[0] : start].lower()
        for pattern in patterns:
            is_near = pattern is _BEFORE or 0 <= start - word <= _NEAR
            if is_near and not number.bound and pattern.search(before):
                found.append(number)
                break
    return found[0] if len(found) == 1 else None
