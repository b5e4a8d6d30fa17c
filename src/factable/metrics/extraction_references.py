"""Pairs extracted from texts against those extracted from their references."""

from collections.abc import Sequence
from typing import NamedTuple

from factable.extract.load import load_extractor
from factable.extract.protocol import Extracted
from factable.metrics.extraction import agree, distinct
from factable.types import Example

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
