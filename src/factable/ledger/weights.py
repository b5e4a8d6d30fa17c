"""The weights that turn features into probabilities: four small logistic models in a file people can read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

import orjson

BIAS = "bias"
PARTS = ("fact", "value", "sentence", "verdict")


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights by feature for facts, values, sentences and verdicts."""

    by_part: Mapping[str, Mapping[str, float]]

    def odds(self, part: str, features: Mapping[str, float]) -> float:
        """The log odds of what features speak for."""
        weights = self.by_part[part]
        return weights[BIAS] + math.fsum(weights[name] * value for name, value in features.items())


def probability(odds: float) -> float:
    """The probability of log odds."""
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


@cache
def load_weights() -> Weights:
    """The weights that come with factable."""
    return Weights(orjson.loads(_content())["weights"])


def weights_checksum() -> str:
    """The checksum of the weights."""
    return sha256(_content()).hexdigest()


def _content() -> bytes:
    return files("factable.ledger").joinpath("weights.json").read_bytes()
