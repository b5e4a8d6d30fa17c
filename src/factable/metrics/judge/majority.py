"""One verdict from several answers: what most of them say, and how far they agree."""

import math
from collections import Counter
from collections.abc import Sequence

from factable.metrics.judge.answers import Sample
from factable.metrics.judge.material import Material
from factable.metrics.ledger.coverage import facts_said
from factable.metrics.ledger.reading import overlaps
from factable.metrics.ledger.structured import StructuredReading
from factable.metrics.ledger.verdict import Claim, Fact, JudgedVerdict, distinct_claims, label_of
from factable.types import OK

# The graver state wins where as many answers give another.
GRAVITY = ("supported", "omitted", "contradicted")


def empty_verdict(material: Material) -> JudgedVerdict:
    """The verdict on a text without words, which nobody need be asked about."""
    listed = (*material.facts, *material.others)
    facts = tuple(
        Fact(record, "omitted", None, 0.0, record in material.required) for record in sorted(listed)
    )
    label = label_of(facts, ())
    return JudgedVerdict(material.example.text, material.example.table, label, float(label == OK), facts, ())


def majority(material: Material, samples: Sequence[Sample], *, tokens: int, cost: float) -> JudgedVerdict:
    """The verdict of most answers; where half of them see a fault, it is one."""
    facts = tuple(
        sorted(
            [
                *(_fact([sample.facts[record] for sample in samples]) for record in material.facts),
                *_unlisted(material),
            ]
        )
    )
    claims = _claims(samples)
    labels = [label_of(tuple(sample.facts.values()), sample.claims) for sample in samples]
    label = label_of(facts, claims)
    count = len(samples)
    return JudgedVerdict(
        text=material.example.text,
        table=material.example.table,
        label=label,
        probability=labels.count(OK) / count,
        facts=facts,
        claims=claims,
        correct=sum(sample.is_correct for sample in samples) / count,
        agreement=labels.count(label) / count,
        quotes=sum(sample.quotes for sample in samples),
        dropped=sum(sample.dropped for sample in samples),
        tokens=tokens,
        cost=cost,
    )


def _fact(answers: Sequence[Fact]) -> Fact:
    counts = Counter(fact.state for fact in answers)
    state = max(counts, key=lambda each: (counts[each], GRAVITY.index(each)))
    first = next(fact for fact in answers if fact.state == state)
    span = next((fact.span for fact in answers if fact.state == state and fact.span), None)
    said = math.fsum(fact.probability for fact in answers) / len(answers)
    return first._replace(span=span, probability=said)


def _claims(samples: Sequence[Sample]) -> tuple[Claim, ...]:
    """Faults that half of the answers see, then what the first answers call supported beside them."""
    faults = [claim for sample in samples for claim in sample.claims if claim.state != "supported"]
    kept = []
    for claim in faults:
        seen = sum(
            any(other.state != "supported" and overlaps(claim.span, other.span) for other in sample.claims)
            for sample in samples
        )
        if 2 * seen >= len(samples):
            kept.append(claim._replace(probability=1 - seen / len(samples)))
    supported = [claim for sample in samples for claim in sample.claims if claim.state == "supported"]
    return tuple(sorted(distinct_claims([*kept, *supported])))


def _unlisted(material: Material) -> list[Fact]:
    """Facts of large data that nobody was asked about: where rules find them, they are said."""
    if not material.others:
        return []
    reading = StructuredReading(material.example)
    said = facts_said(reading)
    by_record = reading.structure.by_record
    facts = []
    for record in material.others:
        found = said.get(by_record[record].index)
        if found is not None and found.state == "supported":
            facts.append(Fact(record, "supported", found.span, found.probability, False, found.note))
        else:
            facts.append(Fact(record, "omitted", None, 0.0, False, "not asked about"))
    return facts
