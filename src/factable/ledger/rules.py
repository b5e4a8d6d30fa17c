"""What counts as a fault: facts that must be said, facts and words that are not looked at, thresholds."""

from typing import NamedTuple

from factable.metrics.nli_check import Selection
from factable.types import Record


class Rules(NamedTuple):
    """Which facts must be said, what is ignored, and how probable a thing must be to pass.

    `ignored` names facts that are not in the ledger; `omission` and `hallucination` are thresholds of facts
    and of sentences.
    """

    selection: Selection = Selection()
    ignored: frozenset[str] = frozenset()
    omission: float = 0.5
    hallucination: float = 0.5

    def ignores(self, record: Record) -> bool:
        """Whether a record is left out of the ledger; a text may say it or not."""
        return bool({record.attribute, f"{record.attribute}={record.value}"} & self.ignored)
