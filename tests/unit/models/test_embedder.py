"""Encoders: the same row for a text whatever is beside it, exact products, long and blank texts."""

import numpy as np
import pytest

from factable.errors import DataError, UsageError
from factable.models.encoder import SCALE, OnnxEmbedder, embed, embedder_identity, load_embedder
from factable.models.nli import load_nli
from factable.models.runtime.cache import cache_file
from factable.models.runtime.manifest import embedded_folder, read_manifest
from factable.models.runtime.progress import no_progress

TEXTS = [
    "Ada was born in London.",
    "The birth place of Ada is London.",
    "Bananas are yellow.",
    "ok",
    "Ada \ud83d",
]


@pytest.fixture(scope="module")
def rows():
    return embed("embed", TEXTS)


def test_like_texts_are_near_each_other(rows):
    near, far = rows[0] @ rows[1], rows[0] @ rows[2]
    assert near > 0.6 * SCALE**2 > 0.3 * SCALE**2 > far


def test_rows_are_whole_numbers_of_length_one(rows):
    assert (rows == np.rint(rows)).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(SCALE, rel=0.01)


def test_products_are_exact_in_any_order(rows):
    exact = rows.astype(np.int64) @ rows.astype(np.int64).T
    order = np.random.default_rng(0).permutation(rows.shape[1])
    assert ((rows @ rows.T) == exact).all()
    assert ((rows[:, order] @ rows[:, order].T) == exact).all()


def test_a_row_does_not_depend_on_neighbours_threads_or_the_cache(rows, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    alone = np.concatenate([embed("embed", [text]) for text in TEXTS])
    assert (alone == rows).all()
    model = OnnxEmbedder(embedded_folder("embed"), threads=3)
    assert (model.embed(TEXTS[:4] * 20, no_progress)[-4:] == rows[:4]).all()


def test_what_is_kept_is_not_computed_again(rows, monkeypatch):
    assert cache_file("embeddings").is_file()
    monkeypatch.setattr("factable.models.encoder.load_embedder", lambda name: pytest.fail(name))
    assert (embed("embed", [*TEXTS, *TEXTS[:2]])[: len(TEXTS)] == rows).all()


def test_blank_texts_and_no_texts():
    assert not embed("embed", [" \n"]).any()
    assert len(embed("embed", [])) == 0


def test_all_of_a_long_text_counts():
    start = "Ada was born in London. " * 100
    first, second = embed("embed", [start, start + "Bananas are yellow. " * 100])
    assert first @ second < 0.95 * SCALE**2


def test_progress_is_told_for_every_different_text():
    steps = []
    embed("embed", [*TEXTS, "new text", *TEXTS], steps.append)
    assert sum(steps) == len(TEXTS) + 1


def test_models_of_another_kind_are_refused():
    with pytest.raises(DataError, match="a model of kind 'nli'; name one of kind 'embedder'"):
        load_embedder(str(embedded_folder("nli")))
    with pytest.raises(DataError, match="a model of kind 'embedder'; name one of kind 'nli'"):
        load_nli(str(embedded_folder("embed")))
    with pytest.raises(UsageError, match="no model 'embd'; did you mean 'embed'"):
        load_embedder("embd")
    assert embedder_identity("embed") == read_manifest(embedded_folder("embed")).identity
