"""A metric for deepeval: `FaithfulToData`."""

from typing import Any

from factable.errors import UsageError
from factable.metrics.ledger.metric import check

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError:
    raise UsageError("factable.integrations.deepeval needs deepeval; run: pip install deepeval") from None


class FaithfulToData(BaseMetric):  # type: ignore[misc]
    """Whether the actual output says all, and only, what the data says; the score is the probability of that.

    The data of a test case is `metadata["data"]`, or else its input. It passes if the verdict is
    OK, or, with a `threshold`, if the score reaches it. `options` are those of `factable.check`.
    """

    def __init__(self, threshold: float | None = None, **options: Any) -> None:
        self.threshold = 0.5 if threshold is None else threshold
        self._by_verdict = threshold is None
        self._options = options
        self.async_mode = False
        self.include_reason = True

    def measure(self, test_case: LLMTestCase, *_args: Any, **_kwargs: Any) -> float:
        """Check one test case."""
        verdict = check(_data_of(test_case), test_case.actual_output or "", **self._options)
        self.score = verdict.probability
        self.reason = str(verdict)
        self.success = verdict.is_ok if self._by_verdict else self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_args: Any, **_kwargs: Any) -> float:
        """The same, for deepeval's asynchronous runs; a check takes milliseconds."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last test case passed."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        """The name in deepeval's tables."""
        return "Faithful to data"


def _data_of(test_case: LLMTestCase) -> object:
    metadata = test_case.metadata or {}
    return metadata.get("data", test_case.input)
