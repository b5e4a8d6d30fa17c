"""The core types: what goes in (Record, Table, Example), and Finding, which comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# Where a piece of text starts and ends, in characters; the end is exclusive.
Span = tuple[int, int]
Kind = Literal["supported", "omitted", "contradicted", "unsupported", "repeated", "unscored"]
# What can be wrong with a text, in the order in which labels name them: left out, wrong, made up.
ERRORS = ("omission", "contradiction", "hallucination")
OK = "OK"


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
    # The object or rows that the records were made from, with what they lose: nesting, rows, null.
    source: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Example:
    """One text with everything that belongs to it; `(item, system)` is unique in a data set.

    `extra` holds the fields of its source that factable has no use for.
    """

    item: str
    system: str
    text: str
    table: Table
    references: tuple[str, ...] = ()
    human: Mapping[str, float] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a metric says about a record (by index) and/or a `(start, end)` span of the text.

    A finding without a record is about words of the text. One with both is about the record, unless it is a
    `claim`: then `records` are those that the words agree or disagree with. `required` tells of a record
    whether the text has to say it.
    """

    kind: Kind
    record: int | None = None
    span: Span | None = None
    score: float | None = None
    note: str = ""
    claim: bool = False
    records: tuple[int, ...] = ()
    required: bool = True
