"""JSON lines in blocks: cut a stream at line ends, parse one block anywhere, in any process."""

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from io import FileIO
from typing import IO, Any, NamedTuple

import orjson

from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.delimited import check_width
from factable.io.examples import make_example
from factable.io.faults import Faults, RowKind, make_each
from factable.io.files import changed_while_read, open_input, source_name, too_long
from factable.io.limits import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, SHORT_LINE_BYTES, check_size
from factable.io.malformed import Malformed, shorten
from factable.io.rows import Columns
from factable.types import Example

BLOCK_BYTES = 1 << 20
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Block(NamedTuple):
    """Whole lines of one source, with the number of the first; `offset` is their place in a plain file.

    `system` is the name for the system of lines that name none; `checksum` is that of lines left in the file.
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
        """What its examples are counted in."""
        return "line"


class Parsed(NamedTuple):
    """What a block held: examples, the line of each, and what was wrong with the other lines."""

    examples: list[Example]
    lines: Sequence[int]
    faults: list[Fault]


def iter_blocks(path: str | os.PathLike[str], *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Cut a file into blocks of whole lines of about `size` bytes."""
    name = source_name(path)
    line = 1
    with open_input(path) as stream:
        offset = 0 if _is_plain_file(stream, path) else None
        while lines := stream.read(size):
            if not lines.endswith(b"\n"):
                # A JSON list may well be on one line.
                most = MAX_DOCUMENT_BYTES if line == 1 and begins_list(lines) else MAX_LINE_BYTES
                rest = stream.readline(most)
                lines += rest
                if len(rest) == most:
                    raise DataError([too_long(name, line + lines.count(b"\n"))])
            if line == 1 and lines.startswith(UTF16_MARKS):
                raise DataError([Fault(name, 1, "UTF-16 text", "save the file as UTF-8")])
            if line == 1 and lines.startswith(UTF8_MARK):
                lines = lines.removeprefix(UTF8_MARK)
                offset = None if offset is None else len(UTF8_MARK)
            yield Block(name, line, lines, len(lines), offset)
            line += lines.count(b"\n")
            offset = None if offset is None else offset + len(lines)


def begins_list(lines: bytes) -> bool:
    """Whether a file that starts with these bytes is one JSON list."""
    return lines.removeprefix(UTF8_MARK).lstrip().startswith(b"[")


def _is_plain_file(stream: IO[bytes], path: str | os.PathLike[str]) -> bool:
    """Whether the bytes of the stream stand in the file as they are."""
    plain = isinstance(getattr(stream, "raw", None), FileIO)
    return plain and str(path) != "-" and os.path.isfile(path)


def leave_in_file(block: Block) -> Block:
    """The block without its lines where another process can read them from the file: they travel slowly."""
    if block.offset is None or not block.lines:
        return block
    return block._replace(lines=b"", checksum=zlib.crc32(block.lines))


def lines_of(block: Block) -> bytes:
    """The lines of a block, read from the file where they were left; refused if they are others now."""
    if block.lines or block.offset is None:
        return block.lines
    with open_input(block.source) as stream:
        stream.seek(block.offset)
        lines = stream.read(block.size)
    if zlib.crc32(lines) != block.checksum:
        raise DataError([changed_while_read(block.source)])
    return lines


def parse_block(block: Block, *, need_text: bool = True) -> Parsed:
    """Parse every line of a block; a bad line becomes a fault and the others go on."""
    examples: list[Example] = []
    numbers: list[int] = []
    faults: list[Fault] = []
    loads = orjson.loads
    for number, line in enumerate(lines_of(block).split(b"\n"), block.first_line):
        if not line or line.isspace():
            continue
        try:
            example = make_example(loads(line), number, line, need_text=need_text)
            examples.append(example if len(line) < SHORT_LINE_BYTES else check_size(example))
            numbers.append(number)
        except orjson.JSONDecodeError as error:
            faults.append(Fault(block.source, number, *explain_broken_json(line, error)))
        except Malformed as error:
            faults.append(Fault(block.source, number, error.problem, error.remedy))
    return Parsed(examples, numbers, faults)


def explain_broken_json(line: bytes, error: orjson.JSONDecodeError) -> tuple[str, str]:
    """What is wrong with a line that is no JSON, and what to do."""
    try:
        text = line.decode()
    except UnicodeDecodeError as broken:
        return f"byte {broken.start + 1} of the line is not UTF-8", "save the file as UTF-8"
    if line.lstrip().startswith(b"["):
        return "a list", "write one object a line (JSON lines), not a list of them"
    found = f"broken JSON ({error.msg.split(': line')[0]}) near {shorten(text[max(0, error.pos - 10) :], 30)}"
    return found, "write one complete JSON object on each line"


BLOCK_ROWS = 1024


class RowBlock(NamedTuple):
    """Consecutive rows under the same names: lists of cells, or a record batch of Arrow.

    `lines` says where each row stands in its source; `first` is the number of the first, which stands in for
    a missing id. `system` is the name for the system of rows that name none.
    """

    source: str
    row_kind: RowKind
    names: Sequence[str]
    lines: Sequence[int]
    first: int
    rows: Any
    size: int
    system: str = ""


def cut_rows(
    source: str,
    names: Sequence[str],
    rows: Iterable[tuple[int, list[str]]],
    *,
    most: int = BLOCK_ROWS,
    need_text: bool,
) -> Iterator[RowBlock]:
    """Blocks of rows with the line each begins at; a source that breaks off tells of earlier faults, too."""
    lines: list[int] = []
    cells: list[list[str]] = []
    first = 1

    def block() -> RowBlock:
        # Cells and what separates them; quotes are gone.
        size = sum(len(cell) + 1 for row in cells for cell in row)
        return RowBlock(source, "line", names, lines, first, cells, size)

    try:
        for line, row in rows:
            lines.append(line)
            cells.append(row)
            if len(cells) == most:
                yield block()
                first += len(cells)
                lines, cells = [], []
    except DataError as error:
        found = [*parse_rows(block(), need_text=need_text).faults, *error.faults]
        raise DataError(found[:MAX_FAULTS_SHOWN]) from None
    if cells:
        yield block()


def parse_rows(block: RowBlock, *, need_text: bool = True) -> Parsed:
    """Make an example of every row; a bad one becomes a fault and the others go on."""
    columns = Columns(block.names)
    faults = Faults(patient=True)
    width = len(block.names)

    def make(row: tuple[int, Sequence[Any]]) -> Example:
        return columns.example(check_width(row[1], width), row[0], need_text=need_text)

    numbered = zip(block.lines, enumerate(_cells_of(block), block.first), strict=True)
    made = list(make_each(block.source, numbered, make, faults, row_kind=block.row_kind))
    return Parsed([example for _, example in made], [line for line, _ in made], faults.take())


def parse_any(block: Block | RowBlock, *, need_text: bool = True) -> Parsed:
    """What a block of lines or of rows holds."""
    if isinstance(block, Block):
        return parse_block(block, need_text=need_text)
    return parse_rows(block, need_text=need_text)


def iter_rows(blocks: Iterable[RowBlock], *, need_text: bool) -> Iterator[Example]:
    """The examples of all blocks one by one; faults are raised at the end, or at the tenth."""
    faults = Faults()
    for block in blocks:
        parsed = parse_rows(block, need_text=need_text)
        yield from parsed.examples
        faults.add(*parsed.faults)
    faults.check()


def _cells_of(block: RowBlock) -> Iterable[Sequence[Any]]:
    if isinstance(block.rows, list):
        return block.rows
    from factable.io.formats.parquet import cells_of

    return cells_of(block.source, block.rows)
