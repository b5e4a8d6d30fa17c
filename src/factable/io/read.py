"""`factable.read`: examples from any source."""

import gc
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from itertools import chain
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar

from factable.errors import DataError, Fault, UsageError, suggest_parameters
from factable.io.blocks import BLOCK_BYTES, BLOCK_ROWS, Block, RowBlock, is_json_list, iter_blocks
from factable.io.delimited import check_header
from factable.io.duplicates import SeenKeys
from factable.io.faults import Faults, RowKind, fault_at, kind_of, make_each
from factable.io.files import plain_suffix, source_name
from factable.io.formats.tables import iter_csv, iter_parquet
from factable.io.joins import read_joins
from factable.io.objects import make_elements, read_json_list
from factable.io.rows import Columns, row_example
from factable.kernels import fingerprints
from factable.types import Example

P = ParamSpec("P")
R = TypeVar("R")


def gc_paused(work: Callable[P, R]) -> Callable[P, R]:
    """Pause garbage collection during a call that makes many objects and no cycles: twice as fast."""

    @wraps(work)
    def paused(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return paused


Numbered = Iterator[tuple[int, Example]]
# Blocks of lines or rows, which may be parsed elsewhere, or numbered examples.
Contents = Iterator[Block] | Iterator[RowBlock] | Numbered


class Frame(Protocol):
    """A pandas or Polars DataFrame."""

    columns: Any


class OpenedSource(NamedTuple):
    """A source: its name and row kind in messages, and its contents."""

    name: str
    row_kind: RowKind
    contents: Contents


Source = str | os.PathLike[str] | Sequence[Mapping[str, object] | Example] | Frame


@suggest_parameters
@gc_paused
def read(
    source: Source,
    *,
    need_text: bool = True,
    references: str | os.PathLike[str] | None = None,
    ratings: str | os.PathLike[str] | None = None,
) -> tuple[Example, ...]:
    """Read examples from a JSON lines, JSON, CSV, TSV or Parquet file, a list of dicts or a DataFrame.

    `references` and `ratings` are files with what belongs to the texts of the same id.
    """
    joins = read_joins(references, ratings)
    faults = Faults()
    name, row_kind, numbered = open_source(source, faults, need_text=need_text)
    examples: list[Example] = []
    numbers = array("Q")
    for number, example in _parse_blocks(numbered, faults, need_text):
        examples.append(example)
        numbers.append(number)
    _find_repeats(name, row_kind, examples, numbers, faults)
    faults.check()
    if not examples:
        raise DataError([Fault(name, None, "holds no examples", "give at least one")])
    if joins and not any(map(joins.matches, examples)):
        joins.refuse_strangers(examples[0])
    return tuple(joins.apply(examples) if joins else examples)


def iter_examples(
    source: Source, *, need_text: bool = True, faults: Faults | None = None
) -> Iterator[Example]:
    """The examples of a source one by one, repeated ids included; faults come at the end or the tenth.

    Those of `faults`, if given, are left to the caller.
    """
    left_to_caller = faults is not None
    faults = faults or Faults()
    contents = open_source(source, faults, need_text=need_text).contents
    for _, example in _parse_blocks(contents, faults, need_text):
        yield example
    if not left_to_caller:
        faults.check()


def open_source(
    source: Source,
    faults: Faults,
    *,
    need_text: bool = True,
    block_bytes: int = BLOCK_BYTES,
    block_rows: int = BLOCK_ROWS,
) -> OpenedSource:
    """Open a source; its contents are read as they are consumed, and faults go to `faults`."""
    if isinstance(source, str | os.PathLike):
        return _open_file(os.fspath(source), faults, need_text, block_bytes, block_rows)
    if isinstance(source, list | tuple):
        make = partial(_make_element, need_text=need_text)
        return OpenedSource(
            "list", "element", make_elements("list", list(source), make, faults, row_kind="element")
        )
    # Data frames are recognised by their methods, so that neither package has to be installed.
    for method in ("itertuples", "iter_rows"):
        if hasattr(source, method):
            return OpenedSource("DataFrame", "row", _frame_examples(source, method, faults, need_text))
    raise UsageError(
        f"cannot read {kind_of(source)}; give a path, a list of dicts or of Examples, or a DataFrame"
    )


def _open_file(path: str, faults: Faults, need_text: bool, block_bytes: int, block_rows: int) -> OpenedSource:
    name = source_name(path)
    ending = plain_suffix(path)
    if ending in (".csv", ".tsv"):
        return OpenedSource(name, "line", iter_csv(path, max_rows=block_rows, need_text=need_text))
    if ending == ".parquet":
        return OpenedSource(name, "row", iter_parquet(path, max_rows=block_rows))
    blocks = iter_blocks(path, size=block_bytes)
    first = next(blocks, None)
    if first is None:
        return OpenedSource(name, "line", iter(()))
    if is_json_list(first.lines):
        make = partial(_make_element, need_text=need_text)
        elements = make_elements(name, read_json_list(first, blocks), make, faults, row_kind="element")
        return OpenedSource(name, "element", elements)
    return OpenedSource(name, "line", chain([first], blocks))


def _parse_blocks(contents: Contents, faults: Faults, need_text: bool) -> Numbered:
    for content in contents:
        if isinstance(content, Block | RowBlock):
            parsed = content.parse(need_text=need_text)
            faults.add(*parsed.faults)
            yield from zip(parsed.lines, parsed.examples, strict=True)
        else:
            yield content


def _make_element(element: object, number: int, *, need_text: bool) -> Example:
    return element if isinstance(element, Example) else row_example(element, number, need_text=need_text)


def _frame_examples(frame: Any, method: str, faults: Faults, need_text: bool) -> Numbered:
    columns = Columns(check_header("DataFrame", [str(column) for column in frame.columns]))
    cells = frame.itertuples(index=False, name=None) if method == "itertuples" else frame.iter_rows()

    def make(row: tuple[int, Sequence[object]]) -> Example:
        return columns.example(row[1], row[0], need_text=need_text)

    return make_each(
        "DataFrame", ((n, (n, row)) for n, row in enumerate(cells, 1)), make, faults, row_kind="row"
    )


def _find_repeats(
    name: str, row_kind: RowKind, examples: list[Example], numbers: "array[int]", faults: Faults
) -> None:
    """Add a fault for each repeated `(item, system)`."""
    repeated = SeenKeys().add(fingerprints(examples))
    if not repeated:
        return
    first: dict[tuple[str, str], int] = {}
    for number, example in zip(numbers, examples, strict=True):
        key = (example.item, example.system)
        first_number = first.setdefault(key, number)
        if first_number != number:
            problem = f"repeats {describe_key(example)} (first at {row_kind} {first_number})"
            faults.add(fault_at(name, row_kind, number, problem, "make ids unique"))


def describe_key(example: Example) -> str:
    """The name of an example in messages."""
    return f"id {example.item!r}" + (f" of system {example.system!r}" if example.system else "")
