"""Model cards: what a model is, what it was trained on and how good it is."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from factable.models.runtime.manifest import CARD
from factable.train.trainer import TrainingResult

WIDTH = 110
# Assumed, because a machine does not tell: what a busy core draws with its share of the rest, and the world's
# average of greenhouse gases per unit of electricity.
WATTS_PER_CORE = 15
GRAMS_PER_KWH = 450
# So many points of the loss are shown.
CURVE_POINTS = 8


def write_card(folder: Path, *, title: str, summary: str, command: str, sections: Mapping[str, str]) -> None:
    """Write the card of a model folder: a title, what the model is, and sections by heading."""
    parts = [f"# {title}", fill(f"{summary} Int8 ONNX with 7-bit weights, made by `{command}`.", WIDTH)]
    parts += [f"## {heading}\n\n{text.strip()}" for heading, text in sections.items()]
    (folder / CARD).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def describe_training(
    passes: str,
    *,
    batch_size: int,
    learning_rates: Sequence[float],
    seed: int,
    results: Sequence[TrainingResult],
    max_tokens: int,
) -> str:
    """How an encoder was trained, its loss over time, and what that cost."""
    rates = " and ".join(f"{rate:g}" for rate in learning_rates)
    minutes = sum(result.minutes for result in results)
    hours = sum(result.minutes * result.threads for result in results) / 60
    how = (
        f"{passes}. Batches of {batch_size}, learning rate {rates} with warm-up and linear decay, "
        f"bf16 where the CPU has it, frozen word embeddings, at most {max_tokens} tokens, seed {seed}; "
        f"{minutes:.0f} minutes."
    )
    curves = "; then ".join(", ".join(f"{loss:.3f}" for loss in _points(result.losses)) for result in results)
    cost = (
        f"{hours:.1f} core hours are about {hours * WATTS_PER_CORE / 1000:.2f} kWh and "
        f"{hours * WATTS_PER_CORE / 1000 * GRAMS_PER_KWH:.0f} g of CO2, if a core draws {WATTS_PER_CORE} W "
        f"and a kWh costs {GRAMS_PER_KWH} g."
    )
    paragraphs = [how, f"Loss from the first steps to the last: {curves}.", cost]
    return "\n\n".join(fill(paragraph, WIDTH) for paragraph in paragraphs)


def _points(losses: Sequence[float]) -> list[float]:
    """Evenly spaced losses, the first and the last among them."""
    last = len(losses) - 1
    steps = min(CURVE_POINTS - 1, last)
    return [losses[round(index * last / steps)] for index in range(steps + 1)] if steps > 0 else list(losses)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
