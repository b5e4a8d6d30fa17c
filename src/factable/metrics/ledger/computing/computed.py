"""Numbers that a text computes from the data in words that no pattern knows: sums, differences, shares.

This only finds support; wrong arithmetic is found by `derived`. A number counts as computed if an operation
on values that belong together gives it, and either the words of the sentence ask for that operation, or the
number has so many digits, and there are so few ways to compute one, that it can hardly be chance.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from typing import NamedTuple

from factable.metrics.ledger.computing.amounts import (
    Amount,
    Result,
    dimension_of,
    gaps_of,
    quotients_of,
    total_of,
)
from factable.metrics.ledger.computing.durations import durations
from factable.metrics.ledger.computing.per_unit import products_per_unit
from factable.metrics.ledger.computing.remainders import LEFT, remainders
from factable.metrics.ledger.computing.rescaling import scales_in
from factable.metrics.ledger.computing.row_counts import count_of_rows
from factable.metrics.ledger.computing.said import results_said
from factable.metrics.ledger.computing.shifts import shifted_moment
from factable.metrics.ledger.derived.operations import agrees, show
from factable.metrics.ledger.matching import EARLIER, Matcher, frames_named_in, numbers_in
from factable.metrics.ledger.twins import twins_of
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import Date, Mention, Number, Time
from factable.text.values.units import unit_of, units_named, vaguer_unit
from factable.types import Span

# More values than these are not paired with each other.
MAX_PAIRED = 14
MAX_COLUMN = 2000
# Data with more frames than these is not searched for products and totals.
MAX_FRAMES = 80
# With this probability of being met by chance, a number still counts as computed; more if words ask for it.
MAX_CHANCE = 0.05
MAX_CHANCE_ASKED = 0.5
# A sum of a column that is met by chance this seldom needs no words that ask for it.
SURE_CHANCE = 0.005
# Numbers spread over several orders of magnitude: two differ by less than a share s with about s / 5.
_SPREAD = 5
# Words count up to this many characters from a number; those that can only mean a sum or a mean, up to fewer.
_NEAR = 45
_RIGHT_BESIDE = 30
_PERCENT = "percent"
_OTHERS = lazy_pattern(r"\sothers?\b", re.IGNORECASE)

_DIFFERENCE = lazy_pattern(
    r"\b(?:differ\w*|gap|apart|margin|by|more|less|fewer|higher|lower|above|below|exceed\w*|than|up|down|cut|short|"
    r"increas\w*|decreas\w*|rose|risen|rises?|fell|falls?|fallen|grew|grow\w*|drop\w*|declin\w*|climb\w*|shr[aiu]nk|"
    r"gain\w*|lost|loss|improv\w*|reduc\w*|remain\w*|left|later|late|earlier|early|after|before|older|younger|"
    r"longer|shorter|ahead|behind|between|outscor\w*|delay\w*|sav\w+|another|further|still|rest|available|free|"
    r"discount\w*|surplus|deficit|balance|net|profit|overdue|other|down|beat|against)\b",
    re.IGNORECASE,
)
_LASTING = lazy_pattern(
    r"\b(?:last(?:s|ed|ing)?|took|takes?|span\w*|over|for|until|within|window|in|lasts?|\w+-long)\b",
    re.IGNORECASE,
)
_TOTAL = lazy_pattern(
    r"\b(?:totals?|totall?ing|altogether|together|combined|sum|in all|overall|whole|ready in|across|"
    r"com(?:es?|ing) to|came to|add(?:s|ed|ing)? up|all|between them|aggregate|cumulative\w*|entire|both)\b",
    re.IGNORECASE,
)
# Who says so can only mean a sum or a mean.
_EXPLICIT = lazy_pattern(
    r"\b(?:totals?|totall?ing|add(?:s|ed|ing)? up|altogether|combined|sum|average[sd]?|mean|averaging)\b",
    re.IGNORECASE,
)
_MEAN = lazy_pattern(r"\b(?:average[sd]?|mean|averaging|on average|typical(?:ly)?)\b", re.IGNORECASE)
_SHARE = lazy_pattern(
    r"\b(?:shares?|accounts? for|of the|of all|of its|of their|proportion|represent\w*|out of|makes? up|full|"
    r"rate|turnout|capacity|occup\w+|utili[sz]\w+|used?|filled|complet\w+|reached)\b",
    re.IGNORECASE,
)
_PRODUCT = lazy_pattern(
    r"\b(?:whole|nights|weeks|months|days|pieces|each|worth|cost\w*|pay\w*)\b", re.IGNORECASE
)
_RATIO = lazy_pattern(
    r"\b(?:times|twice|double|triple|half|per|each|ratio|every|average\w*|mean|apiece|(?:a|an)\s\w+)\b",
    re.IGNORECASE,
)


class Computed(NamedTuple):
    """How a number follows from the data."""

    leaves: tuple[int, ...]
    explanation: str


class _Family(NamedTuple):
    """All results of one operation on one set of values; `asked` tells whether the words ask for it."""

    results: Sequence[Result]
    asked: bool


def computed_number(
    matcher: Matcher,
    mention: Mention,
    sentence: Span,
    *,
    only_asked: bool = False,
    only_sure: bool = False,
    instead: int | None = None,
) -> Computed | None:
    """How a number that the data does not have follows from it.

    `only_asked` if the words must ask for it, `only_sure` if nothing may be met by chance; `instead` is the
    value that stands in the data where the words point, from which a percentage may lead to the number.
    """
    number = mention.value
    if isinstance(number, Date | Time):
        shifted = shifted_moment(matcher, number)
        return Computed(*shifted) if shifted else None
    if not isinstance(number, Number) or number.high is not None:
        return None
    search = _Search(matcher, number, mention, sentence)
    for result in search.sure_results(instead):
        if agrees(number, result.value) is True:
            return Computed(result.leaves, f"{result.explanation} = {show(result.value)}")
    if only_sure:
        return None
    only_asked = only_asked or search.is_explicit
    for family in search.families():
        chance = _chance(number, len(family.results))
        is_hedged = bool(number.bound) and family.asked
        most = MAX_CHANCE_ASKED if family.asked else MAX_CHANCE
        if (only_asked and not family.asked) or (chance > most and not is_hedged):
            continue
        for result in family.results:
            value = abs(result.value) if number.value >= 0 else result.value
            if agrees(number, value) is True:
                return Computed(result.leaves, f"{result.explanation} = {show(result.value)}")
    counted = count_of_rows(matcher, mention, number, only_named=only_asked)
    return Computed((), counted) if counted else search.count_of_category()


def _chance(number: Number, ways: int) -> float:
    """About how probable it is that one of several results is a number by chance."""
    if number.bound not in ("", "about") or not number.value:
        return 1.0
    share = float(number.step / abs(number.value))
    return ways * share * (4 if number.bound else 1) / _SPREAD


class _Search:
    """The operations on the data that may give one number of the text."""

    def __init__(self, matcher: Matcher, number: Number, mention: Mention, sentence: Span) -> None:
        self.matcher = matcher
        self.number = number
        self.mention = mention
        self.sentence = sentence
        self.words = matcher.parsed.text[slice(*sentence)]
        self.near = matcher.parsed.text[
            max(sentence[0], mention.start - _NEAR) : min(sentence[1], mention.end + _NEAR)
        ]
        self.dimension = "temperature" if number.unit == "degree" else dimension_of(number.unit)
        # Bare numbers are no span of time, where their keys do not say so.
        self.is_time = self.dimension in ("time", "calendar")
        self.is_percent = number.unit == _PERCENT
        written = matcher.parsed.text[mention.start : mention.end]
        self.is_share = 0 < number.value < 1 and not any(map(str.isdecimal, written))
        start = max(sentence[0], mention.start - _RIGHT_BESIDE)
        end = min(sentence[1], mention.end + _RIGHT_BESIDE)
        self.is_explicit = bool(_EXPLICIT.search(matcher.parsed.text, start, end))

    def families(self) -> Iterator[_Family]:
        """Operations by what belongs together most: columns, objects, rows, then everything."""
        if unit_of(self.number.unit).dimension in ("time", "calendar") or self.number.unit == "night":
            yield from self._durations()
        for amounts, is_series in self._sets():
            yield from self._aggregates(amounts, is_series)
            if len(amounts) <= MAX_PAIRED:
                yield from self._pairs(amounts, is_series)
        if len(self.matcher.structure.frames) <= MAX_FRAMES:
            for amounts in self._objects():
                yield from self._mixed(amounts)
            yield from self._of_totals()
            yield from self._percentages()
            if self.is_percent or self.is_share:
                yield from self._across()

    def sure_results(self, instead: int | None) -> Iterator[Result]:
        """Results that are not met by chance: keys, or the text itself, tell what to compute from what."""
        is_sure = _chance(self.number, 1) <= SURE_CHANCE
        yield from results_said(self.matcher, self.mention, self.number, self.sentence, is_sure=is_sure)
        if _OTHERS.match(self.matcher.parsed.text, self.mention.end):
            # 87 applied: the winner, and 86 others.
            yield from (
                Result(amount.value - 1, amount.leaves, f"{amount.shown} − 1")
                for leaf in self.matcher.structure.leaves
                if (amount := self._any_amount(leaf.index)) is not None and not amount.dimension
            )
        yield from (Result(*each) for each in products_per_unit(self.matcher, self.number.unit))
        if LEFT.search(self.near):
            scope = self.matcher.scope(self.mention.start, self.mention.end)
            yield from (Result(*each) for each in remainders(self.matcher, scope, self.number.unit))
        if instead is not None:
            for family in self._percentages():
                yield from (each for each in family.results if instead in each.leaves)

    def _aggregates(self, amounts: Sequence[Amount], is_series: bool) -> Iterator[_Family]:
        """Sum, mean and shares of values of one kind."""
        whole = total_of(amounts)
        is_listed = all(amount.value in self._said for amount in amounts)
        if not self.is_percent:
            is_sure = (is_series or len(amounts) > 2) and _chance(self.number, 1) <= SURE_CHANCE
            asked = is_listed or is_sure or bool(_TOTAL.search(self.near))
            yield _Family([Result(whole.value, whole.leaves, whole.shown)], asked)
        if not self.is_percent or all(self._is_rate(amount) for amount in amounts):
            mean = Result(whole.value / len(amounts), whole.leaves, f"({whole.shown}) / {len(amounts)}")
            yield _Family([mean] if _MEAN.search(self.near) else [], True)
        if self.is_percent and whole.value:
            shares = [
                Result(100 * part.value / whole.value, part.leaves, f"{part.shown} / {show(whole.value)}")
                for part in amounts
            ]
            yield _Family(shares, bool(_SHARE.search(self.near)))

    def _is_rate(self, amount: Amount) -> bool:
        readings = self.matcher.index.readings[amount.leaves[0]]
        return any(isinstance(value, Number) and value.unit == _PERCENT for value in readings)

    def _pairs(self, amounts: Sequence[Amount], is_series: bool) -> Iterator[_Family]:
        """Differences, changes and ratios of two values of one kind."""
        by_words = bool(_DIFFERENCE.search(self.near))
        pairs = self._told(combinations(amounts, 2), asked=by_words)
        ordered = list(permutations(amounts, 2))
        if self.is_percent:
            changes = [
                Result(
                    100 * (after.value / before.value - 1),
                    before.leaves + after.leaves,
                    f"{after.shown} / {before.shown} − 1",
                )
                for before, after in self._told(ordered, asked=by_words)
                if before.value
            ]
            yield _Family(changes, by_words)
            rates = [pair for pair in self._told(ordered, asked=by_words) if all(map(self._is_rate, pair))]
            yield _Family(list(gaps_of(rates)), by_words)
            if not is_series:
                yield _Family(quotients_of(ordered, 100), bool(_SHARE.search(self.near)))
            return
        differences = [
            Result(
                second.value - first.value, first.leaves + second.leaves, f"{second.shown} − {first.shown}"
            )
            for first, second in pairs
        ]
        yield _Family(differences, by_words)
        is_total = bool(_TOTAL.search(self.near))
        sums = [
            Result(
                first.value + second.value, first.leaves + second.leaves, f"{first.shown} + {second.shown}"
            )
            for first, second in self._told(combinations(amounts, 2), asked=is_total)
        ]
        yield _Family(sums, is_total)
        is_ratio = bool(_RATIO.search(self.near))
        yield _Family(quotients_of(self._told(ordered, asked=is_ratio)), is_ratio)

    def _told(self, pairs: Iterable[tuple[Amount, Amount]], *, asked: bool) -> list[tuple[Amount, Amount]]:
        """The pairs that count: if no words ask for the operation, those that the sentence gives itself."""
        return [pair for pair in pairs if asked or all(amount.value in self._said for amount in pair)]

    def _mixed(self, amounts: Sequence[Amount]) -> Iterator[_Family]:
        """Products and ratios of two values of one object, whatever their units: a price per square metre."""
        ordered = list(permutations(amounts, 2)) if len(amounts) <= MAX_PAIRED else []
        if _DIFFERENCE.search(self.near):
            # 7 places are left of a capacity of 48 with 41 enrolled.
            alike = [(one, other) for one, other in ordered if one.dimension == other.dimension]
            yield _Family(list(self._differences(alike)), True)
        if self.is_percent:
            alike = [(a, b) for a, b in ordered if a.dimension == b.dimension]
            # "Of its 18,500 objects, 6.5 percent": the whole is said.
            of_said = [(a, b) for a, b in alike if b.value in self._said and a.value < b.value]
            yield _Family(quotients_of(of_said, 100), bool(_SHARE.search(self.words)))
            yield _Family(quotients_of(alike, 100), False)
            rests = [
                Result(100 - amount.value, amount.leaves, f"100 − {amount.shown}")
                for amount in amounts
                if 0 < amount.value < 100
            ]
            yield _Family(rests, False)
            return
        products = [
            Result(
                first.value * second.value, first.leaves + second.leaves, f"{first.shown} × {second.shown}"
            )
            for first, second in combinations(amounts, 2)
            if len(amounts) <= MAX_PAIRED and self._may_be_product(first, second)
        ]
        yield _Family(products, bool(_PRODUCT.search(self.near)))
        rates = [(one, other) for one, other in ordered if self._may_be_rate(one, other)]
        yield _Family(quotients_of(rates), self.is_share or bool(_RATIO.search(self.near)))
        scales = scales_in(self.near)
        if scales:
            scaled = [
                Result(value, amount.leaves, f"{amount.shown} {sign} {scale}")
                for amount in amounts
                if amount.dimension == self.dimension
                for scale in scales
                for sign, value in (("×", amount.value * scale), ("/", amount.value / scale))
            ]
            yield _Family(scaled, len(amounts) == 1)

    def _differences(self, pairs: Iterable[tuple[Amount, Amount]]) -> Iterator[Result]:
        """What the first of two amounts has more than the second, or in percent how far it is off."""
        for one, other in pairs:
            if self.is_percent and other.value:
                change = 100 * (one.value / other.value - 1)
                yield Result(change, one.leaves + other.leaves, f"{one.shown} / {other.shown} − 1")
            elif one.value > other.value and self._may_differ(one, other):
                shown = f"{one.shown} − {other.shown}"
                yield Result(one.value - other.value, one.leaves + other.leaves, shown)

    def _may_differ(self, one: Amount, other: Amount) -> bool:
        """Whether a difference has the unit of the number; bare numbers are time only under similar keys."""
        if one.dimension or not self.is_time:
            return one.dimension in ("", self.dimension)
        first, second = (
            self.matcher.structure.leaves[amount.leaves[0]].key_words if amount.leaves else ()
            for amount in (one, other)
        )
        return not set(first).isdisjoint(second)

    def _may_be_product(self, first: Amount, second: Amount) -> bool:
        """Whether a product has the unit of the number: of two amounts one has it, the other counts."""
        dimensions = {first.dimension, second.dimension}
        return self.dimension in dimensions and (bool(self.dimension) or len(dimensions) == 1)

    def _may_be_rate(self, one: Amount, other: Amount) -> bool:
        """Whether a quotient has the unit of the number: a price per head, or one time another."""
        if self.dimension == "speed":
            return (one.dimension, other.dimension) == ("length", "time")
        if not one.dimension and self.dimension == "money" and _MEAN.search(self.near):
            # Sums of money that have no unit: the average of what was pledged.
            return not other.dimension
        return one.dimension == (self.dimension or other.dimension)

    def _percentages(self) -> Iterator[_Family]:
        """Parts of amounts that the data gives in percent: a discount, a tax, what is left of a price."""
        readings = [
            (leaf, value)
            for leaf, values in enumerate(self.matcher.index.readings)
            for value in values[:1]
            if isinstance(value, Number) and value.high is None and value.value
        ]
        rates = [(leaf, value.value) for leaf, value in readings if value.unit == _PERCENT]
        amounts = [(leaf, amount) for leaf, _ in readings if (amount := self._amount(leaf)) is not None]
        if self.is_percent or len(rates) > MAX_PAIRED or len(amounts) > MAX_PAIRED * 2:
            return
        for rate, percent in rates:
            results = [
                Result(amount.value * share / 100, (leaf, rate), f"{amount.shown} × {show(share)} %")
                for leaf, amount in amounts
                for share in (percent, 100 - percent, 100 + percent)
                if leaf != rate and amount.dimension in ("", self.dimension)
            ]
            is_named = bool(self.matcher.words_near(rate, self.sentence))
            yield _Family(results, is_named or (len(rates) == 1 and bool(_DIFFERENCE.search(self.near))))

    def _of_totals(self) -> Iterator[_Family]:
        """What is left of one total after another, and shares of totals."""
        totals = [
            total_of(amounts) for amounts, _ in self._sets(whole=True) if 1 < len(amounts) <= MAX_PAIRED
        ] + self._totals_of_products()
        if not 0 < len(totals) <= MAX_PAIRED:
            return
        yield _Family(
            [] if self.is_percent else [Result(each.value, each.leaves, each.shown) for each in totals],
            bool(_TOTAL.search(self.near)),
        )
        singles = [amount for amounts in self._objects(only_whole=True) for amount in amounts]
        scope = self.matcher.scope(self.mention.start)
        leaves = self.matcher.structure.leaves
        singles += [
            amount
            for leaf in leaves
            if scope.get(leaf.frame, 0) >= EARLIER
            and self.matcher.structure.frames[leaf.frame].parent is not None
            if (amount := self._any_amount(leaf.index)) is not None
        ]
        for amounts in (totals, [*totals, *singles]):
            if not 1 < len(amounts) <= MAX_PAIRED:
                continue
            if self.is_percent:
                alike = [(a, b) for a, b in permutations(amounts, 2) if a.dimension == b.dimension]
                yield _Family(quotients_of(alike, 100), bool(_SHARE.search(self.near)))
            else:
                differences = [
                    Result(first.value - second.value, first.leaves, f"{first.shown} − {second.shown}")
                    for first, second in combinations(amounts, 2)
                    if {first.dimension, second.dimension}
                    <= {self.dimension, self.dimension if self.is_time else ""}
                ]
                yield _Family(differences, bool(_DIFFERENCE.search(self.near)))

    def _totals_of_products(self) -> list[Amount]:
        """For rows with amounts and prices, the sum of their products."""
        totals = []
        for frames in self.matcher.structure.groups.values():
            if not 1 < len(frames) <= MAX_PAIRED:
                continue
            columns: dict[str, list[Amount]] = {}
            for frame in frames:
                for leaf in frame.leaves:
                    if (amount := self._any_amount(leaf)) is not None:
                        columns.setdefault(self.matcher.structure.leaves[leaf].column, []).append(amount)
            complete = [amounts for amounts in columns.values() if len(amounts) == len(frames)]
            for first, second in combinations(complete, 2):
                if not self._may_be_product(first[0], second[0]):
                    continue
                value = sum((a.value * b.value for a, b in zip(first, second, strict=True)), Fraction(0))
                leaves = tuple(leaf for a in (*first, *second) for leaf in a.leaves)
                shown = f"{first[0].shown} × {second[0].shown} + …"
                totals.append(Amount(value, leaves, shown, self.dimension))
        return totals[:MAX_PAIRED]

    @cached_property
    def _said(self) -> frozenset[Fraction]:
        return numbers_in(self.matcher, self.sentence)

    def _sets(self, *, whole: bool = False) -> Iterator[tuple[list[Amount], bool]]:
        """Values of one kind: of rows that the sentence names, of rows of one category, of a whole column.

        The second value tells whether they are those of one column.
        """
        named = self.matcher.scope(self.mention.start).keys() | frames_named_in(self.matcher, self.sentence)
        categories = [] if whole else self._categories()
        twins = dict.fromkeys(twins_of(self.matcher.structure).values())
        for leaves in (*self.matcher.structure.comparable, *twins):
            if not 1 < len(leaves) <= MAX_COLUMN:
                continue
            for chosen in self._alike(leaves):
                is_series = len({leaf.frame for leaf in chosen}) > 1
                if not is_series and not self._belong_together(chosen, leaves):
                    continue
                options = [[leaf for leaf in chosen if leaf.frame in named]] if not whole else []
                options += [[leaf for leaf in chosen if leaf.frame in frames] for frames in categories]
                if not whole:
                    options += [
                        [leaf for leaf in chosen if leaf.value.startswith("-") == is_negative]
                        for is_negative in (True, False)
                    ]
                seen = []
                for some in (*options, chosen):
                    if len(some) > 1 and some not in seen:
                        seen.append(some)
                        yield [amount for leaf in some if (amount := self._amount(leaf.index))], is_series

    def _alike(self, leaves: Sequence[Leaf]) -> Iterator[list[Leaf]]:
        """The leaves with amounts by what they measure; if the number has a unit, those that have it, too."""
        by_dimension: dict[str, list[Leaf]] = {}
        for leaf in leaves:
            amount = self._amount(leaf.index)
            if amount is not None:
                by_dimension.setdefault(amount.dimension, []).append(leaf)
        if len(by_dimension) == 2 and "" in by_dimension and self._is_map(leaves):
            # What stands beside sums of money in a map of numbers is money.
            merged = [leaf for leaf in leaves if self._amount(leaf.index) is not None]
            by_dimension = {next(filter(None, by_dimension)): merged}
        if self.dimension and not self.is_percent:
            is_column = len({leaf.frame for leaf in leaves}) > 1
            is_known = self.dimension in by_dimension or (self._is_measured and not is_column)
            if self.dimension == "money" and list(by_dimension) == [""] and self._is_map(leaves):
                # What an object of nothing but numbers adds up to may be money without saying so.
                is_known = False
            wanted = self.dimension if is_known else ""
            by_dimension = {"": by_dimension.get(wanted, [])}
        return (some for some in by_dimension.values() if len(some) > 1)

    @cached_property
    def _is_measured(self) -> bool:
        """Whether the data has amounts in units of the number: those without a unit are something else."""
        return any(
            isinstance(value, Number) and dimension_of(value.unit) == self.dimension
            for values in self.matcher.index.readings
            for value in values
        )

    def _belong_together(self, chosen: Sequence[Leaf], leaves: Sequence[Leaf]) -> bool:
        """Whether values under several keys of one object can be added: all of one unit, or nothing else."""
        amount = self._amount(chosen[0].index)
        is_twins = len({leaf.keys[-1] for leaf in leaves}) == 1
        return is_twins or self._is_map(leaves) or (amount is not None and bool(amount.dimension))

    def _is_map(self, leaves: Sequence[Leaf]) -> bool:
        """Whether an object has nothing but numbers, and perhaps their unit."""
        others = [leaf for leaf in leaves if self._any_amount(leaf.index) is None]
        return all(
            leaf.keys[-1].lower() in ("currency", "unit", "units") or leaf.value == "0" for leaf in others
        )

    def _categories(self) -> list[frozenset[int]]:
        """The rows that share a value which the sentence has: all that are running, all of one city."""
        found = []
        text = self.words.lower()
        for leaves in self.matcher.structure.columns.values():
            frames: dict[str, set[int]] = {}
            for leaf in leaves if 1 < len(leaves) <= MAX_COLUMN else ():
                if leaf.kind == "value" and any(map(str.isalpha, leaf.value)):
                    frames.setdefault(leaf.value.lower(), set()).add(leaf.frame)
            found += [frozenset(rows) for value, rows in frames.items() if len(rows) > 1 and value in text]
        return found

    def count_of_category(self) -> Computed | None:
        """A whole number that is the number of rows with a value that the sentence has: two textile works."""
        if self.dimension or self.number.value.denominator != 1:
            return None
        rows = next((rows for rows in self._categories() if len(rows) == self.number.value), None)
        return Computed((), f"{len(rows)} rows") if rows else None

    def _objects(self, *, only_whole: bool = False) -> Iterator[list[Amount]]:
        """The values of each object, of those that the sentence speaks of first."""
        scope = self.matcher.scope(self.mention.start)
        frames = sorted(
            self.matcher.structure.frames, key=lambda frame: (-scope.get(frame.index, 0), frame.index)
        )
        for frame in frames:
            if only_whole and frame.parent is not None:
                continue
            amounts = [amount for leaf in frame.leaves if (amount := self._any_amount(leaf)) is not None]
            if amounts:
                yield amounts

    def _any_amount(self, leaf: int) -> Amount | None:
        """The amount of a leaf in its own unit."""
        for value in self.matcher.index.readings[leaf][:1]:
            is_plain = isinstance(value, Number) and value.high is None and not value.bound
            if isinstance(value, Number) and is_plain and value.value:
                return Amount(value.value, (leaf,), show(value.value), dimension_of(value.unit))
        return None

    def _amount(self, leaf: int) -> Amount | None:
        """The amount of a leaf in the unit of the number; percentages are computed from any amounts."""
        unit = self.number.unit
        # A reading with a unit goes before one without.
        readings = sorted(
            (value for value in self.matcher.index.readings[leaf] if isinstance(value, Number)),
            key=lambda value: not value.unit,
        )
        for reading in readings:
            value = reading if reading.unit else replace(reading, unit=self._unit_in_keys(leaf))
            if value.high is None and not value.bound:
                measured = dimension_of(value.unit)
                is_bare = not value.unit and not self.is_time
                is_same = unit in ("", _PERCENT, vaguer_unit(value.unit)) or is_bare or value.unit == unit
                is_same = is_same or (unit == "point" and value.unit == _PERCENT)
                if is_same or measured == self.dimension == _PERCENT:
                    return Amount(value.value, (leaf,), show(value.value), measured)
                own, asked = unit_of(value.unit), unit_of(unit)
                if own.dimension == asked.dimension != "money" and not own.offset and not asked.offset:
                    amount = value.value * own.factor / asked.factor
                    return Amount(amount, (leaf,), show(amount), measured)
        return None

    def _unit_in_keys(self, leaf: int) -> str:
        """The unit of time that ends a key of a leaf: `minutes: 25`, `replyMin: {current: 34}`."""
        for key in reversed(self.matcher.structure.leaves[leaf].keys):
            units = units_named(split_identifier(key).split()[-1]) if self.is_time and key else ()
            if units and unit_of(units[0]).dimension in ("time", "calendar"):
                return units[0]
        return ""

    def _durations(self) -> Iterator[_Family]:
        """The time between two moments of one object or column."""
        by_words = bool(_DIFFERENCE.search(self.near) or _LASTING.search(self.near))
        scope = self.matcher.scope(self.mention.start)
        for frame, gaps in durations(self.matcher, self.number.unit):
            yield _Family([Result(*gap) for gap in gaps], by_words or frame in scope)

    def _across(self) -> Iterator[_Family]:
        """Shares of amounts of different objects that measure the same, or whose keys share a word."""
        kinds: dict[str, list[Amount]] = {}
        for leaf in self.matcher.structure.leaves:
            amount = self._any_amount(leaf.index)
            if leaf.kind == "value" and amount is not None and amount.value > 0:
                for kind in (amount.dimension,) if amount.dimension else self.matcher.labels[leaf.index]:
                    kinds.setdefault(kind, []).append(amount)
        for amounts in kinds.values():
            if 1 < len(amounts) <= MAX_PAIRED:
                parts = [(one, other) for one, other in permutations(amounts, 2) if one.value < other.value]
                shares = quotients_of(parts, 100 if self.is_percent else 1)
                yield _Family(shares, bool(_SHARE.search(self.near)))
