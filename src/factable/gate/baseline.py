"""A result of an earlier run: what got worse since, and whether the two can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import orjson

from factable.errors import DataError, Fault
from factable.gate.outcomes import Key, Outcome
from factable.gate.policy import KINDS, Policy
from factable.io.faults import Malformed
from factable.io.files import read_whole, source_name
from factable.io.objects import get_field

# What a run is about, not how it was made.
FACTS_OF_A_RUN = ("unscored",)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The rates, the labels and the signature of an earlier run."""

    signature: str
    rates: Mapping[str, float]
    labels: Mapping[Key, str]


class Changes(NamedTuple):
    """Texts with a fault they did not have, and how many lost one, are new, or are gone."""

    worse: tuple[Key, ...]
    better: int
    new: int
    gone: int


def read_baseline(path: str) -> Baseline:
    """Read a result that `factable gate --out` wrote."""
    try:
        document = orjson.loads(read_whole(path))
    except orjson.JSONDecodeError as error:
        _refuse(path, f"broken JSON ({error.msg})", error.lineno)
    try:
        rates = get_field(document, "rates", dict)
        examples = get_field(document, "examples", list)
        return Baseline(
            get_field(document, "signature", str),
            {kind: get_field(rates.get(kind), "value", float) for kind in KINDS},
            {
                (get_field(row, "id", str), get_field(row, "system", str)): get_field(row, "label", str)
                for row in examples
            },
        )
    except Malformed as fault:
        _refuse(path, fault.problem)


def _refuse(path: str, problem: str, line: int | None = None) -> NoReturn:
    remedy = "give a file that factable gate --out wrote"
    raise DataError([Fault(source_name(path), line, problem, remedy)]) from None


def find_changes(baseline: Baseline, outcomes: Sequence[Outcome], policy: Policy) -> Changes:
    """What became of each text; only kinds of faults that the policy fails on count."""
    worse, better, new = [], 0, 0
    for outcome in outcomes:
        before = baseline.labels.get(outcome.key)
        if before is None:
            new += 1
            continue
        had, has = set(policy.faults_in(before)), set(policy.faults_in(outcome.label))
        if has - had:
            worse.append(outcome.key)
        elif had - has:
            better += 1
    return Changes(tuple(worse), better, new, len(baseline.labels) - (len(outcomes) - new))


def signature_differences(now: str, before: str) -> list[str]:
    """Each piece in which two signatures differ, such as `omission 0.5 (baseline: 0.6)`."""
    current, earlier = _pieces(now), _pieces(before)
    return [
        f"{name} {current.get(name, 'none')} (baseline: {earlier.get(name, 'none')})"
        for name in {**current, **earlier}
        if current.get(name) != earlier.get(name) and name not in FACTS_OF_A_RUN
    ]


def _pieces(signature: str) -> dict[str, str]:
    metric, *pieces = signature.split("|")
    return {"metric": metric} | {name: value for name, _, value in (piece.partition(":") for piece in pieces)}
