"""What a metric is, and how its values become Scores."""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol

from factable.signature import sign, spec
from factable.types import Example, Finding, Scores

Field = Literal["table", "references"]


class Metric(Protocol):
    """A small frozen dataclass: a name and keyword parameters, no results, weights or cache.

    `score` never makes findings other than the reasons of unscored examples, so that bulk scoring stays fast;
    `explain` makes them, one tuple per example.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    higher_is_better: ClassVar[bool]
    bounds: ClassVar[tuple[float, float]]
    parts: ClassVar[tuple[str, ...]]
    shard_by: ClassVar[Literal["example", "item", "corpus"]]

    @property
    def needs(self) -> frozenset[Field]:
        """What an example must have besides its text."""
        ...

    def ingredients(self) -> Mapping[str, str]:
        """Checksums of the files and models behind the numbers, by parameter; part of the signature."""
        ...

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, in order; NaN with a reason where an example cannot be scored."""
        ...

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which facts and which words are behind each value."""
        ...


def missing_fields(metric: Metric, example: Example) -> list[str]:
    """What the metric needs and the example lacks, in words."""
    lacks = []
    if "table" in metric.needs and not example.table.records:
        lacks.append("records in its data")
    if "references" in metric.needs and not any(map(str.strip, example.references)):
        lacks.append("references")
    return lacks


def make_scores(
    metric: Metric,
    examples: Sequence[Example],
    values: "array[float]",
    parts: Mapping[str, "array[float]"],
    reasons: Mapping[int, str],
) -> Scores:
    """Scores whose corpus value is the mean of the scored values; `reasons` explains each NaN by index."""
    nothing: tuple[Finding, ...] = ()
    findings = [nothing] * len(values)
    for index, reason in reasons.items():
        findings[index] = (Finding("unscored", note=reason),)
    return Scores(
        metric=spec(metric),
        signature=sign(metric, references=reference_range(metric, examples), unscored=len(reasons)),
        corpus=mean_of_scored(values),
        values=values,
        parts=parts,
        findings=tuple(findings),
    )


def mean_of_scored(values: Sequence[float]) -> float:
    """The mean without NaN, rounded once, so that it does not depend on order or shards; NaN of nothing."""
    total = math.fsum(values)
    if math.isnan(total):
        values = [value for value in values if not math.isnan(value)]
        total = math.fsum(values)
    return total / len(values) if values else math.nan


def reference_range(metric: Metric, examples: Sequence[Example]) -> tuple[int, int] | None:
    """The least and most references of an example, where the metric uses references."""
    if "references" not in metric.needs or not examples:
        return None
    numbers = {len(example.references) for example in examples}
    return min(numbers), max(numbers)


def merge_scores(metric: Metric, pieces: Sequence[Scores], references: tuple[int, int] | None) -> Scores:
    """The scores of consecutive pieces as one, equal to scoring all examples at once."""
    values = array("d")
    parts = {part: array("d") for part in metric.parts}
    findings: list[tuple[Finding, ...]] = []
    for piece in pieces:
        values.extend(piece.values)
        findings.extend(piece.findings)
        for part, column in parts.items():
            column.extend(piece.parts[part])
    unscored = sum(map(math.isnan, values))
    signature = sign(metric, references=references, unscored=unscored)
    return Scores(spec(metric), signature, mean_of_scored(values), values, parts, tuple(findings))
