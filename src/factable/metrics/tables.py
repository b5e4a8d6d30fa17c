"""What metrics that compare texts with their data share: columns of results."""

import math
from array import array
from collections.abc import Sequence
from typing import Any

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
