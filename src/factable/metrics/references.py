"""What metrics that compare texts with references share: which references count, and rows into Scores."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from factable.core.metric import VALUE, Metric, make_scores
from factable.kernels import separate
from factable.kernels.mteval import clean
from factable.kernels.tokens import is_word, token_spans, tokenize
from factable.types import Example, Finding, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sacrebleu.metrics.base import Metric as SacrebleuMetric


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


# Tokens, each with its start and end in the text.
Spans = list[tuple[str, int, int]]


def runs_without(words: Spans, supported: Callable[[str], bool]) -> Iterator[Spans]:
    """Runs of neighbouring words without support; punctuation is no claim and breaks no run."""
    claims = [word for word in words if is_word(word[0])]
    for holds, run in groupby(claims, key=lambda word: supported(word[0])):
        if not holds:
            yield list(run)


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


# Those of sacrebleu that need no download and no further package.
TOKENIZERS = ("13a", "intl", "char", "zh", "none")


@cache
def reader(tokens: str, lowercase: bool) -> Callable[[str], str]:
    """A function that tokenises a text as sacrebleu's BLEU does: words with white space between them."""
    tokenize = tokenize_13a if tokens == "13a" else _tokenizer(tokens)
    if lowercase:
        return lambda text: tokenize(text.lower().rstrip())
    return lambda text: tokenize(text.rstrip())


def tokenize_13a(text: str) -> str:
    """What sacrebleu's 13a gives, compiled: its own takes most of the time of BLEU."""
    return separate(clean(text)).strip()


def _tokenizer(tokens: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    # One tokeniser for the whole process: it remembers what it tokenised, and references come again.
    tokenize: Callable[[str], str] = BLEU(tokenize=tokens).tokenizer
    return tokenize


def signature_pieces(metric: "SacrebleuMetric") -> list[str]:
    """The pieces of sacrebleu's own signature; the number of references varies."""
    metric.num_refs = -1
    pieces = str(metric.get_signature()).split("|")
    return [f"sacrebleu:{pieces[0]}", *pieces[1:]]
