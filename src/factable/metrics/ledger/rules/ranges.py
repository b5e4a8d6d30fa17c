"""Whether a value is within, above or below a range that the data gives: "sold within its estimate"."""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Number
from factable.text.values.units import is_money
from factable.types import Span

_LOW = frozenset(["low", "min", "minimum", "lower", "from"])
_HIGH = frozenset(["high", "max", "maximum", "upper", "to"])
# Smaller numbers without a currency may count anything.
_MIN_PRICE = 100
_SAID = lazy_pattern(
    r"\b(?:(?P<inside>within|inside)|(?P<above>above|over|beyond|higher than|more than|exceed(?:s|ed|ing)?)|"
    r"(?P<below>below|under|less than|lower than|short of))\s"
    r"(?:(?:its|the|their|his|her)\s)?(?P<what>(?:[a-z]+\s?){1,3})",
    re.IGNORECASE,
)


def ranges(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every value that is said to be within, above or below a range that is named by its key."""
    known = list(_ranges(matcher)) if matcher.is_plain else []
    found: list[Checked] = []
    for sentence in sentence_spans if known else ():
        for match in _SAID.finditer(matcher.parsed.text, *sentence):
            for name, low, high in known:
                words = match["what"].lower().split()
                if any(word.rstrip("s") in name for word in words):
                    found += _check(matcher, sentence, match, low, high)
    return found


def _check(
    matcher: Matcher, sentence: Span, match: "re.Match[str]", low: Leaf, high: Leaf
) -> Iterator[Checked]:
    ends = {low.index, high.index}
    said = [
        next(iter(leaves))
        for mention, leaves in matcher.found
        if sentence[0] <= mention.start and mention.end <= match.start()
        if isinstance(mention.value, Number) and leaves and not ends & set(leaves)
    ]
    bottom, top = matcher.index.number_of(low.index), matcher.index.number_of(high.index)
    value = matcher.index.number_of(said[-1]) if said else None
    if value is None or bottom is None or top is None or not _is_same_unit(value, bottom):
        return
    is_inside = bottom.value <= value.value <= top.value
    state = "inside" if is_inside else "above" if value.value > top.value else "below"
    if match.lastgroup and match[state] is None:
        own = matcher.structure.leaves[said[-1]]
        note = f"{own.label}: {own.value}, {low.label}: {low.value}, {high.label}: {high.value}"
        yield Checked((match.start(), match.end()), "contradicted", (own.index, *sorted(ends)), note)


def _is_same_unit(value: Number, other: Number) -> bool:
    """Whether two numbers have one unit; a price without a currency is in that of its estimate."""
    return value.unit == other.unit or (not value.unit and is_money(other.unit) and value.value > _MIN_PRICE)


def _ranges(matcher: Matcher) -> Iterator[tuple[frozenset[str], Leaf, Leaf]]:
    """Objects with a lowest and a highest value, by the words of their key."""
    objects: dict[str, list[Leaf]] = {}
    for leaf in matcher.structure.leaves:
        if leaf.kind == "value" and len(leaf.keys) > 1:
            objects.setdefault(leaf.path.rpartition(".")[0], []).append(leaf)
    for path, leaves in objects.items():
        lows = [leaf for leaf in leaves if leaf.keys[-1].lower() in _LOW]
        highs = [leaf for leaf in leaves if leaf.keys[-1].lower() in _HIGH]
        if len(lows) == len(highs) == 1:
            words = split_identifier(path.rpartition(".")[2]).lower().split()
            yield frozenset(word.rstrip("s") for word in words), lows[0], highs[0]
