"""BERTScore: each token of the text with the most similar token of a reference, and the other way round.

Zhang, Kishore, Wu, Weinberger and Artzi: BERTScore: Evaluating Text Generation with BERT. ICLR 2020.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.metric import Field, ShardBy, make_scores
from factable.metrics.against_references import NO_REFERENCES
from factable.metrics.bertscore_match import Matcher
from factable.metrics.parameters import require, require_choice, require_whole
from factable.models.token_baseline import baseline_checksum
from factable.models.token_encoder import token_encoder_identity
from factable.models.token_rarity import rarity_checksum
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

    def score(self, examples: Sequence[Example]) -> Scores:
        """Precision, recall and F with the best reference; examples without references are unscored."""
        found = Matcher(self, examples).match(examples)
        reasons = {place: NO_REFERENCES for place, one in enumerate(found) if one is None}
        columns = {
            part: array("d", [math.nan if one is None else getattr(one, part) for one in found])
            for part in PARTS
        }
        return make_scores(self, examples, array("d", columns[self.value]), columns, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine of states says nothing of single words alone."""
        return tuple(() for _ in examples)
