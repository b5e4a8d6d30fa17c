"""Files and lists cut into units of work."""

from collections.abc import Iterable, Iterator

from factable.io.blocks import Block, parse_block
from factable.io.collect import Faults
from factable.io.read import Source, open_source
from factable.run.units import Batch
from factable.types import Example

EXAMPLES_PER_BATCH = 1024


def iter_units(sources: Iterable[Source]) -> Iterator[Block | Batch]:
    """Blocks of JSON lines as they are, for any process to parse; batches of whatever else is read here."""
    for source in sources:
        faults = Faults(patient=True)
        name, _, contents = open_source(source, faults)
        lines: list[int] = []
        examples: list[Example] = []
        for content in contents:
            if isinstance(content, Block):
                yield content
                continue
            lines.append(content[0])
            examples.append(content[1])
            if len(examples) == EXAMPLES_PER_BATCH:
                yield Batch(name, lines, examples, faults.take())
                lines, examples = [], []
        left = faults.take()
        if examples or left:
            yield Batch(name, lines, examples, left)


def as_one_batch(units: Iterable[Block | Batch]) -> Iterator[Batch]:
    """Everything at once, for metrics that compare examples with each other."""
    whole = Batch("", [], [], [])
    for unit in units:
        part = parse_block(unit) if isinstance(unit, Block) else unit
        whole = whole._replace(source=whole.source or unit.source)
        whole.lines.extend(part.lines)
        whole.examples.extend(part.examples)
        whole.faults.extend(part.faults)
    yield whole
