"""Overlap of spans, against sets of characters and cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable.stats.agreement import (
    Overlaps,
    count_characters,
    count_overlapping,
    count_shared,
    f1_draws,
    merge_spans,
)

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda s: (s[0], s[0] + s[1])))


def characters(found):
    return {index for start, end in found for index in range(start, end)}


@given(spans, spans)
def test_counts_are_those_of_sets(first, second):
    assert count_characters(merge_spans(first)) == len(characters(first))
    assert count_shared(merge_spans(first), merge_spans(second)) == len(
        characters(first) & characters(second)
    )


@given(spans, spans)
def test_overlapping_spans_share_a_character(first, second):
    merged = merge_spans(first), merge_spans(second)
    expected = sum(bool(characters([span]) & characters(second)) for span in merged[0])
    assert count_overlapping(*merged) == expected


def overlaps(rows):
    pair_of, text_of, shared, marked = np.array(rows).T
    return Overlaps(pair_of, text_of, shared.astype(float), marked.astype(float))


def test_f1_is_over_texts_and_then_the_mean_over_pairs():
    found = overlaps([(0, 0, 3, 10), (0, 1, 1, 6), (1, 0, 2, 4), (2, 1, 0, 0)])
    # (2 * 4 / 16 + 2 * 2 / 4) / 2; the last pair marks nothing.
    assert f1_draws(found, np.ones((1, 2))).tolist() == pytest.approx([0.75])
    # The first text twice: (2 * 6 / 20 + 1) / 2; the second twice: pair 0 alone has 2 * 2 / 12.
    assert f1_draws(found, np.array([[2.0, 0.0], [0.0, 2.0]])).tolist() == pytest.approx([0.8, 1 / 3])


def test_no_spans_no_f1():
    assert np.isnan(f1_draws(overlaps([(0, 0, 0, 0)]), np.ones((1, 1)))).all()
