"""What metrics that compare texts with references say of a text: the words that no reference has."""

from collections.abc import Sequence

from factable.kernels.tokens import token_spans, tokenize
from factable.metrics.spans import runs_without
from factable.types import Example, Finding

NOWHERE = "in no reference"


def explain_all(
    examples: Sequence[Example], *, with_table: bool = False, note: str = NOWHERE
) -> tuple[tuple[Finding, ...], ...]:
    """Runs of words, whatever their case, that neither references nor, where asked for, values have."""
    return tuple(_find_unsupported(example, with_table, note) for example in examples)


def _find_unsupported(example: Example, with_table: bool, note: str) -> tuple[Finding, ...]:
    known = {word for reference in example.references for word in tokenize(reference)}
    if not known:
        return ()
    if with_table:
        known.update(word for record in example.table.records for word in tokenize(record.value))
    runs = runs_without(token_spans(example.text), known.__contains__)
    return tuple(Finding("unsupported", span=(run[0][1], run[-1][2]), note=note) for run in runs)
