"""Perplexity: how surprised a causal language model is by the text, whatever the data says."""

import math
from array import array
from collections.abc import Mapping, Sequence

from factable.core.metric import Field, Metric, metric, param
from factable.core.results import VALUE, Analysis
from factable.models.language_model import Likelihood, language_model_identity, likelihoods
from factable.types import Example

EMPTY = "an empty text"
NO_TOKENS = "no token that can be scored: the model has no mark of beginnings, and the text a single token"
# The largest power of e that a float holds.
MAX_SURPRISE = 709.0


@metric
class Perplexity(Metric):
    """Perplexity of the text under a causal language model."""

    name = "perplexity"
    higher_is_better = False
    needs = frozenset[Field]()
    bounds = (1.0, math.inf)
    slow = True
    additive = True

    model: str = param(
        "",
        'a causal Hugging Face model: a folder or a name on the hub, such as "openai-community/gpt2"; if not '
        "given, the one that the environment variable FACTABLE_LANGUAGE_MODEL names",
        file=True,
    )

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the model."""
        return {"model": language_model_identity(self.model)}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """One value per example, NaN for an empty text; no findings: surprise is no error."""
        texts = [example.text.strip() for example in examples]
        values, stats, reasons = array("d"), array("d"), {}
        for index, (text, likelihood) in enumerate(zip(texts, likelihoods(self.model, texts), strict=True)):
            if not text or not likelihood.tokens:
                reasons[index] = NO_TOKENS if text else EMPTY
            values.append(math.nan if index in reasons else _perplexity(likelihood))
            stats.extend(likelihood)
        return Analysis(values, {}, reasons, stats)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The perplexity of all tokens of all texts."""
        surprise, tokens = totals
        return {VALUE: _perplexity(Likelihood(surprise, int(tokens)))}


def _perplexity(likelihood: Likelihood) -> float:
    return math.exp(min(likelihood.surprise / likelihood.tokens, MAX_SURPRISE))
