"""A number that two other numbers of its sentence give: their sum, difference, ratio or change in percent."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.clauses import Derived
from factable.metrics.ledger.derived.columns import read_cell, rows_of
from factable.metrics.ledger.derived.operations import agrees, show
from factable.structure import Structure
from factable.text.patterns import lazy_pattern
from factable.text.values import Date, Mention, Number
from factable.types import Span

_TERM = lazy_pattern(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SUM = lazy_pattern(
    rf"(?<![\w.,]){_TERM.pattern}(?:\s\+\s{_TERM.pattern})+\s=\s(?P<sum>{_TERM.pattern})(?![\w%]|[.,]\d)"
)
_CHANGE = lazy_pattern(
    r"\b(?:increase\w*|decrease\w*|growth|grew|rose|risen|fell|drop\w*|gain\w*|up|down|declin\w+|cut|reduc\w+|rise)\b"
)
_PLUS = lazy_pattern(r"\bplus\b.*\b(?:total|altogether|in all|together)\b")
_SHARE = lazy_pattern(r"\sof\s(?:the|its|their|all)\b")
_MAKES_UP = lazy_pattern(r"\b(?:makes? up|made up|accounts? for|accounted for|represents?|is|are|was|were)\b")
_MAX_NUMBERS = 8
# Small numbers are sums and differences of others too often.
_MIN_VALUE = 10
# Among many values, two that give a third by chance are easily found.
_MANY_VALUES = 60
_ASKS = lazy_pattern(
    r"\b(?:difference|gap|margin|more|less|fewer|higher|lower|larger|smaller|total\w*|sum|combined|together|by|"
    r"increase\w*|decrease\w*|growth|grew|rose|fell|drop\w*|gain\w*|change\w*|remain\w*|left|plus|minus)\b"
)
_VALUES: "WeakKeyDictionary[Structure, dict[Fraction, int]]" = WeakKeyDictionary()


def check_written_sums(text: str, sentence: Span) -> Iterator[Derived]:
    """Sums that are written out: 12 + 30 + 9 = 51."""
    for match in _SUM.finditer(text, *sentence):
        *terms, said = [Fraction(number.replace(",", "")) for number in _TERM.findall(match[0])]
        value = sum(terms, Fraction(0))
        span = match.start("sum"), match.end("sum")
        told = f"{' + '.join(map(show, terms))} = {show(value)}"
        if value == said:
            yield Derived(match.span(), "supported", told, (), "", span, "arithmetic")
        else:
            yield Derived(match.span(), "contradicted", told, (), show(value), span, "arithmetic")


def check_stated_change(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """A change in percent, or a total, beside the two numbers that it is of: wrong if they do not give it."""
    words = text[slice(*sentence)].lower()
    numbers = numbers_of(mentions)
    percents = [(span, number) for span, number in numbers.items() if number.unit == "percent"]
    amounts = [(span, number) for span, number in numbers.items() if number.unit != "percent"]
    values = values_of(structure)
    if len(percents) == 1 and len(amounts) == 2 and _CHANGE.search(words):
        span, number = percents[0]
        first, second = (amount.value for _, amount in amounts)
        same_unit = amounts[0][1].unit == amounts[1][1].unit != ""
        # A percentage that the data has is no change: "at a margin of 21.6 %".
        is_known = number.value in values
        if same_unit and not is_known and first in values and second in values and first != second:
            yield from _stated(span, number, [first, second], values)
    shares = [
        (span, number)
        for span, number in numbers.items()
        if number.unit == "percent" or (0 < number.value < 1 and not number.unit)
    ]
    wholes = [(span, number) for span, number in amounts if number.unit and number.value in values]
    if len(shares) == 1 and len(wholes) == 2 and wholes[0][1].unit == wholes[1][1].unit:
        start, end = shares[0][0]
        is_told = _SHARE.search(text[start : end + 12]) and _MAKES_UP.search(words)
        yield from _stated_share(shares[0], [each.value for _, each in wholes], values) if is_told else ()
    measured = [(span, number) for span, number in amounts if number.unit]
    if len(measured) == 3 and _PLUS.search(words) and len({number.unit for _, number in measured}) == 1:
        (_, first_term), (_, second_term), (span, number) = measured
        if first_term.value in values and second_term.value in values:
            yield from _stated(span, number, [first_term.value, second_term.value], values)


def _stated_share(
    said: tuple[Span, Number], terms: Sequence[Fraction], values: dict[Fraction, int]
) -> Iterator[Derived]:
    """A share beside the part and the whole: "€1.5 million make up half of the €2.4 million"."""
    span, number = said
    low, high = sorted(terms)
    share = low / high * (100 if number.unit == "percent" else 1) if high else Fraction(0)
    told = f"{show(low)} / {show(high)} = {show(share)}"
    truth = agrees(number, share)
    if truth is not None:
        state = "supported" if truth else "contradicted"
        leaves = values[low], values[high]
        yield Derived(span, state, told, leaves, "" if truth else show(share), span, "share")  # type: ignore[arg-type]


def _stated(
    span: Span, number: Number, terms: Sequence[Fraction], values: dict[Fraction, int]
) -> Iterator[Derived]:
    low, high = sorted(terms)
    leaves = tuple(values[term] for term in terms)
    if told := _told(number, low, high):
        yield Derived(span, "supported", told, leaves, "", span, "arithmetic")
        return
    if number.unit != "percent":
        results = [(high + low, f"{show(terms[0])} + {show(terms[1])} = {show(high + low)}")]
    elif low > 0:
        results = [
            ((high / low - 1) * 100, f"{show(high)} / {show(low)} − 1 = {show((high / low - 1) * 100)} %"),
            ((1 - low / high) * 100, f"1 − {show(low)} / {show(high)} = {show((1 - low / high) * 100)} %"),
        ]
    else:
        return
    if all(agrees(number, value) is False for value, _ in results):
        right = show(results[0][0]) + (" %" if number.unit == "percent" else "")
        yield Derived(span, "contradicted", results[0][1], leaves, right, span, "arithmetic")


def numbers_of(mentions: Sequence[Mention]) -> dict[Span, Number]:
    """The amounts of a sentence: no dates, ranks or ranges; of an ambiguous one, its first meaning."""
    others = {
        (m.start, m.end)
        for m in mentions
        if isinstance(m.value, Date) or (isinstance(m.value, Number) and m.value.unit == "ordinal")
    }
    numbers: dict[Span, Number] = {}
    for mention in mentions:
        span = mention.start, mention.end
        if isinstance(mention.value, Number) and mention.value.high is None and span not in others:
            numbers.setdefault(span, mention.value)
    return numbers


def check_arithmetic(
    structure: Structure, text: str, sentence: Span, mentions: Sequence[Mention]
) -> Iterator[Derived]:
    """Numbers that are not in the data, but follow from two numbers of the sentence that are."""
    values = values_of(structure)
    if len(values) > _MANY_VALUES and not _ASKS.search(text[slice(*sentence)].lower()):
        return
    numbers = numbers_of(mentions)
    if not 3 <= len(numbers) <= _MAX_NUMBERS:
        return
    for span, number in numbers.items():
        if number.value in values or (abs(number.value) < _MIN_VALUE and number.step == 1):
            continue
        others = [
            other.value
            for place, other in numbers.items()
            if place != span and not other.bound and other.value in values
        ]
        for first, second in combinations(dict.fromkeys(others), 2):
            told = _told(number, *sorted((first, second)))
            if told:
                leaves = (values[first], values[second])
                yield Derived(span, "supported", told, leaves, "", span, "arithmetic")
                break


def _told(number: Number, low: Fraction, high: Fraction) -> str:
    """How two numbers give a third, if they do."""
    a, b = show(high), show(low)
    if number.unit == "percent":
        if low and agrees(number, (high / low - 1) * 100):
            return f"{a} / {b} − 1 = {show((high / low - 1) * 100)} %"
        if high and agrees(number, (1 - low / high) * 100):
            return f"1 − {b} / {a} = {show((1 - low / high) * 100)} %"
        return ""
    if agrees(number, high - low):
        return f"{a} − {b} = {show(high - low)}"
    return f"{a} + {b} = {show(high + low)}" if agrees(number, high + low) else ""


def values_of(structure: Structure) -> dict[Fraction, int]:
    """Every amount of the data, with a leaf that has it."""
    found = _VALUES.get(structure)
    if found is None:
        cells = (
            cell for rows in rows_of(structure) for column in rows.columns for cell in column.cells.values()
        )
        plain = (
            read_cell(leaf.index, leaf.value, leaf.label) for leaf in structure.leaves if leaf.kind == "value"
        )
        found = {}
        for cell in chain(cells, plain):
            if cell.number is not None and cell.day is None:
                found.setdefault(cell.number, cell.leaf)
        _VALUES[structure] = found
    return found
