"""The core types: what goes in (Record, Table, Example) and what comes out (Finding, Scores)."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# Where a piece of text starts and ends, in characters; the end is exclusive.
Span = tuple[int, int]
Kind = Literal["supported", "omitted", "contradicted", "unsupported", "repeated", "unscored"]


class Record(NamedTuple):
    """One fact: a triple, a slot or a cell; `subject` is empty for plain attribute-value data."""

    # A named tuple, because millions are made: half the cost of a frozen dataclass.
    subject: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Table:
    """The data a text was written from: records in order, repeats allowed, under an optional title."""

    records: tuple[Record, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """One text with everything that belongs to it; `(item, system)` is unique in a data set."""

    item: str
    system: str
    text: str
    table: Table
    references: tuple[str, ...] = ()
    human: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a metric says about a record (by index) and/or a `(start, end)` span of the text."""

    kind: Kind
    record: int | None = None
    span: Span | None = None
    score: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """What one metric says about a list of examples, in input order; NaN where it cannot score.

    `values` and each of `parts` hold one float per example (compact arrays, no copy for NumPy);
    `corpus` and `corpus_parts` are those of all examples together; `findings` holds a tuple per example, in
    which a kind "unscored" explains each NaN. Additive metrics, whose corpus value is no mean, leave in
    `stats` a row of numbers per example, one row after the other: sums of rows give the value of any set of
    examples.
    """

    metric: str
    signature: str
    corpus: float
    values: "array[float]"
    parts: Mapping[str, "array[float]"]
    findings: tuple[tuple[Finding, ...], ...]
    corpus_parts: Mapping[str, float] = field(default_factory=dict)
    stats: "array[float]" = field(default_factory=lambda: array("d"))
