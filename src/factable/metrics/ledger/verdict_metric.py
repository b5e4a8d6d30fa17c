"""What metrics that give verdicts share: their parts, and the rates of many texts from summed counts."""

import math
from array import array
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from factable.core.metric import Metric
from factable.core.results import VALUE, Analysis
from factable.metrics.ledger.verdict import Verdict
from factable.metrics.tables import NO_FACTS
from factable.types import ERRORS, Example

RATES = ("ok", "probability", "correct", *ERRORS, "omitted", "contradicted", "unsupported")


class Unscored(NamedTuple):
    """Why a text has no verdict."""

    reason: str


class VerdictMetric(Metric):
    """The base of metrics that account for every fact of the data and every claim of the text."""

    __slots__ = ()

    scales = MappingProxyType(
        {
            "omitted": "per 100 facts",
            "contradicted": "per 100 words",
            "unsupported": "per 100 words",
            "tokens": "per text",
            "cost": "per text",
        }
    )
    meanings = MappingProxyType(
        {
            "ok": "share of texts that say all, and only, what the data says",
            "probability": "probability that a text says all, and only, what the data says",
            "correct": "probability that nothing in a text is wrong, whatever it leaves out",
            "omission": "share of texts that leave facts out",
            "contradiction": "share of texts that get facts wrong",
            "hallucination": "share of texts that make facts up",
            "omitted": "facts left out",
            "contradicted": "claims that the data contradicts",
            "unsupported": "claims that the data does not support",
        }
    )
    slow = True
    additive = True
    always_explains = True

    @property
    def parts(self) -> tuple[str, ...]:
        """Rates of texts with each kind of fault, and of facts and words."""
        return RATES

    def verdicts(self, examples: Sequence[Example]) -> Sequence[Verdict | Unscored]:
        """The verdict on each text, or why there is none."""
        raise NotImplementedError(f"metric {self.name} has no verdicts")

    def values(self, examples: Sequence[Example], verdicts: Sequence[Verdict | Unscored]) -> list[float]:
        """The value of each text, NaN for one without a verdict."""
        return [math.nan if isinstance(each, Unscored) else soft_value(each) for each in verdicts]

    def more_counts(self, verdict: Verdict | Unscored) -> tuple[float, ...]:
        """What a metric counts about one text besides, in the order in which `finish` takes it."""
        return ()

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """One value per example, NaN for one without facts; the findings are the whole ledger."""
        verdicts = self.verdicts(examples)
        values = self.values(examples, verdicts)
        rows = [
            (*_counts(verdict, value), *self.more_counts(verdict))
            for verdict, value in zip(verdicts, values, strict=True)
        ]
        reasons = {
            index: verdict.reason if isinstance(verdict, Unscored) else NO_FACTS
            for index, verdict in enumerate(verdicts)
            if isinstance(verdict, Unscored) or not verdict.facts
        }
        results = [{} if index in reasons else self.finish(row) for index, row in enumerate(rows)]
        column, *parts = (
            array("d", [result.get(name, math.nan) for result in results]) for name in (VALUE, *self.parts)
        )
        return Analysis(
            column,
            dict(zip(self.parts, parts, strict=True)),
            reasons,
            array("d", [count for row in rows for count in row]),
            find=lambda: [
                each.findings if isinstance(each, Verdict) and each.facts else () for each in verdicts
            ],
        )

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Rates of one or many texts, from sums of their counts."""
        texts, value, ok, probability, correct, omission, contradiction, hallucination = totals[:8]
        facts, omitted, words, contradicted, unsupported = totals[8:COUNTS]
        return {
            VALUE: value / texts,
            "ok": ok / texts,
            "probability": probability / texts,
            "correct": correct / texts,
            "omission": omission / texts,
            "contradiction": contradiction / texts,
            "hallucination": hallucination / texts,
            "omitted": 100 * omitted / facts if facts else 0.0,
            "contradicted": 100 * contradicted / words if words else 0.0,
            "unsupported": 100 * unsupported / words if words else 0.0,
        }


# The length of a row of counts, without what a metric counts besides.
COUNTS = 13


def _counts(verdict: Verdict | Unscored, value: float) -> tuple[float, ...]:
    """What is counted about one text, in the order of `finish`."""
    if isinstance(verdict, Unscored):
        return (0.0,) * COUNTS
    required = [fact for fact in verdict.facts if fact.required]
    return (
        1.0,
        value,
        float(verdict.is_ok),
        verdict.probability,
        verdict.correct,
        *(float(error in verdict.label) for error in ERRORS),
        float(len(required)),
        float(sum(fact.state == "omitted" for fact in required)),
        float(len(verdict.text.split())),
        float(sum(claim.state == "contradicted" for claim in verdict.claims)),
        float(sum(claim.state == "unsupported" for claim in verdict.claims)),
    )


def soft_value(verdict: Verdict) -> float:
    """Two thirds for the facts, one third for the text as a whole; 0 for an empty text."""
    if not verdict.text.strip():
        return 0.0
    probabilities = [fact.probability for fact in verdict.facts if fact.required] or [1.0]
    return (2 * math.fsum(probabilities) / len(probabilities) + verdict.probability) / 3
