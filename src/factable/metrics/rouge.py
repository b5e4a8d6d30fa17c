"""ROUGE: n-grams or the longest common subsequence that text and reference share.

Lin: ROUGE: A Package for Automatic Evaluation of Summaries. Text Summarization Branches Out, 2004.
"""

from collections.abc import Sequence

from factable.core.metric import REFERENCES, Metric, metric, param
from factable.core.results import VALUE, Analysis, Findings
from factable.kernels import score_rouge
from factable.kernels.rouge import PARTS, RougeOptions, best_reference, read_sentences
from factable.kernels.tokens import TOKENIZERS, token_spans
from factable.kernels.words import WordOptions, porter_of_long_words, word_of
from factable.metrics.references import NO_REFERENCES, runs_without
from factable.types import Example, Finding

KINDS = (*map(str, range(1, 10)), "L", "Lsum")
# The tokenizer of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "rouge-score": "ascii"}


@metric
class Rouge(Metric):
    """Overlap with the best reference: n-grams or the longest common subsequence (Lin 2004)."""

    name = "rouge"
    needs = REFERENCES
    parts = PARTS[1:]

    kind: str = param(
        "L",
        '"1" to "9": n-grams of that length; "L": the longest common subsequence of the whole text; '
        '"Lsum": the union of those of its lines',
        choices=KINDS,
    )
    stem: bool = param(
        False,
        "reduce words longer than three letters to their stems (Porter; English; needs the extra rouge)",
    )
    tokens: str = param(
        "",
        'the tokenizer: "words" leaves out punctuation; follows from compat if not given',
        choices=TOKENIZERS,
        follows=("compat", TOKENS_OF),
    )
    compat: str = param(
        "", '"rouge-score" reproduces that program: only letters a-z and digits count', choices=TOKENS_OF
    )

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """F against the best reference, with precision and recall; words that reference lacks."""
        options = self._options()
        columns, codes = score_rouge(examples, options)
        reasons = {index: NO_REFERENCES for index, code in enumerate(codes) if code}
        values = columns.pop(VALUE)
        return Analysis(
            values, columns, reasons, find=lambda: [_unsupported(example, options) for example in examples]
        )

    def _options(self) -> RougeOptions:
        stem = porter_of_long_words() if self.stem else None
        return RougeOptions(
            self.kind, WordOptions(self.tokens, self.tokens == "words", stem), self.compat != ""
        )


def _unsupported(example: Example, options: RougeOptions) -> Findings:
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
