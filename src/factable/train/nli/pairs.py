"""Pairs of texts with the label that the NLI model is to learn."""

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_lines
from factable.models.protocols import LABELS

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)


class Pair(NamedTuple):
    """Does the premise entail the hypothesis; `kind` says how the pair was made."""

    premise: str
    hypothesis: str
    label: int
    kind: str


def read_pairs(path: str, kind: str) -> Iterator[Pair]:
    """The pairs of a JSON lines file with premise, hypothesis and label."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            yield Pair(row["premise"], row["hypothesis"], LABELS.index(row["label"]), kind)
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            remedy = f'write {{"premise": …, "hypothesis": …, "label": one of {", ".join(LABELS)}}}'
            raise DataError([Fault(path, number, "no NLI pair", remedy)]) from None
