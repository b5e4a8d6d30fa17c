"""BLEU-T: BLEU that also knows the table.

As additional reference: Dhingra, Faruqui, Parikh, Chang, Das and Cohen: Handling Divergent Reference Texts
when Evaluating Table-to-Text Generation. ACL 2019. As a mixture: Garneau and Lamontagne: Trainable Ranking
Models to Evaluate the Semantic Accuracy of Data-to-Text Neural Generator. Eval4NLP 2021.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from factable.core.metric import VALUE, Field, ShardBy
from factable.core.params import is_number, require, require_choice, require_flags, require_whole
from factable.metrics.bleu import MAX_ORDERS, SMOOTHINGS, Bleu, Column, part_names
from factable.metrics.references import TOKENIZERS, columns_to_scores, explain_all, reader
from factable.types import Example, Finding, Scores

FORMS = ("references", "mixture")
NO_VALUES = "no values in its data"


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuT:
    """BLEU that also knows the table, as a reference or mixed with BLEU against the table.

    form       "references": the values joined are one more reference (Dhingra et al. 2019);
               "mixture": alpha * BLEU against the table + (1 - alpha) * BLEU against the references
               (Garneau and Lamontagne 2021)
    alpha      for "mixture": the weight of the table, 0 to 1
    tokens     sacrebleu's tokeniser: "13a", "intl", "char", "zh" or "none" for text that is tokenised already
    lowercase  whether case is ignored: True or False
    orders     the longest n-grams counted
    smoothing  for orders without a match: "exp", "floor", "add-k" or "none"
    """

    name: ClassVar[str] = "bleu_t"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"table", "references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    shard_by: ClassVar[ShardBy] = "example"

    form: str = "references"
    alpha: float = 0.5
    tokens: str = "13a"
    lowercase: bool = False
    orders: int = 4
    smoothing: str = "exp"

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "form", FORMS)
        require(self, "alpha", is_number(self.alpha, 0, 1), "a number from 0 to 1")
        object.__setattr__(self, "alpha", float(self.alpha))
        require_choice(self, "tokens", TOKENIZERS)
        require_flags(self, "lowercase")
        require_whole(self, "orders", 1, MAX_ORDERS)
        require_choice(self, "smoothing", SMOOTHINGS)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of BLEU, or the two values that are mixed."""
        return part_names(self.orders) if self.form == "references" else ("table_bleu", "reference_bleu")

    def pieces(self) -> list[str]:
        """The signature of sacrebleu."""
        return self._bleu().pieces()

    def score(self, examples: Sequence[Example]) -> Scores:
        """Sentence values per example, of the corpus from summed counts; needs references and values."""
        bleu = self._bleu()
        texts, references, reasons = bleu.read(examples)
        read = reader(self.tokens, self.lowercase)
        tables = [read(" ".join(record.value for record in example.table.records)) for example in examples]
        reasons = {index: NO_VALUES for index, table in enumerate(tables) if not table} | reasons
        if self.form == "references":
            known = [[*mine, table] for mine, table in zip(references, tables, strict=True)]
            rows = bleu.count(texts, known)
            return columns_to_scores(self, examples, bleu.measure(rows), rows, reasons)
        against_tables = bleu.count(texts, [[table] for table in tables])
        against_references = bleu.count(texts, references)
        columns = self._mix(bleu.measure(against_tables)[VALUE], bleu.measure(against_references)[VALUE])
        rows = np.hstack((against_tables, against_references))
        return columns_to_scores(self, examples, columns, rows, reasons)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """BLEU-T of a corpus and its parts from column sums of the statistics."""
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

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which words of the text neither references nor values have."""
        return explain_all(examples, with_table=True, note="in neither values nor references")

    def _bleu(self) -> Bleu:
        return Bleu(
            tokens=self.tokens, lowercase=self.lowercase, orders=self.orders, smoothing=self.smoothing
        )

    def _mix(self, table: Column, reference: Column) -> dict[str, Column]:
        mixed = self.alpha * table + (1 - self.alpha) * reference
        return {VALUE: mixed, "table_bleu": table, "reference_bleu": reference}
