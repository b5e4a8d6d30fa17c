"""Models of a few thousand numbers, made once."""

import pytest


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from helpers.encoder import make_tiny_encoder

    return make_tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def no_cache(monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
