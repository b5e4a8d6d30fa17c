"""PARENT and its parts on examples small enough to compute by hand."""

from math import isnan, sqrt

import numpy as np
import pytest

from factable import kernels
from factable.kernels import parent
from factable.kernels.parent import (
    EMPTY_VALUE,
    MIXED_RECORDS,
    NO_RECORDS,
    NO_REFERENCES,
    SCORED,
    ParentOptions,
    common_length,
)
from factable.metrics.parent.counts import from_pairs
from factable.types import Example, Record, Table

both = pytest.mark.parametrize(
    "score_parent", [kernels.score_parent, parent.score_parent], ids=["kernel", "twin"]
)
PLAIN = ParentOptions("words", "overlap", None, 2, 1e-5, strict=False, separate_best=False)

# The table knows a, b and e. Text and reference share "a b"; then the text says d, the reference c.
TABLE = Table((Record("", "first", "a b"), Record("", "second", "e")))
EXAMPLE = Example("item", "system", "a b d", TABLE, ("a b c",))
# Of the records, "a b" is there in order and "e" is not: (2/2 + 0/1) / 2, for text and reference alike.
TABLE_RECALL = 1 / 2


def check(columns, precision: float, reference_recall: float, table_recall: float, mix: float) -> None:
    recall = reference_recall ** (1 - mix) * table_recall**mix
    expected = {
        "value": 2 * precision * recall / (precision + recall + 1e-8),
        "precision": precision,
        "recall": recall,
        "reference_recall": reference_recall,
        "table_recall": table_recall,
        "mix": mix,
    }
    assert {part: values[0] for part, values in columns.items()} == pytest.approx(expected, rel=1e-12)


@both
def test_overlap(score_parent) -> None:
    columns, codes = score_parent([EXAMPLE], PLAIN, None)
    # a and b are in the reference: 1 each; d is in neither: 0. "a b": 1; "b d": half of it is in the table.
    precision = sqrt((1 + 1 + 0) / 3 * (1 + 1 / 2) / 2)
    # Of a (weight 1), b (1), c (0) the text has a and b; of "a b" (1), "b c" (1/2) it has "a b".
    reference_recall = sqrt((1 + 1) / (1 + 1 + 0) * 1 / (1 + 1 / 2))
    assert codes == bytes([SCORED])
    check(columns, precision, reference_recall, TABLE_RECALL, mix=1 - TABLE_RECALL)


@both
def test_no_entailment(score_parent) -> None:
    columns, _ = score_parent([EXAMPLE], PLAIN._replace(entailment="none", mix=0.25), None)
    # Two of three tokens and one of two bigrams are common; every n-gram weighs 1.
    check(columns, sqrt(2 / 3 * 1 / 2), sqrt(2 / 3 * 1 / 2), TABLE_RECALL, mix=0.25)


@both
def test_cooccurrence(score_parent) -> None:
    vocabulary = {"a": 0, "b": 1, "c": 2, "d": 3}
    # Of 4 texts beside a table with a, 1 has d; of 2 beside b, both have c and none has d.
    counts = from_pairs(
        vocabulary,
        np.array([4, 2, 0, 0], dtype=np.uint32),
        np.array([0 << 32 | 3, 1 << 32 | 2], dtype=np.uint64),
        np.array([1, 2], dtype=np.uint32),
    )
    columns, _ = score_parent([EXAMPLE], PLAIN._replace(entailment="cooccurrence"), counts)
    # P(d) = 1/4: the tokens give 1 + 1 + 1/4, the bigrams 1 + (1 * 1/4)^(1/2).
    precision = sqrt((1 + 1 + 1 / 4) / 3 * (1 + 1 / 2) / 2)
    # P(c) = 2/2: a, b, c weigh 1 each, and so do "a b" and "b c".
    reference_recall = sqrt(2 / 3 * 1 / 2)
    check(columns, precision, reference_recall, TABLE_RECALL, mix=1 - TABLE_RECALL)


@both
def test_an_attribute_without_words_is_no_token_of_the_table(score_parent) -> None:
    # A counts file may hold an empty word; if "_" stood for it, the table would entail d for certain.
    counts = from_pairs(
        {"": 0, "d": 1},
        np.array([1, 0], dtype=np.uint32),
        np.array([0 << 32 | 1], dtype=np.uint64),
        np.array([1], dtype=np.uint32),
    )
    example = Example("", "", "d", Table((Record("", "_", "a"),)), ("a",))
    columns, _ = score_parent([example], PLAIN._replace(entailment="cooccurrence", orders=1), counts)
    check(columns, precision=0.0, reference_recall=1e-5, table_recall=1e-5, mix=0.0)


