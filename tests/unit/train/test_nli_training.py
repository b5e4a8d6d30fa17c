"""Training the NLI model, for real but tiny: it learns, and gives a model folder."""

import json
from pathlib import Path

import pytest

from factable.errors import UsageError
from factable.models.nli import CONTRADICTION, ENTAILMENT, LABELS, OnnxNli, TextPair, entailment
from factable.models.runtime.manifest import read_manifest
from factable.models.runtime.progress import no_progress
from factable.train.encoder import find_base
from factable.train.nli import calibrate_nli, train_nli
from factable.train.nli_recipe import STYLES, read_recipe

pytest.importorskip("torch")
pytest.importorskip("transformers")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.usefixtures("no_cache")
RECIPES = Path(__file__).parents[3] / "recipes"
# Every letter entails "the" and contradicts "of": easy enough for a handful of numbers.
ROWS = [
    {"premise": letter, "hypothesis": word, "label": LABELS[label]}
    for letter in "abcdefgh"
    for word, label in [("the", ENTAILMENT), ("of", CONTRADICTION)]
]


def write_recipe(folder, *, times, **amounts):
    """A recipe of two passes over the rows."""
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    source = 'pairs = "pairs.jsonl"'
    path = folder / "recipe.toml"
    path.write_text(
        "batch = 16\nrate = 5e-3\nthen_share = 0.6\nevery = 50\n"
        f'[[train]]\nname = "letters"\n{source}\ntimes = {times}\n'
        f'[[then]]\nname = "letters again"\n{source}\ntimes = {amounts.get("again", 1)}\n'
        f'[[held_out]]\nname = "letters"\n{source}\n'
    )
    return path


def test_a_few_steps_of_a_recipe_give_a_model_folder(tiny_encoder, tmp_path):
    out, lines = tmp_path / "model", []
    recipe = write_recipe(tmp_path, times=2)
    train_nli(recipe, tmp_path, tiny_encoder, out, threads=1, log=lines.append)
    assert {path.name for path in out.iterdir()} == {
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
        "CARD.md",
    }
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["kind"], manifest["labels"]) == ("nli", list(LABELS))
    assert lines[:2] == [
        "letters: 32 pairs, 50% entailment, 0% neutral, 50% contradiction",
        "32 of 32 pairs have at most 192 tokens",
    ]
    assert [line for line in lines if "from step" in line] == ["2 steps, from step 0", "1 steps, from step 0"]
    card = (out / "CARD.md").read_text()
    assert "| letters | 32 | 50% entailment, 0% neutral, 50% contradiction |" in card
    assert "| letters again | 16 |" in card
    assert "60% of those after the second pass and 40% of those before it" in " ".join(card.split())
    assert "Loss from the first steps to the last: " in card
    assert "core hours are about" in card
    answers = entailment(str(out), [TextPair("a", "the"), TextPair("b", "of")])
    assert answers.sum(axis=1) == pytest.approx([1, 1])
    # Called again, it finds everything trained.
    lines.clear()
    weights = (out / "model.onnx").read_bytes()
    train_nli(recipe, tmp_path, tiny_encoder, out, threads=1, log=lines.append)
    assert [line for line in lines if "from step" in line] == ["2 steps, from step 2", "1 steps, from step 1"]
    assert (out / "model.onnx").read_bytes() == weights


def test_training_goes_on_from_a_model(tiny_encoder, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    train_nli(write_recipe(tmp_path, times=60), tmp_path, tiny_encoder, first, threads=1, log=lambda _: None)
    # A second training that learns nothing ends where the first one did.
    recipe = write_recipe(tmp_path, times=1)
    recipe.write_text(recipe.read_text().replace("then_share = 0.6", "then_share = 0.0"))
    recipe.write_text(recipe.read_text().replace("rate = 5e-3", "rate = 1e-12"))
    train_nli(recipe, tmp_path, tiny_encoder, second, start=first, threads=1, log=lambda _: None)
    pairs = [TextPair("a", "the"), TextPair("b", "of"), TextPair("c", "the")]
    logits = [
        np.log(OnnxNli(folder).probabilities(pairs, no_progress)) * read_manifest(folder).temperature
        for folder in (first, second)
    ]
    centred = [rows - rows.mean(axis=1, keepdims=True) for rows in logits]
    assert centred[1] == pytest.approx(centred[0], abs=0.1)


@pytest.mark.train
def test_it_learns(tiny_encoder, tmp_path):
    out, lines = tmp_path / "model", []
    recipe = write_recipe(tmp_path, times=280, again=7)
    train_nli(recipe, tmp_path, tiny_encoder, out, threads=1, log=lines.append)
    (accuracy,) = (line for line in lines if line.startswith("letters: accuracy"))
    assert accuracy == "letters: accuracy 1.000 (fp32), 1.000 (int8) on 16 pairs"
    same, other = entailment(str(out), [TextPair("a", "the"), TextPair("a", "of")])
    assert same[ENTAILMENT] > 0.5 > other[ENTAILMENT]


def test_a_model_that_is_too_sure_is_made_less_so():
    sure = np.log([[0.98, 0.01, 0.01]] * 4)
    right, wrong = np.zeros(4, dtype=int), np.array([0, 0, 1, 2])
    assert calibrate_nli([sure], [right]) == 0.5
    assert calibrate_nli([sure], [wrong]) == 3.0
    # Each set counts the same: right half of the time, and right two times of three.
    between = calibrate_nli([sure, sure[:3]], [np.array([0, 0, 0, 1]), np.array([0, 0, 0])])
    assert 1 < between < 3


def test_a_folder_that_is_not_a_base_encoder(tmp_path):
    with pytest.raises(UsageError, match=r"is not a base encoder: it has no config.json, model"):
        find_base(tmp_path)


def test_the_recipe_of_the_shipped_model_is_complete():
    recipe = read_recipe(RECIPES / "nli.toml")
    for source in (*recipe.train, *recipe.then, *recipe.held_out):
        assert bool(source.pairs) != bool(source.corpus), source
        assert source.style in STYLES
    assert recipe.then_share < 1
    assert "CC BY-NC-SA" in recipe.conditions
