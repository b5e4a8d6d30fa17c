"""ROUGE: n-grams or the longest common subsequence that text and reference share.

Lin: ROUGE: A Package for Automatic Evaluation of Summaries. Text Summarization Branches Out, 2004.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from factable.core.metric import Field, ShardBy, make_scores
from factable.core.params import require, require_choice, require_flags
from factable.kernels import score_rouge
from factable.kernels.rouge import PARTS, Options, best_reference, read_sentences
from factable.kernels.tokens import TOKENIZERS, token_spans
from factable.kernels.words import WordOptions, word_of
from factable.metrics.references import runs_without
from factable.text.stem import porter_of_long_words
from factable.types import Example, Finding, Scores

KINDS = (*map(str, range(1, 10)), "L", "Lsum")
# The tokeniser of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "rouge-score": "ascii"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rouge:
    """Overlap with the best reference: n-grams or the longest common subsequence (Lin 2004).

    kind    "1" to "9": n-grams of that length; "L": the longest common subsequence of the whole text;
            "Lsum": the union of those of its lines
    stem    True: words longer than three letters become their stems (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"; follows
            from compat if not given
    compat  "rouge-score" reproduces that program: only letters a-z and digits count
    """

    name: ClassVar[str] = "rouge"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    shard_by: ClassVar[ShardBy] = "example"

    kind: str = "L"
    stem: bool = False
    tokens: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require(self, "kind", self.kind in KINDS, f"one of {', '.join(KINDS)}, in quotes")
        require_flags(self, "stem")
        require_choice(self, "compat", TOKENS_OF)
        if self.tokens == "":
            object.__setattr__(self, "tokens", TOKENS_OF[self.compat])
        require_choice(self, "tokens", TOKENIZERS)

    def score(self, examples: Sequence[Example]) -> Scores:
        """F per example, with precision and recall; examples without references are unscored."""
        columns, codes = score_rouge(examples, self._options())
        values = columns.pop("value")
        reasons = {index: "no references" for index, code in enumerate(codes) if code} if any(codes) else {}
        return make_scores(self, examples, values, columns, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text its best reference lacks."""
        options = self._options()
        return tuple(_find_unsupported(example, options) for example in examples)

    def _options(self) -> Options:
        stem = porter_of_long_words() if self.stem else None
        return Options(self.kind, WordOptions(self.tokens, self.tokens == "words", stem), self.compat != "")


def _find_unsupported(example: Example, options: Options) -> tuple[Finding, ...]:
    best = best_reference(example, options)
    if best is None:
        return ()
    lines = read_sentences(example.references[best[0]], options)
    known = {word for line in lines for word in line}
    spans = token_spans(example.text, options.reading.tokenizer)
    return tuple(
        Finding("unsupported", None, (run[0][1], run[-1][2]), 0.0, "not in the closest reference")
        for run in runs_without(spans, lambda token: word_of(token, options.reading) in known)
    )
