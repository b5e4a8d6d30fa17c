"""Sources in blocks: whole JSON lines or table rows, which any process can parse to examples."""

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from typing import IO, Any, NamedTuple, cast

import orjson

from factable.errors import DataError, Fault
from factable.io.data import RECORD_LIMITS
from factable.io.delimited import check_width
from factable.io.examples import make_example
from factable.io.faults import Faults, Malformed, RowKind, check_size, make_each, shorten
from factable.io.files import changed_while_read, line_too_long, open_input, source_name
from factable.io.limits import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, SHORT_LINE_BYTES
from factable.io.rows import Columns
from factable.kernels import count_lines, read_lines
from factable.types import Example

BLOCK_BYTES = 1 << 20
BLOCK_ROWS = 1024
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Parsed(NamedTuple):
    """The content of a block: its examples, the line of each, and the faults of the other lines."""

    examples: list[Example]
    lines: Sequence[int]
    faults: list[Fault]


class Block(NamedTuple):
    """Whole JSON lines of one source; `offset` is where they begin in a plain file.

    `system` is the system of lines that name none. Lines that were dropped, to be read from the file again,
    leave their `checksum`.
    """

    source: str
    first_line: int
    lines: bytes
    size: int
    offset: int | None = None
    system: str = ""
    checksum: int = 0

    @property
    def row_kind(self) -> RowKind:
        """What its examples are called in messages."""
        return "line"

    def parse(self, *, need_text: bool = True) -> Parsed:
        """Parse every line; a bad line becomes a fault, and the other lines are still parsed."""
        lines, numbers, all_read = read_lines(
            lines_of(self), self.first_line, SHORT_LINE_BYTES, *RECORD_LIMITS
        )
        if all_read:
            return Parsed(cast("list[Example]", lines), numbers, [])
        examples: list[Example] = []
        read: list[int] = []
        faults: list[Fault] = []
        for number, line in zip(numbers, lines, strict=True):
            try:
                examples.append(line if isinstance(line, Example) else _read_line(line, number, need_text))
                read.append(number)
            except orjson.JSONDecodeError as error:
                assert isinstance(line, bytes)
                faults.append(Fault(self.source, number, *explain_broken_json(line, error)))
            except Malformed as error:
                faults.append(Fault(self.source, number, error.problem, error.remedy))
        return Parsed(examples, read, faults)


def _read_line(line: bytes, number: int, need_text: bool) -> Example:
    """The example of a line; only a long line can break a limit on its content."""
    example = make_example(orjson.loads(line), number, line, need_text=need_text)
    return example if len(line) < SHORT_LINE_BYTES else check_size(example)


class RowBlock(NamedTuple):
    """Consecutive rows under the same column names: lists of cells, or a record batch of Arrow.

    `lines` holds the position of each row in its source; `first` is the number of the first row, which stands
    in for a missing id. `system` is the system of rows that name none.
    """

    source: str
    row_kind: RowKind
    names: Sequence[str]
    lines: Sequence[int]
    first: int
    rows: Any
    size: int
    system: str = ""

    def parse(self, *, need_text: bool = True) -> Parsed:
        """Make an example of every row; a bad row becomes a fault, and the other rows are still parsed."""
        columns = Columns(self.names)
        faults = Faults(skip_bad=True)
        width = len(self.names)

        def make(row: tuple[int, Sequence[Any]]) -> Example:
            return columns.example(check_width(row[1], width), row[0], need_text=need_text)

        numbered = zip(self.lines, enumerate(self._cells(), self.first), strict=True)
        examples = list(make_each(self.source, numbered, make, faults, row_kind=self.row_kind))
        return Parsed([example for _, example in examples], [line for line, _ in examples], faults.pop_all())

    def _cells(self) -> Iterable[Sequence[Any]]:
        return self.rows if isinstance(self.rows, list) else _arrow_cells(self.source, self.rows)


def _arrow_cells(name: str, batch: Any) -> Iterator[tuple[object, ...]]:
    """The cells of every row of a record batch; a column of Arrow's map type holds dicts."""
    from pyarrow.types import is_map

    with arrow_errors(name):
        columns = [column.to_pylist() for column in batch.columns]
        for index in (index for index, field in enumerate(batch.schema) if is_map(field.type)):
            columns[index] = [value if value is None else dict(value) for value in columns[index]]
    return zip(*columns, strict=True)


@contextmanager
def arrow_errors(name: str) -> Iterator[None]:
    """Turn what Arrow raises on damaged Parquet into a fault of that file."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, ValueError, OverflowError) as error:
        problem = f"not readable as Parquet ({str(error).partition(chr(10))[0]})"
        remedy = "check that the file is Parquet and complete"
        raise DataError([Fault(name, None, problem, remedy)]) from None


def iter_blocks(path: str | os.PathLike[str], *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Cut a file into blocks of whole lines of about `size` bytes."""
    name = source_name(path)
    line = 1
    with open_input(path) as stream:
        offset = 0 if _is_plain_file(stream, path) else None
        while lines := stream.read(size):
            if not lines.endswith(b"\n"):
                # A whole JSON list may be on one line.
                is_list = line == 1 and is_json_list(lines)
                max_bytes = MAX_DOCUMENT_BYTES if is_list else MAX_LINE_BYTES
                rest = stream.readline(max_bytes)
                lines += rest
                if len(rest) == max_bytes:
                    raise DataError([line_too_long(name, line + lines.count(b"\n"))])
            if line == 1 and lines.startswith(UTF16_MARKS):
                raise DataError([Fault(name, 1, "UTF-16 text", "save the file as UTF-8")])
            if line == 1 and lines.startswith(UTF8_MARK):
                lines = lines.removeprefix(UTF8_MARK)
                offset = None if offset is None else len(UTF8_MARK)
            yield Block(name, line, lines, len(lines), offset)
            line += count_lines(lines)
            offset = None if offset is None else offset + len(lines)


def is_json_list(lines: bytes) -> bool:
    """Whether a file that starts with these bytes is one JSON list."""
    return lines.removeprefix(UTF8_MARK).lstrip().startswith(b"[")


def _is_plain_file(stream: IO[bytes], path: str | os.PathLike[str]) -> bool:
    """Whether the stream is an uncompressed file, whose bytes can be read again by position."""
    plain = isinstance(getattr(stream, "raw", None), FileIO)
    return plain and str(path) != "-" and os.path.isfile(path)


def drop_lines(block: Block) -> Block:
    """The block without its lines if another process can read them from the file: sending them is slow."""
    if block.offset is None or not block.lines:
        return block
    return block._replace(lines=b"", checksum=zlib.crc32(block.lines))


def lines_of(block: Block) -> bytes:
    """The lines of a block, read from the file again if they were dropped; refused if they changed."""
    if block.lines or block.offset is None:
        return block.lines
    with open_input(block.source) as stream:
        stream.seek(block.offset)
        lines = stream.read(block.size)
    if zlib.crc32(lines) != block.checksum:
        raise DataError([changed_while_read(block.source)])
    return lines


def explain_broken_json(line: bytes, error: orjson.JSONDecodeError) -> tuple[str, str]:
    """Problem and remedy for a line that is not JSON."""
    try:
        text = line.decode()
    except UnicodeDecodeError as broken:
        return f"byte {broken.start + 1} of the line is not UTF-8", "save the file as UTF-8"
    if line.lstrip().startswith(b"["):
        return "a list", "write one object per line (JSON lines), not a list of them"
    near = shorten(text[max(0, error.pos - 10) :], 30)
    problem = f"broken JSON ({error.msg.split(': line')[0]}) near {near}"
    return problem, "write one complete JSON object on each line"
