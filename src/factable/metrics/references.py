"""What metrics that compare texts with references share: reading, statistics in rows, and findings."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from factable.core.metric import REFERENCES, Metric
from factable.core.results import VALUE, Analysis, Findings, no_findings
from factable.kernels import separate
from factable.kernels.mteval import clean
from factable.kernels.tokens import is_word, token_spans, tokenize
from factable.types import Example, Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sacrebleu.metrics.base import Metric as SacrebleuMetric


NO_REFERENCES = "no references"
MAX_ORDERS = 20
# The highest value of metrics that are percentages.
FULL = 100.0


class RowMetric(Metric):
    """An additive metric with references: each example leaves a row, from which value and parts follow."""

    __slots__ = ()

    needs = REFERENCES
    additive = True

    def measure(self, rows: "NDArray[np.float64]") -> "dict[str, NDArray[np.float64]]":
        """Value (under VALUE) and parts of each row by itself."""
        raise NotImplementedError(f"metric {self.name} has no measure")

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Value and parts of a corpus, from column sums of its rows."""
        import numpy as np

        columns = self.measure(np.array([totals], dtype=np.float64))
        return {name: float(column[0]) for name, column in columns.items()}

    def finish_rows(self, totals: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """The values of many corpora at once, from a row of sums each."""
        return self.measure(totals)[VALUE]

    def analyse_rows(
        self,
        rows: "NDArray[np.float64]",
        reasons: Mapping[int, str],
        find: Callable[[], Sequence[Findings]] = no_findings,
    ) -> Analysis:
        """The analysis of examples of which each left a row; `reasons` says by index which are not scored."""
        columns = {name: array("d", column.tobytes()) for name, column in self.measure(rows).items()}
        for index in reasons:
            for column in columns.values():
                column[index] = math.nan
        return Analysis(columns.pop(VALUE), columns, reasons, array("d", rows.tobytes()), find)


def divide(above: "NDArray[np.float64]", below: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Quotients, 0 where there is nothing to divide by."""
    import numpy as np

    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


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


# Tokens, each with its start and end in the text.
Spans = list[tuple[str, int, int]]


def runs_without(words: Spans, supported: Callable[[str], bool]) -> Iterator[Spans]:
    """Runs of neighbouring words without support; punctuation is no claim and breaks no run."""
    claims = [word for word in words if is_word(word[0])]
    for holds, run in groupby(claims, key=lambda word: supported(word[0])):
        if not holds:
            yield list(run)


def find_unsupported(
    examples: Sequence[Example], *, with_values: bool = False, note: str = "in no reference"
) -> list[Findings]:
    """Runs of words, whatever their case, that neither references nor, where asked for, values have."""
    return [_unsupported(example, with_values, note) for example in examples]


def _unsupported(example: Example, with_values: bool, note: str) -> Findings:
    known = {word for reference in example.references for word in tokenize(reference)}
    if not known:
        return ()
    if with_values:
        known.update(word for record in example.table.records for word in tokenize(record.value))
    runs = runs_without(token_spans(example.text), known.__contains__)
    return tuple(Finding("unsupported", span=(run[0][1], run[-1][2]), note=note) for run in runs)


# Tokenizers of sacrebleu that need no download and no further package.
TOKENIZERS = ("13a", "intl", "char", "zh", "none")
TOKENS_DOC = 'sacrebleu\'s tokenizer; "none" is for text that is already tokenized'


@cache
def reader(tokens: str, lowercase: bool) -> Callable[[str], str]:
    """A function that tokenizes a text as sacrebleu's BLEU does: words with white space between them."""
    tokenize = tokenize_13a if tokens == "13a" else _tokenizer(tokens)
    if lowercase:
        return lambda text: tokenize(text.lower().rstrip())
    return lambda text: tokenize(text.rstrip())


def tokenize_13a(text: str) -> str:
    """What sacrebleu's 13a gives, compiled: its own takes most of the time of BLEU."""
    return separate(clean(text)).strip()


def _tokenizer(tokens: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    # One tokenizer for the whole process: it remembers what it tokenized, and references come again.
    tokenize: Callable[[str], str] = BLEU(tokenize=tokens).tokenizer
    return tokenize


def sacrebleu_signature(metric: "SacrebleuMetric") -> list[str]:
    """The parts of sacrebleu's own signature; the number of references varies."""
    metric.num_refs = -1
    first, *rest = str(metric.get_signature()).split("|")
    return [f"sacrebleu:{first}", *rest]
