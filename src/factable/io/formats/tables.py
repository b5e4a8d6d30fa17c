"""CSV, TSV and Parquet tables: the columns id, system, text, data, references …, or one fact per column.

Cells of Parquet may hold lists and objects.
"""

from collections.abc import Iterator, Sequence
from io import BufferedReader, BytesIO
from itertools import chain
from typing import IO, Any

from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault, MissingExtraError
from factable.io.blocks import BLOCK_ROWS, RowBlock, arrow_errors
from factable.io.delimited import check_header, read_cells
from factable.io.faults import Faults
from factable.io.files import open_input, plain_size, source_name
from factable.io.formats import require_sources
from factable.io.limits import MAX_DOCUMENT_BYTES
from factable.types import Example


class TableExamples:
    """The examples of a table, one for each row; `has_texts` tells whether it has a column of texts.

    Without one, all texts are empty. Faults are raised at the end, or at the tenth.
    """

    def __init__(self, blocks: Iterator[RowBlock]) -> None:
        first = next(blocks, None)
        self._blocks = chain([] if first is None else [first], blocks)
        self.has_texts = first is not None and "text" in first.names

    def __iter__(self) -> Iterator[Example]:
        faults = Faults()
        for block in self._blocks:
            parsed = block.parse(need_text=self.has_texts)
            yield from parsed.examples
            faults.add(*parsed.faults)
        faults.check()


def read_csv(sources: Sequence[str]) -> TableExamples:
    """The rows of a CSV or TSV file."""
    require_sources("csv", sources, 1, 1)
    return TableExamples(iter_csv(sources[0], need_text=False))


def read_parquet(sources: Sequence[str]) -> TableExamples:
    """The rows of a Parquet file."""
    require_sources("parquet", sources, 1, 1)
    return TableExamples(iter_parquet(sources[0]))


def iter_csv(path: str, *, max_rows: int = BLOCK_ROWS, need_text: bool) -> Iterator[RowBlock]:
    """The rows of a CSV or TSV file in blocks; where the file breaks off, earlier faults are reported too."""
    header, rows = read_cells(path)
    name = source_name(path)
    lines: list[int] = []
    cells: list[list[str]] = []
    first = 1

    def block() -> RowBlock:
        # Cells and their separators; quotes are gone.
        size = sum(len(cell) + 1 for row in cells for cell in row)
        return RowBlock(name, "line", header, lines, first, cells, size)

    try:
        for line, row in rows:
            lines.append(line)
            cells.append(row)
            if len(cells) == max_rows:
                yield block()
                first += len(cells)
                lines, cells = [], []
    except DataError as error:
        faults = [*block().parse(need_text=need_text).faults, *error.faults]
        raise DataError(faults[:MAX_FAULTS_SHOWN]) from None
    if cells:
        yield block()


def iter_parquet(path: str, *, max_rows: int = BLOCK_ROWS) -> Iterator[RowBlock]:
    """The rows of a Parquet file in blocks, as Arrow holds them."""
    name = source_name(path)
    with open_input(path) as stream:
        table = _open_parquet(name, stream)
        names = check_header(name, table.schema_arrow.names)
        row_bytes = (plain_size([path]) or 0) / max(1, table.metadata.num_rows)
        first = 1
        with arrow_errors(name):
            for batch in table.iter_batches(batch_size=max_rows):
                lines = range(first, first + batch.num_rows)
                yield RowBlock(name, "row", names, lines, first, batch, round(row_bytes * len(lines)))
                first = lines.stop


def _open_parquet(name: str, stream: IO[bytes]) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    # Parquet is read from its end, so a stream without random access is read whole.
    seekable = isinstance(stream, BufferedReader) and stream.seekable()
    if not seekable:
        content = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(content) > MAX_DOCUMENT_BYTES:
            raise DataError([Fault(name, None, "too large to be read as a stream", "unpack it first")])
    with arrow_errors(name):
        return parquet.ParquetFile(stream if seekable else BytesIO(content))
