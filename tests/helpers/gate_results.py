"""Results of gates made by hand."""

from factable.gate.baseline import Baseline, find_changes
from factable.gate.decision import RATES, GateResult, Rate
from factable.gate.outcomes import Flaw, Outcome
from factable.gate.policy import KINDS, Policy, find_breaches

TEXT = "The Eagle is by the river."
FLAW = Flaw("contradicted", "area | centre", (16, 25), "")


def make_outcome(item, label="OK", system="mine", text=TEXT, flaws=(FLAW,), source="texts.jsonl", line=None):
    good = label == "OK"
    return Outcome(item, system, source, line, label, 0.9, "" if good else text, () if good else tuple(flaws))


def make_result(outcomes, policy=None, baseline=None):
    policy = policy or Policy()
    values = {kind: sum(kind in outcome.label for outcome in outcomes) / len(outcomes) for kind in KINDS}
    rates = {name: Rate(values.get(name, 0.5), 0.0, 1.0) for name in RATES}
    return GateResult(
        metric="ledger",
        signature="ledger|omission:0.5|unscored:0|v:1",
        policy=policy,
        outcomes=outcomes,
        rates=rates,
        breaches=find_breaches(policy, values, baseline.rates if baseline else None),
        baseline=baseline,
        changes=find_changes(baseline, outcomes, policy) if baseline else None,
    )


def make_baseline(labels, signature="ledger|omission:0.5|unscored:3|v:1", **rates):
    known = {**dict.fromkeys(KINDS, 0.0), **rates}
    return Baseline(signature, known, {(item, "mine"): label for item, label in labels.items()})
