"""A judge that is asked only where the ledger is in doubt, and whose word then counts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from factable.core.registry import parse
from factable.core.signature import spec
from factable.errors import UsageError
from factable.metrics.ledger.verdict import JudgedVerdict, Verdict
from factable.metrics.ledger.verdict_metric import Unscored, VerdictMetric
from factable.types import Example

# Parameters that say which facts count.
SHARED = ("required", "optional", "small", "ignore")
Defaults = Mapping[str, Mapping[str, object]]


def load_judge(text: str, defaults: Defaults | None = None) -> VerdictMetric:
    """The judge that a text names: an address, `ADDRESS#MODEL`, or a spec such as `judge(model="…")`."""
    if text.startswith(("http://", "https://")):
        url, _, model = text.partition("#")
        named = f", model={json.dumps(model)}" if model else ""
        text = f"judge(url={json.dumps(url)}{named})"
    judge = parse(text, defaults=defaults)
    if not isinstance(judge, VerdictMetric) or judge.name == "ledger":
        remedy = 'give an address such as http://localhost:8080/v1, or judge(url="…", model="…")'
        raise UsageError(f"`judge` is {spec(judge)}, which is no judge; {remedy}")
    return judge


def with_rules_of(judge: VerdictMetric, ledger: VerdictMetric) -> VerdictMetric:
    """The judge, told which facts count for the ledger, unless it says so itself."""
    declared = {each.name: each for each in judge.params}
    given = {name: getattr(ledger, name) for name in SHARED}
    # What is for programs need not be said either.
    given["optional"] = ",".join(filter(None, (given["optional"], getattr(ledger, "technical", ""))))
    taken = {
        name: value
        for name, value in given.items()
        if name in declared and getattr(judge, name) == declared[name].default
    }
    return replace(judge, **taken)  # type: ignore[type-var]


def settle_doubts(
    judge: VerdictMetric, examples: Sequence[Example], verdicts: Sequence[Verdict], low: float, high: float
) -> list[Verdict]:
    """The verdicts, in place of doubtful ones those of the judge.

    A verdict is doubtful if the probability that the text is OK is in the interval; the probability of both
    is their mean. Where the judge has no answer, the ledger's own verdict stays.
    """
    doubtful = [
        index
        for index, verdict in enumerate(verdicts)
        if verdict.facts and verdict.text.strip() and low <= verdict.probability <= high
    ]
    settled = list(verdicts)
    for index, said in zip(doubtful, judge.verdicts([examples[index] for index in doubtful]), strict=True):
        own = verdicts[index]
        word = own if isinstance(said, Unscored) else said
        settled[index] = JudgedVerdict(
            **{each.name: getattr(word, each.name) for each in fields(word)}
            | {
                "probability": (own.probability + word.probability) / 2,
                "correct": (own.correct + word.correct) / 2,
                "opinions": own.opinions,
            }
        )
    return settled
