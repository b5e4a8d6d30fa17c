"""Examples: everyday records with texts that are faithful or have exactly one fault."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from factable.train.everyday.derived import derive
from factable.train.everyday.domains import Part, Wordings, load_part
from factable.train.everyday.fault_kinds import make_fault
from factable.train.everyday.faults import Plan
from factable.train.everyday.records import Record, make_record
from factable.train.everyday.statements import Statement, state, state_joint
from factable.train.everyday.texts import Sentence, write_text
from factable.types import Span

FAITHFUL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a text: the kind of fault, the wrong words, and the path of what they should say.

    Exchanged values have two spans, a fact left out has none. The path is empty if the data has no such fact.
    """

    kind: str
    spans: tuple[Span, ...]
    path: str


@dataclass(frozen=True, slots=True)
class EverydayExample:
    """A record, a text written from it, and what is wrong with the text, if anything.

    `complete` says whether the text states every fact of the record, but for one that a fault left out.
    """

    domain: str
    data: dict[str, Any]
    text: str
    fault: Fault | None
    sentences: tuple[Sentence, ...]
    complete: bool


def make_examples(part: Part, count: int, seed: int) -> Iterator[EverydayExample]:
    """Random examples of a part; the same seed gives the same examples."""
    shared = load_part(part)
    rng = Random(f"everyday {part} {seed}")  # noqa: S311
    for _ in range(count):
        yield make_example(shared, rng)


def make_example(shared: Wordings, rng: Random) -> EverydayExample:
    """A random example."""
    domain = rng.choice(shared.domains)
    record = make_record(domain, shared, rng)
    plan = make_plan(record, shared, rng)
    while not plan.statements:
        record = make_record(domain, shared, rng)
        plan = make_plan(record, shared, rng)
    made = make_fault(plan, rng) if rng.random() >= FAITHFUL_SHARE else None
    text, sentences, spans = write_text(plan, rng)
    fault = None if made is None else Fault(made[0], tuple(spans), made[1])
    return EverydayExample(domain.name, record.data, text, fault, tuple(sentences), plan.complete)


def example_row(example: EverydayExample, number: int) -> dict[str, Any]:
    """An example as a row that factable reads, with `spans` of wrong words and all else under `meta`."""
    fault = example.fault
    return {
        "id": f"{example.domain}-{number}",
        "system": "everyday",
        "data": example.data,
        "text": example.text,
        "spans": [] if fault is None else [[start, end, fault.kind] for start, end in fault.spans],
        "meta": {
            "domain": example.domain,
            "fault": None if fault is None else fault.kind,
            "path": None if fault is None else fault.path,
            "complete": example.complete,
            "sentences": [[*sentence.span, list(sentence.paths)] for sentence in example.sentences],
        },
    }


def make_plan(record: Record, shared: Wordings, rng: Random) -> Plan:
    """What to say about a record: everything if it is small, else a selection."""
    root = record.root
    partial = any(fact.parts for fact in root.facts.values())
    complete = record.small and not record.rows and not partial
    joint = state_joint(record, root, rng) if rng.random() < 0.6 else None
    said = [] if joint is None else joint.facts
    left = [fact for fact in root.facts.values() if fact not in said]
    if not complete:
        left = rng.sample(left, min(len(left), rng.randint(1, 5)))
    else:
        rng.shuffle(left)
    statements = [state(record, root, fact, shared, rng) for fact in left]
    planned = [joint, *statements, *state_rows(record, shared, rng)]
    if not complete:
        planned += [derive(record, shared, rng) for _ in range(rng.randint(0, 5))]
    return Plan(record, shared, unlike([each for each in planned if each is not None]), complete)


def state_rows(record: Record, shared: Wordings, rng: Random) -> list[Statement | None]:
    """Statements about some members of the list of a record."""
    planned: list[Statement | None] = []
    chosen = rng.sample(record.rows, min(len(record.rows), rng.randint(0, 3)))
    for row in chosen:
        joint = state_joint(record, row, rng) if rng.random() < 0.4 else None
        facts = [fact for fact in row.facts.values() if joint is None or fact not in joint.facts]
        facts = rng.sample(facts, min(len(facts), rng.randint(1, 2)))
        planned += [joint, *(state(record, row, fact, shared, rng) for fact in facts)]
    return planned


def unlike(statements: list[Statement]) -> list[Statement]:
    """Statements without a second one of the same kind about the same facts."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    kept = []
    for statement in statements:
        key = statement.kind, statement.paths
        if key not in seen:
            seen.add(key)
            kept.append(statement)
    return kept
