"""Objects, rows and nested data beside a text: everything that speaks for or against its words.

What the data says of a text is found in several ways: values by number, date and name (`matching`), yes and
no by keys (`yes_no`), opening hours (`hours`), arithmetic (`derived`), and a model that marks words
(`models.marks`). Each gives evidence about a span of the text; small logistic models weigh it.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from factable.metrics.ledger.candidates import Match
from factable.metrics.ledger.computing.computed import Computed, computed_number
from factable.metrics.ledger.derived import derived_statements
from factable.metrics.ledger.derived.wording import GLUE
from factable.metrics.ledger.evidence import MAX_EVIDENCE_WORDS, EvidenceIndex
from factable.metrics.ledger.features import logit
from factable.metrics.ledger.matching import MIN_CUE, SMALL_DATA, Matcher
from factable.metrics.ledger.reading import Spans, overlaps
from factable.metrics.ledger.rules.absences import absences
from factable.metrics.ledger.rules.additions import additions
from factable.metrics.ledger.rules.causes import causes
from factable.metrics.ledger.rules.changes import change_statements
from factable.metrics.ledger.rules.closed_classes import closed_classes
from factable.metrics.ledger.rules.enumerations import listed_members
from factable.metrics.ledger.rules.extremes import extremes
from factable.metrics.ledger.rules.genders import genders
from factable.metrics.ledger.rules.hours import hours_statements
from factable.metrics.ledger.rules.key_comparisons import key_comparisons
from factable.metrics.ledger.rules.orders import orders
from factable.metrics.ledger.rules.quantified import quantified
from factable.metrics.ledger.rules.quantities import quantities
from factable.metrics.ledger.rules.ranges import ranges
from factable.metrics.ledger.rules.rests import rests
from factable.metrics.ledger.rules.roles import roles
from factable.metrics.ledger.rules.routes import routes
from factable.metrics.ledger.rules.row_conflicts import row_conflicts
from factable.metrics.ledger.rules.row_pairs import row_pairs
from factable.metrics.ledger.rules.schedules import schedules
from factable.metrics.ledger.rules.statuses import status_clashes
from factable.metrics.ledger.rules.strangers import strangers
from factable.metrics.ledger.rules.tallies import tallies
from factable.metrics.ledger.rules.targets import targets
from factable.metrics.ledger.rules.winners import winners
from factable.metrics.ledger.rules.written_units import written_units
from factable.metrics.ledger.rules.yes_no import yes_no_statements
from factable.metrics.ledger.twins import twins
from factable.metrics.ledger.verdict import ClaimState
from factable.models.marks import MarkedSentence
from factable.structure import Structure
from factable.text.markdown import Segment
from factable.text.patterns import lazy_pattern
from factable.text.schema_hints import NO_HINTS, SchemaHints
from factable.text.stems import beginning
from factable.text.values import Date, Name, Number, Relation, Time, Weekdays
from factable.text.values.words import split_words
from factable.types import Example, Span

ItemKind = Literal["statement", "number", "name", "words"]
Features = Mapping[str, float]
# Words that the model marks with at least this probability are an item of their own.
MIN_MARK = 0.25
# Beside a plain record, rules tell more than the model: it must be surer, and does not doubt stated values.
MIN_MARK_PLAIN = 0.4
MAX_MARK_OF_STATED = -1.0
# Nor does it excuse an amount that the data neither has nor gives by arithmetic.
MIN_MARK_OF_MISSING = -1.0
# Numbers up to this are often no fact of the data: "one of", "two teams".
SMALL = 12
_LABEL = lazy_pattern(
    r"(?!.{0,40}?\b(?:is|are|was|were|has|have|had|there|needs?|takes?|gets?|runs?|pays?)\b[^:\n]*:)"
    r"[^\w\n]*\w[^:.\n]{0,40}:[*_]*\s"
)
_COUNTED = lazy_pattern(r"\b(?:of|out of)\b", re.IGNORECASE)
_NO_NUMBERS = frozenset(("one", "a", "an"))
_VAGUE_TIMES = frozenset(("around the clock", "round the clock", "midday", "noon", "midnight"))
_BOUNDS = frozenset(
    [
        "about",
        "around",
        "almost",
        "nearly",
        "roughly",
        "over",
        "under",
        "more",
        "less",
        "than",
        "just",
        "only",
        "some",
        "approximately",
        "half",
        "third",
        "thirds",
        "quarter",
        "quarters",
        "twice",
        "double",
    ]
)
_REACHED = lazy_pattern(
    r"\b(?:pass(?:ed|ing|es)?|cross(?:ed|ing|es)?|exceed(?:ed|ing|s)?|surpass\w*|beyond|above|below|top(?:ped|s))\s\Z",
    re.IGNORECASE,
)
_LETTERS = lazy_pattern(r"[^\W\d_]")
_DIGITS = lazy_pattern(r"\d+")
# Longer values are words, whose numbers are facts.
MAX_CODE = 24


STATEMENTS = tuple(
    f"{source} {state}"
    for source in ("yes_no", "hours", "derived")
    for state in ("supported", "contradicted", "unsupported")
)
# In place of the marks of a model that is not asked.
NO_MARKS = MarkedSentence((), ())


class Statement(NamedTuple):
    """What a rule says of some words: supported, contradicted or unsupported, by which values, and why."""

    span: Span
    state: ClaimState
    source: Literal["yes_no", "hours", "derived"]
    leaves: tuple[int, ...]
    note: str


class Item(NamedTuple):
    """A part of the text that may be wrong, with all that is known of it."""

    span: Span
    kind: ItemKind
    features: Features
    state: ClaimState
    leaves: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class StructuredReading:
    """One example with structured data, read."""

    example: Example
    hints: SchemaHints = NO_HINTS

    @cached_property
    def structure(self) -> Structure:
        """The data as leaves and frames."""
        return Structure.of(self.example.table, self.hints)

    @cached_property
    def matcher(self) -> Matcher:
        """Values of the text, found in the data."""
        return Matcher(self.structure, self.example.text)

    @cached_property
    def is_small(self) -> bool:
        """Whether the data is an object with few values."""
        return isinstance(self.example.table.source, dict) and len(self.structure.leaves) <= SMALL_DATA

    @cached_property
    def is_plain(self) -> bool:
        """Whether the data is a small object without prose: what it states plainly needs no model."""
        return self.is_small and self.matcher.is_plain

    @property
    def text(self) -> str:
        """The text itself."""
        return self.example.text

    @cached_property
    def sentences(self) -> list[Segment]:
        """The segments of the text that claim something."""
        return [segment for segment in self.matcher.segments if segment.kind == "sentence"]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Evidence and sentence, for the model that marks words."""
        index = EvidenceIndex(self.structure)
        sentences = [self.text[segment.start : segment.end] for segment in self.sentences]
        return [(index.evidence_for(sentence, MAX_EVIDENCE_WORDS), sentence) for sentence in sentences]

    @cached_property
    def matches(self) -> list[Match]:
        """Numbers, dates and names of the sentences."""
        spans = [segment.span for segment in self.sentences]
        labels = Spans(label for span in spans if (label := _label_of(self.text, span)))
        sentences = Spans(spans)
        return [
            match
            for match in self.matcher.matches()
            if sentences.overlap(match.span)
            and not labels.overlap(match.span)
            and (match.candidates or match.instead or not self._says_nothing(match))
        ]

    def _says_nothing(self, match: Match) -> bool:
        """Whether a number that the data does not have need not be in it.

        Such are periods in keys, ranks, bounds ("above 134"), and counts ("two of the four"), which rules for
        derived statements check.
        """
        value, words = match.mention.value, self.text[slice(*match.span)].lower()
        if isinstance(value, Name) and len(words) == 1:
            return True
        if (
            (words.partition(" ")[0] in _NO_NUMBERS and isinstance(value, Number) and value.value == 1)
            or words in _VAGUE_TIMES
            or self.matcher.is_period(match.mention)
        ):
            return True
        if not isinstance(value, Number):
            return False
        if not value.unit and words in self._digits:
            return True
        if value.unit == "ordinal" or value.bound in ("over", "under", "at least", "at most"):
            return True
        if _REACHED.search(self.text[max(0, match.span[0] - 12) : match.span[0]]):
            return True
        around = self.text[max(0, match.span[0] - 8) : match.span[1] + 10]
        return 0 <= value.value <= SMALL and not value.unit and bool(_COUNTED.search(around))

    @cached_property
    def _digits(self) -> frozenset[str]:
        """The digits in values that are no numbers, such as 24 of `2026-W24`."""
        values = [leaf.value for leaf in self.structure.leaves if leaf.kind == "value"]
        return frozenset(
            digits.lstrip("0")
            for value in values
            if _LETTERS.search(value) and len(value) <= MAX_CODE
            for digits in _DIGITS.findall(value)
        )

    @cached_property
    def statements(self) -> list[Statement]:
        """What the rules say, without overlaps: what is wrong goes first, then what is derived."""
        spans = [segment.span for segment in self.sentences]
        found = [
            Statement(each.span, each.state, "yes_no", (each.leaf,), each.note)
            for each in yes_no_statements(self.structure, self.text, spans)
        ]
        found += [
            Statement(each.span, each.state, "hours", tuple(each.leaves), each.note)
            for each in hours_statements(self.structure, self.text, spans)
        ]
        found += [
            Statement(
                _hull(each.span, each.span_of_number), each.state, "derived", each.leaves, each.explanation
            )
            for each in derived_statements(self.structure, self.text, spans)
        ]
        found += [
            Statement(each.span, each.state, "derived", each.leaves, each.note)
            for each in tallies(self.matcher, spans)
        ]
        rules = (
            change_statements,
            key_comparisons,
            row_conflicts,
            status_clashes,
            listed_members,
            absences,
            quantities,
            routes,
            genders,
            additions,
            roles,
            row_pairs,
            schedules,
            causes,
            closed_classes,
            quantified,
            targets,
            ranges,
            twins,
            winners,
            written_units,
            rests,
            # In a table, countries and events may have names that it does not have.
            *((strangers,) if self.is_plain else ()),
        )
        further = [
            Statement(each.span, each.state, "derived", each.leaves, each.note)
            for rule in rules
            for each in rule(self.matcher, spans)
        ]
        # A value tells which column is meant better than words do.
        by_value = [
            Statement(each.span, each.state, "derived", each.leaves, each.note)
            for each in (*extremes(self.matcher, spans), *orders(self.matcher, spans))
        ]
        wrong = Spans(each.span for each in by_value)
        found = [each for each in found if not wrong.overlap(each.span)] + by_value
        derived = Spans(other.span for other in found if other.source == "derived")
        return found + [statement for statement in further if not derived.overlap(statement.span)]


