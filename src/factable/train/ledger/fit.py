"""Weights of the ledger, fitted to made-up faults by logistic regression."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ledger.audit import Audit, audit
from factable.metrics.ledger.features import MAX_LOGIT, Features
from factable.metrics.ledger.reading import Reading, overlaps
from factable.metrics.ledger.weights import BIAS, PARTS, LedgerWeights
from factable.models.nli import ask_in_groups
from factable.models.templates import load_templates
from factable.train.ledger.perturbations import KINDS, ORIGINAL, Perturbed, Perturber
from factable.types import Example

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
SHIFTS = np.round(np.arange(-4, 2.01, 0.25), 2).tolist()
SLOPES = np.round(np.arange(0.2, 1.61, 0.1), 2).tolist()


class Case(NamedTuple):
    """Features of one thing, and whether what they speak for is true."""

    features: Features
    label: bool


def fact_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Facts: the text says all but the one that the fault concerns."""
    for index, features in audit.fact_features().items():
        yield Case(features, index not in made.unsaid)


def value_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Values of the text: all are supported but those in the span of the fault."""
    # A value of another sentence, or one given to another attribute, may well be in the data.
    unclear = made.span if made.kind in UNCLEAR else None
    for span, features in audit.mention_features().items():
        if unclear and overlaps(span, unclear):
            known = features["equal"] or features["coarser"] or features["words known"] or features["unsure"]
            if made.kind != "foreign" or known:
                continue
        guilty = made.span is not None and overlaps(span, made.span)
        yield Case(features, not guilty)


def sentence_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """Sentences: all are clean but the one with the fault."""
    for span, features in audit.sentence_features().items():
        yield Case(features, made.span is None or not overlaps(span, made.span))


def verdict_cases(made: Perturbed, audit: Audit) -> Iterator[Case]:
    """The whole text: OK if nothing was done to it."""
    worst = {"fact": min(audit.facts.values()), "sentence": min([MAX_LOGIT, *audit.sentences.values()])}
    yield Case(worst, made.kind == ORIGINAL)


CASES = {"fact": fact_cases, "value": value_cases, "sentence": sentence_cases}


def no_weights() -> LedgerWeights:
    """Weights that say nothing, to begin with."""
    return LedgerWeights({part: defaultdict(float) for part in PARTS})


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """The weights under which the labels are most probable, held small by a ridge."""
    names = [BIAS, *cases[0].features]
    table = np.array([[1.0, *case.features.values()] for case in cases])
    labels = np.array([case.label for case in cases], dtype=np.float64)
    kept = list(range(len(names)))
    while True:
        weights = dict(zip((names[index] for index in kept), _newton(table[:, kept], labels), strict=True))
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


def fit_verdict(weights: LedgerWeights, cases: Sequence[Case]) -> LedgerWeights:
    """Weights under which the worst fact or sentence decides about a text at a probability of one half.

    The worst of many is worse than one drawn at random: the biases of facts and sentences are shifted, and
    one slope makes a probability of what is left.
    """
    facts, sentences = (np.array([case.features[name] for case in cases]) for name in ("fact", "sentence"))
    labels = np.array([case.label for case in cases], dtype=np.float64)
    # Faithful texts count as much as all others together.
    shares = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())

    def surprise(fact: float, sentence: float, slope: float) -> float:
        odds = slope * np.minimum(facts + fact, sentences + sentence)
        return float(shares @ np.log1p(np.exp(np.where(labels == 1, -odds, odds))))

    fact, sentence, slope = min(product(SHIFTS, SHIFTS, SLOPES), key=lambda shift: surprise(*shift))
    shifted = {part: dict(found) for part, found in weights.by_part.items()}
    shifted["fact"][BIAS] = round(shifted["fact"][BIAS] + fact, DIGITS)
    shifted["sentence"][BIAS] = round(shifted["sentence"][BIAS] + sentence, DIGITS)
    return LedgerWeights({**shifted, "verdict": {BIAS: 0.0, "worst": slope}})


# As many as leave a third of all texts without fault.
FAULTS_PER_TEXT = 2
EXAMPLES_AT_ONCE = 200
Advance = Callable[[int], None]


def make_faults(examples: Sequence[Example], seed: int, *, most: int = len(KINDS)) -> list[Perturbed]:
    """Each text as it is, and with up to so many faults, each of another kind, one at a time."""
    perturber = Perturber([example for example in examples if example.references], seed)
    draw = random.Random(seed)  # noqa: S311
    made = []
    for faithful in perturber.faithful():
        faults = [perturber.perturb(faithful.example, kind) for kind in KINDS]
        found = [fault for fault in faults if fault is not None]
        made += [faithful, *draw.sample(found, min(most, len(found)))]
    return made


def train_weights(
    corpora: Sequence[Sequence[Example]], *, model: str, templates: str, seed: int, advance: Advance
) -> tuple[LedgerWeights, Counter[str]]:
    """Weights that tell faithful texts from those with a fault, and the number of texts of each kind."""
    made = [one for corpus in corpora for one in make_faults(corpus, seed, most=FAULTS_PER_TEXT)]
    sentences = load_templates(templates)
    weights = no_weights()
    audits: list[Audit] = []
    for start in range(0, len(made), EXAMPLES_AT_ONCE):
        some = [Reading.of(one.example, sentences) for one in made[start : start + EXAMPLES_AT_ONCE]]
        audits += audit(some, weights, lambda groups: ask_in_groups(model, groups))
        advance(len(some))
    # Sentences rest on the weights of values, verdicts on those of facts and sentences.
    for part, cases_of in CASES.items():
        cases = [case for one, each in zip(made, audits, strict=True) for case in cases_of(one, each)]
        weights = LedgerWeights({**weights.by_part, part: fit(cases)})
        audits = [replace(each, weights=weights) for each in audits]
    whole = [case for one, each in zip(made, audits, strict=True) for case in verdict_cases(one, each)]
    return fit_verdict(weights, whole), Counter(one.kind for one in made)
