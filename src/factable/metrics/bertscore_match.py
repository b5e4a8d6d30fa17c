"""BERTScore of examples: which references count, how much each token weighs, and which match is the best."""

from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import Protocol

import numpy as np

from factable.models.token_baseline import load_baseline
from factable.models.token_encoder import Encoded, encode_tokens, load_token_encoder
from factable.models.token_rarity import Rarity
from factable.models.token_similarity import Side, Similarity, match_tokens, side_of
from factable.types import Example

# So many are encoded together; what they share is encoded once, and memory stays the same for any number.
EXAMPLES_AT_ONCE = 256


class Settings(Protocol):
    """How to match, see metrics.bertscore."""

    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def layer(self) -> int | None: ...  # noqa: D102
    @property
    def baseline(self) -> str: ...  # noqa: D102
    @property
    def compat(self) -> str: ...  # noqa: D102


class Matcher:
    """Matches texts with their references; where rarity is given, rare tokens weigh more."""

    def __init__(self, settings: Settings, rarity: Rarity | None) -> None:
        self._settings, self._rarity = settings, rarity
        # The package's ways: texts longer than a window are cut, and the marks around a text can be matched.
        self._as_package = bool(settings.compat)

    def match(self, examples: Sequence[Example]) -> list[Similarity | None]:
        """The similarity of each text with its references, None where it has none."""
        found: list[Similarity | None] = [None] * len(examples)
        # Texts of an item have the same references: encoded soon after each other, they are encoded once.
        order = sorted(range(len(examples)), key=lambda place: examples[place].item)
        order = [place for place in order if self._references(examples[place])]
        for start in range(0, len(order), EXAMPLES_AT_ONCE):
            places = order[start : start + EXAMPLES_AT_ONCE]
            similarities = self._match_some([examples[place] for place in places])
            for place, similarity in zip(places, similarities, strict=True):
                found[place] = similarity
        return found

    def _references(self, example: Example) -> list[str]:
        """The references that count: a blank one does so for the package alone."""
        wanted = any(map(str.strip, example.references))
        return [one for one in example.references if wanted and (self._as_package or one.strip())]

    def _match_some(self, examples: Sequence[Example]) -> list[Similarity]:
        texts = [text for one in examples for text in (one.text, *self._references(one))]
        encoded = encode_tokens(self._settings.model, texts, layer=self._settings.layer, cut=self._as_package)
        sides = {text: self._side(tokens) for text, tokens in encoded.items()}
        return [self._best(one, sides) for one in examples]

    def _side(self, encoded: Encoded) -> Side:
        weights = self._rarity.weights(encoded.ids) if self._rarity else np.ones(len(encoded.ids))
        # A text of marks alone is empty, also where marks can be matched.
        with_marks = self._as_package and not encoded.marks.all()
        return side_of(encoded, np.where(encoded.marks, 0.0, weights), with_marks=with_marks)

    def _best(self, example: Example, sides: dict[str, Side]) -> Similarity:
        references = [sides[reference] for reference in self._references(example)]
        found = list(match_tokens(sides[example.text], references))
        if self._as_package:
            best = Similarity(*map(max, zip(*found, strict=True)))
        else:
            best = max(found, key=attrgetter("f"))
        return self._rescale(best)

    def _rescale(self, found: Similarity) -> Similarity:
        """What unrelated texts have becomes 0, and 1 stays 1."""
        if not self._settings.baseline:
            return found
        return Similarity(*((one - low) / (1 - low) for one, low in zip(found, self._baseline, strict=True)))

    @cached_property
    def _baseline(self) -> Similarity:
        layer = load_token_encoder(self._settings.model, self._settings.layer).layer
        return load_baseline(self._settings.baseline, layer)
