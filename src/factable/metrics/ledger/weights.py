"""The weights that turn features into probabilities: small logistic models in a file people can read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.models.runtime.manifest import read_shipped

BIAS = "bias"
PARTS = ("fact", "value", "sentence", "verdict")
SHIPPED = "data/ledger/weights.json"
# Weights for objects and rows. Each file has those for all evidence ("best") and for less ("fast").
STRUCTURED = "data/ledger/structured.json"
STRUCTURED_PARTS = ("statement", "number", "name", "words", "text")


@dataclass(frozen=True, slots=True)
class LedgerWeights:
    """Weights by feature for facts, values, sentences and verdicts."""

    by_part: Mapping[str, Mapping[str, float]]

    def odds(self, part: str, features: Mapping[str, float]) -> float:
        """The log odds of what the features speak for."""
        weights = self.by_part[part]
        return weights[BIAS] + math.fsum(weights[name] * value for name, value in features.items())


def probability(odds: float) -> float:
    """The probability of log odds."""
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


def load_ledger_weights(path: str, evidence: str = "best") -> LedgerWeights:
    """The weights in a file, or those that come with factable where none is named."""
    return _parse(path, _content(path), evidence)


@lru_cache(maxsize=8)
def _parse(path: str, content: bytes, evidence: str) -> LedgerWeights:
    source = path or SHIPPED
    try:
        stored = orjson.loads(content)["weights"][evidence]
        weights = {part: {name: _finite(value) for name, value in stored[part].items()} for part in PARTS}
        known = load_ledger_weights("", evidence).by_part if path else weights
        missing = [part for part in PARTS if weights[part].keys() != known[part].keys()]
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
        missing = list(PARTS)
    if missing:
        problem = f"no weights of the ledger ({', '.join(missing)})"
        raise DataError([Fault(source, None, problem, "make them with factable train ledger")])
    return LedgerWeights(weights)


@cache
def load_structured_weights(evidence: str) -> LedgerWeights:
    """The weights for objects and rows, with all evidence ("best") or without the model that marks words."""
    stored = orjson.loads(read_shipped(STRUCTURED))["weights"][evidence]
    return LedgerWeights({part: stored[part] for part in STRUCTURED_PARTS})


def _finite(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


def weights_checksum(path: str) -> str:
    """The checksum of the weights, those for objects and rows included."""
    return sha256(_content(path) + read_shipped(STRUCTURED)).hexdigest()


def _content(path: str) -> bytes:
    if not path:
        return read_shipped(SHIPPED)
    return read_whole(path)
