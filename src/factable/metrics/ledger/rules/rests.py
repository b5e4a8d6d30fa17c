"""What is left after "118 of the 132 seats are booked": 14, if the sentence tells it."""

from collections.abc import Sequence

from factable.metrics.ledger.computing.remainders import LEFT
from factable.metrics.ledger.derived.operations import agrees, show
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.verdict import ClaimState
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

_OF = lazy_pattern(r"\s(?:out\s)?of\s(?:(?:the|its|their|all)\s)?(?:[a-z]+\s)?")
# How far from a number the word stands that asks for what is left.
_NEAR = 25


def rests(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every number beside a word for what is left, in a sentence that has said "19 of 22" before."""
    text = matcher.parsed.text
    found = []
    for start, end in sentence_spans:
        numbers = [
            (mention, leaves)
            for mention, leaves in matcher.found
            if start <= mention.start < end and isinstance(mention.value, Number)
        ]
        for (part, of_part), (whole, of_whole), *others in (numbers[at:] for at in range(len(numbers) - 2)):
            is_pair = of_part and of_whole and _OF.fullmatch(text, part.end, whole.start)
            if not is_pair or not isinstance(part.value, Number) or not isinstance(whole.value, Number):
                continue
            rest, leaves = others[0]
            if not isinstance(rest.value, Number) or rest.value.unit not in ("", whole.value.unit) or leaves:
                continue
            gap = whole.value.value - part.value.value
            is_asked = LEFT.search(text, rest.end, min(end, rest.end + _NEAR))
            truth = agrees(rest.value, gap) if is_asked and gap >= 0 else None
            if truth is not None:
                note = f"{show(whole.value.value)} − {show(part.value.value)} = {show(gap)}"
                state: ClaimState = "supported" if truth else "contradicted"
                found.append(Checked((rest.start, rest.end), state, (), note))
    return found
