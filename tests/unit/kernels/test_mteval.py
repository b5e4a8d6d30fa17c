"""The tokeniser 13a: equal to sacrebleu's, compiled or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from factable.kernels import mteval, separate
from factable.metrics.references import tokenize_13a

texts = st.text(alphabet=st.one_of(st.sampled_from("aB1 .,-&;<>'\"/_\n\t\u00a0é中"), st.characters()))


@given(texts)
def test_compiled_equals_twin(text):
    assert separate(text) == mteval.separate(text)


@given(texts)
def test_equal_to_sacrebleu(text):
    assert tokenize_13a(text).split() == Tokenizer13a()(text).split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Costs $1,500.50, really.", ["Costs", "$", "1,500.50", ",", "really", "."]),
        (
            "10-year-old (e.g. U.S.)",
            ["10", "-", "year-old", "(", "e", ".", "g", ".", "U", ".", "S", ".", ")"],
        ),
        (
            "a<skipped>b &quot;x&amp;y&quot; end-\nof line\nnext",
            ["ab", '"', "x", "&", "y", '"', "endof", "line", "next"],
        ),
        ("", []),
    ],
)
def test_by_hand(text, tokens):
    assert tokenize_13a(text).split() == tokens
