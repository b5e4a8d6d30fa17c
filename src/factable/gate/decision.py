"""The result of a gate: which texts fail, which rates are too high, and whether it passes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, NamedTuple

import numpy as np
import orjson

from factable.core.results import Scores
from factable.core.schema import SCHEMA
from factable.errors import DataError, Fault
from factable.gate.baseline import Baseline, Changes, find_changes, signature_differences
from factable.gate.outcomes import Key, Outcome
from factable.gate.policy import KINDS, UNSCORED, Breach, Policy, find_breaches
from factable.metrics.ledger.verdict_metric import VerdictMetric
from factable.metrics.tables import NO_FACTS
from factable.stats import Column
from factable.stats.bootstrap import Draws, interval

RATES = ("ok", *KINDS, "omitted", "contradicted", "unsupported")
DRAWS = 1000
SEED = 0


class Rate(NamedTuple):
    """A rate and its 95 % interval."""

    value: float
    low: float
    high: float


def measure_rates(metric: VerdictMetric, scores: Scores, items: Sequence[str]) -> dict[str, Rate]:
    """Each rate of all scored texts; items are drawn, with all their texts."""
    scored = ~np.isnan(np.frombuffer(scores.values))
    numbers: dict[str, int] = {}
    item_of = [
        numbers.setdefault(item, len(numbers)) for item, kept in zip(items, scored, strict=True) if kept
    ]
    rows = np.frombuffer(scores.stats).reshape(len(scored), -1)[scored]
    sums = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(sums, item_of, rows)

    def compute(weights: Column) -> Mapping[str, Column]:
        finished = [metric.finish(totals) for totals in (weights @ sums).tolist()]
        return {name: np.array([each[name] for each in finished]) for name in RATES}

    drawn = Draws(len(numbers), DRAWS, SEED).apply(compute)
    return {name: _rate(scores.corpus_parts[name], column) for name, column in drawn.items()}


def _rate(value: float, column: Column) -> Rate:
    # The first draw is the data itself.
    _, low, high = interval(column[1:])
    return Rate(value, low, high)


@dataclass(frozen=True, slots=True)
class GateResult:
    """Outcomes in input order, rates, and what is above what is allowed; `changes` are since the baseline."""

    metric: str
    signature: str
    policy: Policy
    outcomes: Sequence[Outcome]
    rates: Mapping[str, Rate]
    breaches: Sequence[Breach]
    baseline: Baseline | None
    changes: Changes | None

    @property
    def passed(self) -> bool:
        """Whether the gate passes."""
        return not self.breaches

    @property
    def failing(self) -> list[Outcome]:
        """The texts with a fault that counts."""
        return [outcome for outcome in self.outcomes if self.policy.faults_in(outcome.label)]

    @property
    def unscored(self) -> int:
        """How many texts have no verdict."""
        return sum(outcome.label == UNSCORED for outcome in self.outcomes)

    def news(self) -> list[Outcome]:
        """The failing texts that were not known to fail: without a baseline, all of them."""
        if self.baseline is None or self.changes is None:
            return self.failing
        worse: set[Key] = set(self.changes.worse)
        labels = self.baseline.labels
        return [outcome for outcome in self.failing if outcome.key in worse or outcome.key not in labels]

    def warnings(self) -> list[str]:
        """What makes the comparison with the baseline doubtful."""
        if self.baseline is None:
            return []
        differences = signature_differences(self.signature, self.baseline.signature)
        made_with = "the baseline was made with another signature: "
        return [made_with + ", ".join(differences)] if differences else []


def decide(
    metric: VerdictMetric,
    scores: Scores,
    outcomes: Sequence[Outcome],
    policy: Policy,
    baseline: Baseline | None,
) -> GateResult:
    """Measure rates and compare them with the policy and the baseline."""
    if all(outcome.label == UNSCORED for outcome in outcomes):
        # Nothing was found wrong, because nothing was looked at.
        raise DataError([Fault("gate", None, f"every example has {NO_FACTS}", "give data")])
    rates = measure_rates(metric, scores, [outcome.item for outcome in outcomes])
    values = {name: rate.value for name, rate in rates.items()}
    return GateResult(
        metric=scores.metric,
        signature=scores.signature,
        policy=policy,
        outcomes=outcomes,
        rates=rates,
        breaches=find_breaches(policy, values, baseline.rates if baseline else None),
        baseline=baseline,
        changes=find_changes(baseline, outcomes, policy) if baseline else None,
    )


def write_result(result: GateResult, stream: IO[bytes]) -> None:
    """One JSON document with an example per line, so that diffs are readable."""
    head = {
        "schema": SCHEMA,
        "passed": result.passed,
        "metric": result.metric,
        "signature": result.signature,
        "fail_on": result.policy.fail_on,
        "max_rate": {kind: result.policy.max_rate[kind] for kind in result.policy.fail_on},
        "rates": {name: rate._asdict() for name, rate in result.rates.items()},
        "unscored": result.unscored,
    }
    stream.write(orjson.dumps(head)[:-1] + b',"examples":[\n')
    for number, line in enumerate(_lines(result.outcomes)):
        stream.write(b",\n" if number else b"")
        stream.write(line)
    stream.write(b"\n]}\n")


def _lines(outcomes: Sequence[Outcome]) -> Iterator[bytes]:
    for outcome in outcomes:
        yield orjson.dumps(
            {
                "id": outcome.item,
                "system": outcome.system,
                "label": outcome.label,
                "probability": outcome.probability,
                **({"text": outcome.text} if outcome.text else {}),
                **orjson.loads(outcome.result),
            }
        )
