"""The plan of a run and its units of work: a block of lines or a batch of examples in, scores out."""

from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Union

from factable.core.metric import Metric, analyse, make_scores
from factable.core.results import Scores, pick
from factable.errors import Fault, printable
from factable.io.blocks import Block, RowBlock, drop_lines
from factable.io.faults import RowKind, fault_at
from factable.io.read import gc_paused
from factable.kernels import fingerprints
from factable.types import Example

# Whatever is worked on at once: lines or rows still to be read, or examples.
AnyUnit = Union[Block, RowBlock, "Batch"]
Render = Callable[[Sequence[Example], Sequence[Scores]], list[bytes]]


class Batch(NamedTuple):
    """Examples that were read already, the line of each in its source, and the faults of other lines."""

    source: str
    row_kind: RowKind
    lines: Sequence[int]
    examples: list[Example]
    faults: list[Fault]
    size: int = 0


class Plan(NamedTuple):
    """What to do with every unit.

    `render` makes the rows of output formats that are written as they come, `listing` the rows of a report,
    which always show findings. `states` holds what each metric must know before it can score.
    """

    metrics: tuple[Metric, ...]
    explain: bool = False
    render: Render | None = None
    listing: Render | None = None
    states: tuple[Any, ...] = ()


class Scored(NamedTuple):
    """The scores of one unit under each metric, and what the collector needs to know of its examples.

    `system_of` gives the index of each example's system in `systems`, so that equal names travel between
    processes once.
    """

    source: str
    row_kind: RowKind
    items: list[str]
    systems: tuple[str, ...]
    system_of: "array[int]"
    lines: Sequence[int]
    keys: bytes
    references: "array[int]"
    pieces: list[Scores]
    rows: list[bytes]
    listed: list[bytes]
    faults: list[Fault]
    size: int


def read_unit(unit: AnyUnit, *, need_text: bool = True) -> Batch:
    """Parse a unit into a batch of examples."""
    if isinstance(unit, Batch):
        return unit
    parsed = unit.parse(need_text=need_text)
    examples = name_systems(parsed.examples, unit.system)
    return Batch(unit.source, unit.row_kind, parsed.lines, examples, parsed.faults, unit.size)


def drop_payload(unit: Any) -> Any:
    """The unit without its bytes if another process can read them from the file itself."""
    return drop_lines(unit) if isinstance(unit, Block) else unit


def position_of(unit: Any) -> str:
    """Where a unit begins, for messages; empty for units that are not data."""
    if not isinstance(unit, Block | RowBlock | Batch):
        return ""
    line = unit.first_line if isinstance(unit, Block) else next(iter(unit.lines), 1)
    source = printable(unit.source)
    return f"{source}:{line}: " if unit.row_kind == "line" else f"{source}: {unit.row_kind} {line}: "


def name_systems(examples: list[Example], system: str) -> list[Example]:
    """The examples, with this system for those that name none."""
    if not system:
        return examples
    return [example if example.system else replace(example, system=system) for example in examples]


@gc_paused
def score_unit(plan: Plan, unit: AnyUnit) -> Scored:
    """Read and score one unit."""
    batch = read_unit(unit)
    examples = batch.examples
    states = plan.states or (None,) * len(plan.metrics)
    analyses = [analyse(metric, examples, state) for metric, state in zip(plan.metrics, states, strict=True)]
    pieces = [
        make_scores(metric, examples, analysis, explain=plan.explain)
        for metric, analysis in zip(plan.metrics, analyses, strict=True)
    ]
    listed: list[bytes] = []
    if plan.listing:
        # The findings of the same computation, whether or not the output shows them too.
        explained = [
            piece
            if plan.explain or metric.always_explains
            else replace(piece, findings=analysis.findings(explain=True))
            for metric, piece, analysis in zip(plan.metrics, pieces, analyses, strict=True)
        ]
        listed = plan.listing(examples, explained)
    systems: dict[str, int] = {}
    system_of = array("I", [systems.setdefault(example.system, len(systems)) for example in examples])
    return Scored(
        source=batch.source,
        row_kind=batch.row_kind,
        items=[example.item for example in examples],
        systems=tuple(systems),
        system_of=system_of,
        lines=batch.lines,
        keys=fingerprints(examples),
        references=array("I", [len(example.references) for example in examples]),
        pieces=pieces,
        rows=plan.render(examples, pieces) if plan.render else [],
        listed=listed,
        faults=batch.faults,
        size=batch.size,
    )


def repeat_fault(source: str, row_kind: RowKind, number: int, item: str, system: str) -> Fault:
    """The fault of an example with the id and system of an earlier one."""
    problem = f"repeats id {item!r}" + (f" of system {system!r}" if system else "")
    return fault_at(source, row_kind, number, problem, "make each pair of id and system unique")


def without_repeats(batch: Batch, repeated: Collection[int]) -> Batch:
    """The batch without the examples at these indices, which become faults."""
    if not repeated:
        return batch
    repeats = [
        repeat_fault(batch.source, batch.row_kind, line, example.item, example.system)
        for index, (line, example) in enumerate(zip(batch.lines, batch.examples, strict=True))
        if index in repeated
    ]
    kept = [index for index in range(len(batch.examples)) if index not in repeated]
    return batch._replace(
        lines=[batch.lines[index] for index in kept],
        examples=[batch.examples[index] for index in kept],
        faults=by_line([*batch.faults, *repeats]),
    )


def by_line(faults: list[Fault]) -> list[Fault]:
    """Faults of one source, sorted by line, row or element."""
    return sorted(faults, key=_index)


def _index(fault: Fault) -> int:
    if fault.line is not None:
        return fault.line
    # Rows and elements are named in the source: `data.json: element 3`.
    number = fault.source.rpartition(" ")[2]
    return int(number) if number.isdecimal() else 0


def keep_only(scored: Scored, kept: Sequence[int]) -> Scored:
    """The same unit with only the examples at these positions."""
    return scored._replace(
        items=[scored.items[index] for index in kept],
        system_of=array("I", (scored.system_of[index] for index in kept)),
        lines=[scored.lines[index] for index in kept],
        references=array("I", (scored.references[index] for index in kept)),
        rows=[scored.rows[index] for index in kept] if scored.rows else [],
        listed=[scored.listed[index] for index in kept] if scored.listed else [],
        pieces=[pick(piece, kept) for piece in scored.pieces],
    )
