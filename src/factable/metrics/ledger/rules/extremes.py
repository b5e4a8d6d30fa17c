"""The extreme that a text gives with its value: "the lowest count at 3.8", where 3.8 is the highest.

The value tells which column is meant, so the words need not name it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from factable.metrics.ledger.derived.asking import ONE_OF, SUPERLATIVE, SUPERLATIVES
from factable.metrics.ledger.derived.operations import show
from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

_MIN_ROWS = 3
# Words that tell by themselves which end of any column is meant.
_PLAIN = frozenset(
    ["highest", "greatest", "most", "largest", "biggest", "lowest", "least", "fewest", "smallest"]
)
# Between an extreme and its value: "the lowest mite count at 3.8", "the best score, 92".
_BEFORE_VALUE = lazy_pattern(
    r"(?:\s(?!(?:and|or|but|had|has|have)\b)[a-z-]+){0,4}?(?:\s(?:at|of|with|was|is|being)|,|:|\s\()\s?"
    r"(?:(?:just|only|about|around|nearly|almost|a|an)\s)*\Z",
    re.IGNORECASE,
)
# What limits an extreme to some of the rows, or to another time.
_LIMITED = lazy_pattern(
    r"\b(?:among|amongst|outside|except|apart|besides|excluding|other|others|remaining|since|so far|yet|"
    r"of the two|second|third|next|one of|after|before|until|in its|ever|record)\b",
    re.IGNORECASE,
)
_FOLLOWED = lazy_pattern(r",?\s(?:closely\s)?followed by\s(?:the\s)?", re.IGNORECASE)
_NEXT_NAME = 12


def extremes(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every value that is called an extreme of its column and is none, or the other one, or not the next."""
    found: list[Checked] = []
    for sentence in sentence_spans if matcher.is_plain else ():
        found += _called_extreme(matcher, sentence)
        found += _called_next(matcher, sentence)
    return found


def _called_extreme(matcher: Matcher, sentence: Span) -> Iterator[Checked]:
    text = matcher.parsed.text
    lower = text[slice(*sentence)].lower()
    if len(lower) != sentence[1] - sentence[0]:
        return
    for match in SUPERLATIVE.finditer(lower):
        start, end = sentence[0] + match.start(), sentence[0] + match.end()
        if match["ordinal"] or ONE_OF.search(lower[: match.start()]) or _LIMITED.search(lower):
            continue
        numbers = [
            (mention, leaves)
            for mention, leaves in matcher.found
            if end <= mention.start < sentence[1] and isinstance(mention.value, Number) and leaves
        ]
        if not numbers or not _BEFORE_VALUE.fullmatch(text, end, numbers[0][0].start):
            continue
        mention, leaves = numbers[0]
        column = _column_of(matcher, leaves)
        if column is None or _is_in_key(matcher, match["word"], leaves):
            continue
        values = sorted(set(column.values()))
        own = {column[leaf] for leaf in leaves}
        is_high = SUPERLATIVES[match["word"]].is_high
        ends = {values[-1] if is_high else values[0]}
        if match["word"] not in _PLAIN:
            ends = {values[0], values[-1]}
        if own.isdisjoint(ends):
            right = show(values[-1] if is_high else values[0])
            note = f"{'highest' if is_high else 'lowest'} of {len(column)}: {right}"
            yield Checked((start, mention.end), "contradicted", tuple(leaves), note)


def _is_in_key(matcher: Matcher, word: str, leaves: Collection[int]) -> bool:
    """Whether a key has the word: a minimum of 50 is the `min_stock` of its row."""
    return any(
        key == word or (key in ("min", "max") and word.startswith(key))
        for leaf in leaves
        for key in matcher.structure.leaves[leaf].key_words
    )


def _called_next(matcher: Matcher, sentence: Span) -> Iterator[Checked]:
    """The value, or the row, that is said to follow another: none may lie between."""
    text = matcher.parsed.text
    for match in _FOLLOWED.finditer(text, *sentence):
        if not SUPERLATIVE.search(text[sentence[0] : match.start()].lower()):
            continue
        before = [
            leaves
            for mention, leaves in matcher.found
            if sentence[0] <= mention.start and mention.end <= match.start()
            if isinstance(mention.value, Number) and leaves
        ]
        column = _column_of(matcher, before[-1]) if before else None
        if column is None:
            continue
        named = [
            naming
            for naming in matcher.namings
            if match.end() <= naming.start <= match.end() + _NEXT_NAME and len(naming.frames) == 1
        ]
        own = [leaf for leaf in column if named and matcher.structure.leaves[leaf].frame in named[0].frames]
        if len(own) != 1:
            continue
        first, second = column[min(before[-1])], column[own[0]]
        low, high = sorted((first, second))
        between = [value for value in column.values() if low < value < high]
        if between:
            note = f"{show(between[0])} is between {show(first)} and {show(second)}"
            yield Checked((match.end(), named[0].end), "contradicted", (own[0],), note)


def _column_of(matcher: Matcher, leaves: Collection[int]) -> dict[int, Fraction] | None:
    """The numbers of the only column of rows that values are of."""
    structure = matcher.structure
    columns = {structure.leaves[leaf].column for leaf in leaves}
    if len(columns) != 1:
        return None
    alike: Sequence[Leaf] = structure.columns[next(iter(columns))]
    if "[*]" not in next(iter(columns)):
        alike = _map_of(matcher, structure.leaves[next(iter(leaves))])
    numbers = {
        leaf.index: number.value
        for leaf in alike
        if (number := matcher.index.number_of(leaf.index)) is not None
    }
    # Of payments in and out, the largest is the one of its sign.
    is_mixed = min(numbers.values(), default=0) < 0 < max(numbers.values(), default=0)
    is_known = len(set(numbers.values())) >= _MIN_ROWS and numbers.keys() >= set(leaves)
    return numbers if is_known and not is_mixed else None


def _map_of(matcher: Matcher, leaf: Leaf) -> list[Leaf]:
    """The values of an object that has nothing but numbers of one unit: amounts by purpose."""
    parent = leaf.path.rpartition(".")[0]
    leaves = [
        matcher.structure.leaves[index]
        for index in matcher.structure.frames[leaf.frame].leaves
        if matcher.structure.leaves[index].path.rpartition(".")[0] == parent
    ]
    numbers = [matcher.index.number_of(each.index) for each in leaves]
    units = {number.unit for number in numbers if number is not None}
    return leaves if parent and None not in numbers and len(units) == 1 else []
