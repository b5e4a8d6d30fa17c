"""Where each example of some files begins, so that any of them can be read without the others."""

import os
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.engine.plan import read_unit
from factable.engine.sources import iter_units
from factable.errors import DataError, Fault, MissingFileError
from factable.io.blocks import Block, is_json_list, iter_blocks
from factable.io.examples import make_example, to_object
from factable.io.faults import Malformed
from factable.io.files import plain_suffix, source_name
from factable.study.comparison import names_of_files
from factable.types import Example

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
MAX_FILES = 1000
MAX_FAULTS = 10
NO_SYSTEM = ""
HEAD_BYTES = 1 << 16


class State(NamedTuple):
    """Size and time of a file: whether it is the one that was indexed."""

    size: int
    modified: int


def state_of(path: str | os.PathLike[str]) -> State | None:
    """The state of a file; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return State(status.st_size, status.st_mtime_ns)


def find_files(paths: Sequence[str]) -> list[str]:
    """The files that were named, and those of the formats we read in the folders that were named."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            below = sorted(Path(path).rglob("*"))
            found += [str(each) for each in below if each.is_file() and is_readable(each)]
        elif os.path.isfile(path):
            found.append(path)
        else:
            raise MissingFileError([Fault(path, None, "no such file or folder", "check the name")])
    if len(found) > MAX_FILES:
        problem = f"{len(found)} files in the folders"
        raise MissingFileError([Fault(paths[0], None, problem, f"name at most {MAX_FILES} files")])
    return list(dict.fromkeys(found))


def is_readable(path: str | os.PathLike[str]) -> bool:
    """Whether a file of a folder is one of ours by its name."""
    return plain_suffix(path) in SUFFIXES and not os.path.basename(path).startswith(".")


@dataclass(slots=True)
class Index:
    """All examples of some files, a few bytes of each in memory.

    `paths` are plain JSON lines: the files themselves, or copies of compressed files and tables. `results`
    are files of scores, as `factable score --format jsonl` writes them.
    """

    paths: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    file_systems: list[str] = field(default_factory=list)
    states: dict[str, State | None] = field(default_factory=dict)
    results: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    bad: int = 0
    systems: dict[str, int] = field(default_factory=dict)
    file_of: "array[int]" = field(default_factory=lambda: array("H"))
    line_of: "array[int]" = field(default_factory=lambda: array("I"))
    start_of: "array[int]" = field(default_factory=lambda: array("q"))
    size_of: "array[int]" = field(default_factory=lambda: array("I"))
    system_of: "array[int]" = field(default_factory=lambda: array("I"))
    item_of: "array[int]" = field(default_factory=lambda: array("q"))
    ratings: dict[str, "array[float]"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.start_of)

    def add_file(self, path: str, system: str) -> None:
        """Note a file with texts; `system` is that of texts that name none."""
        self.paths.append(path)
        self.names.append(source_name(path))
        self.file_systems.append(system)

    def add(self, file: int, line: int, start: int, content: bytes, fields: Mapping[str, Any]) -> None:
        """Note where an example is, and what is sorted and filtered by."""
        # Most lines have names of the right types; what has not is refused when it is read.
        item, system = str(fields.get("id", line)), str(fields.get("system") or self.file_systems[file])
        self.file_of.append(file)
        self.line_of.append(line)
        self.start_of.append(start)
        self.size_of.append(len(content))
        self.system_of.append(self.systems.setdefault(system, len(self.systems)))
        self.item_of.append(hash(item))
        human = fields.get("human")
        if isinstance(human, dict):
            self._add_ratings(human)

    def _add_ratings(self, human: Mapping[str, object]) -> None:
        for name, rating in human.items():
            if isinstance(rating, int | float):
                column = self.ratings.setdefault(name, array("d"))
                column.extend([float("nan")] * (len(self) - 1 - len(column)))
                column.append(rating)

    def column(self, rating: str) -> NDArray[np.float64]:
        """The ratings of all examples on one scale; NaN where there is none."""
        values = np.full(len(self), np.nan)
        given = self.ratings[rating]
        values[: len(given)] = given
        return values

    def refuse(self, name: str, line: int | None, problem: str, remedy: str) -> None:
        """Leave out a line, or a whole file."""
        self.bad += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(name, line, problem, remedy))

    def is_current(self) -> bool:
        """Whether no file has changed since it was indexed."""
        return all(state_of(path) == state for path, state in self.states.items())


Tell = Callable[[int, int], None]


