"""How rare each token of an encoder is in texts: inverse document frequencies."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.io.checksum import sha256_of
from factable.io.read import iter_examples
from factable.models.arrays import while_unchanged
from factable.models.token_encoder import load_token_encoder, read_tokens, token_encoder_identity
from factable.types import Example

WHAT = "a data set"
REMEDY = "name a converted data set, such as the training set"
# The item and a text.
Reference = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """In how many of so many texts each token is."""

    texts: int
    frequencies: Counter[int]

    def weights(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """ln((texts + 1) / (frequency + 1)) of each token."""
        distinct, places = np.unique(ids, return_inverse=True)
        found = [math.log((self.texts + 1) / (self.frequencies[token] + 1)) for token in distinct.tolist()]
        return np.array(found)[places]


def count_tokens(model: str, texts: Iterable[str], *, layer: int | None = None, cut: bool = False) -> Rarity:
    """The rarity of tokens in these texts, each of which counts as often as it is given."""
    # Any layer has the same tokens; asking for the one that is used loads the model once.
    encoder = load_token_encoder(model, layer)
    given = Counter(texts)
    frequencies: Counter[int] = Counter()
    for text, times in given.items():
        tokens = {token for window in read_tokens(encoder, text, cut=cut) for token in window.ids}
        frequencies.update(dict.fromkeys(tokens, times))
    return Rarity(given.total(), frequencies)


def total_rarity(rarities: Iterable[Rarity]) -> Rarity:
    """That in the texts of all together."""
    texts, frequencies = 0, Counter[int]()
    for rarity in rarities:
        texts += rarity.texts
        frequencies.update(rarity.frequencies)
    return Rarity(texts, frequencies)


def references_of(examples: Iterable[Example]) -> set[Reference]:
    """The different references of each item, whichever and how many systems it has texts of."""
    return {(one.item, text) for one in examples for text in one.references if text.strip()}


def load_rarity(model: str, path: str, *, layer: int | None = None) -> Rarity:
    """The rarity of tokens in the references of a converted data set."""
    return _load(model, layer, token_encoder_identity(model), path, rarity_checksum(path))


@lru_cache(maxsize=4)
def _load(model: str, layer: int | None, _identity: str, path: str, _checksum: str) -> Rarity:
    texts = (text for _, text in references_of(iter_examples(path, need_text=False)))
    found = count_tokens(model, texts, layer=layer)
    if not found.texts:
        raise DataError([Fault(path, None, "holds no references", REMEDY)])
    return found


def rarity_checksum(path: str) -> str:
    """The sha256 of the data set."""
    return while_unchanged(sha256_of, path, what=WHAT, remedy=REMEDY)
