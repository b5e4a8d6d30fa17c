"""Training the NLI model, a cross-encoder with three labels."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.nli import LABELS, OnnxNli, TextPair, softmax
from factable.models.runtime.manifest import NLI
from factable.models.runtime.progress import no_progress
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.encoder import (
    EncodedPairs,
    copy_weights,
    find_base,
    load_base_tokenizer,
    load_encoder,
    train_on_pairs,
)
from factable.train.export import WINDOW, export_model, set_temperature
from factable.train.nli_pairs import NliPair
from factable.train.nli_recipe import NliRecipe, make_pairs, read_recipe
from factable.train.trainer import Log, Schedule, TrainingResult, group_by_length, work_folder

if TYPE_CHECKING:
    import torch

# Temperatures to try, from sharper to flatter.
TEMPERATURES = np.round(np.arange(0.5, 3.0001, 0.05), 2)
ROWS_AT_ONCE = 64


class NliFigures(NamedTuple):
    """Accuracy on one held-out set."""

    pairs: int
    accuracy_fp32: float
    accuracy_int8: float


def train_nli(
    recipe_file: Path,
    data: Path,
    base: Path | None,
    out: Path,
    *,
    start: Path | None = None,
    threads: int,
    log: Log,
) -> None:
    """Train the model of a recipe and write its folder; checkpoints are beside it, in `OUT.work`.

    Files of the recipe are relative to `data`; without `base` the encoder is MiniLM. `start` is the folder of
    an NLI model with that encoder, whose weights to start from.
    """
    base = find_base(base)
    recipe = read_recipe(recipe_file)
    model = load_nli_model(base, seed=recipe.seed)
    if start is not None:
        copy_weights(start, model, head=True)
    results, pairs = list[TrainingResult](), dict[str, list[NliPair]]()
    before: dict[str, torch.Tensor] = {}
    for sources, rate, work in (
        (recipe.train, recipe.rate, work_folder(out)),
        (recipe.then, recipe.then_rate, work_folder(out) / "then"),
    ):
        made = make_pairs(sources, data, recipe.seed)
        for name, source_pairs in made.items():
            log(f"{name}: {len(source_pairs):,} pairs, {_label_shares(source_pairs)}")
        pass_pairs = [pair for source_pairs in made.values() for pair in source_pairs]
        if pass_pairs:
            before = {name: value.detach().clone() for name, value in model.named_parameters()}
            results.append(
                train_pass(model, recipe, pass_pairs, base, work, rate=rate, threads=threads, log=log)
            )
        pairs |= made
    if recipe.then:
        _average_weights(model, before, recipe.then_share)
    export_model(model, base, out, kind=NLI, about=recipe.about, labels=LABELS)
    held_out = make_pairs(recipe.held_out, data, recipe.seed + 1)
    figures = measure_nli(model, held_out, base, out, log=log)
    _write_card(out, recipe, pairs, figures, results)


def load_nli_model(base: Path, *, seed: int = 0) -> "torch.nn.Module":
    """The encoder in a folder, with mean pooling and a new linear layer."""
    return load_encoder(base, outputs=len(LABELS), mean=True, seed=seed)


def train_pass(
    model: "torch.nn.Module",
    recipe: NliRecipe,
    pairs: Sequence[NliPair],
    base: Path,
    work: Path,
    *,
    rate: float,
    threads: int,
    log: Log,
) -> TrainingResult:
    """Train a model in place by one pass over pairs, resuming from the checkpoint in `work`."""
    encoded = encode_pairs(base, pairs, recipe.most_tokens)
    log(f"{len(encoded.labels):,} of {len(pairs):,} pairs have at most {recipe.most_tokens} tokens")
    return train_on_pairs(
        model,
        encoded,
        _cross_entropy,
        Schedule(rate, warm_up=recipe.warm_up, save_every=recipe.every, seed=recipe.seed),
        work,
        batch_size=recipe.batch,
        settings={"rate": rate, "seed": recipe.seed},
        threads=threads,
        log=log,
    )


def encode_pairs(base: Path, pairs: Sequence[NliPair], max_tokens: int) -> EncodedPairs:
    """Pairs as token numbers, without those that are too long."""
    encodings = load_base_tokenizer(base).encode_batch([(pair.premise, pair.hypothesis) for pair in pairs])
    kept = [
        (encoding, pair.label)
        for encoding, pair in zip(encodings, pairs, strict=True)
        if len(encoding.ids) <= max_tokens
    ]
    return EncodedPairs(
        [encoding.ids for encoding, _ in kept],
        [encoding.type_ids for encoding, _ in kept],
        [label for _, label in kept],
    )


def _cross_entropy(scores: "torch.Tensor", labels: Sequence[int]) -> "torch.Tensor":
    import torch

    return torch.nn.functional.cross_entropy(scores, torch.tensor(labels))


def _average_weights(model: "torch.nn.Module", before: "Mapping[str, torch.Tensor]", share: float) -> None:
    """Move the weights of a model part of the way back to those before."""
    import torch

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(share * parameter + (1 - share) * before[name])


def measure_nli(
    model: "torch.nn.Module",
    held_out: Mapping[str, Sequence[NliPair]],
    base: Path,
    folder: Path,
    *,
    log: Log,
) -> dict[str, NliFigures]:
    """Accuracy of a model and of its exported folder on held-out pairs, which also calibrate the folder."""
    exported = OnnxNli(folder)
    figures, log_probabilities, labels = {}, [], []
    for name, pairs in held_out.items():
        texts = [TextPair(pair.premise, pair.hypothesis) for pair in pairs]
        sizes = exported.count_tokens(texts)
        short = [index for index, size in enumerate(sizes) if size <= exported.window]
        probabilities = exported.probabilities([texts[index] for index in short], no_progress)
        scores = predict_nli(model, encode_pairs(base, [pairs[index] for index in short], WINDOW))
        expected = np.array([pairs[index].label for index in short])
        figures[name] = NliFigures(
            len(short),
            float((scores.argmax(1) == expected).mean()),
            float((probabilities.argmax(1) == expected).mean()),
        )
        log(
            f"{name}: accuracy {figures[name].accuracy_fp32:.3f} (fp32), "
            f"{figures[name].accuracy_int8:.3f} (int8) on {len(short):,} pairs"
        )
        log_probabilities.append(np.log(probabilities))
        labels.append(expected)
    if held_out:
        temperature = calibrate_nli(log_probabilities, labels)
        log(f"temperature {temperature}")
        set_temperature(folder, temperature)
    return figures


def predict_nli(model: "torch.nn.Module", pairs: EncodedPairs) -> NDArray[np.float64]:
    """The scores of each pair before softmax."""
    import torch

    model.eval()
    scores = np.zeros((len(pairs.tokens), len(LABELS)))
    with torch.no_grad():
        for indices in group_by_length([len(tokens) for tokens in pairs.tokens], ROWS_AT_ONCE):
            scores[indices] = model(**pairs.inputs(indices)).float().numpy()
    return scores


def calibrate_nli(log_probabilities: Sequence[NDArray[np.float64]], labels: Sequence[NDArray[Any]]) -> float:
    """The temperature that makes held-out labels most likely; each set counts the same."""

    def loss(temperature: float) -> float:
        return sum(
            float(-np.log(softmax(rows / temperature)[np.arange(len(rows)), expected]).mean())
            for rows, expected in zip(log_probabilities, labels, strict=True)
        )

    return float(min(TEMPERATURES, key=loss))


def _label_shares(pairs: Sequence[NliPair]) -> str:
    counts = [sum(pair.label == label for pair in pairs) for label in range(len(LABELS))]
    return ", ".join(
        f"{count / (len(pairs) or 1):.0%} {label}" for label, count in zip(LABELS, counts, strict=True)
    )


def _write_card(
    folder: Path,
    recipe: NliRecipe,
    pairs: Mapping[str, Sequence[NliPair]],
    figures: Mapping[str, NliFigures],
    results: Sequence[TrainingResult],
) -> None:
    passes = "One pass over all pairs"
    if recipe.then:
        names, share = ", ".join(source.name for source in recipe.then), recipe.then_share
        passes = (
            f"A first pass over all other pairs and a second one over {names}; the weights are "
            f"{share:.0%} of those after the second pass and {1 - share:.0%} of those before it"
        )
    write_card(
        folder,
        title="NLI model",
        summary=(
            "A cross-encoder with three labels (entailment, neutral, contradiction): a small encoder, "
            "mean pooling and one linear layer."
        ),
        command="factable train nli",
        sections={
            "Data": markdown_table(
                ("source", "pairs", "labels"),
                [
                    (name, f"{len(source_pairs):,}", _label_shares(source_pairs))
                    for name, source_pairs in pairs.items()
                ],
            ),
            "Training": describe_training(
                passes,
                batch_size=recipe.batch,
                learning_rates=[recipe.rate, recipe.then_rate] if recipe.then else [recipe.rate],
                seed=recipe.seed,
                results=results,
                max_tokens=recipe.most_tokens,
            ),
            "Accuracy on held-out pairs": markdown_table(
                ("held out", "pairs", "fp32", "int8"),
                [
                    (name, f"{row.pairs:,}", f"{row.accuracy_fp32:.3f}", f"{row.accuracy_int8:.3f}")
                    for name, row in figures.items()
                ],
            ),
            "Conditions of use": recipe.conditions.strip() or "Those of the data it was trained on.",
        },
    )
