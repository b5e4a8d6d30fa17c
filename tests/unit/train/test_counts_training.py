"""Counting words of tables and texts, against the obvious way of doing it."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable.kernels.tokens import TOKENIZERS, attribute_token, tokenize
from factable.train.counts import CountsBuilder
from factable.types import Example, Record, Table

words = st.text(st.sampled_from("aAbé愛1_ .|\ud83d"), max_size=6)
records = st.builds(Record, words, words, words)
tables = st.builds(Table, st.lists(records, max_size=3).map(tuple), words)
examples = st.builds(
    Example, st.just("i"), st.just("s"), words, tables, st.lists(words, max_size=3).map(tuple)
)


def obvious(examples, tokenizer):
    """Plain counters: of table words over texts, of pairs of table word and text word, and of texts."""
    totals, pairs, texts = Counter(), Counter(), 0
    for example in examples:
        known = {attribute_token(record.attribute, tokenizer) for record in example.table.records}
        for text in (
            example.table.title,
            *(part for record in example.table.records for part in record[::2]),
        ):
            known.update(tokenize(text, tokenizer))
        known.discard("")
        for text in example.references or (example.text,):
            said = set(tokenize(text, tokenizer))
            if said:
                texts += 1
                totals.update(known)
                pairs.update((word, other) for word in known for other in said)
    return totals, pairs, texts


@given(st.lists(examples, max_size=8), st.sampled_from(TOKENIZERS), st.sampled_from([1, 2, 7, 30, 1 << 20]))
@settings(max_examples=200)
def test_against_plain_counters(given_examples, tokenizer, buffered_pairs):
    builder = CountsBuilder(tokenizer, buffered_pairs=buffered_pairs)
    for example in given_examples:
        builder.add(example)
    counts = builder.finish()
    totals, pairs, texts = obvious(given_examples, tokenizer)
    names = list(counts.vocabulary)
    assert builder.texts == texts
    assert counts.tokenizer == tokenizer
    assert {names[row]: total for row, total in enumerate(counts.totals.tolist()) if total} == dict(totals)
    found = {}
    for row, name in enumerate(names):
        start, end = counts.starts[row : row + 2].tolist()
        columns = counts.columns[start:end].tolist()
        assert columns == sorted(set(columns))
        found |= {
            (name, names[column]): pair
            for column, pair in zip(columns, counts.pairs[start:end].tolist(), strict=True)
        }
    assert found == dict(pairs)


@pytest.mark.parametrize("buffered_pairs", [1, 5, 1 << 20])
def test_a_share_is_a_share(buffered_pairs):
    """No pair is counted more often than its table word, or PARENT's probabilities would pass 1."""
    builder = CountsBuilder(buffered_pairs=buffered_pairs)
    for number in range(50):
        table = Table((Record("Ada Ada", "born", f"{number % 3} Ada"),) * 2)
        builder.add(Example(str(number), "", "", table, ("Ada Ada was born", f"in {number}")))
    counts = builder.finish()
    for row, total in enumerate(counts.totals.tolist()):
        row_pairs = counts.pairs[counts.starts[row] : counts.starts[row + 1]].tolist()
        assert all(0 < pair <= total for pair in row_pairs)
    assert builder.texts == 100
