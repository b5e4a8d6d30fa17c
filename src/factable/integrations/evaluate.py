"""A metric for Hugging Face evaluate: `FaithfulToData`."""

from typing import Any

from factable.errors import UsageError
from factable.io.rows import table_of
from factable.metrics.ledger.metric import Ledger
from factable.types import Example

try:
    import evaluate
    from datasets import Features, Value
except ImportError:
    raise UsageError("factable.integrations.evaluate needs evaluate; run: pip install evaluate") from None


class FaithfulToData(evaluate.Metric):  # type: ignore[misc]
    """Shares of texts that say all, and only, what their data says; `data` is JSON, or another text form."""

    def _info(self) -> Any:
        return evaluate.MetricInfo(
            description="Whether texts written from data say all, and only, what the data says.",
            citation="",
            inputs_description="predictions: texts; data: the data of each, as JSON text.",
            features=Features({"predictions": Value("string"), "data": Value("string")}),
        )

    def _compute(self, predictions: list[str], data: list[str], **options: Any) -> dict[str, Any]:
        """The parts of the ledger for all texts, and the label and probability of each."""
        metric = Ledger(**options)
        examples = [
            Example(str(number), "", text, table_of(of_text))
            for number, (text, of_text) in enumerate(zip(predictions, data, strict=True))
        ]
        verdicts = metric.verdicts(examples)
        scores = metric.score(examples)
        return {
            **scores.corpus_parts,
            "labels": [verdict.label for verdict in verdicts],
            "probabilities": [verdict.probability for verdict in verdicts],
        }
