"""How many of a thing there are: the number before the name of a row with a quantity, "two desk lamps"."""

from bisect import bisect_left
from collections.abc import Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Frame
from factable.text.patterns import lazy_pattern
from factable.text.values import Number, Relation, compare_values
from factable.types import Span

_QUANTITY = frozenset(["qty", "quantity", "count", "units", "pieces", "copies"])
# Between a number and the name: "two new desk lamps", "three units of the desk lamp".
_BETWEEN = lazy_pattern(r"\s?[x×]?\s(?:(?:units|pieces|copies|boxes|packs)\sof\s(?:the\s)?|[a-z]+\s)?")


def quantities(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every number right before the name of a row, against the quantity of that row."""
    counted = {frame.index: leaf for frame in matcher.structure.frames for leaf in _quantity(matcher, frame)}
    numbers = [mention for mention, _ in matcher.found if isinstance(mention.value, Number)]
    starts = [mention.start for mention in numbers]
    found: dict[Span, Checked] = {}
    for naming in matcher.namings if counted else ():
        before = bisect_left(starts, naming.start) - 1
        if before < 0 or not naming.frames <= counted.keys():
            continue
        number = numbers[before]
        assert isinstance(number.value, Number)
        is_count = not number.value.unit and number.value.value.denominator == 1
        if not is_count or not _BETWEEN.fullmatch(matcher.parsed.text, number.end, naming.start):
            continue
        leaves = [counted[frame] for frame in sorted(naming.frames)]
        relations = {
            compare_values(value, number.value) for leaf in leaves for value in matcher.index.readings[leaf]
        }
        is_right = not relations <= {Relation.DIFFERENT}
        state: ClaimState = "supported" if is_right else "contradicted"
        leaf = matcher.structure.leaves[leaves[0]]
        span = number.start, number.end
        found.setdefault(span, Checked(span, state, (leaf.index,), f"{leaf.label}: {leaf.value}"))
    sentences = Spans(sentence_spans)
    return [one for one in found.values() if sentences.contain((one.span[0], one.span[0] + 1))]


def _quantity(matcher: Matcher, frame: Frame) -> list[int]:
    """The only leaf of a frame that counts it."""
    leaves = [matcher.structure.leaves[index] for index in frame.leaves]
    counts = [
        leaf.index
        for leaf in leaves
        if leaf.value.strip().isdecimal() and not _QUANTITY.isdisjoint(leaf.key_words)
    ]
    return counts if len(counts) == 1 and frame.parent is not None else []
