"""How a model that answers questions is trained."""

from typing import NamedTuple


class Settings(NamedTuple):
    """Questions made of each reference, most questions of each file, and how fast to learn from them."""

    per_text: int = 3
    most: int = 48_000
    batch: int = 32
    rate: float = 1.5e-4
    seed: int = 0
    warm_up: float = 0.05
    most_tokens: int = 160
    every: int = 250
