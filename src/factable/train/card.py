"""Model cards: what a model is, what it was trained on and how good it is."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from factable.models.runtime.manifest import CARD

WIDTH = 110


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
    minutes: float,
    max_tokens: int,
) -> str:
    """How an encoder was trained, in one paragraph."""
    rates = " and ".join(f"{rate:g}" for rate in learning_rates)
    text = (
        f"{passes}. Batches of {batch_size}, learning rate {rates} with warm-up and linear decay, "
        f"bf16 where the CPU has it, frozen word embeddings, at most {max_tokens} tokens, seed {seed}; "
        f"{minutes:.0f} minutes."
    )
    return fill(text, WIDTH)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
