"""Errors of one text against the slots of its data: added, missing, wrong and repeated values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factable.extract.slots import Fact, Said, facts_in, find_slots
from factable.models.patterns import Patterns
from factable.text.sentences import sentence_spans
from factable.text.templates import facts_of
from factable.types import Example, Finding, Kind

# The only value of which the original program counts every occurrence.
COUNTED_BY_ORIGINAL = Fact("customer rating", "low")
# What stands in a sentence before words that refer back: "this ", "the family friendly ".
REFERS_BACK = re.compile(
    r"(?:this|the)\W+(?:(?!(?:is|are|has|have|in|of|at|for)\b)[\w£'-]+\W+){0,3}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """What is wrong with a text; a wrong value is (what the data has, what is said instead)."""

    facts: tuple[Fact, ...]
    added: tuple[Fact, ...] = ()
    missing: tuple[Fact, ...] = ()
    wrong: tuple[tuple[Fact, Fact], ...] = ()
    repeated: tuple[Said, ...] = ()


def count_errors(example: Example, patterns: Patterns, *, compat: bool) -> tuple[SlotErrors, list[Said]]:
    """The errors of a text, and what it says; the example must have a record with a value."""
    facts = facts_in(example.table.records, patterns)
    own = tuple(dict.fromkeys(facts.values()))
    said = find_slots(example.text, example.table.records, patterns)
    told = list(dict.fromkeys(one.fact for one in said))
    if compat:
        again = [one for one in said if one.fact == COUNTED_BY_ORIGINAL][1:]
        told += [one.fact for one in again]
    else:
        # A name is how a text speaks of its subject, again and again.
        names = {facts.get(place) for place in range(len(example.table.records))} - {
            facts.get(place) for place in facts_of(example.table)
        }
        again = _said_again(example.text, [one for one in said if one.fact not in names])
    added, missing, wrong = _compare(own, told)
    repeated = tuple(one for one in again if one.fact in own)
    return SlotErrors(own, tuple(added), tuple(missing), tuple(wrong), repeated), said


def _compare(
    own: Sequence[Fact], told: Sequence[Fact]
) -> tuple[list[Fact], list[Fact], list[tuple[Fact, Fact]]]:
    """What is added and missing; one of each in the same slot is a wrong value."""
    added = [fact for fact in told if fact not in own]
    missing, wrong = [], []
    for fact in own:
        if fact in told:
            continue
        instead = next((other for other in added if other.slot == fact.slot), None)
        if instead is None:
            missing.append(fact)
        else:
            wrong.append((fact, instead))
            added.remove(instead)
    return added, missing, wrong


def _said_again(text: str, said: Sequence[Said]) -> list[Said]:
    """What a later sentence says again; twice in one sentence ("a low rating of 1 out of 5") is said once.

    A sentence that begins with "this pub" or "the cheap restaurant" only speaks of what was said.
    """
    spans = sentence_spans(text)
    sentences: dict[Fact, set[int]] = {}
    again = []
    for one in said:
        sentence = sum(end <= one.start for _, end in spans)
        known = sentences.setdefault(one.fact, {sentence})
        begin = max((start for start, _ in spans if start <= one.start), default=0)
        if sentence not in known and not REFERS_BACK.fullmatch(text, begin, one.start):
            known.add(sentence)
            again.append(one)
    return again


def explain_errors(
    example: Example, errors: SlotErrors, said: Sequence[Said], patterns: Patterns
) -> tuple[Finding, ...]:
    """Each record as supported, omitted, contradicted or repeated, and what is said beyond the data."""
    facts = facts_in(example.table.records, patterns)
    spans: dict[Fact, tuple[int, int]] = {}
    for one in said:
        spans.setdefault(one.fact, (one.start, one.end))
    instead = dict(errors.wrong)
    findings = []
    for place, fact in facts.items():
        if fact in instead:
            note = f"says {instead[fact].value}"
            findings.append(Finding("contradicted", record=place, span=spans[instead[fact]], note=note))
        else:
            kind: Kind = "supported" if fact in spans else "omitted"
            findings.append(Finding(kind, record=place, span=spans.get(fact)))
    places = {fact: place for place, fact in reversed(facts.items())}
    findings += [
        Finding("repeated", record=places[one.fact], span=(one.start, one.end)) for one in errors.repeated
    ]
    return (*findings, *(_unsupported(fact, spans[fact]) for fact in dict.fromkeys(errors.added)))


def _unsupported(fact: Fact, span: tuple[int, int]) -> Finding:
    return Finding("unsupported", span=span, note=f"says {fact.slot}: {fact.value}")
