"""BERTScore: each token of the text with the most similar token of a reference, and the other way round.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar, Protocol

import numpy as np

from factable.core.metric import Field, ShardBy, make_scores
from factable.core.params import require, require_choice, require_whole
from factable.metrics.references import NO_REFERENCES
from factable.models.runtime.progress import ParallelMap, in_pieces
from factable.models.token_encoder import Encoded, encode_tokens, load_token_encoder, token_encoder_identity
from factable.models.token_similarity import (
    Rarity,
    Reference,
    Side,
    Similarity,
    baseline_checksum,
    count_tokens,
    load_baseline,
    load_rarity,
    match_tokens,
    rarity_checksum,
    references_of,
    side_of,
    total_rarity,
)
from factable.types import Example, Finding, Scores

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
        order = sorted(range(len(examples)), key=lambda index: examples[index].item)
        order = [index for index in order if self._references(examples[index])]
        for start in range(0, len(order), EXAMPLES_AT_ONCE):
            indices = order[start : start + EXAMPLES_AT_ONCE]
            similarities = self._match_some([examples[index] for index in indices])
            for index, similarity in zip(indices, similarities, strict=True):
                found[index] = similarity
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


PARTS = ("precision", "recall", "f")
COMPATS = ("", "bert_score")
REFERENCES = "references"
MAX_LAYERS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Bertscore:
    """Cosines of the tokens of text and reference, each with its most similar one (Zhang et al. 2020).

    model     "embed" and "trained", which are embedded, a folder made by `factable train ranker`, or a
              Hugging Face encoder
    layer     the layer whose states are compared; None: the one known to be good, or the last
    idf       rare tokens weigh more: rarity in the "references" scored, or in those of a converted data set
    baseline  a file of what unrelated texts score, which becomes 0
    value     which part is the value: "f", "precision" or "recall"
    compat    "bert_score" computes as that package does
    """

    name: ClassVar[str] = "bertscore"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    parts: ClassVar[tuple[str, ...]] = PARTS
    slow: ClassVar[bool] = True

    model: str = "embed"
    layer: int | None = None
    idf: str = ""
    baseline: str = ""
    value: str = "f"
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        for parameter in ("model", "idf", "baseline"):
            require(self, parameter, isinstance(getattr(self, parameter), str), "a text")
        if self.layer is not None:
            require_whole(self, "layer", 0, MAX_LAYERS)
        require_choice(self, "value", PARTS)
        require_choice(self, "compat", COMPATS)

    @property
    def bounds(self) -> tuple[float, float]:
        """Cosines; with a baseline there is no lowest value that all have."""
        return (-math.inf if self.baseline else -1.0, 1.0)

    @property
    def shard_by(self) -> ShardBy:
        """Rarity in the references scored needs all examples; that in a data set does not."""
        return "corpus" if self.idf == REFERENCES else "example"

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the model, and of the files that are named."""
        checksums = {"model": token_encoder_identity(self.model)}
        if self.idf not in ("", REFERENCES):
            checksums["idf"] = rarity_checksum(self.idf)
        if self.baseline:
            checksums["baseline"] = baseline_checksum(self.baseline)
        return checksums

    def survey(self, examples: Sequence[Example]) -> Counter[Reference]:
        """The references in which tokens are counted; the package knows no items."""
        if self.compat:
            return Counter(("", reference) for example in examples for reference in example.references)
        return Counter(references_of(examples))

    def add(self, survey: Counter[Reference], more: Counter[Reference]) -> Counter[Reference]:
        """All of them; those of an item count once, to the package each as often as it comes."""
        for reference, times in more.items():
            survey[reference] = survey[reference] + times if self.compat else 1
        return survey

    def learn(self, survey: Counter[Reference], parallel_map: ParallelMap = map) -> Rarity:
        """In how many references each token is."""
        pieces = in_pieces([text for _, text in survey.elements()])
        count = partial(count_tokens, self.model, layer=self.layer, cut=bool(self.compat))
        return total_rarity(parallel_map(count, pieces))

    def score(self, examples: Sequence[Example], known: Rarity | None = None) -> Scores:
        """Precision, recall and F with the best reference; examples without references are unscored."""
        if known is None and self.idf == REFERENCES and examples:
            known = self.learn(self.survey(examples))
        elif self.idf not in ("", REFERENCES):
            known = load_rarity(self.model, self.idf, layer=self.layer)
        found = Matcher(self, known).match(examples)
        reasons = {index: NO_REFERENCES for index, one in enumerate(found) if one is None}
        columns = {
            part: array("d", [math.nan if one is None else getattr(one, part) for one in found])
            for part in PARTS
        }
        return make_scores(self, examples, array("d", columns[self.value]), columns, reasons)

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine of states says nothing of single words alone."""
        return tuple(() for _ in examples)
