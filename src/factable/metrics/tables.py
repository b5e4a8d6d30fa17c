"""What metrics that compare texts with their data share: columns of results, and which facts must be said."""

import math
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from factable.types import Record

NO_FACTS = "no records with a value in its data"


def columns_of(
    results: Sequence[Any], parts: Sequence[str], reason: str, *, value: str = "value"
) -> tuple["array[float]", dict[str, "array[float]"], dict[int, str]]:
    """Values and parts, from attributes of these names, and the reason of each value that is NaN.

    A result of None stands for an example that cannot be scored: its value and parts are NaN.
    """

    def column(name: str) -> "array[float]":
        return array("d", [math.nan if result is None else getattr(result, name) for result in results])

    values = column(value)
    columns = {part: column(part) for part in parts}
    return values, columns, {index: reason for index, number in enumerate(values) if math.isnan(number)}


class Selection(NamedTuple):
    """Which facts must be said: those named in `required`, or all if it is empty, but for the optional."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    def requires(self, record: Record) -> bool:
        """Whether a text that leaves the fact out has an omission."""
        names = {record.attribute, f"{record.attribute}={record.value}"}
        return (not self.required or bool(names & self.required)) and not names & self.optional


def names_in(text: str) -> frozenset[str]:
    """Names of facts, which stand between commas."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())
