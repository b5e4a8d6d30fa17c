"""BERTScore: each token of the text with the most similar token of a reference, and the other way round.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from factable.core.metric import REFERENCES, Metric, metric, param
from factable.core.results import Analysis
from factable.metrics.references import NO_REFERENCES
from factable.models.runtime.progress import ParallelMap, chunks
from factable.models.token_encoder import (
    EncodedTokens,
    encode_tokens,
    load_token_encoder,
    token_encoder_identity,
)
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
from factable.types import Example

# So many are encoded together; what they share is encoded once, and memory stays the same for any number.
EXAMPLES_AT_ONCE = 256
# The value of `idf` that means the references scored.
SCORED = "references"
PARTS = ("precision", "recall", "f")
MAX_LAYERS = 128
UNSCORED = Similarity(math.nan, math.nan, math.nan)


@metric
class Bertscore(Metric):
    """Similarity of text and reference by the embeddings of their tokens (Zhang et al. 2020)."""

    name = "bertscore"
    needs = REFERENCES
    parts = PARTS
    slow = True

    model: str = param(
        "embed",
        '"embed" or "trained", which are embedded, a folder made by `factable train ranker`, or a '
        "Hugging Face encoder",
        file=True,
    )
    layer: int | None = param(
        None,
        "the layer whose states are compared; None: the one known to be good, or the last",
        choices=(None,),
        range=(0, MAX_LAYERS),
    )
    idf: str = param(
        "",
        'let rare tokens weigh more: rarity in the "references" scored, or in those of a converted data set',
        example=SCORED,
        file=True,
    )
    baseline: str = param("", "a file of what unrelated texts score, which becomes 0", file=True)
    value: str = param("f", "which part is the value", choices=PARTS)
    compat: str = param("", '"bert_score" computes as that package does', choices=("", "bert_score"))

    @property
    def bounds(self) -> tuple[float, float]:
        """Cosines; with a baseline there is no lowest value that all have."""
        return -math.inf if self.baseline else -1.0, 1.0

    @property
    def corpus(self) -> bool:
        """Rarity in the references scored needs all examples; that in a data set does not."""
        return self.idf == SCORED

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the model, and of the files that are named."""
        checksums = {"model": token_encoder_identity(self.model)}
        if self.idf and not self.corpus:
            checksums["idf"] = rarity_checksum(self.idf)
        if self.baseline:
            checksums["baseline"] = baseline_checksum(self.baseline)
        return checksums

    def collect(self, examples: Sequence[Example]) -> Counter[Reference]:
        """The references in which tokens are counted; the package knows no items."""
        if self.compat:
            return Counter(("", reference) for example in examples for reference in example.references)
        return Counter(references_of(examples))

    def merge(self, collected: Counter[Reference], more: Counter[Reference]) -> Counter[Reference]:
        """All of them; those of an item count once, to the package each as often as it comes."""
        for reference, times in more.items():
            collected[reference] = collected[reference] + times if self.compat else 1
        return collected

    def fit(self, collected: Counter[Reference], parallel_map: ParallelMap = map) -> Rarity:
        """In how many references each token is."""
        pieces = chunks([text for _, text in collected.elements()])
        count = partial(count_tokens, self.model, layer=self.layer, truncate=bool(self.compat))
        return total_rarity(parallel_map(count, pieces))

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """Precision, recall and F with the best reference; no findings: cosines do not judge single words."""
        rarity: Rarity | None = state
        if self.idf and not self.corpus:
            rarity = load_rarity(self.model, self.idf, layer=self.layer)
        similarities = self._match(examples, rarity)
        reasons = {index: NO_REFERENCES for index, each in enumerate(similarities) if each is UNSCORED}
        columns = {part: array("d", map(attrgetter(part), similarities)) for part in PARTS}
        return Analysis(array("d", columns[self.value]), columns, reasons)

    def _match(self, examples: Sequence[Example], rarity: Rarity | None) -> list[Similarity]:
        """The similarity of each text with its references; where rarity is given, rare tokens weigh more."""
        similarities = [UNSCORED] * len(examples)
        # Texts of an item have the same references: encoded soon after each other, they are encoded once.
        order = sorted(range(len(examples)), key=lambda index: examples[index].item)
        order = [index for index in order if self._references(examples[index])]
        for start in range(0, len(order), EXAMPLES_AT_ONCE):
            indices = order[start : start + EXAMPLES_AT_ONCE]
            sides = self._encode([examples[index] for index in indices], rarity)
            for index in indices:
                similarities[index] = self._best(examples[index], sides)
        return similarities

    def _references(self, example: Example) -> list[str]:
        """The references that count: a blank one does so for the package alone."""
        if not any(map(str.strip, example.references)):
            return []
        return [reference for reference in example.references if self.compat or reference.strip()]

    def _encode(self, examples: Sequence[Example], rarity: Rarity | None) -> dict[str, Side]:
        texts = [text for example in examples for text in (example.text, *self._references(example))]
        # The package cuts texts that are longer than a window.
        encoded = encode_tokens(self.model, texts, layer=self.layer, truncate=bool(self.compat))
        return {text: self._side(tokens, rarity) for text, tokens in encoded.items()}

    def _side(self, encoded: EncodedTokens, rarity: Rarity | None) -> Side:
        weights = rarity.weights(encoded.ids) if rarity else np.ones(len(encoded.ids))
        # To the package the marks around a text can be matched; but a text of marks alone is empty.
        with_special = bool(self.compat) and not encoded.special.all()
        return side_of(encoded, np.where(encoded.special, 0.0, weights), with_special=with_special)

    def _best(self, example: Example, sides: Mapping[str, Side]) -> Similarity:
        references = [sides[reference] for reference in self._references(example)]
        similarities = list(match_tokens(sides[example.text], references))
        if self.compat:
            best = Similarity(*map(max, zip(*similarities, strict=True)))
        else:
            best = max(similarities, key=attrgetter("f"))
        return self._rescale(best)

    def _rescale(self, similarity: Similarity) -> Similarity:
        """What unrelated texts have becomes 0, and 1 stays 1."""
        if not self.baseline:
            return similarity
        layer = load_token_encoder(self.model, self.layer).layer
        lowest = load_baseline(self.baseline, layer)
        return Similarity(*((part - low) / (1 - low) for part, low in zip(similarity, lowest, strict=True)))
