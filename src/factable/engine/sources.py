"""Files and lists cut into units of work."""

import os
from collections.abc import Iterable, Iterator, Sequence

from factable.core.metric import Metric, missing_fields
from factable.engine.casing import case_counts, case_warning, lowered_systems
from factable.engine.plan import AnyUnit, Batch, drop_payload, name_systems, read_unit
from factable.errors import DataError, Fault, MissingFileError
from factable.io.blocks import BLOCK_BYTES, BLOCK_ROWS, Block, RowBlock
from factable.io.faults import Faults, fault_at
from factable.io.files import changed_while_read, open_input, plain_size, source_name
from factable.io.joins import Joins
from factable.io.limits import MAX_UNSCORABLE
from factable.io.read import Source, open_source
from factable.metrics.selection import FactNames
from factable.types import Example, Record


def check_needs(units: Iterator[AnyUnit], metrics: Sequence[Metric]) -> Iterator[AnyUnit]:
    """The same units, held back until each metric has seen an example with all that it needs.

    That is mostly the first example, whose unit goes on as it was read. Single examples that lack something
    are for the metric to leave unscored; MAX_UNSCORABLE of them before all others are refused.
    """
    unmet = list(metrics)
    held: list[AnyUnit] = []
    first: Batch | None = None
    total = 0
    for unit in units:
        batch = read_unit(unit)
        total += len(batch.examples)
        first = first or (batch if batch.examples else None)
        unmet = [metric for metric in unmet if all(missing_fields(metric, e) for e in batch.examples)]
        # Only one unit is kept in memory as examples, however many are held.
        held.append(drop_payload(unit) if held else batch)
        if not unmet or total >= MAX_UNSCORABLE:
            break
    if unmet and first:
        raise DataError([_fault(metric, first, total) for metric in unmet])
    yield from held
    yield from units


def _fault(metric: Metric, first: Batch, total: int) -> Fault:
    lack = missing_fields(metric, first.examples[0])[0]
    problem = f"no {lack}, but metric {metric.name} needs them"
    if total > 1:
        others = f"the next {total - 1}" if total >= MAX_UNSCORABLE else f"the other {total - 1}"
        problem += f", and none of {others} examples has all it needs"
    remedy = f"add {lack.split()[0]} or drop {metric.name}"
    return fault_at(first.source, first.row_kind, first.lines[0], problem, remedy)


# About half a second for the metric nli: progress is seen, and a small file is enough for all processes.
SLOW_EXAMPLES_PER_BATCH = 32
SLOW_BLOCK_BYTES = 1 << 14


def check_files(sources: Iterable[Source]) -> None:
    """Refuse missing files and folders at once, not after hours of scoring the others."""
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
        raise MissingFileError(faults)


def _is_special(path: str | os.PathLike[str]) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def iter_units(
    sources: Sequence[Source], systems: Sequence[str] = (), *, slow: bool = False, need_text: bool = True
) -> Iterator[AnyUnit]:
    """Blocks of raw lines and rows, for any process to parse; batches of examples that are in memory.

    `systems` names, for each source, the system of examples that name none. Units for slow metrics are small.
    """
    block_bytes = SLOW_BLOCK_BYTES if slow else BLOCK_BYTES
    most = SLOW_EXAMPLES_PER_BATCH if slow else BLOCK_ROWS
    for source, system in zip(sources, systems or [""] * len(sources), strict=True):
        faults = Faults(skip_bad=True)
        name, unit, contents = open_source(
            source, faults, need_text=need_text, block_bytes=block_bytes, block_rows=most
        )
        lines: list[int] = []
        examples: list[Example] = []
        for content in contents:
            if isinstance(content, Block | RowBlock):
                yield content._replace(system=system)
                continue
            lines.append(content[0])
            examples.append(content[1])
            if len(examples) == most:
                yield Batch(name, unit, lines, name_systems(examples, system), faults.pop_all())
                lines, examples = [], []
        left = faults.pop_all()
        if examples or left:
            yield Batch(name, unit, lines, name_systems(examples, system), left)


