"""CIDEr-D: CIDEr with clipped counts and a penalty for other lengths; the "CIDEr" of the COCO tools.

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
from factable.metrics.parameters import is_number, require, require_choice
from factable.models.spread import Spread
from factable.types import Example, Finding, Scores

# The tokeniser of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "coco": "whitespace-cased"}
SCALE = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CiderD:
    """CIDEr with clipped counts and a penalty for other lengths, times 10 (Vedantam et al. 2015).

    orders  the longest n-grams counted
    sigma   the width of the penalty for lengths that differ, in words
    stem    True: words become their stems (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"; follows
            from compat if not given
    idf     a file made by `factable train idf`; without one, rarity is that in the references scored
    compat  "coco" reproduces pycocoevalcap's "CIDEr" on text that is tokenised already
    """

    name: ClassVar[str] = "cider_d"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, SCALE)

    orders: int = 4
    sigma: float = 6.0
    stem: bool = False
    tokens: str = ""
    idf: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "compat", TOKENS_OF)
        if self.tokens == "":
            object.__setattr__(self, "tokens", TOKENS_OF[self.compat])
        check_parameters(self)
        require(self, "sigma", is_number(self.sigma, 1e-3, 1e6), "a number from 0.001 to a million")

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

    def prepare(self, examples: Sequence[Example], out: str) -> "CiderD":
        """The same metric with the rarity of these examples' references, which is written to a file."""
        write_idf(self.survey(examples).values(), self, out)
        return replace(self, idf=out)

    def survey(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        if self.compat == "coco":
            # The program knows no items: the references of two systems on one item are two documents.
            named = {(example.item, example.system): example.references for example in examples}
            return {name: dict.fromkeys(references) for name, references in named.items() if references}
        return documents_of(examples)

    def add(self, survey: Documents, more: Documents) -> Documents:
        """All documents, each with its references of both."""
        return add_documents(survey, more)

    def learn(self, survey: Documents, _spread: Spread = map) -> Rarity:
        """In how many documents each n-gram stands."""
        return count_rarity(self, survey)

    def score(self, examples: Sequence[Example], known: Rarity | None = None) -> Scores:
        """The mean over orders, with each as a part; examples without references are unscored."""
        options = Options(SCALE, clipped=True, sigma=float(self.sigma), strict=self.compat != "")
        if known is None and not self.idf:
            known = self.learn(self.survey(examples))
        return score_examples(self, examples, options, known)

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine has no single culprits."""
        return tuple(() for _ in examples)
