"""JSON files of objects, one per line or in one list, and checked access to their fields."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TypeVar

import orjson

from factable.errors import DataError, Fault
from factable.io.blocks import Block, explain_broken_json, is_json_list, iter_blocks
from factable.io.duplicates import check_unique_names
from factable.io.faults import JSON_NAMES, Faults, Malformed, RowKind, kind_of, make_each
from factable.io.files import source_name
from factable.io.limits import MAX_DOCUMENT_BYTES, MAX_OBJECTS
from factable.types import Example

T = TypeVar("T")
R = TypeVar("R")
Make = Callable[[object, int], R]


def load_json(line: bytes) -> object:
    """The value of one line of JSON."""
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Malformed(*explain_broken_json(line, error)) from None
    check_unique_names(line, value)
    return value


def make_examples(
    path: str | os.PathLike[str], make: Make[Example], faults: Faults
) -> Iterator[tuple[int, Example]]:
    """Numbered examples of a JSON file; `make` gets an object and the number of its line or element."""
    yield from open_objects(path, make, faults)[1]


def open_objects(
    path: str | os.PathLike[str], make: Make[R], faults: Faults
) -> tuple[RowKind, Iterator[tuple[int, R]]]:
    """The row kind of a JSON file (line, or element of a list), and the numbered results of `make`."""
    blocks = iter_blocks(path)
    first = next(blocks, None)
    if first is None:
        return "line", iter(())
    if is_json_list(first.lines):
        elements = read_json_list(first, blocks)
        return "element", make_elements(source_name(path), elements, make, faults, row_kind="element")
    return "line", _make_lines(chain([first], blocks), make, faults)


def _make_lines(blocks: Iterable[Block], make: Make[R], faults: Faults) -> Iterator[tuple[int, R]]:
    for block in blocks:
        lines = enumerate(block.lines.split(b"\n"), block.first_line)
        filled = ((number, (number, line)) for number, line in lines if line.strip())
        yield from make_each(block.source, filled, partial(_make_line, make), faults)


def _make_line(make: Make[R], row: tuple[int, bytes]) -> R:
    return make(load_json(row[1]), row[0])


def read_json_list(first: Block, rest: Iterator[Block]) -> list[object]:
    """The elements of a file that is one JSON list."""
    content = b"".join(_limited(first, rest))
    if content.count(b"{") + content.count(b"[") > MAX_OBJECTS:
        problem = f"a JSON list of more than {MAX_OBJECTS} objects"
        raise DataError([Fault(first.source, None, problem, "write JSON lines: one object per line")])
    try:
        elements: list[object] = orjson.loads(content)
        check_unique_names(content, elements)
    except orjson.JSONDecodeError as error:
        problem = f"broken JSON list ({error.msg.split(': line')[0]})"
        raise DataError(
            [Fault(first.source, error.lineno, problem, "write one complete JSON list")]
        ) from None
    except Malformed as error:
        raise DataError([Fault(first.source, None, error.problem, error.remedy)]) from None
    return elements


def _limited(first: Block, rest: Iterable[Block]) -> Iterator[bytes]:
    """The lines of a file that has to be in memory whole, up to the limit."""
    size = 0
    for block in chain([first], rest):
        size += block.size
        if size > MAX_DOCUMENT_BYTES:
            problem = f"a JSON list of more than {MAX_DOCUMENT_BYTES >> 20} MB"
            raise DataError([Fault(first.source, None, problem, "write JSON lines: one object per line")])
        yield block.lines


def make_elements(
    source: str, elements: list[object], make: Make[R], faults: Faults, *, row_kind: RowKind
) -> Iterator[tuple[int, R]]:
    """The numbered results of `make` on a list of objects."""
    numbered = ((number, (number, element)) for number, element in enumerate(elements, 1))
    return make_each(source, numbered, lambda row: make(row[1], row[0]), faults, row_kind=row_kind)


def get_field(source: object, field: str, kind: type[T], default: T | None = None) -> T:
    """A field of a JSON object, of the required type; the default, if any, where it is missing or null."""
    if not isinstance(source, dict):
        raise Malformed(f"{kind_of(source)} instead of an object", "give the file as it was published")
    value = source.get(field)
    if value is None and default is not None:
        return default
    if type(value) is not kind:
        problem = f'"{field}" is {kind_of(value)}' if field in source else f'no "{field}" field'
        raise Malformed(problem, f"the format has {JSON_NAMES.get(kind, 'a number')} there")
    return value
