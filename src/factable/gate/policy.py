"""The policy of a gate: which kinds of faults count, and the allowed rate of each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from factable.errors import UsageError, did_you_mean

KINDS = ("contradiction", "hallucination", "omission")
UNSCORED = "unscored"
RATE = re.compile(r"(?:([^=]+)=)?([^=]+)")


@dataclass(frozen=True, slots=True)
class Policy:
    """The kinds of faults that fail a text, and the share of texts with each that is allowed."""

    fail_on: tuple[str, ...] = KINDS
    max_rate: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))

    def faults_in(self, label: str) -> tuple[str, ...]:
        """The kinds, of those that count, that a label such as `omission+contradiction` names."""
        named = label.split("+")
        return tuple(kind for kind in self.fail_on if kind in named)


class Breach(NamedTuple):
    """A rate above what is allowed, and above that of the baseline where there is one."""

    kind: str
    rate: float
    allowed: float
    before: float | None

    def __str__(self) -> str:
        """One line for people."""
        also = "" if self.before is None else f", and the baseline has {self.before:.4f}"
        return f"{self.kind} in {self.rate:.4f} of the texts; at most {self.allowed:g} is allowed{also}"


def find_breaches(
    policy: Policy, rates: Mapping[str, float], baseline: Mapping[str, float] | None
) -> list[Breach]:
    """Every kind whose rate is above the one allowed; with a baseline it must be above that one's too."""
    breaches = []
    for kind in policy.fail_on:
        before = None if baseline is None else baseline[kind]
        allowed = policy.max_rate[kind]
        if rates[kind] > (allowed if before is None else max(allowed, before)):
            breaches.append(Breach(kind, rates[kind], allowed, before))
    return breaches


def make_policy(known: Policy, fail_on: str, max_rates: Sequence[str]) -> Policy:
    """A policy with what a command was given, such as `hallucination` and `0.02` or `omission=0.05`."""
    kinds = known.fail_on
    if fail_on:
        kinds = tuple(dict.fromkeys(_kind(name.strip(), "--fail-on") for name in fail_on.split(",")))
    rates = dict(known.max_rate)
    for given in max_rates:
        names, rate = _split(given)
        if names and names[0] not in kinds:
            raise UsageError(
                f"--max-rate {given}, but --fail-on has no {names[0]}; add it there or drop this"
            )
        rates.update(dict.fromkeys(names or KINDS, rate))
    return Policy(kinds, rates)


def _split(given: str) -> tuple[list[str], float]:
    """The kind, if any, and the rate of one `--max-rate`."""
    pieces = RATE.fullmatch(given)
    try:
        rate = float(pieces[2]) if pieces else -1.0
    except ValueError:
        rate = -1.0
    if pieces is None or not 0 <= rate <= 1:
        remedy = "give a share from 0 to 1, such as 0.02 or omission=0.02"
        raise UsageError(f"--max-rate is {given!r}; {remedy}")
    return [_kind(pieces[1].strip(), "--max-rate")] if pieces[1] else [], rate


def _kind(name: str, option: str) -> str:
    if name not in KINDS:
        hint = did_you_mean(name, KINDS)
        raise UsageError(f"{option} has {name!r}; {hint}kinds are {', '.join(KINDS)}")
    return name
