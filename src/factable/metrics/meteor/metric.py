"""METEOR: words of text and reference aligned by form, stem, synonym and paraphrase.

Denkowski and Lavie: Meteor Universal: Language Specific Translation Evaluation for Any Target Language. WMT
2014. The alignment is the authors' program, version 1.5; the score is computed here from its statistics.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import metric, param
from factable.core.results import VALUE, Analysis
from factable.metrics.meteor.program import PACKAGED, WIDTH, MeteorOptions, checksums, load_meteor
from factable.metrics.references import NO_REFERENCES, RowMetric, divide
from factable.types import Example

Column = NDArray[np.float64]


class MeteorTuning(NamedTuple):
    """The program's parameters of a language, and the weight of each module's matches."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


# Tuned by the authors to human rankings of translations.
TUNINGS = {
    "en": MeteorTuning(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "cz": MeteorTuning(0.95, 0.2, 0.6, 0.8, (1.0, 0.4)),
    "de": MeteorTuning(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.2)),
    "es": MeteorTuning(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.6)),
    "fr": MeteorTuning(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.4)),
}
# Columns of the statistics. Most come in pairs, text first and then reference. For each of four modules, in
# the order of their weights: matched content words, then matched function words.
LENGTH, FUNCTION_WORDS, MODULES, CHUNKS, MATCHES = 0, 2, 4, 20, 21


@metric
class Meteor(RowMetric):
    """Words aligned with the best reference by form, stem, synonym and paraphrase (METEOR 1.5)."""

    name = "meteor"
    parts = ("precision", "recall", "f_mean", "penalty")

    language: str = param("en", "the language of texts and references", choices=TUNINGS)
    normalize: bool = param(
        True, "let the program tokenize and lower-case; otherwise words are split at spaces and case matters"
    )
    paraphrases: str = param(
        PACKAGED,
        'the paraphrase table: "package" (English only), "none" or a file such as paraphrase-de.gz',
        example="none",
        file=True,
    )

    def check(self) -> None:
        """The package has paraphrases for English only."""
        if not self.paraphrases:
            raise self.bad("paraphrases", '"package", "none" or a file name')
        if self.paraphrases == PACKAGED and self.language != "en":
            raise self.bad(
                "paraphrases",
                f'"none" or a file such as paraphrase-{self.language}.gz of METEOR 1.5 for '
                f"language={self.language!r}, of which the package has no paraphrases",
            )

    def checksums(self) -> Mapping[str, str]:
        """The checksums of the program and its paraphrase table."""
        return checksums(self._options())

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """The score with the best reference; the corpus value comes from summed statistics."""
        pairs = [(tuple(filter(str.strip, example.references)), example.text) for example in examples]
        reasons = {index: NO_REFERENCES for index, (references, _) in enumerate(pairs) if not references}
        # Checked here, and not only for the signature: Java would not mind a damaged table.
        self.checksums()
        answers = load_meteor(self._options()).measure([pair for pair in pairs if pair[0]])
        rows = np.zeros((len(examples), WIDTH))
        scored = [index for index in range(len(examples)) if index not in reasons]
        for index, answer in zip(scored, answers, strict=True):
            rows[index] = without_whole_chunk(answer)
        return self.analyse_rows(rows, reasons)

    def measure(self, rows: Column) -> dict[str, Column]:
        """Value and parts of each row by itself."""
        tuning = TUNINGS[self.language]
        precision, recall = (_share_matched(rows.T, side, tuning) for side in (0, 1))
        # The weighted harmonic mean without its fractions, so that it is 0 where either is.
        f_mean = divide(precision * recall, (1 - tuning.alpha) * recall + tuning.alpha * precision)
        matches = rows.T[MATCHES : MATCHES + 2].mean(axis=0)
        penalty = tuning.gamma * divide(rows.T[CHUNKS], matches) ** tuning.beta
        columns = (f_mean * (1 - penalty), precision, recall, f_mean, penalty)
        return dict(zip((VALUE, *self.parts), columns, strict=True))

    def _options(self) -> MeteorOptions:
        return MeteorOptions(self.language, self.normalize, self.paraphrases)


def without_whole_chunk(row: list[float]) -> list[float]:
    """Statistics in which the one chunk of a text that matches as a whole is none: there is no fragmentation.

    The program makes this exception for a text and leaves the chunk out of its sums too.
    """
    text, reference = (row[MATCHES + side] == row[LENGTH + side] for side in (0, 1))
    if text and reference and row[CHUNKS] == 1:
        return [*row[:CHUNKS], 0.0, *row[CHUNKS + 1 :]]
    return row


def _share_matched(columns: Column, side: int, tuning: MeteorTuning) -> Column:
    """The share of the text's (side 0) or reference's (1) words that match, weighted by word and module."""
    functions = columns[FUNCTION_WORDS + side]
    content = columns[LENGTH + side] - functions
    length = tuning.delta * content + (1 - tuning.delta) * functions
    matched = np.zeros_like(length)
    for module, weight in enumerate(tuning.weights):
        column = MODULES + 4 * module + side
        matched += weight * (tuning.delta * columns[column] + (1 - tuning.delta) * columns[column + 2])
    # Rounding may leave a whole match a hair above its length.
    return np.minimum(divide(matched, length), 1.0)
