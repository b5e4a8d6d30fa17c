"""Parquet tables, by the same rule of columns as CSV; cells may hold lists and objects."""

from collections.abc import Iterator, Sequence
from io import BufferedReader, BytesIO
from typing import IO, Any

from factable.errors import DataError, Fault, MissingExtraError
from factable.io.collect import Faults, make_each
from factable.io.delimited import check_header
from factable.io.files import open_input, source_name
from factable.io.formats import require_sources
from factable.io.limits import MOST_DOCUMENT_BYTES
from factable.io.rows import Columns
from factable.types import Example

BATCH_ROWS = 1024


def read_parquet(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each row; a table without texts gives empty ones."""
    require_sources("parquet", sources, 1, 1)
    faults = Faults()
    for _, example in number_parquet(sources[0], faults, need_text=False):
        yield example
    faults.check()


def number_parquet(path: str, faults: Faults, *, need_text: bool) -> Iterator[tuple[int, Example]]:
    """The examples of a Parquet file with the number of each row."""
    name = source_name(path)
    with open_input(path) as stream:
        table = _open_table(name, stream)
        columns = Columns(check_header(name, table.schema_arrow.names))

        def make(row: tuple[int, tuple[object, ...]]) -> Example:
            return columns.example(row[1], row[0], need_text=need_text)

        numbered = ((number, (number, cells)) for number, cells in enumerate(_iter_rows(name, table), 1))
        yield from make_each(name, numbered, make, faults, unit="row")


def _open_table(name: str, stream: IO[bytes]) -> Any:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    # Parquet begins at its end, so a stream that cannot go there is read whole.
    seekable = isinstance(stream, BufferedReader) and stream.seekable()
    if not seekable:
        content = stream.read(MOST_DOCUMENT_BYTES + 1)
        if len(content) > MOST_DOCUMENT_BYTES:
            raise DataError([Fault(name, None, "too large to be read as a stream", "unpack it first")])
    try:
        return ParquetFile(stream if seekable else BytesIO(content))
    except (ArrowException, ValueError, OverflowError) as error:
        raise DataError([_damaged(name, error)]) from None


def _iter_rows(name: str, table: Any) -> Iterator[tuple[object, ...]]:
    """The cells of every row; a column of Arrow's map type holds dicts."""
    from pyarrow import ArrowException
    from pyarrow.types import is_map

    maps = [is_map(field.type) for field in table.schema_arrow]
    try:
        for batch in table.iter_batches(batch_size=BATCH_ROWS):
            cells = [column.to_pylist() for column in batch.columns]
            for place in (place for place, mapped in enumerate(maps) if mapped):
                cells[place] = [value if value is None else dict(value) for value in cells[place]]
            yield from zip(*cells, strict=True)
    except (ArrowException, ValueError, OverflowError) as error:
        raise DataError([_damaged(name, error)]) from None


def _damaged(name: str, error: Exception) -> Fault:
    found = f"no readable Parquet ({str(error).partition(chr(10))[0]})"
    return Fault(name, None, found, "check that the file is Parquet and complete")
