"""Training the weights of the ledger: logistic regression on texts with known faults."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ledger.audit import Audit, audit
from factable.metrics.ledger.features import MAX_LOGIT, Features
from factable.metrics.ledger.metric import QA_MODEL
from factable.metrics.ledger.reading import Reading, overlaps
from factable.metrics.ledger.weights import BIAS, PARTS, LedgerWeights
from factable.models.nli import entailment_of_groups
from factable.models.qa import answer_questions
from factable.models.templates import load_templates
from factable.train.perturbations import ORIGINAL, Perturbed, make_faults
from factable.types import Example

RIDGE = 1.0
# Features whose weights cannot be negative, and those whose weights cannot be positive.
POSITIVE = frozenset(
    (
        "answered",
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
NEGATIVE = frozenset(
    (
        "answered otherwise",
        "answered with another attribute",
        "answered with another amount",
        "answered with another subject",
        "answers exchanged",
        "not answered, said",
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
# Faults in what is stated about values: the values themselves may be right.
VALUES_MAY_BE_RIGHT = ("foreign", "attribute", "exchange", "deny")
MAX_NEWTON_STEPS = 50
DIGITS = 3
SHIFTS = np.round(np.arange(-4, 2.01, 0.25), 2).tolist()
SLOPES = np.round(np.arange(0.2, 1.61, 0.1), 2).tolist()
# Leaves a third of all texts without a fault.
MAX_FAULTS_PER_TEXT = 2
TEXTS_AT_ONCE = 200


class LedgerCase(NamedTuple):
    """Features of a fact, value, sentence or text, and whether it is right."""

    features: Features
    label: bool


def fact_cases(perturbed: Perturbed, audit: Audit) -> Iterator[LedgerCase]:
    """Facts: the text states all except those that the fault concerns."""
    for index, features in audit.fact_features().items():
        yield LedgerCase(features, index not in perturbed.unstated)


def value_cases(perturbed: Perturbed, audit: Audit) -> Iterator[LedgerCase]:
    """Values in the text: all are supported except those in the span of the fault."""
    for span, features in audit.mention_features().items():
        in_fault = perturbed.span is not None and overlaps(span, perturbed.span)
        # A value of a foreign sentence, or of another attribute, may well be in the data.
        if in_fault and perturbed.kind in VALUES_MAY_BE_RIGHT:
            known = features["equal"] or features["coarser"] or features["words known"] or features["unsure"]
            if perturbed.kind != "foreign" or known:
                continue
        yield LedgerCase(features, not in_fault)


def sentence_cases(perturbed: Perturbed, audit: Audit) -> Iterator[LedgerCase]:
    """Sentences: all are right except the one with the fault."""
    for span, features in audit.sentence_features().items():
        yield LedgerCase(features, perturbed.span is None or not overlaps(span, perturbed.span))


def verdict_cases(perturbed: Perturbed, audit: Audit) -> Iterator[LedgerCase]:
    """The text as a whole: right if it was not changed."""
    worst = {"fact": min(audit.facts.values()), "sentence": min([MAX_LOGIT, *audit.sentences.values()])}
    yield LedgerCase(worst, perturbed.kind == ORIGINAL)


CASES = {"fact": fact_cases, "value": value_cases, "sentence": sentence_cases}


def zero_weights() -> LedgerWeights:
    """Weights of 0, to start with."""
    return LedgerWeights({part: defaultdict(float) for part in PARTS})


def fit_weights(cases: Sequence[LedgerCase]) -> dict[str, float]:
    """The weights that make the labels most likely, with a ridge penalty; wrong signs are set to 0."""
    names = [BIAS, *cases[0].features]
    table = np.array([[1.0, *case.features.values()] for case in cases])
    labels = np.array([case.label for case in cases], dtype=np.float64)
    kept = list(range(len(names)))
    while True:
        weights = dict(zip((names[index] for index in kept), _newton(table[:, kept], labels), strict=True))
        wrong = [name for name, weight in weights.items() if weight * _expected_sign(name) < 0]
        if not wrong:
            return {name: round(float(weights.get(name, 0.0)), DIGITS) for name in names}
        # Only the worst is removed: without it the others may be right.
        worst = max(wrong, key=lambda name: abs(weights[name]))
        kept.remove(names.index(worst))


def _expected_sign(name: str) -> int:
    return (name in POSITIVE) - (name in NEGATIVE)


def _newton(table: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(table.shape[1])
    ridge = np.full(table.shape[1], RIDGE)
    ridge[0] = 0.0
    for _ in range(MAX_NEWTON_STEPS):
        probabilities = 1 / (1 + np.exp(-table @ weights))
        gradient = table.T @ (labels - probabilities) - ridge * weights
        variance = probabilities * (1 - probabilities)
        hessian = (table * variance[:, None]).T @ table + np.diag(ridge + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def fit_verdict(weights: LedgerWeights, cases: Sequence[LedgerCase]) -> LedgerWeights:
    """Weights with which the worst fact or sentence decides about a text at a probability of one half.

    The worst of many is worse than one drawn at random: the biases of facts and sentences are shifted, and
    one slope turns the worst into a probability.
    """
    facts, sentences = (np.array([case.features[name] for case in cases]) for name in ("fact", "sentence"))
    labels = np.array([case.label for case in cases], dtype=np.float64)
    # Faithful texts count as much as all others together.
    shares = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())

    def loss(fact: float, sentence: float, slope: float) -> float:
        odds = slope * np.minimum(facts + fact, sentences + sentence)
        return float(shares @ np.log1p(np.exp(np.where(labels == 1, -odds, odds))))

    fact, sentence, slope = min(product(SHIFTS, SHIFTS, SLOPES), key=lambda shift: loss(*shift))
    shifted = {part: dict(values) for part, values in weights.by_part.items()}
    shifted["fact"][BIAS] = round(shifted["fact"][BIAS] + fact, DIGITS)
    shifted["sentence"][BIAS] = round(shifted["sentence"][BIAS] + sentence, DIGITS)
    return LedgerWeights({**shifted, "verdict": {BIAS: 0.0, "worst": slope}})


def train_weights(
    corpora: Sequence[Sequence[Example]],
    *,
    model: str,
    templates: str,
    seed: int,
    advance: Callable[[int], None],
) -> tuple[dict[str, LedgerWeights], Counter[str]]:
    """Weights that tell faithful texts from those with a fault, and the number of texts of each kind.

    There are two sets of weights: with all evidence ("best"), and without the model that answers questions.
    """
    texts = [
        perturbed
        for corpus in corpora
        for perturbed in make_faults(corpus, seed, max_per_text=MAX_FAULTS_PER_TEXT)
    ]
    sentences = load_templates(templates)
    audits: list[Audit] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        readings = [
            Reading.of(perturbed.example, sentences) for perturbed in texts[start : start + TEXTS_AT_ONCE]
        ]
        ask, ask_questions = partial(entailment_of_groups, model), partial(answer_questions, QA_MODEL)
        audits += audit(readings, zero_weights(), ask, ask_questions)
        advance(len(readings))
    by_evidence = {
        "best": _fit(texts, audits),
        "fast": _fit(texts, [replace(audited, replies={}) for audited in audits]),
    }
    return by_evidence, Counter(perturbed.kind for perturbed in texts)


def _fit(texts: Sequence[Perturbed], audits: Sequence[Audit]) -> LedgerWeights:
    weights = zero_weights()
    # Sentences depend on the weights of values, verdicts on those of facts and sentences.
    for part, make_cases in CASES.items():
        cases = [
            case
            for perturbed, audited in zip(texts, audits, strict=True)
            for case in make_cases(perturbed, audited)
        ]
        weights = LedgerWeights({**weights.by_part, part: fit_weights(cases)})
        audits = [replace(audited, weights=weights) for audited in audits]
    verdicts = [
        case
        for perturbed, audited in zip(texts, audits, strict=True)
        for case in verdict_cases(perturbed, audited)
    ]
    return fit_verdict(weights, verdicts)
