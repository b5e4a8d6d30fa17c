"""Pairs extracted from a text against pairs of a table or of references: which are the same, and how many."""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple, cast

from factable.core.metric import VALUE, Metric, make_scores
from factable.core.params import require, require_choice
from factable.errors import printable
from factable.metrics.extraction.extractors import extractor_checksum, load_extractor
from factable.metrics.extraction.protocol import Extracted
from factable.text.templates import clean_value, split_identifier
from factable.text.values import Relation, compare, read_value
from factable.text.values.words import split_words
from factable.types import Example, Finding, Record, Scores, Table

AS_VALUES, NORMALISED, EXACT = MATCHINGS = ("value", "normalised", "exact")
_SAID = (Relation.EQUAL, Relation.COARSER, Relation.FINER)


class Overlap(NamedTuple):
    """How many pairs two lists share, and how many each has."""

    shared: int
    extracted: int
    known: int

    @property
    def precision(self) -> float:
        """The share of the extracted pairs that are known; 0 of none, unless none is known either."""
        return self.shared / self.extracted if self.extracted else float(not self.known)

    @property
    def recall(self) -> float:
        """The share of the known pairs that are extracted; 0 of none, unless none is extracted either."""
        return self.shared / self.known if self.known else float(not self.extracted)

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.extracted + self.known
        return 2 * self.shared / both if both else 1.0


def agree(known: Record, said: Record, matching: str) -> bool:
    """Whether two records are the same pair; a subject counts where both have one."""
    if _words(split_identifier(known.attribute)) != _words(split_identifier(said.attribute)):
        return False
    if known.subject and said.subject and not _same_value(known.subject, said.subject, "", matching):
        return False
    return _same_value(known.value, said.value, known.attribute, matching)


@lru_cache(maxsize=1 << 16)
def _same_value(known: str, said: str, attribute: str, matching: str) -> bool:
    if matching == EXACT or known == said:
        return known == said
    if _words(clean_value(known)) == _words(clean_value(said)):
        return True
    if matching == NORMALISED:
        return False
    readings = [(one, other) for one in read_value(known, attribute) for other in read_value(said, attribute)]
    return any(compare(one, other) in _SAID for one, other in readings)


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> tuple[str, ...]:
    """What is left of a text without case, accents and punctuation; the text where that is nothing."""
    return tuple(word.folded for word in split_words(text)) or (text.strip(),)


def distinct(extracted: Sequence[Extracted]) -> list[Extracted]:
    """The extracted pairs, each once."""
    first: dict[tuple[tuple[str, ...], ...], Extracted] = {}
    for one in extracted:
        first.setdefault(tuple(map(_words, map(clean_value, one.record))), one)
    return list(first.values())


def pair_up(known: Sequence[Record], said: Sequence[Extracted], matching: str) -> dict[int, int]:
    """For extracted pairs, by place, the place of the known pair that is the same; each is used once."""
    free = dict.fromkeys(range(len(known)))
    pairs = {}
    for index, one in enumerate(said):
        match = next((other for other in free if agree(known[other], one.record, matching)), None)
        if match is not None:
            pairs[index] = match
            del free[match]
    return pairs


def indices_with_value(table: Table) -> list[int]:
    """The places of the records that say something."""
    return [index for index, record in enumerate(table.records) if clean_value(record.value)]


def show(record: Record) -> str:
    """A pair in a note."""
    return printable(" | ".join(part for part in record if part))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionMetric:
    """What metrics over extracted pairs share."""

    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    extractor: str = "values"
    matching: str = AS_VALUES

    def __post_init__(self) -> None:
        """Check every parameter."""
        # Only metrics made from this are ever built.
        metric = cast(Metric, self)
        named = isinstance(self.extractor, str) and self.extractor != ""
        require(metric, "extractor", named, "a name or a file name")
        require_choice(metric, "matching", MATCHINGS)

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the extractor's file, where it has one."""
        checksum = extractor_checksum(self.extractor)
        return {"extractor": checksum} if checksum else {}


