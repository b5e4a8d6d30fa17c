"""PARENT (Dhingra et al. 2019) of a list of examples, in plain Python; `_parent.py` is fast and equal."""

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from factable.kernels.matches import count_ngrams
from factable.kernels.tokens import attribute_token, attribute_words, tokenize
from factable.types import Example, Record

PARTS = ("value", "precision", "recall", "reference_recall", "table_recall", "mix")
SCORED, NO_REFERENCES, NO_RECORDS, EMPTY_VALUE, MIXED_RECORDS = range(5)
F_GUARD = 1e-8

Tokens = list[str]
Ngram = tuple[str, ...]


class CooccurrenceCounts(Protocol):
    """Co-occurrence counts: token numbers, in how many tables each was, and sorted rows of pairs."""

    @property
    def vocabulary(self) -> dict[str, int]: ...  # noqa: D102
    @property
    def totals(self) -> Any: ...  # noqa: D102
    @property
    def starts(self) -> Any: ...  # noqa: D102
    @property
    def columns(self) -> Any: ...  # noqa: D102
    @property
    def pairs(self) -> Any: ...  # noqa: D102


class ParentOptions(NamedTuple):
    """The parameters of PARENT; `mix` None is the paper's heuristic.

    `strict` is the original program: it keeps empty references, cannot score an empty value or a mix of
    pairs and triples, and ignores titles. `separate_best` takes the best precision, recall and F over the
    references each on its own. `paper` is the definition in the paper: the words of attributes are words of
    the table, and `smoothing` stands in for zeros of single words, too.
    """

    tokenizer: str
    entailment: str
    mix: float | None
    orders: int
    smoothing: float
    strict: bool
    separate_best: bool
    paper: bool = False


def score_parent(
    examples: Sequence[Example], options: ParentOptions, counts: CooccurrenceCounts | None
) -> tuple[dict[str, "array[float]"], bytes]:
    """An array per part, NaN if an example cannot be scored, and a code per example that says why."""
    columns = {part: array("d") for part in PARTS}
    codes = bytearray()
    for example in examples:
        row, code = _score_one(example, options, counts)
        codes.append(code)
        for part, value in zip(PARTS, row, strict=True):
            columns[part].append(value)
    return columns, bytes(codes)


def _score_one(
    example: Example, options: ParentOptions, counts: CooccurrenceCounts | None
) -> tuple[Sequence[float], int]:
    unscored = [math.nan] * len(PARTS)
    records = [_record_tokens(record, options.tokenizer) for record in example.table.records]
    references = [tokenize(reference, options.tokenizer) for reference in example.references]
    if options.strict:
        if records and [] in records:
            return unscored, EMPTY_VALUE
        if (
            options.entailment == "overlap"
            and len({record.subject == "" for record in example.table.records}) > 1
        ):
            return unscored, MIXED_RECORDS
    else:
        records = [record for record in records if record]
        references = [reference for reference in references if reference]
    if not records:
        return unscored, NO_RECORDS
    if not references:
        return unscored, NO_REFERENCES
    text = tokenize(example.text, options.tokenizer)
    entails = table_entailment(example, options, counts)
    rows = [_against(text, reference, records, entails, options) for reference in references]
    best = max(rows, key=lambda row: row[0])
    if options.separate_best:
        return [*(max(row[part] for row in rows) for part in range(3)), *best[3:]], SCORED
    return best, SCORED


def _record_tokens(record: Record, tokenizer: str) -> Tokens:
    return tokenize(record.subject, tokenizer) + tokenize(record.value, tokenizer)


