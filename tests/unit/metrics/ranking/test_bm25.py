"""BM25: Lucene's formula by hand and by the package bm25s; documents in and out of the index alike."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable.metrics.ranking.rankers import K1, B, Bm25Index, read_query

texts = st.lists(st.sampled_from(["ada", "lovelace", "engine", "of", "the", "1815"]), min_size=1).map(
    " ".join
)


def test_one_word_by_hand():
    index = Bm25Index(["ada ada lovelace", "the engine"])
    (row,) = index.scores([read_query("Ada!")])
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert row[0] == pytest.approx(rarity * 2 / (2 + K1 * (1 - B + B * 3 / 2.5)))
    assert row[1] == 0


@pytest.mark.packages
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
# The first call is slow.
@given(st.lists(texts, min_size=1, max_size=8), texts)
def test_scores_are_those_of_bm25s(documents, query):
    import bm25s

    peer = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    peer.index([document.split() for document in documents], show_progress=False)
    known = [word for word in query.split() if any(word in document.split() for document in documents)]
    (scores,) = Bm25Index(documents).scores([read_query(query)])
    expected = peer.get_scores(known) if known else np.zeros(len(documents))
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


@given(st.lists(texts, min_size=1, max_size=8), texts)
def test_a_document_outside_scores_as_if_it_were_inside(documents, query):
    index = Bm25Index(documents)
    (inside,) = index.scores([read_query(query)])
    assert index.scores_outside(read_query(query), documents).tolist() == inside.tolist()


def test_no_documents_and_no_words():
    assert Bm25Index([]).scores([read_query("ada")]).shape == (1, 0)
    assert Bm25Index(["?", "ada"]).scores([read_query("!")]).tolist() == [[0, 0]]
