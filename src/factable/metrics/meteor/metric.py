"""METEOR: words of text and reference aligned by form, stem, synonym and paraphrase.

Denkowski and Lavie: Meteor Universal: Language Specific Translation Evaluation for Any Target Language. WMT
2014. The alignment is the authors' program, version 1.5; the score is computed here from its statistics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import VALUE, Field
from factable.errors import UsageError
from factable.metrics.meteor.program import PACKAGED, WIDTH, Setting, checksums, load_meteor
from factable.metrics.references import NO_REFERENCES, columns_to_scores
from factable.types import Example, Finding, Scores

Column = NDArray[np.float64]


class Tuning(NamedTuple):
    """The program's parameters of a language, and the weight of each module's matches."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


# Tuned by the authors to human rankings of translations.
TUNINGS = {
    "en": Tuning(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "cz": Tuning(0.95, 0.2, 0.6, 0.8, (1.0, 0.4)),
    "de": Tuning(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.2)),
    "es": Tuning(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.6)),
    "fr": Tuning(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.4)),
}
# Columns of the statistics. Most come in pairs, text first and then reference. For each of four modules, in
# the order of their weights: matched content words, then matched function words.
LENGTH, FUNCTION_WORDS, MODULES, CHUNKS, MATCHES = 0, 2, 4, 20, 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Meteor:
    """Words aligned with the best reference by form, stem, synonym and paraphrase (METEOR 1.5).

    language     "en", "cz", "de", "es" or "fr"
    normalize    whether the program tokenises and lower-cases; else words are cut at spaces and case counts
    paraphrases  the paraphrase table: "package" (English alone), "none" or a file such as paraphrase-de.gz
    """

    name: ClassVar[str] = "meteor"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall", "f_mean", "penalty")
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    language: str = "en"
    normalize: bool = True
    paraphrases: str = PACKAGED

    def __post_init__(self) -> None:
        """Check every parameter."""
        self._require("language", self.language in TUNINGS, f"one of {', '.join(TUNINGS)}")
        self._require("normalize", isinstance(self.normalize, bool), "True or False")
        named = isinstance(self.paraphrases, str) and self.paraphrases != ""
        self._require("paraphrases", named, '"package", "none" or a file name')
        if self.paraphrases == PACKAGED and self.language != "en":
            raise UsageError(
                f"meteor: the package has no paraphrases for {self.language!r}; give a file such as "
                f'paraphrases="paraphrase-{self.language}.gz" of METEOR 1.5, or paraphrases="none"'
            )

    def _require(self, parameter: str, holds: bool, allowed: str) -> None:
        if not holds:
            raise UsageError(f"meteor: {parameter} is {getattr(self, parameter)!r}; it must be {allowed}")

    def checksums(self) -> Mapping[str, str]:
        """The checksums of the program and its paraphrase table."""
        return checksums(self._setting())

    def score(self, examples: Sequence[Example]) -> Scores:
        """The score with the best reference; the corpus value comes from summed statistics."""
        pairs = [(tuple(filter(str.strip, example.references)), example.text) for example in examples]
        reasons = {index: NO_REFERENCES for index, (references, _) in enumerate(pairs) if not references}
        # Checked here, and not only for the signature: Java would not mind a damaged table.
        self.checksums()
        found = iter(load_meteor(self._setting()).measure([pair for pair in pairs if pair[0]]))
        rows = np.array(
            [[0.0] * WIDTH if i in reasons else without_whole_chunk(next(found)) for i in range(len(pairs))]
        ).reshape(len(pairs), WIDTH)
        return columns_to_scores(self, examples, self._measure(rows), rows, reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Value and parts of a corpus from column sums of the statistics."""
        columns = self._measure(np.array([totals], dtype=np.float64))
        return {name: float(column[0]) for name, column in columns.items()}

    def finish_rows(self, totals: Column) -> Column:
        """METEOR of many corpora at once, from a row of sums each."""
        return self._measure(totals)[VALUE]

    def _measure(self, rows: Column) -> dict[str, Column]:
        """Value and parts of each row by itself."""
        tuning = TUNINGS[self.language]
        precision, recall = (_share_matched(rows.T, side, tuning) for side in (0, 1))
        # The weighted harmonic mean without its fractions, so that it is 0 where either is.
        f_mean = _divide(precision * recall, (1 - tuning.alpha) * recall + tuning.alpha * precision)
        matches = rows.T[MATCHES : MATCHES + 2].mean(axis=0)
        penalty = tuning.gamma * _divide(rows.T[CHUNKS], matches) ** tuning.beta
        return {
            VALUE: f_mean * (1 - penalty),
            "precision": precision,
            "recall": recall,
            "f_mean": f_mean,
            "penalty": penalty,
        }

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: the program tells how many words match, not which."""
        return tuple(() for _ in examples)

    def _setting(self) -> Setting:
        return Setting(self.language, self.normalize, self.paraphrases)


def without_whole_chunk(row: list[float]) -> list[float]:
    """Statistics in which the one chunk of a text that matches as a whole is none: there is no fragmentation.

    The program makes this exception for a text and leaves the chunk out of its sums too.
    """
    text, reference = (row[MATCHES + side] == row[LENGTH + side] for side in (0, 1))
    if text and reference and row[CHUNKS] == 1:
        return [*row[:CHUNKS], 0.0, *row[CHUNKS + 1 :]]
    return row


def _share_matched(columns: Column, side: int, tuning: Tuning) -> Column:
    """The share of the text's (side 0) or reference's (1) words that match, weighted by word and module."""
    functions = columns[FUNCTION_WORDS + side]
    content = columns[LENGTH + side] - functions
    length = tuning.delta * content + (1 - tuning.delta) * functions
    matched = np.zeros_like(length)
    for module, weight in enumerate(tuning.weights):
        column = MODULES + 4 * module + side
        matched += weight * (tuning.delta * columns[column] + (1 - tuning.delta) * columns[column + 2])
    # Rounding may leave a whole match a hair above its length.
    return np.minimum(_divide(matched, length), 1.0)


def _divide(above: Column, below: Column) -> Column:
    """Quotients, 0 where there is nothing to divide by."""
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)
