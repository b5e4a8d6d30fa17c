"""Similarity of two texts, token by token: each token is matched with the most similar one of the other text.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.files import sha256_of
from factable.io.read import iter_examples
from factable.models.runtime.arrays import DATA_SET, FileKind, cached_by_mtime
from factable.models.runtime.manifest import model_fault
from factable.models.runtime.progress import chunks
from factable.models.token_encoder import (
    EncodedTokens,
    encode_tokens,
    load_token_encoder,
    read_tokens,
    token_encoder_identity,
)
from factable.types import Example

# Cosines are rounded to steps of 1/STEPS, so that a token and itself have 1.
STEPS = 1 << 22
Weights = NDArray[np.float64]


class Similarity(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


class Side(NamedTuple):
    """A text to be matched: a vector and a weight for each token."""

    vectors: NDArray[np.float32]
    weights: Weights


NOTHING = Similarity(0.0, 0.0, 0.0)


def token_similarity(
    pairs: Sequence[tuple[str, str]], *, model: str = "embed", layer: int | None = None
) -> list[Similarity]:
    """The similarity of each text with its reference; all tokens count the same, a blank side gives 0."""
    similarities: list[Similarity] = []
    for batch in chunks(pairs):
        encoded = encode_tokens(model, [text for pair in batch for text in pair], layer=layer)
        sides = {text: side_of(tokens) for text, tokens in encoded.items()}
        similarities += (next(match_tokens(sides[text], [sides[reference]])) for text, reference in batch)
    return similarities


def side_of(encoded: EncodedTokens, weights: Weights | None = None, *, with_special: bool = False) -> Side:
    """The tokens of a text as one side of a match, by default without special tokens."""
    weights = np.ones(len(encoded.ids)) if weights is None else weights
    chosen = slice(None) if with_special else ~encoded.special
    return Side(encoded.vectors[chosen], weights[chosen])


def match_tokens(text: Side, references: Sequence[Side]) -> Iterator[Similarity]:
    """The similarity of a text with each reference; 0 where a side has no token."""
    # One product for all references: in 64 bits it is exact (see token_encoder), whatever its neighbours.
    joined = np.concatenate([reference.vectors for reference in references], dtype=np.float64)
    cosines = text.vectors.astype(np.float64) @ joined.T
    cosines = np.minimum(np.rint(cosines * STEPS) / STEPS, 1.0)
    end = 0
    for reference in references:
        start, end = end, end + len(reference.vectors)
        if not len(text.vectors) or start == end:
            yield NOTHING
            continue
        pairwise = cosines[:, start:end]
        precision = _mean(pairwise.max(axis=1), text.weights)
        recall = _mean(pairwise.max(axis=0), reference.weights)
        yield Similarity(precision, recall, harmonic_mean(precision, recall))


def _mean(values: Weights, weights: Weights) -> float:
    """The weighted mean; the plain mean if all weights are 0."""
    total = float(weights.sum())
    return float((values * weights).sum()) / total if total else float(values.mean())


def harmonic_mean(a: float, b: float) -> float:
    """2ab/(a + b), and 0 if either is not above 0."""
    return 2 * a * b / (a + b) if min(a, b) > 0 else 0.0


# The item and a text.
Reference = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """The number of texts, and in how many of them each token occurs."""

    texts: int
    frequencies: Counter[int]

    def weights(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """ln((texts + 1) / (frequency + 1)) of each token."""
        distinct, indices = np.unique(ids, return_inverse=True)
        weights = [math.log((self.texts + 1) / (self.frequencies[token] + 1)) for token in distinct.tolist()]
        return np.array(weights)[indices]


def count_tokens(
    model: str, texts: Iterable[str], *, layer: int | None = None, truncate: bool = False
) -> Rarity:
    """The rarity of tokens in these texts; a text that occurs twice counts twice."""
    # All layers have the same tokens; with the layer that is used anyway the model is loaded once.
    encoder = load_token_encoder(model, layer)
    occurrences = Counter(texts)
    frequencies: Counter[int] = Counter()
    for text, times in occurrences.items():
        tokens = {token for window in read_tokens(encoder, text, truncate=truncate) for token in window.ids}
        frequencies.update(dict.fromkeys(tokens, times))
    return Rarity(occurrences.total(), frequencies)


def total_rarity(rarities: Iterable[Rarity]) -> Rarity:
    """The rarity in all texts together."""
    texts, frequencies = 0, Counter[int]()
    for rarity in rarities:
        texts += rarity.texts
        frequencies.update(rarity.frequencies)
    return Rarity(texts, frequencies)


def references_of(examples: Iterable[Example]) -> set[Reference]:
    """The distinct references of each item, over all systems."""
    return {(example.item, text) for example in examples for text in example.references if text.strip()}


def load_rarity(model: str, path: str, *, layer: int | None = None) -> Rarity:
    """The rarity of tokens in the references of a converted data set."""
    return _load_rarity(model, layer, token_encoder_identity(model), path, rarity_checksum(path))


@lru_cache(maxsize=4)
def _load_rarity(model: str, layer: int | None, _identity: str, path: str, _checksum: str) -> Rarity:
    texts = (text for _, text in references_of(iter_examples(path, need_text=False)))
    rarity = count_tokens(model, texts, layer=layer)
    if not rarity.texts:
        raise DataError([Fault(path, None, "holds no references", DATA_SET.remedy)])
    return rarity


def rarity_checksum(path: str) -> str:
    """The sha256 of the data set."""
    return cached_by_mtime(sha256_of, path, DATA_SET)


COLUMNS = ("LAYER", "P", "R", "F")
BASELINE_FILE = FileKind(
    "a baseline file",
    f"give comma-separated values with the columns {', '.join(COLUMNS)} and a row for each layer",
)


def load_baseline(path: str, layer: int) -> Similarity:
    """Precision, recall and F of unrelated texts at a layer."""
    rows = cached_by_mtime(_load_baseline, path, BASELINE_FILE)
    if layer not in rows:
        raise model_fault(path, f"no row for layer {layer}", "name a baseline of this model")
    return rows[layer]


def baseline_checksum(path: str) -> str:
    """The sha256 of a baseline file."""
    return cached_by_mtime(sha256_of, path, BASELINE_FILE)


def _load_baseline(path: str) -> dict[int, Similarity]:
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"columns {', '.join(reader.fieldnames or ()) or 'missing'}")
        rows = {
            int(line["LAYER"]): Similarity(*(float(line[name]) for name in COLUMNS[1:])) for line in reader
        }
    for row in rows.values():
        if not all(math.isfinite(number) and number < 1 for number in row):
            raise ValueError("a number that is not below 1")
    return rows
