"""BERTScore: each token of the text with the most similar token of a reference, and the other way round.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from factable.metric import Field, ShardBy, make_scores
from factable.metrics.against_references import NO_REFERENCES
from factable.metrics.bertscore_match import Matcher
from factable.metrics.parameters import require, require_choice, require_whole
from factable.models.spread import Spread, in_pieces
from factable.models.token_baseline import baseline_checksum
from factable.models.token_encoder import token_encoder_identity
from factable.models.token_rarity import (
    Rarity,
    Reference,
    count_tokens,
    load_rarity,
    rarity_checksum,
    references_of,
    total_rarity,
)
from factable.types import Example, Finding, Scores

PARTS = ("precision", "recall", "f")
COMPATS = ("", "bert_score")
REFERENCES = "references"
MOST_LAYERS = 128


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
            require_whole(self, "layer", 0, MOST_LAYERS)
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

    def ingredients(self) -> Mapping[str, str]:
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

    def learn(self, survey: Counter[Reference], spread: Spread = map) -> Rarity:
        """In how many references each token is."""
        pieces = in_pieces([text for _, text in survey.elements()])
        count = partial(count_tokens, self.model, layer=self.layer, cut=bool(self.compat))
        return total_rarity(spread(count, pieces))

    def score(self, examples: Sequence[Example], known: Rarity | None = None) -> Scores:
        """Precision, recall and F with the best reference; examples without references are unscored."""
        if known is None and self.idf == REFERENCES and examples:
            known = self.learn(self.survey(examples))
        elif self.idf not in ("", REFERENCES):
            known = load_rarity(self.model, self.idf, layer=self.layer)
        found = Matcher(self, known).match(examples)
        reasons = {place: NO_REFERENCES for place, one in enumerate(found) if one is None}
        columns = {
            part: array("d", [math.nan if one is None else getattr(one, part) for one in found])
            for part in PARTS
        }
        return make_scores(self, examples, array("d", columns[self.value]), columns, reasons)

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine of states says nothing of single words alone."""
        return tuple(() for _ in examples)
