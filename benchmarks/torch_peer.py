"""The peer of models that read pairs of texts: the same encoder in torch (fp32), asked one pair at a time."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from factable.errors import MissingExtraError
from factable.models.runtime.cache import _memory

REPEATS = 3
WINDOW = 512


def load_peer(
    base: Path | None, load: Callable[[Path], Any], encode: Callable[[Any, Any], Sequence[Sequence[int]]]
) -> Callable[[Sequence[Any]], None] | None:
    """How the peer is asked, or None with a message.

    `load` makes the model of the encoder in a folder, `encode` the tokens, mask and types of what is asked.
    """
    if base is None:
        print("peer left out: name the folder of its encoder with --base")
        return None
    try:
        import torch
        from tokenizers import Tokenizer

        model = load(base).eval()
    except (ImportError, MissingExtraError):
        print("peer left out: torch and transformers are not installed")
        return None
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)

    def ask(asked: Sequence[Any]) -> None:
        with torch.inference_mode():
            for one in asked:
                model(*(torch.tensor([numbers]) for numbers in encode(tokenizer, one)))

    return ask


def best_seconds(work: Callable[[], object]) -> float:
    """The shortest of several runs, each without memories of the one before."""
    times = []
    for _ in range(REPEATS):
        _memory.clear()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
