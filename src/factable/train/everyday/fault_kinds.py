"""Which fault a text gets: every kind of fault, its rule, and how often it is tried."""

from random import Random

from factable.train.everyday import faults
from factable.train.everyday.faults import FaultRule, Plan

# A rule and how often it is tried first.
FAULTS: dict[str, tuple[FaultRule, float]] = {
    "number": (faults.wrong_number, 1.2),
    "digit": (faults.wrong_digit, 0.8),
    "unit": (faults.wrong_unit, 1.2),
    "currency": (faults.wrong_currency, 1.2),
    "moment": (faults.wrong_moment, 1.5),
    "other_attribute": (faults.other_attribute, 4),
    "incompatible_attribute": (faults.incompatible_attribute, 1),
    "exchanged_attributes": (faults.exchanged_attributes, 4),
    "exchanged_entities": (faults.exchanged_entities, 5),
    "subject": (faults.wrong_subject, 5),
    "relation": (faults.wrong_relation, 3),
    "negation": (faults.negated, 1.5),
    "null_claim": (faults.claim_on_null, 2.5),
    "made_up_feature": (faults.made_up_feature, 0.8),
    "made_up_value": (faults.made_up_value, 1.2),
    "arithmetic": (faults.wrong_arithmetic, 3),
    "superlative": (faults.wrong_superlative, 4),
    "comparison": (faults.wrong_comparison, 4),
    "count": (faults.wrong_count, 5),
    "trend": (faults.wrong_trend, 5),
    "period": (faults.wrong_period, 4),
    "outside": (faults.outside, 0.6),
    "omission": (faults.omitted, 1.5),
}


def make_fault(plan: Plan, rng: Random) -> tuple[str, str]:
    """Make one statement of a plan wrong; the kind of fault and the path of what was told wrongly."""
    order = sorted(FAULTS, key=lambda name: rng.random() ** (1 / FAULTS[name][1]), reverse=True)
    for name in order:
        path = FAULTS[name][0](plan, rng)
        if path is not None:
            return name, path
    raise AssertionError("a sentence about something else can always be added")
