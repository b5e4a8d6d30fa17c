"""Pairs extracted from a text against pairs of a table or of references: which are the same, and how many."""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple, cast

from factable.errors import printable
from factable.extract.load import extractor_checksum
from factable.extract.protocol import Extracted
from factable.metric import VALUE, Metric, make_scores
from factable.metrics.parameters import require, require_choice
from factable.text.templates import open_up, readable
from factable.text.values import Relation, compare, read_value
from factable.text.values.words import split_words
from factable.types import Example, Record, Scores, Table

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
    if _words(open_up(known.attribute)) != _words(open_up(said.attribute)):
        return False
    if known.subject and said.subject and not _same_value(known.subject, said.subject, "", matching):
        return False
    return _same_value(known.value, said.value, known.attribute, matching)


@lru_cache(maxsize=1 << 16)
def _same_value(known: str, said: str, attribute: str, matching: str) -> bool:
    if matching == EXACT or known == said:
        return known == said
    if _words(readable(known)) == _words(readable(said)):
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
        first.setdefault(tuple(map(_words, map(readable, one.record))), one)
    return list(first.values())


def pair_up(known: Sequence[Record], said: Sequence[Extracted], matching: str) -> dict[int, int]:
    """For extracted pairs, by place, the place of the known pair that is the same; each is used once."""
    free = dict.fromkeys(range(len(known)))
    pairs = {}
    for place, one in enumerate(said):
        match = next((other for other in free if agree(known[other], one.record, matching)), None)
        if match is not None:
            pairs[place] = match
            del free[match]
    return pairs


def places_with_value(table: Table) -> list[int]:
    """The places of the records that say something."""
    return [place for place, record in enumerate(table.records) if readable(record.value)]


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

    def ingredients(self) -> Mapping[str, str]:
        """The checksum of the extractor's file, where it has one."""
        checksum = extractor_checksum(self.extractor)
        return {"extractor": checksum} if checksum else {}


def score_overlaps(
    metric: Metric, examples: Sequence[Example], overlaps: Sequence[Overlap], reasons: Mapping[int, str]
) -> Scores:
    """F of each example with precision and recall; the counts are the statistics of a corpus."""
    columns = {name: array("d") for name in ("f", "precision", "recall")}
    for place, overlap in enumerate(overlaps):
        for name, column in columns.items():
            column.append(math.nan if place in reasons else getattr(overlap, name))
    stats = array("d", [float(count) for overlap in overlaps for count in overlap])
    return make_scores(metric, examples, columns.pop("f"), columns, reasons, stats)


def finish_overlaps(totals: Sequence[float]) -> dict[str, float]:
    """F, precision and recall from sums of counts."""
    overlap = Overlap(*map(int, totals))
    return {VALUE: overlap.f, "precision": overlap.precision, "recall": overlap.recall}
