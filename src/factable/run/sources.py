"""Files and lists cut into units of work."""

import os
from collections.abc import Iterable, Iterator, Sequence

from factable.errors import DataError, Fault
from factable.io.blocks import BLOCK_BYTES, Block
from factable.io.collect import Faults
from factable.io.files import open_input
from factable.io.read import Source, open_source
from factable.io.seen import SeenKeys
from factable.kernels import fingerprints
from factable.run.units import Batch, by_line, name_systems, read_unit, repeat_fault
from factable.types import Example

EXAMPLES_PER_BATCH = 1024
# About half a second for the metric nli: progress is seen, and a small file is enough for all processes.
SLOW_EXAMPLES_PER_BATCH = 32
SLOW_BLOCK_BYTES = 1 << 14


def check_files(sources: Iterable[Source]) -> None:
    """Refuse missing files, folders and the like at once, not only after hours of scoring the others."""
    faults: list[Fault] = []
    for source in sources:
        # A pipe can be opened only once, so that one has to wait.
        if not isinstance(source, str | os.PathLike) or str(source) == "-" or _is_special(source):
            continue
        try:
            with open_input(source):
                pass
        except DataError as error:
            faults.extend(error.faults)
    if faults:
        raise DataError(faults)


def _is_special(path: str | os.PathLike[str]) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def iter_units(
    sources: Sequence[Source], systems: Sequence[str] = (), *, slow: bool = False, need_text: bool = True
) -> Iterator[Block | Batch]:
    """Blocks of JSON lines as they are, for any process to parse; batches of whatever else is read here.

    `systems` names, for each source, the system of examples that name none. Units for slow metrics are small.
    """
    block_bytes = SLOW_BLOCK_BYTES if slow else BLOCK_BYTES
    most = SLOW_EXAMPLES_PER_BATCH if slow else EXAMPLES_PER_BATCH
    for source, system in zip(sources, systems or [""] * len(sources), strict=True):
        faults = Faults(patient=True)
        name, unit, contents = open_source(source, faults, need_text=need_text, block_bytes=block_bytes)
        lines: list[int] = []
        examples: list[Example] = []
        for content in contents:
            if isinstance(content, Block):
                yield content._replace(system=system)
                continue
            lines.append(content[0])
            examples.append(content[1])
            if len(examples) == most:
                yield Batch(name, unit, lines, name_systems(examples, system), faults.take())
                lines, examples = [], []
        left = faults.take()
        if examples or left:
            yield Batch(name, unit, lines, name_systems(examples, system), left)


def as_one_batch(units: Iterable[Block | Batch]) -> Iterator[Batch]:
    """Everything at once, for metrics that compare examples with each other.

    Repeated examples are left out here, because they would move the values of the others.
    """
    seen = SeenKeys()
    lines: list[int] = []
    examples: list[Example] = []
    faults: list[Fault] = []
    first: Batch | None = None
    for unit in units:
        batch = read_unit(unit)
        first = first or batch
        repeated = set(seen.add(fingerprints(batch.examples)))
        found = []
        for index, (line, example) in enumerate(zip(batch.lines, batch.examples, strict=True)):
            if index in repeated:
                found.append(repeat_fault(batch.source, batch.unit, line, example.item, example.system))
            else:
                lines.append(line)
                examples.append(example)
        faults += by_line([*batch.faults, *found])
    if first:
        yield Batch(first.source, first.unit, lines, examples, faults)
