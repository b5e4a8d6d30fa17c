"""BLEU-T: BLEU that also knows the table.

Its values as additional references: Dhingra, Faruqui, Parikh, Chang, Das and Cohen: Handling Divergent
Reference Texts when Evaluating Table-to-Text Generation. ACL 2019. As a mixture: Garneau and
Lamontagne: Trainable Ranking Models to Evaluate the Semantic Accuracy of Data-to-Text Neural
Generator. Eval4NLP 2021.
"""

from collections.abc import Sequence

import numpy as np

from factable.core.metric import REFERENCES, TABLE, metric, param
from factable.core.results import VALUE, Analysis
from factable.metrics.bleu import SMOOTHINGS, Bleu, Column, part_names
from factable.metrics.references import (
    FULL,
    MAX_ORDERS,
    TOKENIZERS,
    TOKENS_DOC,
    RowMetric,
    find_unsupported,
    reader,
)
from factable.types import Example

NO_VALUES = "no values in its data"
LOWERCASE_OF = {"": False, "paper": True}


@metric
class BleuT(RowMetric):
    """BLEU that also counts the table, its values as further references or mixed in."""

    name = "bleu_t"
    version = 2
    needs = TABLE | REFERENCES
    bounds = (0.0, FULL)

    form: str = param(
        "references",
        '"references": each value is a further reference (Dhingra et al. 2019); "mixture": '
        "alpha * BLEU against the table + (1 - alpha) * BLEU against the references "
        "(Garneau and Lamontagne 2021)",
        choices=("references", "mixture"),
    )
    alpha: float = param(0.5, 'the weight of the table in a "mixture"', range=(0.0, 1.0))
    tokens: str = param("13a", TOKENS_DOC, choices=TOKENIZERS)
    lowercase: bool = param(
        None, "ignore case; follows from compat if not given", follows=("compat", LOWERCASE_OF)
    )
    orders: int = param(4, "the longest n-grams counted", range=(1, MAX_ORDERS))
    smoothing: str = param("exp", "how orders without a match are smoothed", choices=SMOOTHINGS)
    compat: str = param(
        "", '"paper": as in the paper on PARENT, whose texts are in lower case', choices=LOWERCASE_OF
    )

    def check(self) -> None:
        """The paper on PARENT has one form."""
        if self.compat and self.form != "references":
            raise self.bad("form", f"references with compat={self.compat!r}")

    @property
    def cased(self) -> bool:
        """Unless case is ignored."""
        return not self.lowercase

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of BLEU, or the two values that are mixed."""
        return part_names(self.orders) if self.form == "references" else ("table_bleu", "reference_bleu")

    def signature_parts(self) -> list[str]:
        """The signature of sacrebleu."""
        return self._bleu().signature_parts()

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """Sentence values per example, of the corpus from summed counts; words that nothing supports."""
        bleu = self._bleu()
        texts, references, reasons = bleu.read(examples)
        read = reader(self.tokens, self.lowercase)
        tables = [read(" ".join(record.value for record in example.table.records)) for example in examples]
        if self.form == "references":
            values = [[read(record.value) for record in example.table.records] for example in examples]
            rows = bleu.count(texts, [[*each, *more] for each, more in zip(references, values, strict=True)])
            # A value is no whole text: only true references say how long one should be.
            rows[:, -1] = bleu.count(texts, references)[:, -1]
        else:
            rows = np.hstack(
                (bleu.count(texts, [[table] for table in tables]), bleu.count(texts, references))
            )
        return self.analyse_rows(
            rows,
            {index: NO_VALUES for index, table in enumerate(tables) if not table} | reasons,
            lambda: find_unsupported(examples, with_values=True, note="in neither values nor references"),
        )

    def measure(self, rows: Column) -> dict[str, Column]:
        """Sentence BLEU-T and its parts."""
        bleu = self._bleu()
        if self.form == "references":
            return bleu.measure(rows)
        return self._mix(*(bleu.measure(side)[VALUE] for side in np.hsplit(rows, 2)))

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """BLEU-T of a corpus and its parts, from column sums of the statistics."""
        bleu = self._bleu()
        if self.form == "references":
            return bleu.finish(totals)
        half = len(totals) // 2
        sides = (np.array([bleu.finish(side)[VALUE]]) for side in (totals[:half], totals[half:]))
        return {name: float(column[0]) for name, column in self._mix(*sides).items()}

    def finish_rows(self, totals: Column) -> Column:
        """BLEU-T of many corpora at once, from a row of sums each."""
        bleu = self._bleu()
        if self.form == "references":
            return bleu.finish_rows(totals)
        return self._mix(*map(bleu.finish_rows, np.hsplit(totals, 2)))[VALUE]

    def _bleu(self) -> Bleu:
        return Bleu(
            tokens=self.tokens, lowercase=self.lowercase, orders=self.orders, smoothing=self.smoothing
        )

    def _mix(self, table: Column, reference: Column) -> dict[str, Column]:
        mixed = self.alpha * table + (1 - self.alpha) * reference
        return {VALUE: mixed, "table_bleu": table, "reference_bleu": reference}