@both
def test_repeats_are_clipped_and_weighted_by_their_number(score_parent) -> None:
    example = Example("", "", "x x x y", Table((Record("", "", "x"),)), ("x x z",))
    columns, _ = score_parent([example], PLAIN._replace(orders=1), None)
    # x stands 3 times: 2 match, the third is in the table; y: 0. Of x (2 times) and z (weight 0) all is said.
    check(columns, precision=3 * (2 / 3 + 1 / 3 * 1) / 4, reference_recall=1.0, table_recall=1.0, mix=0.0)


@both
def test_smoothing_and_its_absence(score_parent) -> None:
    example = Example("", "", "x y", Table((Record("", "", "q"),)), ("y x",))
    options = PLAIN._replace(entailment="none", mix=1.0)
    columns, _ = score_parent([example], options._replace(smoothing=0.01), None)
    # No bigram is common and no record mentioned: 0.01 stands in for each.
    check(columns, sqrt(1 * 0.01), sqrt(1 * 0.01), 0.01, mix=1.0)
    columns, _ = score_parent([example], options._replace(smoothing=0.0), None)
    check(columns, 0.0, 0.0, 0.0, mix=1.0)


@both
def test_best_reference(score_parent) -> None:
    # "a b" against "a b c c c c": P = 1, R = 2/6, F = 1/2; against "a": P = 1/2, R = 1, F = 2/3.
    example = Example("", "", "a b", Table((Record("", "", "a"),)), ("a b c c c c", "a"))
    options = PLAIN._replace(entailment="none", orders=1, mix=0.0)
    columns, _ = score_parent([example], options, None)
    check(columns, precision=1 / 2, reference_recall=1.0, table_recall=1.0, mix=0.0)
    columns, _ = score_parent([example], options._replace(separate_best=True), None)
    assert columns["precision"][0] == 1.0
    assert columns["recall"][0] == 1.0
    assert columns["value"][0] == pytest.approx(2 / 3)


@both
def test_title_counts_as_table_unless_strict(score_parent) -> None:
    example = Example("", "", "t", Table((Record("", "", "q"),), title="T"), ("r",))
    columns, _ = score_parent([example], PLAIN._replace(orders=1), None)
    assert columns["precision"][0] == 1.0
    columns, _ = score_parent([example], PLAIN._replace(orders=1, strict=True), None)
    assert columns["precision"][0] == 0.0


PAIR, TRIPLE, EMPTY = Record("", "a", "x"), Record("s", "a", "x"), Record("", "a", " ")


@both
@pytest.mark.parametrize(
    ("records", "references", "code", "strict_code"),
    [
        ((PAIR,), ("x",), SCORED, SCORED),
        ((), ("x",), NO_RECORDS, NO_RECORDS),
        ((), (), NO_RECORDS, NO_RECORDS),
        ((PAIR,), (), NO_REFERENCES, NO_REFERENCES),
        ((PAIR,), ("", " "), NO_REFERENCES, SCORED),
        ((PAIR, TRIPLE), ("x",), SCORED, MIXED_RECORDS),
        ((PAIR, EMPTY), ("x",), SCORED, EMPTY_VALUE),
        ((EMPTY,), ("x",), NO_RECORDS, EMPTY_VALUE),
        ((EMPTY, TRIPLE), ("x",), SCORED, EMPTY_VALUE),
    ],
)
def test_what_cannot_be_scored(score_parent, records, references, code: int, strict_code: int) -> None:
    example = Example("", "", "x", Table(records), references)
    for options, expected in ((PLAIN, code), (PLAIN._replace(strict=True), strict_code)):
        columns, codes = score_parent([example, EXAMPLE], options, None)
        assert codes == bytes([expected, SCORED])
        assert all(isnan(values[0]) == (expected != SCORED) for values in columns.values())
        # The example after it is none the worse.
        assert not any(isnan(values[1]) for values in columns.values())


@both
def test_empty_text_and_no_examples(score_parent) -> None:
    columns, codes = score_parent([Example("", "", "", TABLE, ("a b",))], PLAIN, None)
    assert codes == bytes([SCORED])
    # Nothing said: precision 0. The reference holds "a b" of the table: mix = 1 - 1/2.
    check(columns, 0.0, 1e-5, 1e-5, mix=1 / 2)
    columns, codes = score_parent([], PLAIN, None)
    assert codes == b""
    assert all(len(values) == 0 for values in columns.values())


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        ("", "", 0),
        ("a", "", 0),
        ("", "a", 0),
        ("abcbdab", "bdcaba", 4),
        ("aaa", "aa", 2),
        ("abc", "cba", 1),
        ("xaybzc", "abc", 3),
    ],
)
def test_common_length(first: str, second: str, length: int) -> None:
    assert common_length(list(first), list(second)) == length
    # The share of one record's tokens, as the kernel has it, is the same subsequence.
    if first:
        example = Example("", "", " ".join(second), Table((Record("", "", " ".join(first)),)), ("q",))
        columns, _ = kernels.score_parent([example], PLAIN._replace(smoothing=0.0), None)
        assert columns["table_recall"][0] == length / len(first)
