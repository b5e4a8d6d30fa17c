"""CIDEr: cosine of text and references as vectors of n-grams, of which rare ones weigh more.

Vedantam, Zitnick and Parikh: CIDEr: Consensus-based Image Description Evaluation. CVPR 2015.
"""

from dataclasses import dataclass
from typing import ClassVar

from factable.metrics.idf import IdfMetric


@dataclass(frozen=True, slots=True, kw_only=True)
class Cider(IdfMetric):
    """Mean cosine of n-gram vectors with rare n-grams weighing more (Vedantam et al. 2015).

    orders  the longest n-grams counted
    stem    True: words become their stems, as in the paper (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"
    idf     a file made by `factable train idf`; without one, rarity is that in the references scored
    """

    name: ClassVar[str] = "cider"
    version: ClassVar[int] = 1
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    orders: int = 4
    stem: bool = False
    tokens: str = "words"
    idf: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        self.check_parameters()