class Corpus:
    """The sources of a run, cut into units on every pass.

    `systems` names, for each source, the system of examples that name none.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        systems: Sequence[str],
        metrics: Sequence[Metric],
        joins: Joins | None = None,
    ) -> None:
        self.sources, self.systems, self.joins = sources, systems, joins
        self._metrics = metrics
        self._lowered: dict[str, None] = {}
        self._absent: list[str] = []
        # Corpus metrics go through all examples before one is scored.
        self.read_twice = any(metric.corpus for metric in metrics)
        self._states = list(map(_state_of, sources))
        self._kept: list[AnyUnit] | None = None

    def units(self) -> Iterator[AnyUnit]:
        """All units, once they are known to have what the metrics need."""
        if self._kept is not None:
            return iter(self._kept)
        slow = any(metric.slow for metric in self._metrics)
        units = iter_units(self.sources, self.systems, slow=slow)
        if self.joins:
            units = _join(units, self.joins)
        if case_counts(self._metrics):
            units = self._watch_case(units)
        units = self._check_fact_names(check_needs(units, self._metrics))
        if self.read_twice and not all(map(can_be_read_twice, self.sources)):
            self._kept = list(units)
            return iter(self._kept)
        return units

    def _watch_case(self, units: Iterator[AnyUnit]) -> Iterator[AnyUnit]:
        """The same units; the first of each source is looked at for systems that write no capitals."""
        seen: set[str] = set()
        for unit in units:
            if unit.source not in seen:
                seen.add(unit.source)
                self._lowered |= dict.fromkeys(lowered_systems(read_unit(unit).examples))
            yield unit

    def _check_fact_names(self, units: Iterator[AnyUnit]) -> Iterator[AnyUnit]:
        """The same units, held back until every fact that a metric names in a parameter has been seen."""
        names = FactNames.of(metric.fact_names for metric in self._metrics)
        held: list[AnyUnit] = []
        # One record of each name: these are few, however many examples are held.
        seen: dict[str, Record] = {}
        while names.by_parameter and (unit := next(units, None)) is not None:
            batch = read_unit(unit)
            records = [record for example in batch.examples for record in example.table.records]
            names = names.without_known(records)
            seen |= {record.attribute: record for record in records}
            held.append(batch if not held else drop_payload(unit))
        self._absent = names.refuse_misspelt(seen.values()) if seen else []
        yield from held
        yield from units

    def warnings(self) -> list[str]:
        """What about the data makes the numbers doubtful."""
        lowered = [case_warning(self._lowered, case_counts(self._metrics))] if self._lowered else []
        return [*self._absent, *lowered]

    @property
    def size(self) -> int:
        """How many bytes there are to read; 0 where that is not known."""
        paths = [source for source in self.sources if isinstance(source, str | os.PathLike)]
        return plain_size(paths) or 0 if len(paths) == len(self.sources) else 0

    def refuse_changes(self) -> None:
        """Refuse files that changed between the two passes."""
        for source, state in zip(self.sources, self._states, strict=True):
            if self.read_twice and isinstance(source, str | os.PathLike) and _state_of(source) != state:
                raise DataError([changed_while_read(source_name(source))])


def _join(units: Iterator[AnyUnit], joins: Joins) -> Iterator[Batch]:
    """The units as examples with their references and ratings; refused if no id is in both files."""
    first: Example | None = None
    matched = False
    for unit in units:
        batch = read_unit(unit)
        first = first or next(iter(batch.examples), None)
        matched = matched or any(map(joins.matches, batch.examples))
        yield batch._replace(examples=joins.apply(batch.examples))
    if first is not None and not matched:
        joins.refuse_strangers(first)


def can_be_read_twice(source: Source) -> bool:
    """Whether a source is in memory or a file, not a pipe."""
    return not isinstance(source, str | os.PathLike) or _state_of(source) is not None


def _state_of(source: Source) -> tuple[int, int] | None:
    """Size and modification time of a file; None for anything else."""
    if not isinstance(source, str | os.PathLike) or str(source) == "-" or not os.path.isfile(source):
        return None
    status = os.stat(source)
    return status.st_size, status.st_mtime_ns
