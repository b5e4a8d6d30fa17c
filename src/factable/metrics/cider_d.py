"""CIDEr-D: CIDEr with clipped counts and a penalty for other lengths; the "CIDEr" of the COCO tools.

Vedantam, Zitnick and Parikh: CIDEr: Consensus-based Image Description Evaluation. CVPR 2015.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.kernels.cider import Options
from factable.metrics.idf import Documents, IdfMetric, documents_of
from factable.metrics.parameters import is_number, require, require_choice
from factable.types import Example

# The tokeniser of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "coco": "whitespace-cased"}
SCALE = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CiderD(IdfMetric):
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
        self.check_parameters()
        require(self, "sigma", is_number(self.sigma, 1e-3, 1e6), "a number from 0.001 to a million")

    @property
    def options(self) -> Options:
        """Clipped counts and a Gaussian; `compat` keeps empty references."""
        return Options(SCALE, clipped=True, sigma=float(self.sigma), strict=self.compat != "")

    def survey(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        if self.compat == "coco":
            # The program knows no items: the references of two systems on one item are two documents.
            named = {(example.item, example.system): example.references for example in examples}
            return {name: dict.fromkeys(references) for name, references in named.items() if references}
        return documents_of(examples)