def score_overlaps(
    metric: Metric, examples: Sequence[Example], overlaps: Sequence[Overlap], reasons: Mapping[int, str]
) -> Scores:
    """F of each example with precision and recall; the counts are the statistics of a corpus."""
    columns = {name: array("d") for name in ("f", "precision", "recall")}
    for index, overlap in enumerate(overlaps):
        for name, column in columns.items():
            column.append(math.nan if index in reasons else getattr(overlap, name))
    stats = array("d", [float(count) for overlap in overlaps for count in overlap])
    return make_scores(metric, examples, columns.pop("f"), columns, reasons, stats)


def finish_overlaps(totals: Sequence[float]) -> dict[str, float]:
    """F, precision and recall from sums of counts."""
    overlap = Overlap(*map(int, totals))
    return {VALUE: overlap.f, "precision": overlap.precision, "recall": overlap.recall}


NO_RECORDS = "no records with a value in its data"


@dataclass(frozen=True, slots=True)
class AgainstTable:
    """What a text says, and what its table has by place; `pairs` lead from the one to the other."""

    said: Sequence[Extracted]
    known: dict[int, Record]
    pairs: dict[int, int]

    @property
    def overlap(self) -> Overlap:
        """How many pairs there are."""
        return Overlap(len(self.pairs), len(self.said), len(self.known))


def against_table(examples: Sequence[Example], extractor: str, matching: str) -> list[AgainstTable]:
    """The pairs of each text and of its table, compared; a repeated record counts once."""
    extracted = load_extractor(extractor).extract([(example.text, example.table) for example in examples])
    found = []
    for example, some in zip(examples, extracted, strict=True):
        first = {example.table.records[index]: index for index in reversed(indices_with_value(example.table))}
        indices = sorted(first.values())
        known = {index: example.table.records[index] for index in indices}
        said = distinct(some)
        pairs = pair_up(list(known.values()), said, matching)
        found.append(AgainstTable(said, known, {one: indices[other] for one, other in pairs.items()}))
    return found


def explain_table(found: AgainstTable, *, omissions: bool) -> tuple[Finding, ...]:
    """The pairs that text and table share, those of the text alone, and if asked those of the table alone."""
    if not found.known:
        return ()
    findings = []
    for index, (record, span) in enumerate(found.said):
        if index in found.pairs:
            findings.append(Finding("supported", record=found.pairs[index], span=span, note=show(record)))
        else:
            findings.append(Finding("unsupported", span=span, note=show(record)))
    shared = set(found.pairs.values())
    left = [index for index in found.known if index not in shared] if omissions else []
    return (*findings, *(Finding("omitted", record=index, note=show(found.known[index])) for index in left))


NO_REFERENCES = "no references"


class PairsOf(NamedTuple):
    """The pairs of a text and of each of its references, each pair once, in the order of the text."""

    said: list[Extracted]
    references: list[list[Extracted]]


def pairs_of(examples: Sequence[Example], extractor: str) -> list[PairsOf]:
    """The pairs of texts and references; blank references are none."""
    references = [list(filter(str.strip, example.references)) for example in examples]
    texts = [
        (text, example.table)
        for example, others in zip(examples, references, strict=True)
        for text in (example.text, *others)
    ]
    extracted = iter(load_extractor(extractor).extract(texts))
    found = []
    for others in references:
        said = distinct(next(extracted))
        pairs = [distinct(next(extracted)) for _ in others]
        # A reference that says nothing we find would agree best with an empty text.
        found.append(PairsOf(said, list(filter(None, pairs)) or pairs))
    return found


def order_agreement(said: Sequence[Extracted], reference: Sequence[Extracted], matching: str) -> float:
    """One minus the edits that turn one sequence of pairs into the other, by the length of the longer.

    An edit drops, adds or changes a pair, or swaps two neighbours, none of which is edited again.
    """
    longest = max(len(said), len(reference))
    if not longest:
        return 1.0
    same = [[agree(other.record, one.record, matching) for other in reference] for one in said]
    edits = [list(range(len(reference) + 1))]
    for row in range(1, len(said) + 1):
        edits.append([row])
        for column in range(1, len(reference) + 1):
            steps = [
                edits[row - 1][column] + 1,
                edits[row][column - 1] + 1,
                edits[row - 1][column - 1] + (not same[row - 1][column - 1]),
            ]
            swapped = row > 1 and column > 1 and same[row - 1][column - 2] and same[row - 2][column - 1]
            if swapped:
                steps.append(edits[row - 2][column - 2] + 1)
            edits[row].append(min(steps))
    return 1 - edits[-1][-1] / longest
