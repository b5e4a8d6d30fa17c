"""The weights of the ledger from a corpus of faithful texts: faults put in, audited, fitted."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from factable.ledger.audit import Audit, audit
from factable.ledger.reading import Reading
from factable.ledger.weights import Weights
from factable.models.nli import ask_in_groups
from factable.models.templates import load_templates
from factable.train.ledger.fit import CASES, fit, fit_verdict, no_weights, verdict_cases
from factable.train.ledger.perturbations import KINDS, Perturbed, Perturber
from factable.types import Example

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
) -> tuple[Weights, Counter[str]]:
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
        weights = Weights({**weights.by_part, part: fit(cases)})
        audits = [replace(each, weights=weights) for each in audits]
    whole = [case for one, each in zip(made, audits, strict=True) for case in verdict_cases(one, each)]
    return fit_verdict(weights, whole), Counter(one.kind for one in made)
