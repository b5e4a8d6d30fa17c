"""Parquet tables, by the same rule of columns as CSV; cells may hold lists and objects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from typing import IO, Any

from factable.errors import DataError, Fault, MissingExtraError
from factable.io.blocks import BLOCK_ROWS, RowBlock, iter_rows
from factable.io.delimited import check_header
from factable.io.files import open_input, plain_size, source_name
from factable.io.formats import require_sources
from factable.io.limits import MAX_DOCUMENT_BYTES
from factable.types import Example


def read_parquet(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each row; a table without texts gives empty ones."""
    require_sources("parquet", sources, 1, 1)
    return iter_rows(iter_parquet(sources[0]), need_text=False)


def iter_parquet(path: str, *, most: int = BLOCK_ROWS) -> Iterator[RowBlock]:
    """The rows of a Parquet file in blocks, as Arrow holds them."""
    name = source_name(path)
    with open_input(path) as stream:
        table = _open_table(name, stream)
        names = check_header(name, table.schema_arrow.names)
        row_bytes = (plain_size([path]) or 0) / max(1, table.metadata.num_rows)
        first = 1
        with _damage_named(name):
            for batch in table.iter_batches(batch_size=most):
                lines = range(first, first + batch.num_rows)
                yield RowBlock(name, "row", names, lines, first, batch, round(row_bytes * len(lines)))
                first = lines.stop


def _open_table(name: str, stream: IO[bytes]) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    # Parquet begins at its end, so a stream that cannot go there is read whole.
    seekable = isinstance(stream, BufferedReader) and stream.seekable()
    if not seekable:
        content = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(content) > MAX_DOCUMENT_BYTES:
            raise DataError([Fault(name, None, "too large to be read as a stream", "unpack it first")])
    with _damage_named(name):
        return parquet.ParquetFile(stream if seekable else BytesIO(content))


def cells_of(name: str, batch: Any) -> Iterator[tuple[object, ...]]:
    """The cells of every row of a record batch; a column of Arrow's map type holds dicts."""
    from pyarrow.types import is_map

    with _damage_named(name):
        columns = [column.to_pylist() for column in batch.columns]
        for index in (index for index, field in enumerate(batch.schema) if is_map(field.type)):
            columns[index] = [value if value is None else dict(value) for value in columns[index]]
    return zip(*columns, strict=True)


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    """Say of which file it is that Arrow cannot read something."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, ValueError, OverflowError) as error:
        raise DataError([_damaged(name, error)]) from None


def _damaged(name: str, error: Exception) -> Fault:
    found = f"no readable Parquet ({str(error).partition(chr(10))[0]})"
    return Fault(name, None, found, "check that the file is Parquet and complete")