def _label_of(text: str, sentence: Span) -> Span | None:
    """The label of a sentence such as "Number of pages: 436", which claims nothing."""
    label = _LABEL.match(text, *sentence)
    return label.span() if label else None


def _hull(span: Span, other: Span | None) -> Span:
    return span if other is None else (min(span[0], other[0]), max(span[1], other[1]))


class Marks:
    """The probabilities of the model for all tokens of a text."""

    def __init__(self, sentences: Sequence[Segment], marked: Sequence[MarkedSentence]) -> None:
        self.tokens = [
            ((segment.start + start, segment.start + end), chance)
            for segment, marks in zip(sentences, marked, strict=True)
            for (start, end), chance in zip(marks.spans, marks.probabilities, strict=True)
        ]

        self._ends = [end for (_, end), _ in self.tokens]
        self._starts = [start for (start, _), _ in self.tokens]

    def inside(self, span: Span) -> list[float]:
        """The probabilities of the tokens of a span."""
        first, last = bisect_right(self._ends, span[0]), bisect_left(self._starts, span[1])
        return [chance for _, chance in self.tokens[first:last]]

    def mean(self, span: Span) -> float:
        """The mean probability in a span."""
        chances = self.inside(span)
        return sum(chances) / len(chances) if chances else 0.0

    def highest(self, span: Span) -> float:
        """The highest probability in a span."""
        return max(self.inside(span), default=0.0)

    def runs(self, threshold: float) -> Iterator[Span]:
        """Tokens in a row that are marked at least so probably."""
        run: list[Span] = []
        for token, chance in self.tokens:
            if chance >= threshold:
                run.append(token)
                continue
            if run:
                yield run[0][0], run[-1][1]
            run = []
        if run:
            yield run[0][0], run[-1][1]