def build_index(files: Sequence[str], folder: Path, *, tell: Tell) -> Index:
    """Read all files once; `folder` is for copies of those that cannot be read in pieces.

    `tell` hears of bytes done and in all. Where several files have texts, each that names no system is one.
    """
    index = Index(states={path: state_of(path) for path in files})
    total = sum(state.size for state in index.states.values() if state)
    done = 0
    heads = {path: _read_head(path, index) for path in files}
    index.results += [path for path, head in heads.items() if head and head.has_scores]
    with_texts = [path for path, head in heads.items() if head and not head.has_scores]
    names = names_of_files(with_texts) if len(with_texts) > 1 else [NO_SYSTEM] * len(with_texts)
    for path, system in zip(with_texts, names, strict=True):
        index.add_file(path, system)
        try:
            for read in _index_file(index, path, folder, heads[path]):
                tell(min(done + read, total), total)
        except DataError as error:
            for fault in error.faults:
                index.refuse(*fault)
        state = index.states[path]
        done += state.size if state else 0
        tell(done, total)
    return index


class Head(NamedTuple):
    """How a file begins: whether it is plain JSON lines, and whether these are scores."""

    is_plain: bool
    has_scores: bool


def _read_head(path: str, index: Index) -> Head | None:
    """None for a file that cannot be read, which becomes a fault."""
    if plain_suffix(path) in (".csv", ".tsv", ".parquet"):
        return Head(is_plain=False, has_scores=False)
    try:
        block = next(iter_blocks(path, size=HEAD_BYTES), None)
    except DataError as error:
        for fault in error.faults:
            index.refuse(*fault)
        return None
    if block is None or is_json_list(block.lines):
        return Head(is_plain=block is None, has_scores=False)
    first = next((line for line in block.lines.split(b"\n") if line.strip()), b"{}")
    try:
        fields = orjson.loads(first)
    except orjson.JSONDecodeError:
        fields = {}
    has_scores = isinstance(fields, dict) and "metrics" in fields and "data" not in fields
    return Head(is_plain=block.offset is not None, has_scores=has_scores)


def _index_file(index: Index, path: str, folder: Path, head: Head | None) -> Iterator[int]:
    """Add the examples of a file; yields how many bytes were read."""
    file = len(index.paths) - 1
    if head is None or not head.is_plain:
        index.paths[file] = str(folder / f"{file}.jsonl")
        _write_lines(path, index.paths[file])
    for block in iter_blocks(index.paths[file]):
        _index_block(index, file, block)
        yield (block.offset or 0) + block.size


def _write_lines(path: str, out: str) -> None:
    """Copy a compressed file, a list or a table as JSON lines."""
    with open(out, "wb") as stream:
        for unit in iter_units([path]):
            batch = read_unit(unit)
            if batch.faults and not batch.examples:
                raise DataError(batch.faults)
            for example in batch.examples:
                stream.write(orjson.dumps(to_object(example), option=orjson.OPT_APPEND_NEWLINE))


def _index_block(index: Index, file: int, block: Block) -> None:
    start = block.offset or 0
    for line, content in enumerate(block.lines.split(b"\n"), block.first_line):
        if content and not content.isspace():
            try:
                fields = orjson.loads(content)
            except orjson.JSONDecodeError:
                index.refuse(index.names[file], line, "broken JSON", "write one object on each line")
            else:
                if isinstance(fields, dict) and isinstance(fields.get("text"), str) and "data" in fields:
                    index.add(file, line, start, content, fields)
                else:
                    index.refuse(index.names[file], line, "no text or no data", "add both")
        start += len(content) + 1


class LineReader:
    """Reads single lines of an index; files stay open."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files: dict[int, Any] = {}
        self._lock = threading.Lock()

    def line(self, row: int) -> bytes:
        """The JSON of one example."""
        index = self._index
        number = index.file_of[row]
        with self._lock:
            if number not in self._files:
                self._files[number] = open(index.paths[number], "rb")  # noqa: SIM115 - closed by `close`
            stream = self._files[number]
            stream.seek(index.start_of[row])
            content: bytes = stream.read(index.size_of[row])
        return content

    def example(self, row: int) -> Example:
        """One example, checked."""
        name = self._index.names[self._index.file_of[row]]
        line = self._index.line_of[row]
        content = self.line(row)
        try:
            example = make_example(orjson.loads(content), line, content)
            system = example.system or self._index.file_systems[self._index.file_of[row]]
            return replace(example, system=system)
        except Malformed as error:
            raise DataError([Fault(name, line, error.problem, error.remedy)]) from None
        except orjson.JSONDecodeError:
            problem = "has changed since it was opened"
            raise DataError([Fault(name, line, problem, "reload the page")]) from None

    def close(self) -> None:
        """Close the files."""
        for stream in self._files.values():
            stream.close()
