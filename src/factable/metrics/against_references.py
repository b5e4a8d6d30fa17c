"""What metrics that compare texts with references share: which references count, and rows into Scores."""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from factable.metric import VALUE, Metric, make_scores
from factable.types import Example, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_REFERENCES = "no references"


class Readings(NamedTuple):
    """Texts and references as a metric reads them; `reasons` says by index why one cannot be scored."""

    texts: list[str]
    references: list[list[str]]
    reasons: dict[int, str]


def read_examples(examples: Sequence[Example], read: Callable[[str], str]) -> Readings:
    """Texts and references, each through `read`; a reference of which nothing is left does not count."""
    texts, references, reasons = [], [], {}
    for index, example in enumerate(examples):
        texts.append(read(example.text))
        readings = [read(reference) for reference in example.references]
        references.append([reading for reading in readings if reading and not reading.isspace()])
        if not references[-1]:
            reasons[index] = NO_REFERENCES
    return Readings(texts, references, reasons)


def columns_to_scores(
    metric: Metric,
    examples: Sequence[Example],
    columns: "Mapping[str, NDArray[np.float64]]",
    stats: "NDArray[np.float64]",
    reasons: Mapping[int, str],
) -> Scores:
    """Scores from a column for the value and each part, and a row of statistics per example."""
    arrays = {name: array("d", column.tobytes()) for name, column in columns.items()}
    for index in reasons:
        for column in arrays.values():
            column[index] = math.nan
    values = arrays.pop(VALUE)
    return make_scores(metric, examples, values, arrays, reasons, array("d", stats.tobytes()))
