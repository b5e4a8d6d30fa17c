"""The counting of common n-grams: compiled form and Python twin agree, and both count as BLEU defines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable import kernels
from factable.kernels import matches

needs_compiled = pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were not compiled")

# Few words, so that they repeat; odd spaces, because both forms must split at the same ones.
WORDS = st.lists(
    st.sampled_from(["a", "b", "A", "é", "Ωx", "\ud83d", "\x00", " ", "\u2003", "\x1f", "\u200b"]),
    max_size=12,
)
TEXTS = st.one_of(WORDS.map(" ".join), WORDS.map("".join), st.text(max_size=20))
GROUPS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=4)), max_size=5)
UNITS = st.sampled_from(matches.UNITS)
ORDERS = st.integers(1, 7)
MISMATCH = "references for each text|argument 2 is"


@needs_compiled
@given(GROUPS, ORDERS, UNITS)
def test_both_forms_clip_alike(groups, orders, unit):
    texts, references = [text for text, _ in groups], [others for _, others in groups]
    compiled = kernels.count_clipped(texts, references, orders, unit)
    assert compiled == matches.count_clipped(texts, references, orders, unit)
    assert len(compiled) == len(groups) * (2 + orders)


@needs_compiled
@given(GROUPS, ORDERS, UNITS)
def test_both_forms_count_each_alike(groups, orders, unit):
    texts, references = [text for text, _ in groups], [others for _, others in groups]
    compiled = kernels.count_each(texts, references, orders, unit)
    assert compiled == matches.count_each(texts, references, orders, unit)
    assert len(compiled) == sum(map(len, references)) * (2 + orders)


@pytest.mark.parametrize("counter", [kernels, matches], ids=["used", "twin"])
def test_clipping_by_the_reference_that_has_most(counter):
    # Papineni et al. 2002: "the" counts twice, because no reference has it more often.
    references = ["the cat is on the mat", "there is a cat on the mat"]
    rows = counter.count_clipped(["the the the the the the the"], [references], 2, "words")
    assert list(rows) == [7, 7, 2, 0]
    rows = counter.count_each(["the the the the the the the"], [references], 2, "words")
    assert list(rows) == [7, 6, 2, 0, 7, 7, 1, 0]


@pytest.mark.parametrize("counter", [kernels, matches], ids=["used", "twin"])
def test_closest_reference_is_the_shorter_of_two(counter):
    assert list(counter.count_clipped(["a b"], [["x", "x x x"]], 1, "words")) == [2, 1, 0]
    assert list(counter.count_clipped(["a b"], [["x x x", "x"]], 1, "words")) == [2, 1, 0]
    assert list(counter.count_clipped(["a b"], [["x x x", ""]], 1, "words")) == [2, 3, 0]
    assert list(counter.count_clipped(["a b"], [[]], 1, "words")) == [2, 0, 0]


@pytest.mark.parametrize("counter", [kernels, matches], ids=["used", "twin"])
def test_texts_and_references_go_together(counter):
    with pytest.raises(ValueError, match=MISMATCH):
        counter.count_clipped(["a"], [], 1, "words")
    with pytest.raises(ValueError, match=MISMATCH):
        counter.count_each([], [["a"]], 1, "words")


@needs_compiled
@pytest.mark.parametrize("unit", matches.UNITS)
def test_no_text(unit):
    with pytest.raises(TypeError, match="a text must be a str, not NoneType"):
        kernels.count_clipped([None], [[]], 1, unit)
