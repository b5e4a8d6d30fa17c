"""Perplexity: how surprised a causal language model is by the text, whatever the data says."""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.core.metric import VALUE, Field, ShardBy, make_scores
from factable.core.params import require
from factable.models.language_model import Likelihood, language_model_identity, likelihoods
from factable.types import Example, Finding, Scores

EMPTY = "an empty text"
NO_TOKENS = "no token that can be scored: the model has no mark of beginnings, and the text a single token"
# The largest power of e that a float holds.
MAX_SURPRISE = 709.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexity:
    """How surprised a causal language model is by the text, for each token.

    model  a causal Hugging Face model: a folder or a name on the hub, such as "openai-community/gpt2"; if not
           given, the one that the environment variable FACTABLE_LANGUAGE_MODEL names
    """

    name: ClassVar[str] = "perplexity"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[Field]] = frozenset()
    bounds: ClassVar[tuple[float, float]] = (1.0, math.inf)
    parts: ClassVar[tuple[str, ...]] = ()
    shard_by: ClassVar[ShardBy] = "example"
    slow: ClassVar[bool] = True

    model: str = ""

    def __post_init__(self) -> None:
        """Check the parameter."""
        require(self, "model", isinstance(self.model, str), "a text")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the model."""
        return {"model": language_model_identity(self.model)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, NaN for an empty text."""
        found = likelihoods(self.model, [example.text.strip() for example in examples])
        values, stats, reasons = array("d"), array("d"), {}
        for index, (example, one) in enumerate(zip(examples, found, strict=True)):
            if not example.text.strip() or not one.tokens:
                reasons[index] = NO_TOKENS if example.text.strip() else EMPTY
            values.append(math.nan if index in reasons else _perplexity(one))
            stats.extend(one)
        return make_scores(self, examples, values, {}, reasons, stats)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The perplexity of all tokens of all texts."""
        surprise, tokens = totals
        return {VALUE: _perplexity(Likelihood(surprise, int(tokens)))}

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: surprise is no error."""
        return tuple(() for _ in examples)


def _perplexity(found: Likelihood) -> float:
    return math.exp(min(found.surprise / found.tokens, MAX_SURPRISE))