def table_entailment(
    example: Example, options: ParentOptions, counts: CooccurrenceCounts | None
) -> Callable[[Ngram], float]:
    """w(g): the degree to which the table entails an n-gram."""
    records = example.table.records
    in_table = {token for record in records for token in _record_tokens(record, options.tokenizer)}
    if not options.strict:
        in_table.update(tokenize(example.table.title, options.tokenizer))
    if options.entailment == "cooccurrence":
        assert counts is not None
        in_table.update(attribute_token(record.attribute, options.tokenizer) for record in records)
        # An attribute without words is not a token, even if a counts file has an empty one.
        in_table.discard("")
        chance = dict.fromkeys(in_table, 1.0)

        def probability(ngram: Ngram) -> float:
            for token in ngram:
                if token not in chance:
                    chance[token] = _cooccurrence(token, in_table, counts)
            return math.prod(chance[token] for token in ngram) ** (1 / len(ngram))

        return probability
    if options.paper:
        for record in records:
            in_table.update(attribute_words(record.attribute, options.tokenizer))
    return lambda ngram: sum(token in in_table for token in ngram) / len(ngram)


def _cooccurrence(token: str, in_table: Iterable[str], counts: CooccurrenceCounts) -> float:
    """The highest share of tables with a in_table token whose text has `token`."""
    column = counts.vocabulary.get(token, -1)
    best = 0.0
    for other in in_table:
        row = counts.vocabulary.get(other, -1)
        if row < 0 or column < 0 or counts.totals[row] == 0:
            continue
        index = bisect_left(counts.columns, column, counts.starts[row], counts.starts[row + 1])
        if index < counts.starts[row + 1] and counts.columns[index] == column:
            best = max(best, float(counts.pairs[index] / counts.totals[row]))
    return best


def _against(
    text: Tokens,
    reference: Tokens,
    records: list[Tokens],
    entails: Callable[[Ngram], float],
    options: ParentOptions,
) -> tuple[float, ...]:
    """F, precision, recall, reference recall, table recall and mix against one reference."""
    precisions, recalls = [], []
    for order in range(1, options.orders + 1):
        in_text, in_reference = count_ngrams(text, order), count_ngrams(reference, order)
        precisions.append(_precision(in_text, in_reference, entails, options.entailment == "none"))
        recalls.append(_recall(in_text, in_reference, entails, options.entailment == "none"))
    precision = _geometric_mean(precisions, options, 0.0)
    reference_recall = _geometric_mean(recalls, options, options.smoothing)
    table_recall = _table_recall(records, text) or options.smoothing
    mix = 1 - _table_recall(records, reference) if options.mix is None else options.mix
    recall = reference_recall ** (1 - mix) * table_recall**mix
    value = 2 * precision * recall / (precision + recall + F_GUARD)
    return value, precision, recall, reference_recall, table_recall, mix


def _precision(
    in_text: Counter[Ngram], in_reference: Counter[Ngram], entails: Callable[[Ngram], float], plain: bool
) -> float:
    total = sum(in_text.values())
    if not total:
        return 0.0
    rewarded = 0.0
    for ngram, count in in_text.items():
        matched = min(1.0, in_reference[ngram] / count)
        weight = 0.0 if plain else entails(ngram)
        rewarded += count * (matched + (1 - matched) * weight)
    return rewarded / total


def _recall(
    in_text: Counter[Ngram], in_reference: Counter[Ngram], entails: Callable[[Ngram], float], plain: bool
) -> float:
    matched = total = 0.0
    for ngram, count in in_reference.items():
        weight = count * (1.0 if plain else entails(ngram))
        matched += weight * min(1.0, in_text[ngram] / count)
        total += weight
    return matched / total if total else 1.0


def _geometric_mean(values: list[float], options: ParentOptions, at_zero: float) -> float:
    """Zeros above the first order, or all, are smoothed; if a zero is left, the result is `at_zero`."""
    smoothed = [value or options.smoothing for value in values]
    if not options.paper:
        smoothed[0] = values[0]
    if 0.0 in smoothed:
        return at_zero
    total = 0.0
    for value in smoothed:
        total += math.log(value) / len(smoothed)
    return math.exp(total)


def _table_recall(records: list[Tokens], text: Tokens) -> float:
    """The mean share of each record's tokens that the text has in the same order."""
    total = 0.0
    for record in records:
        total += common_length(record, text) / len(record)
    return total / len(records)


def common_length(first: Tokens, second: Tokens) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for left in first:
        corner = 0
        for column, right in enumerate(second, 1):
            above = row[column]
            row[column] = corner + 1 if left == right else max(above, row[column - 1])
            corner = above
    return row[-1]