def items_of(reading: StructuredReading, marked: Sequence[MarkedSentence]) -> list[Item]:
    """Every part of a text that may be wrong."""
    marks = Marks(reading.sentences, marked)
    items = list(_statement_items(reading, marks))
    items += _value_items(reading, marks)
    items += _word_items(reading, marks, items)
    return items


def _statement_items(reading: StructuredReading, marks: Marks) -> Iterator[Item]:
    for statement in reading.statements:
        verdict = f"{statement.source} {statement.state}"
        features = {
            **{name: float(name == verdict) for name in STATEMENTS},
            **{f"{name}, small data": float(name == verdict and reading.is_small) for name in STATEMENTS},
            "mark": logit(marks.mean(statement.span)),
            "highest mark": logit(marks.highest(statement.span)),
        }
        yield Item(statement.span, "statement", features, statement.state, statement.leaves, statement.note)


def _value_items(reading: StructuredReading, marks: Marks) -> Iterator[Item]:
    supported = Spans(each.span for each in reading.statements if each.state == "supported")
    wrong = Spans(each.span for each in reading.statements if each.state != "supported")
    for match in reading.matches:
        is_stated = reading.is_plain and match.instead is None and _is_known(reading, match)
        highest = MAX_MARK_OF_STATED if is_stated else math.inf
        common = {
            "mark": min(highest, logit(marks.mean(match.span))),
            "sentence mark": min(highest, logit(marks.highest(sentence_of(reading, match.span)))),
            "in a supported statement": float(supported.overlap(match.span)),
            "in a wrong statement": float(wrong.overlap(match.span)),
        }
        if isinstance(match.mention.value, Number | Date | Time):
            features, state, leaves, note = _number_features(reading, match)
            if reading.is_plain and features["missing"] and not features["missing small"]:
                common |= {name: max(MIN_MARK_OF_MISSING, common[name]) for name in ("mark", "sentence mark")}
            yield Item(match.span, "number", common | features, state, leaves, note)
        elif isinstance(match.mention.value, Name):
            features, state, leaves, note = _name_features(reading, match)
            yield Item(match.span, "name", common | features, state, leaves, note)


