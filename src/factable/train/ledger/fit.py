"""Weights of the ledger, fitted to made-up faults by logistic regression."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.ledger.audit import Audit
from factable.ledger.features import Features
from factable.ledger.reading import overlap
from factable.ledger.weights import BIAS
from factable.train.ledger.perturbations import ORIGINAL, Perturbed

RIDGE = 1.0
# What can only speak for a thing, and what only against it, whatever chance there is in the examples.
FOR = frozenset(
    (
        "entailed",
        "equal",
        "coarser",
        "words said",
        "words known",
        "worst value",
        "worst fact",
        "worst sentence",
    )
)
AGAINST = frozenset(
    (
        "contradiction",
        "missing exact",
        "missing name",
        "missing other",
        "missing exact, rival",
        "missing name, rival",
        "clash",
        "misplaced",
        "misplaced exact",
        "misplaced name",
        "said apart",
        "denied",
        "subject unsaid",
        "unknown number",
        "unknown date",
        "unknown name",
        "strange words",
        "number of strange words",
        "doubtful facts",
        "doubtful sentences",
    )
)
# Where the fault is in what is said of values, the values themselves may be right.
UNCLEAR = ("foreign", "attribute", "exchange", "deny")
STEPS = 50
DIGITS = 3


class Case(NamedTuple):
    """Features of one thing, and whether what they speak for is true."""

    features: Features
    label: bool


def fact_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Facts: the text says all but the one that the fault concerns."""
    for place, features in audit.fact_features().items():
        yield Case(features, place not in made.unsaid)


def value_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Values of the text: all are supported but those in the span of the fault."""
    # A value of another sentence, or one given to another attribute, may well be in the data.
    unclear = made.span if made.kind in UNCLEAR else None
    for span, features in audit.mention_features().items():
        if unclear and overlap(span, unclear):
            known = features["equal"] or features["coarser"] or features["words known"] or features["unsure"]
            if made.kind != "foreign" or known:
                continue
        guilty = made.span is not None and overlap(span, made.span)
        yield Case(features, not guilty)


def sentence_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Sentences: all are clean but the one with the fault."""
    for span, features in audit.sentence_features().items():
        yield Case(features, made.span is None or not overlap(span, made.span))


def verdict_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """The whole text: OK if nothing was done to it."""
    yield Case(audit.verdict_features(frozenset(audit.facts)), made.kind == ORIGINAL)


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """The weights under which the labels are most probable, held small by a ridge."""
    names = [BIAS, *cases[0].features]
    table = np.array([[1.0, *case.features.values()] for case in cases])
    labels = np.array([case.label for case in cases], dtype=np.float64)
    kept = list(range(len(names)))
    while True:
        weights = dict(zip((names[place] for place in kept), _newton(table[:, kept], labels), strict=True))
        wrong = [name for name, weight in weights.items() if weight * _sign(name) < 0]
        if not wrong:
            return {name: round(float(weights.get(name, 0.0)), DIGITS) for name in names}
        # The one that is furthest on the wrong side goes first: others may then be right.
        worst = max(wrong, key=lambda name: abs(weights[name]))
        kept.remove(names.index(worst))


def _sign(name: str) -> int:
    return (name in FOR) - (name in AGAINST)


def _newton(table: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(table.shape[1])
    ridge = np.full(table.shape[1], RIDGE)
    ridge[0] = 0.0
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-table @ weights))
        gradient = table.T @ (labels - chances) - ridge * weights
        curvature = (table * (chances * (1 - chances))[:, None]).T @ table + np.diag(ridge + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights
