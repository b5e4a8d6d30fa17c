"""Perplexity: equal to a plain computation with torch, whatever the length, order and neighbours of texts."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import factable
from factable.core.metric import merge_scores
from factable.core.signature import sign
from factable.errors import DataError, UsageError
from factable.metrics.perplexity import Perplexity
from factable.models.language_model import (
    LANGUAGE_MODEL_VARIABLE,
    language_model_identity,
    likelihoods,
    split_windows,
)
from factable.types import Example, Table
from helpers.gpt2 import MARK, WINDOW, make_gpt2

pytestmark = pytest.mark.packages

TEXTS = [
    "Ada was born.",
    "x",
    "Ada was born in London, and liked poetry. " * 7,
    "été 愛",
    "  Ada was born.\n",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_gpt2(tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module")
def without_beginnings(tmp_path_factory):
    return make_gpt2(tmp_path_factory.mktemp("gpt2"), beginnings=False)


def make_examples(texts):
    return [Example(str(number), "", text, Table(())) for number, text in enumerate(texts)]


def by_hand(folder, text, *, beginnings=True):
    """−ln p of each token, each from a run of its own over what a window has before it."""
    import torch
    from transformers import AutoTokenizer, GPT2LMHeadModel

    model, tokenizer = GPT2LMHeadModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer((MARK if beginnings else "") + text.strip())["input_ids"]
    surprises = []
    for index in range(1, len(ids)):
        # The first window has all before it; later ones begin at every half window.
        half = WINDOW // 2
        start = 0 if index < WINDOW else (index // half - 1) * half
        with torch.inference_mode():
            logits = model(torch.tensor([ids[start:index]])).logits[0, -1].double()
        surprises.append(-torch.log_softmax(logits, 0)[ids[index]].item())
    return surprises


def test_equal_to_a_plain_computation(folder):
    scores = Perplexity(model=folder).score(make_examples(TEXTS))
    surprises = [by_hand(folder, text) for text in TEXTS]
    assert list(scores.values) == pytest.approx([math.exp(np.mean(one)) for one in surprises], rel=1e-6)
    assert list(scores.stats[1::2]) == list(map(len, surprises))
    together = math.exp(np.mean([surprise for one in surprises for surprise in one]))
    assert scores.corpus == pytest.approx(together, rel=1e-6)
    # Otherwise any number would do, and no text would be longer than a window.
    assert len({round(value, 2) for value in scores.values}) == len(TEXTS) - 1
    assert max(map(len, surprises)) > 4 * WINDOW


def test_without_a_mark_of_beginnings_the_first_token_is_not_scored(without_beginnings):
    texts = [*TEXTS[:1], "b"]
    scores = Perplexity(model=without_beginnings).score(make_examples(texts))
    surprises = by_hand(without_beginnings, texts[0], beginnings=False)
    assert scores.values[0] == pytest.approx(math.exp(np.mean(surprises)), rel=1e-6)
    assert scores.stats[1] == len(texts[0]) - 1
    assert math.isnan(scores.values[1])
    assert scores.findings[1][0].note.startswith("no token that can be scored")


@pytest.mark.parametrize("window", [64, 65])
def test_each_token_is_scored_once_with_half_a_window_before_it(window):
    for length in range(2, 400):
        windows = list(split_windows(length, window))
        scored = [index for start, first, end in windows for index in range(first, end)]
        assert scored == list(range(1, length))
        assert all(end - start <= window for start, _, end in windows)
        assert all(first - start >= window // 2 for start, first, _ in windows[1:])


def test_no_number_depends_on_neighbours(folder, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")

    def fresh(texts):
        monkeypatch.setattr("factable.models.runtime.cache._memory", {})
        return likelihoods(folder, texts)

    together = fresh(TEXTS)
    assert [fresh([text])[0] for text in TEXTS] == together
    assert fresh(TEXTS[::-1]) == together[::-1]


def test_an_empty_text_is_unscored_and_counts_nowhere(folder):
    metric = Perplexity(model=folder)
    scores = metric.score(make_examples(["Ada was born.", "", " \n"]))
    assert list(map(math.isnan, scores.values)) == [False, True, True]
    assert [found[0].note for found in scores.findings[1:]] == ["an empty text"] * 2
    assert scores.corpus == scores.values[0]


def test_shards_have_the_perplexity_of_all(folder):
    metric, examples = Perplexity(model=folder), make_examples(TEXTS)
    pieces = [metric.score(examples[:2]), metric.score(examples[2:])]
    assert merge_scores(metric, pieces, None).corpus == metric.score(examples).corpus


def test_what_is_kept_is_not_computed_again(folder, monkeypatch):
    first = likelihoods(folder, TEXTS)
    monkeypatch.setattr("factable.models.runtime.cache._memory", {})
    monkeypatch.setattr("factable.models.language_model.load_language_model", lambda name: pytest.fail(name))
    assert likelihoods(folder, TEXTS) == first


def test_the_signature_has_the_checksum_of_the_model(folder, without_beginnings):
    identity = language_model_identity(folder)
    assert f"@{identity[:12]}|" in sign(Perplexity(model=folder))
    assert identity != language_model_identity(without_beginnings)


def test_the_model_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv(LANGUAGE_MODEL_VARIABLE, folder)
    named = Perplexity(model=folder).score(make_examples(TEXTS))
    assert Perplexity().score(make_examples(TEXTS)).values == named.values


def test_refusals(folder, tmp_path, monkeypatch):
    monkeypatch.delenv(LANGUAGE_MODEL_VARIABLE, raising=False)
    with pytest.raises(UsageError, match=f"no language model; none .* {LANGUAGE_MODEL_VARIABLE}$"):
        Perplexity().score(make_examples(TEXTS))
    with pytest.raises(DataError, match=r"not a model folder: it has no config\.json; name a Hugging"):
        sign(Perplexity(model=str(tmp_path)))
    with pytest.raises(UsageError, match="model is 3; it must be a string"):
        Perplexity(model=3)
    script = (
        "import sys\nsys.modules['torch'] = None\n"
        "from factable.models.language_model import load_language_model\n"
        "try:\n    load_language_model(sys.argv[1])\nexcept Exception as error:\n    print(error)\n"
    )
    path = os.path.dirname(os.path.dirname(factable.__file__))
    run = subprocess.run(
        [sys.executable, "-c", script, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert run.stdout.strip().endswith("needs the extra 'hf'; install it with: pip install 'factable[hf]'")