def _is_known(reading: StructuredReading, match: Match) -> bool:
    """Whether the data has a value, or all words of a name."""
    if match.candidates or not isinstance(match.mention.value, Name):
        return bool(match.candidates)
    words = split_words(reading.text[slice(*match.span)])
    return all(beginning(word.folded) in reading.matcher.data_words for word in words)


def _number_features(
    reading: StructuredReading, match: Match
) -> tuple[dict[str, float], ClaimState, tuple[int, ...], str]:
    """What is known of a number or a date: whether the data has it, and whether it should be another."""
    best = match.candidates[0] if match.candidates else None
    value = match.mention.value
    computed = _computed(reading, match)
    if computed is not None:
        best = None
    is_missing = best is None and computed is None
    is_count = isinstance(value, Number) and abs(value.value) <= SMALL and value.value.denominator == 1
    features = {
        "missing": float(is_missing),
        "computed": float(computed is not None),
        "missing small": float(is_missing and is_count and not (isinstance(value, Number) and value.unit)),
        "missing date": float(is_missing and isinstance(value, Date)),
        "cue": best.cue if best else 0.0,
        "scope": best.scope if best else 0.0,
        "out of scope": float(
            best is not None and best.scope == 0.0 and not _is_named(reading, best.leaf, match.span)
        ),
        "less exact": float(best is not None and best.relation is not Relation.EQUAL),
        "another is asked for": float(match.instead is not None and computed is None),
        "missing in arithmetic": float(is_missing and reading.matcher.asks_for_arithmetic(match.span)),
        "ordinal": float(isinstance(value, Number) and value.unit == "ordinal"),
    }
    for name in ("missing", "another is asked for", "missing in arithmetic"):
        features[f"{name}, small data"] = features[name] * reading.is_small
    state: ClaimState = "supported" if best else "unsupported"
    leaves = (best.leaf,) if best else ()
    note = ""
    if computed is not None:
        return features, "supported", computed.leaves, computed.explanation
    if match.instead is not None:
        leaf = reading.structure.leaves[match.instead.leaf]
        state, leaves, note = "contradicted", (leaf.index,), f"{leaf.label}: {leaf.value}"
    return features, state, leaves, note


def _is_named(reading: StructuredReading, leaf: int, span: Span) -> bool:
    """Whether the sentence names the column of a value, and no row: "humidity rose from 71 to 79 %"."""
    matcher = reading.matcher
    if not reading.is_plain or matcher.scope(*span):
        return False
    return bool(matcher.words_near(leaf, sentence_of(reading, span)))


def _computed(reading: StructuredReading, match: Match) -> Computed | None:
    """How a number follows from the data that is not in it, or only in what the text does not speak of."""
    best = match.candidates[0] if match.candidates else None
    is_stated = best is not None and (best.scope > 0 or best.cue >= MIN_CUE)
    if is_stated and match.instead is None:
        return None
    # Where words ask for another value, or the data has the number elsewhere, chance is no excuse.
    only_asked = match.instead is not None or best is not None
    return computed_number(
        reading.matcher,
        match.mention,
        sentence_of(reading, match.span),
        only_asked=only_asked,
        only_sure=is_stated,
        instead=match.instead.leaf if match.instead else None,
    )


