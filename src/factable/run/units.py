"""One unit of work: a block of lines or a batch of examples in, scores out, in any process."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from factable.errors import MOST_FAULTS_SHOWN, DataError, Fault
from factable.io.blocks import Block, parse_block
from factable.io.memory import without_collection
from factable.kernels import fingerprints
from factable.metric import Metric, missing_fields
from factable.registry import parse
from factable.types import Example, Scores

Render = Callable[[Sequence[Example], Sequence[Scores]], list[bytes]]


class Batch(NamedTuple):
    """Examples that were read already, the line of each, and what was wrong between them."""

    source: str
    lines: list[int]
    examples: list[Example]
    faults: list[Fault]


class Plan(NamedTuple):
    """What to do with every unit; `render` makes the rows of formats that are written as they come."""

    specs: tuple[str, ...]
    explain: bool = False
    render: Render | None = None


class Scored(NamedTuple):
    """What became of one unit: the scores of each metric, and whatever the collector needs to know.

    `system_of` gives each example's place in `systems`, so that equal names travel between processes once.
    """

    source: str
    items: list[str]
    systems: tuple[str, ...]
    system_of: "array[int]"
    lines: Sequence[int]
    keys: bytes
    references: tuple[int, int]
    pieces: list[Scores]
    rows: list[bytes]
    faults: list[Fault]
    size: int


@lru_cache(maxsize=64)
def metrics_of(specs: tuple[str, ...]) -> tuple[Metric, ...]:
    """The metrics of a plan, made once per process."""
    return tuple(map(parse, specs))


@without_collection
def score_unit(plan: Plan, unit: Block | Batch, *, first: bool = False) -> Scored:
    """Read and score one unit; the first of a run also tells whether the data suits the metrics at all."""
    parsed = parse_block(unit) if isinstance(unit, Block) else unit
    examples = parsed.examples
    metrics = metrics_of(plan.specs)
    if first:
        check_needs(metrics, examples, unit.source, parsed.lines)
    pieces = [score_and_explain(metric, examples, explain=plan.explain) for metric in metrics]
    systems: dict[str, int] = {}
    system_of = array("I", [systems.setdefault(example.system, len(systems)) for example in examples])
    counts = {len(example.references) for example in examples} or {0}
    return Scored(
        source=unit.source,
        items=[example.item for example in examples],
        systems=tuple(systems),
        system_of=system_of,
        lines=parsed.lines,
        keys=fingerprints(examples),
        references=(min(counts), max(counts)),
        pieces=pieces,
        rows=plan.render(examples, pieces) if plan.render else [],
        faults=parsed.faults,
        size=unit.size if isinstance(unit, Block) else 0,
    )


def score_and_explain(metric: Metric, examples: Sequence[Example], *, explain: bool) -> Scores:
    """The scores of one metric, with its findings where asked for."""
    scores = metric.score(examples)
    if not explain:
        return scores
    explained = metric.explain(examples)
    findings = tuple(known + found for known, found in zip(scores.findings, explained, strict=True))
    return replace(scores, findings=findings)


def check_needs(
    metrics: Sequence[Metric], examples: Sequence[Example], source: str, lines: Sequence[int]
) -> None:
    """Refuse data in which no example has what a metric needs, before any model loads."""
    for metric in metrics:
        lacks = [missing_fields(metric, example) for example in examples]
        if not examples or not all(lacks):
            continue
        faults = [
            Fault(
                source,
                line,
                f"no {lack[0]}, but metric {metric.name} needs them",
                f"add {lack[0].split()[0]} or drop {metric.name}",
            )
            for line, lack in zip(lines, lacks, strict=True)
        ]
        raise DataError(faults[:MOST_FAULTS_SHOWN])


def keep_only(scored: Scored, kept: Sequence[int]) -> Scored:
    """The same unit with only the examples at these positions."""
    return scored._replace(
        items=[scored.items[index] for index in kept],
        system_of=array("I", (scored.system_of[index] for index in kept)),
        lines=[scored.lines[index] for index in kept],
        rows=[scored.rows[index] for index in kept] if scored.rows else [],
        pieces=[_pick(piece, kept) for piece in scored.pieces],
    )


def _pick(piece: Scores, kept: Sequence[int]) -> Scores:
    return replace(
        piece,
        values=array("d", (piece.values[index] for index in kept)),
        parts={name: array("d", (part[index] for index in kept)) for name, part in piece.parts.items()},
        findings=tuple(piece.findings[index] for index in kept),
    )
