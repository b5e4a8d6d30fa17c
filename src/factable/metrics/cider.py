"""CIDEr: cosine of text and references as vectors of n-grams, of which rare ones weigh more.

Vedantam, Zitnick and Parikh: CIDEr: Consensus-based Image Description Evaluation. CVPR 2015.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from factable.kernels.cider import Options, part_names
from factable.metric import Field, ShardBy
from factable.metrics.idf import (
    Documents,
    Rarity,
    add_documents,
    check_parameters,
    count_rarity,
    documents_of,
    idf_ingredients,
    score_examples,
    write_idf,
)
from factable.models.spread import Spread
from factable.types import Example, Finding, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Cider:
    """Mean cosine of n-gram vectors with rare n-grams weighing more (Vedantam et al. 2015).

    orders  the longest n-grams counted
    stem    True: words become their stems, as in the paper (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"
    idf     a file made by `factable train idf`; without one, rarity is that in the references scored
    """

    name: ClassVar[str] = "cider"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    orders: int = 4
    stem: bool = False
    tokens: str = "words"
    idf: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_parameters(self)

    @property
    def parts(self) -> tuple[str, ...]:
        """One part for each order."""
        return part_names(self.orders)

    @property
    def shard_by(self) -> ShardBy:
        """Rarity in the references scored needs all examples; a prepared one does not."""
        return "example" if self.idf else "corpus"

    def ingredients(self) -> Mapping[str, str]:
        """The checksum of the prepared idf."""
        return idf_ingredients(self)

    def prepare(self, examples: Sequence[Example], out: str) -> "Cider":
        """The same metric with the rarity of these examples' references, which is written to a file."""
        write_idf(self.survey(examples).values(), self, out)
        return replace(self, idf=out)

    def survey(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        return documents_of(examples)

    def add(self, survey: Documents, more: Documents) -> Documents:
        """All documents, each with its references of both."""
        return add_documents(survey, more)

    def learn(self, survey: Documents, _spread: Spread = map) -> Rarity:
        """In how many documents each n-gram stands."""
        return count_rarity(self, survey)

    def score(self, examples: Sequence[Example], known: Rarity | None = None) -> Scores:
        """The mean over orders, with each as a part; examples without references are unscored."""
        if known is None and not self.idf:
            known = self.learn(self.survey(examples))
        return score_examples(self, examples, Options(), known)

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine has no single culprits."""
        return tuple(() for _ in examples)
