"""Training the NLI model, for real but tiny: it learns, goes on where it stopped, gives a model folder."""

import json

import pytest

from factable.errors import UsageError
from factable.models.nli import entailment
from factable.models.protocols import ENTAILMENT, TextPair
from factable.train.nli.pairs import CONTRADICTION, Pair
from factable.train.nli.pairs import ENTAILMENT as ENTAILED
from factable.train.nli.recipe import Recipe
from factable.train.nli.training import encode, find_base, load_encoder, predict, train, train_nli
from factable.train.trainer import plan_batches
from helpers.encoder import make_tiny_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from safetensors.torch import load_file

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
LETTERS = "abcdefgh"


def make_pairs(times):
    """Every letter entails "the" and contradicts "of": easy enough for a handful of numbers."""
    return [
        Pair(letter, *said, "letters")
        for letter in LETTERS
        for said in [("the", ENTAILED), ("of", CONTRADICTION)] * 7
    ] * times


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_tiny_encoder(tmp_path_factory.mktemp("base"))


def recipe(**settings):
    return Recipe(train=(), held_out=(), batch=16, rate=5e-3, every=5, **settings)


class StoppedError(Exception):
    pass


def test_a_stopped_run_goes_on_and_ends_the_same(base, tmp_path):
    pairs = make_pairs(2)
    train(load_encoder(base), recipe(), pairs, base, tmp_path / "whole", threads=1, log=lambda _: None)

    def stop(line):
        if line.startswith("step 10:"):
            raise StoppedError

    with pytest.raises(StoppedError):
        train(load_encoder(base), recipe(), pairs, base, tmp_path / "parts", threads=1, log=stop)
    lines = []
    train(load_encoder(base), recipe(), pairs, base, tmp_path / "parts", threads=1, log=lines.append)
    assert "from step 10" in lines[1]
    (whole,), (parts,) = ((tmp_path / run).glob("step-*.safetensors") for run in ("whole", "parts"))
    assert whole.name == parts.name
    one, other = load_file(whole), load_file(parts)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_it_learns(base, tmp_path):
    pairs = make_pairs(40)
    model, minutes = train(
        load_encoder(base), recipe(), pairs, base, tmp_path / "work", threads=1, log=lambda _: None
    )
    assert minutes > 0
    scores = predict(model, encode(base, make_pairs(1), 64))
    right = [row.argmax() == pair.label for row, pair in zip(scores, make_pairs(1), strict=True)]
    assert sum(right) / len(right) > 0.9


def test_batches_have_every_pair_once():
    lengths = [number % 50 for number in range(5000)]
    batches = plan_batches(lengths, 32, 0)
    assert sorted(index for batch in batches for index in batch) == list(range(5000))
    assert plan_batches(lengths, 32, 0) == batches
    assert plan_batches(lengths, 32, 1) != batches


def test_the_whole_recipe_gives_a_model_folder(base, tmp_path, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    labels = {ENTAILED: "entailment", CONTRADICTION: "contradiction"}
    rows = [
        {"premise": p.premise, "hypothesis": p.hypothesis, "label": labels[p.label]} for p in make_pairs(40)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "recipe.toml").write_text(
        "batch = 16\nrate = 5e-3\nthen_share = 0.6\nevery = 50\n"
        '[[train]]\nname = "letters"\npairs = "pairs.jsonl"\n'
        '[[then]]\nname = "letters again"\npairs = "pairs.jsonl"\nmost = 100\n'
        '[[held_out]]\nname = "letters"\npairs = "pairs.jsonl"\nmost = 200\n'
    )
    out = tmp_path / "model"
    lines = []
    train_nli(tmp_path / "recipe.toml", tmp_path, base, out, threads=1, log=lines.append)
    assert {path.name for path in out.iterdir()} == {
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
        "CARD.md",
    }
    card = (out / "CARD.md").read_text()
    assert "| letters | 4,480 |" in card
    assert "| letters again | 100 |" in card
    assert "(first all but letters again, then these: 60% of the weights after it" in card
    assert sum("from step 0" in line for line in lines) == 2
    same, other = entailment(str(out), [TextPair("a", "the"), TextPair("a", "of")])
    assert same[ENTAILMENT] > 0.5 > other[ENTAILMENT]


def test_a_base_that_is_none(tmp_path):
    with pytest.raises(UsageError, match=r"is no encoder to begin with: it has no config.json, model"):
        find_base(tmp_path)