def _name_features(
    reading: StructuredReading, match: Match
) -> tuple[dict[str, float], ClaimState, tuple[int, ...], str]:
    """What is known of a name: whether the data has it, or its words."""
    words = [word.folded for word in split_words(reading.text[slice(*match.span)])]
    known = [word for word in words if beginning(word) in reading.matcher.data_words]
    share = len(known) / len(words) if words else 1.0
    best = match.candidates[0] if match.candidates else None
    features = {
        "unknown": float(best is None and share == 0),
        "unknown in part": float(best is None and 0 < share < 1),
        "unsure": float(not match.mention.sure and best is None),
        "cue": best.cue if best else 0.0,
        "scope": best.scope if best else 0.0,
        "has digits": float(any(word.isdigit() for word in words)),
        "of another": float(match.instead is not None),
        "of another, small data": float(match.instead is not None and reading.is_small),
        "unknown, small data": float(best is None and share == 0 and reading.is_small),
    }
    if match.instead is not None:
        leaf = reading.structure.leaves[match.instead.leaf]
        return features, "contradicted", (leaf.index,), f"{leaf.label}: {leaf.value}"
    state: ClaimState = "supported" if best or share == 1 else "unsupported"
    return features, state, (best.leaf,) if best else (), ""


def _word_items(reading: StructuredReading, marks: Marks, others: Sequence[Item]) -> Iterator[Item]:
    """Runs of words that the model marks."""
    supported = Spans(item.span for item in others if item.kind == "statement" and item.state == "supported")
    wrong = Spans(item.span for item in others if item.kind == "statement" and item.state != "supported")
    values = [item.span for item in others if item.kind in ("number", "name") and item.state == "supported"]
    # The model does not know on which weekdays the dates of the data are.
    days = [m.span for m in reading.matches if isinstance(m.mention.value, Weekdays) and m.candidates]
    for run in marks.runs(MIN_MARK_PLAIN if reading.is_plain else MIN_MARK):
        span = _whole_words(reading.text, run)
        if not _LETTERS.search(reading.text[slice(*span)]):
            continue
        words = split_words(reading.text[slice(*span)])
        if all(
            word.folded in _BOUNDS
            or (reading.is_plain and word.folded in GLUE)
            or _is_number(reading, span[0] + word.start)
            or any(start <= span[0] + word.start < end for start, end in days)
            for word in words
        ):
            # Numbers are items of their own, and little words claim nothing.
            continue
        known = sum(beginning(word.folded) in reading.matcher.data_words for word in words)
        if reading.is_plain and known == len(words):
            # Beside a plain record, rules tell better what words of the data may be wrong.
            continue
        features = {
            "mark": logit(marks.mean(span)),
            "highest mark": logit(marks.highest(span)),
            "words known": known / max(1, len(words)),
            "values known": _covered(span, values),
            "values known, small data": _covered(span, values) * reading.is_small,
            "length": min(len(words), 12) / 12,
            "in a supported statement": float(supported.overlap(span)),
            "in a wrong statement": float(wrong.overlap(span)),
        }
        yield Item(span, "words", features, "unsupported")


def _whole_words(text: str, span: Span) -> Span:
    """A span of tokens, which may be parts of words, as far as the words go."""
    start, end = span
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _is_number(reading: StructuredReading, place: int) -> bool:
    """Whether a word is part of a number."""
    return any(
        isinstance(mention.value, Number) and mention.start <= place < mention.end
        for mention in reading.matcher.parsed.mentions
    )


def _covered(span: Span, others: Sequence[Span]) -> float:
    """The share of a span that others, which do not overlap each other, cover."""
    inside = sum(max(0, min(span[1], end) - max(span[0], start)) for start, end in others)
    return inside / (span[1] - span[0])


def sentence_of(reading: StructuredReading, span: Span) -> Span:
    """The sentence that a span is in."""
    # Sentences are in order and do not overlap.
    number = bisect_right(reading.sentences, span[0], key=lambda segment: segment.end)
    found = reading.sentences[number : number + 1]
    return found[0].span if found and overlaps(found[0].span, span) else span


def without_overlaps(items: Iterable[Item]) -> list[Item]:
    """The items that do not overlap an earlier one, in the order of the text."""
    kept: list[Item] = []
    for item in items:
        number = bisect_left(kept, item.span[1], key=lambda other: other.span[0])
        if not number or kept[number - 1].span[1] <= item.span[0]:
            kept.insert(number, item)
    return kept
